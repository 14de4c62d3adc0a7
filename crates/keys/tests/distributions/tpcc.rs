//! What is known of TPC-C's numbers.

use hitm_keys::dist::tpcc::Nurand;
use hitm_keys::dist::{Distribution, find};

use crate::{asked, near, range};

/// The largest chances, the keys that have them, and the share of the hottest tenth of the keys.
#[test]
fn chances_are_known() {
    for (low, high, a, most, at, tenth) in
        [(0, 999, 255, 0.025_629, vec![255, 511, 767], 0.5423), (1, 3000, 1023, 0.019_222, vec![2048], 0.6132)]
    {
        let numbers = Nurand::new(range(low, high), a, 0).unwrap();
        let mut chances: Vec<(f64, u64)> = (low..=high).map(|key| (numbers.probability(key).unwrap(), key)).collect();
        assert!(chances.iter().all(|(chance, _)| *chance > 0.0), "every key can be drawn");
        near(chances.iter().map(|(chance, _)| chance).sum(), 1.0, 12);
        chances.sort_by(|a, b| b.0.total_cmp(&a.0));
        near(chances[0].0, most, 6);
        let mut hottest: Vec<u64> =
            chances.iter().take_while(|(chance, _)| *chance > chances[0].0 - 1e-9).map(|(_, key)| *key).collect();
        hottest.sort_unstable();
        assert_eq!(hottest, at);
        near(chances.iter().take(chances.len() / 10).map(|(chance, _)| chance).sum(), tenth, 4);
    }
}

/// By counting all pairs.
#[test]
fn chances_are_those_of_all_pairs() {
    for (low, high, a, c) in [(0, 999, 255, 173), (1, 3000, 1023, 7), (5, 30, 12, 12), (0, 99, 256, 0), (3, 3, 0, 0)] {
        let numbers = Nurand::new(range(low, high), a, c).unwrap();
        let mut counts = vec![0u64; (high - low) as usize + 1];
        for first in 0..=a {
            (low..=high).for_each(|second| counts[(((first | second) + c) % (high - low + 1)) as usize] += 1);
        }
        let pairs = ((a + 1) * (high - low + 1)) as f64;
        for (key, count) in (low..).zip(&counts) {
            near(numbers.probability(key).unwrap(), *count as f64 / pairs, 12);
        }
        assert!(!counts.contains(&0), "every key can be drawn, since 0 | y is y");
    }
}

#[test]
fn constants_outside_are_refused() {
    for (name, a) in [("tpcc/last-name", 255.0), ("tpcc/customer", 1023.0), ("tpcc/item", 8191.0)] {
        let entry = find(name).unwrap();
        let with = |c: f64| {
            let mut asked = asked(entry.range, 1);
            asked.parameters.insert("c".to_owned(), c);
            entry.build(&asked)
        };
        assert!(with(0.0).is_ok() && with(a).is_ok());
        for c in [a + 1.0, -1.0, 0.5, f64::NAN] {
            let Err(refusals) = with(c) else { panic!("{name} takes {c}") };
            assert_eq!((refusals.len(), refusals[0].setting.as_str()), (1, "c"), "{refusals:?}");
        }
    }
    assert_eq!(Nurand::new(range(0, u64::MAX), u64::MAX, 0).unwrap_err().len(), 2);
}
