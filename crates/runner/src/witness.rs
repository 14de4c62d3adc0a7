//! What is looked at around each trial: the witness pair's round trip, stolen time, throttling.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use hitm_counters::Clock;
use hitm_experiment::record::{PingPong, Witness};
use hitm_kernels::StopToken;
use hitm_kernels::latency::ping_pong::{Court, Side};
use hitm_machine::{pin, usage};

/// Round trips in a chunk: 5 µs on one die, 15 µs across.
const ROUND_TRIPS: u64 = 50;

/// Chunks in a witness; their median survives that half of them are disturbed.
const CHUNKS: usize = 9;

/// Looks at the machine from outside a trial.
pub(crate) struct Witnesses {
    clock: Clock,
    pair: Option<[u32; 2]>,
    pus: Vec<u32>,
    /// Looks so far: each plays on another line.
    looks: AtomicU64,
}

impl Witnesses {
    /// Witnesses on `pair`, who also look at the stolen time of `pus`.
    pub(crate) fn new(clock: Clock, pair: Option<[u32; 2]>, pus: Vec<u32>) -> Self {
        Witnesses { clock, pair, pus, looks: AtomicU64::new(0) }
    }

    /// Looks now. Takes some tenths of a millisecond.
    pub(crate) fn look(&self) -> Witness {
        Witness {
            ping_pong: self.pair.and_then(|pair| self.ping_pong(pair)),
            steal_ticks: usage::steal_ticks(&self.pus),
            throttled_periods: usage::throttled_periods(),
        }
    }

    /// Times round trips between two threads; `None` when the threads cannot be had.
    fn ping_pong(&self, pus: [u32; 2]) -> Option<PingPong> {
        let court = Court::new(self.looks.fetch_add(1, Ordering::Relaxed));
        let stop = StopToken::default();
        let play = |side: Side| {
            let pu = if side == Side::Server { pus[0] } else { pus[1] };
            // Unpinned the two may share a PU, and what they tell is no transfer.
            if pin::pin_current_thread(pu).is_err() {
                stop.set();
            }
            let mut player = court.player(side, &stop);
            let mut all_done = player.rally(ROUND_TRIPS) == ROUND_TRIPS;
            let mut chunks = Vec::with_capacity(CHUNKS);
            for _ in 0..CHUNKS {
                let begin = self.clock.now();
                all_done &= player.rally(ROUND_TRIPS) == ROUND_TRIPS;
                chunks.push(self.clock.now().saturating_sub(begin));
            }
            all_done.then_some(chunks)
        };
        let chunks = thread::scope(|scope| {
            let other = thread::Builder::new().spawn_scoped(scope, || play(Side::Returner)).ok()?;
            let one = thread::Builder::new().spawn_scoped(scope, || play(Side::Server));
            let Ok(one) = one else {
                stop.set();
                return None;
            };
            let chunks = one.join().ok()?;
            other.join().ok()?.and(chunks)
        })?;
        Some(PingPong { pus, round_trips: ROUND_TRIPS, chunks })
    }
}
