//! Which of the machine's transfer levels held: clusters of the witness pair's round trips.
//!
//! On a virtual machine the host moves the PUs, and one line's round trip between them changes several times over while a run
//! goes on. Numbers from different levels are different quantities, so each trial is given the level that held around it.

use hitm_experiment::manifest::ClockInfo;
use hitm_experiment::record::{PingPong, Witness};

use crate::interval;

/// Two round trips that differ by this factor or more belong to different levels.
pub const APART: f64 = 1.6;

/// A level holds at least this share of the witnesses, and at least three; what holds fewer is an outlier.
pub const LEAST_SHARE: f64 = 0.03;

const LEAST: usize = 3;
const MOST_LEVELS: usize = 3;

/// Whether two round trips are too far apart for one level.
pub(crate) fn apart(a: f64, b: f64) -> bool {
    a.max(b) / a.min(b) >= APART
}

/// The round trip that a ping-pong saw, nanoseconds: the median of its chunks. `None` where it holds nothing.
pub fn round_trip_ns(ping_pong: &PingPong, clock: &ClockInfo) -> Option<f64> {
    if ping_pong.round_trips == 0 {
        return None;
    }
    let ticks = interval::median(ping_pong.chunks.iter().map(|&ticks| ticks as f64).collect())?;
    let ns = ticks / ping_pong.round_trips as f64 * (1e9 / clock.hz);
    (ns.is_finite() && ns > 0.0).then_some(ns)
}

/// The round trip of a witness, nanoseconds; `None` where there was no ping-pong or it holds nothing.
pub fn witness_ns(witness: &Witness, clock: &ClockInfo) -> Option<f64> {
    round_trip_ns(witness.ping_pong.as_ref()?, clock)
}

/// The levels found in a run, fastest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levels {
    /// The round trips of each level, sorted, nanoseconds.
    members: Vec<Vec<f64>>,
}

impl Levels {
    /// Clusters round trips by their gaps. A gap is a factor of [`APART`] with nothing inside (in a large run at most one witness
    /// in a hundred, caught while the level changed); it counts when what lies on both sides is too much to be outliers. Without
    /// enough witnesses to tell, there are no levels, unless all are close together.
    pub fn of(mut round_trips: Vec<f64>) -> Levels {
        round_trips.retain(|ns| ns.is_finite() && *ns > 0.0);
        round_trips.sort_unstable_by(f64::total_cmp);
        let n = round_trips.len();
        if n == 0 {
            return Levels::default();
        }
        let pieces = split(&round_trips);
        let least = LEAST.max((n as f64 * LEAST_SHARE).ceil() as usize);
        if pieces.len() == 1 {
            return Levels { members: vec![round_trips] };
        }
        let mut members: Vec<Vec<f64>> =
            pieces.into_iter().filter(|piece| piece.len() >= least).map(<[f64]>::to_vec).collect();
        while members.len() > MOST_LEVELS {
            let gap = |i: usize| members[i + 1][0] / members[i][members[i].len() - 1];
            let least_apart = (0..members.len() - 1).min_by(|&a, &b| gap(a).total_cmp(&gap(b))).unwrap_or(0);
            let slower = members.remove(least_apart + 1);
            members[least_apart].extend(slower);
        }
        Levels { members }
    }

    /// How many levels there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The level of a round trip, by index; `None` for an outlier.
    pub fn at(&self, ns: f64) -> Option<usize> {
        self.members.iter().position(|members| members[0] <= ns && ns <= members[members.len() - 1])
    }

    /// The name of a level.
    pub fn name(&self, index: usize) -> &'static str {
        match (self.len(), index) {
            (1, _) => "one",
            (_, 0) => "near",
            (3, 1) => "middle",
            _ => "far",
        }
    }
}

/// Cuts sorted round trips at every gap; what lies inside a gap is in no piece.
fn split(sorted: &[f64]) -> Vec<&[f64]> {
    let n = sorted.len();
    let inside_allowed = n / 100;
    // How many lie inside the gap that would begin after `i`; `None` where there is no gap.
    let gap_after = |i: usize| -> Option<usize> {
        let end = sorted.partition_point(|&ns| ns < sorted[i] * APART);
        let inside = end.checked_sub(i + 1)?;
        (inside <= inside_allowed && end < n).then_some(inside)
    };
    let mut pieces = Vec::new();
    let (mut start, mut i) = (0, 0);
    while i < n {
        let Some(mut inside) = gap_after(i) else {
            i += 1;
            continue;
        };
        // The last members of a piece have few after them too: go on to where the gap is emptiest.
        while let Some(fewer) = gap_after(i + 1).filter(|&next| next < inside) {
            i += 1;
            inside = fewer;
        }
        pieces.push(&sorted[start..=i]);
        start = i + inside + 1;
        i = start;
    }
    pieces.push(&sorted[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(ns: f64, count: usize) -> Vec<f64> {
        (0..count).map(|i| ns * (1.0 + 0.1 * (i as f64 / count as f64 - 0.5))).collect()
    }

    fn sizes(levels: &Levels) -> Vec<usize> {
        levels.members.iter().map(Vec::len).collect()
    }

    #[test]
    fn near_and_far_are_told_apart() {
        let levels = Levels::of([around(55.0, 40), around(315.0, 20)].concat());
        assert_eq!(sizes(&levels), [40, 20]);
        assert_eq!((levels.name(0), levels.name(1)), ("near", "far"));
        assert_eq!(
            (levels.at(55.0), levels.at(315.0), levels.at(150.0), levels.at(4000.0)),
            (Some(0), Some(1), None, None)
        );
    }

    #[test]
    fn one_level_stays_one_with_the_spread_seen_on_quiet_machines() {
        let levels = Levels::of((0..50).map(|i| 53.0 + 42.0 * f64::from(i) / 50.0).collect());
        assert_eq!((sizes(&levels), levels.name(0)), (vec![50], "one"));
        assert_eq!(sizes(&Levels::of(vec![50.0])), [1]);
        assert_eq!(sizes(&Levels::of(vec![50.0; 100])), [100]);
    }

    #[test]
    fn a_few_disturbed_witnesses_make_no_level() {
        let mut values = around(55.0, 100);
        values.extend([2_000.0, 2_100.0, 90_000.0]);
        let levels = Levels::of(values);
        assert_eq!((sizes(&levels), levels.name(0), levels.at(2_000.0)), (vec![100], "one", None));
    }

    #[test]
    fn witnesses_caught_in_the_middle_do_not_join_two_levels() {
        let mut values = [around(55.0, 300), around(315.0, 300)].concat();
        values.extend([80.0, 120.0, 180.0, 250.0]);
        let levels = Levels::of(values);
        assert_eq!(levels.len(), 2);
        assert!(levels.at(120.0).is_none() && levels.at(57.0) == Some(0) && levels.at(310.0) == Some(1));
    }

    #[test]
    fn three_levels_have_a_middle_and_more_are_merged() {
        let three = Levels::of([around(20.0, 10), around(60.0, 10), around(315.0, 10)].concat());
        assert_eq!((sizes(&three), three.name(1)), (vec![10, 10, 10], "middle"));
        let four = Levels::of([around(20.0, 10), around(40.0, 10), around(150.0, 10), around(600.0, 10)].concat());
        assert_eq!(sizes(&four), [20, 10, 10]);
    }

    #[test]
    fn too_few_to_tell_are_no_level() {
        assert!(Levels::of(vec![50.0, 310.0]).is_empty());
        assert!(Levels::of(vec![]).is_empty());
        assert!(Levels::of(vec![f64::NAN, 0.0, -1.0]).is_empty());
    }

    #[test]
    fn a_ping_pong_that_holds_nothing_has_no_round_trip() {
        let clock = ClockInfo { name: "tsc".into(), hz: 2e9, source: String::new() };
        let of = |round_trips, chunks| round_trip_ns(&PingPong { pus: [0, 1], round_trips, chunks }, &clock);
        assert_eq!(of(100, vec![10_000, 99_000, 11_000]), Some(55.0));
        assert_eq!((of(0, vec![1]), of(100, vec![]), of(100, vec![0])), (None, None, None));
    }
}
