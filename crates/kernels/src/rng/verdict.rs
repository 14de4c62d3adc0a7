//! States held to the draws made.

use hitm_experiment::record::Verification;
use hitm_keys::rng::WordState;

/// States of which each worker has its own: each must be its start, gone forward by its draws. A worker that was
/// never made has neither.
pub(super) fn own<G: WordState>(starts_and_ends: impl Iterator<Item = Option<(G, G)>>, totals: &[u64]) -> Verification {
    let wrong: Vec<_> = starts_and_ends
        .zip(totals)
        .enumerate()
        .filter_map(|(worker, (states, &total))| match states {
            Some((start, end)) => Some(format!("worker {worker}: {}", difference(&start, &end, total)?)),
            None => (total > 0).then(|| format!("worker {worker} drew {total} values and left no state")),
        })
        .collect();
    if wrong.is_empty() { Verification::Exact } else { Verification::Wrong { what: wrong.join("; ") } }
}

/// A shared state that no draw can be lost from: it must be its start, gone forward by all draws.
pub(super) fn shared<G: WordState>(start: &G, end: &G, totals: &[u64]) -> Verification {
    match difference(start, end, totals.iter().sum()) {
        None => Verification::Exact,
        Some(what) => Verification::Wrong { what },
    }
}

/// A shared state whose words racing workers load and store one by one. How many draws it still holds can be told
/// where each word is stored whole and its place in the generator's sequence can be found.
pub(super) fn racy<G: WordState>(start: &G, end: &G, totals: &[u64]) -> Verification {
    let expected = totals.iter().sum();
    let Some(what) = difference(start, end, expected) else { return Verification::Exact };
    if totals.iter().filter(|total| **total > 0).count() == 1 {
        return Verification::Wrong { what };
    }
    if let Some(stuck) = G::stuck(&end.words()) {
        return Verification::Unverifiable { why: format!("the shared state is stuck: {stuck}") };
    }
    let why = match end.draws_since(start) {
        _ if expected >= G::PERIOD => {
            format!("{expected} draws are more than the period of {}, so those lost cannot be told", G::NAME)
        }
        Some(found) if found < expected => return Verification::Lost { expected, found },
        Some(_) => "the racing workers left a state that mixes several draws' words".to_owned(),
        None => {
            format!("the place of a state of {} in its sequence cannot be told once draws were lost or mixed", G::NAME)
        }
    };
    Verification::Unverifiable { why }
}

/// What is wrong with a state that must be `start` after `total` draws.
fn difference<G: WordState>(start: &G, end: &G, total: u64) -> Option<String> {
    let mut expected = start.clone();
    expected.jump(total);
    let (expected, found) = (expected.words(), end.words());
    (found != expected).then(|| {
        let stuck = G::stuck(&found).map(|why| format!(" (stuck: {why})")).unwrap_or_default();
        format!("after {total} draws the state of {} is {found:x?}{stuck} and should be {expected:x?}", G::NAME)
    })
}

#[cfg(test)]
mod tests {
    use hitm_keys::rng::{Rand48, SysbenchLcg, WiredTigerMwc, Xoroshiro128Plus};

    use super::*;

    fn after<G: WordState>(draws: u64) -> (G, G) {
        let start = G::seeded(3);
        let mut end = start.clone();
        end.jump(draws);
        (start, end)
    }

    #[test]
    fn lost_draws_are_counted_where_they_can_be() {
        fn counted<G: WordState>() {
            let (start, end) = after::<G>(900);
            assert_eq!(racy(&start, &end, &[400, 500]), Verification::Exact);
            assert_eq!(racy(&start, &end, &[500, 500]), Verification::Lost { expected: 1000, found: 900 });
            assert!(matches!(shared(&start, &end, &[500, 500]), Verification::Wrong { .. }));
            assert!(matches!(racy(&start, &end, &[0, 1000]), Verification::Wrong { .. }), "one worker cannot lose");
            assert!(
                matches!(racy(&start, &end, &[400, 499]), Verification::Unverifiable { .. }),
                "more than were made"
            );
        }
        counted::<Rand48>();
        counted::<SysbenchLcg>();
        counted::<WiredTigerMwc>();
    }

    #[test]
    fn what_cannot_be_told_says_why() {
        let (start, end) = after::<Xoroshiro128Plus>(900);
        assert_eq!(racy(&start, &end, &[450, 450]), Verification::Exact);
        assert!(
            matches!(racy(&start, &end, &[450, 451]), Verification::Unverifiable { why } if why.contains("xoroshiro128+"))
        );
        let (start, end) = after::<SysbenchLcg>(900);
        assert!(
            matches!(racy(&start, &end, &[1 << 32, 901]), Verification::Unverifiable { why } if why.contains("period"))
        );
    }

    #[test]
    fn a_stuck_state_is_told() {
        let start = WiredTigerMwc::new();
        let end = WiredTigerMwc::from_words([0, 5]);
        for verdict in [
            racy(&start, &end, &[5, 5]),
            shared(&start, &end, &[5, 5]),
            own([Some((start.clone(), end.clone()))].into_iter(), &[5]),
        ] {
            let (Verification::Unverifiable { why: text } | Verification::Wrong { what: text }) = verdict else {
                panic!("{verdict:?}")
            };
            assert!(text.contains("stuck") && text.contains("m_z is 0"), "{text}");
        }
    }
}
