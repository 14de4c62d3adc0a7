//! What one event can cost at most. What seems to cost more stands for something else, which happens more often than it is counted.

use super::losses::Losses;
use super::{EventExplanation, Part};
use crate::interval::median;
use crate::run::Run;
use crate::summary::{CellSummary, Estimate};
use crate::words::plain;

/// What one transfer takes at most, nanoseconds, where the run has no ping-pong. The longest that is published for one way between
/// two cores of one system is 443 (POWER7, two sockets; the README of nviennot/core-to-core-latency); most are below 200.
pub const MOST_TRANSFER_NS: f64 = 500.0;

/// A cycle costs a cycle. Twice that leaves room for a clock that was estimated.
const MOST_CYCLES_OF_A_CYCLE: f64 = 2.0;

/// Locks the bus, which takes more than 1000 cycles and holds up other cores too (Linux, `Documentation/arch/x86/buslock.rst`).
const BUS_LOCKS: &str = "bus-locks";

/// The most that one event of a worker can cost.
pub(super) struct Bound {
    /// One transfer, nanoseconds: the slowest ping-pong round trip of the run. A round trip is two transfers: that leaves as much again
    /// for a line that several want. `None` without a ping-pong.
    round_trip: Option<f64>,
    /// The workers of the largest cell that is held against another: each may have the line before this one does.
    workers: usize,
}

impl Bound {
    pub fn of(run: &Run, losses: &Losses, cells: &[CellSummary]) -> Bound {
        let witnesses = (0..run.levels.len()).filter_map(|level| median(run.round_trips(level)));
        let measured = cells.iter().filter(|cell| cell.operation == "round trip");
        let measured = measured.filter_map(|cell| Some(cell.metrics.get("time_per_op")?.median));
        let workers = |cell: usize| run.manifest.cells[cell].placement.pus.len();
        Bound {
            round_trip: witnesses.chain(measured).max_by(f64::total_cmp),
            workers: losses.comparisons.iter().map(|against| workers(against.cell)).max().unwrap_or(1).max(1),
        }
    }

    /// Why an event's cost is more than one such event can cost; empty where it may be that.
    pub fn exceeded(&self, event: &EventExplanation) -> String {
        let least = |cost: &Estimate| if cost.coverage > 0.0 { cost.low } else { cost.median };
        let Some(cost) = &event.cost else { return String::new() };
        if event.role == "stall" {
            let cycles = event.cost_cycles.as_ref().filter(|cycles| least(cycles) > MOST_CYCLES_OF_A_CYCLE);
            return cycles.map_or(String::new(), |cycles| {
                format!("one of its cycles would cost {}, and a cycle costs one", plain(cycles))
            });
        }
        let (most, why) = self.most(event);
        if event.name == BUS_LOCKS || least(cost) <= most {
            return String::new();
        }
        let cost = plain(event.cost_cycles.as_ref().unwrap_or(cost));
        format!("one would cost {cost}, more than a transfer can ({why})")
    }

    /// The bound of an event, nanoseconds, and where it is from.
    fn most(&self, event: &EventExplanation) -> (f64, String) {
        // What goes to memory, or what nobody has described, may take longer than a line from a near cache.
        let transfer = event.part == Part::Cause && event.role != "memory";
        let (one, what) = match self.round_trip {
            Some(ns) if transfer || ns >= MOST_TRANSFER_NS => (ns, "the ping-pong round trip"),
            _ => (MOST_TRANSFER_NS, "the most that one is known to take"),
        };
        let most = one * self.workers as f64;
        let each = match self.workers {
            1 => String::new(),
            workers => format!(" for each of {workers} workers"),
        };
        (most, format!("{most:.0} ns: {what}, {one:.0} ns{each}"))
    }
}
