//! What holds for any events on any PMU.

use proptest::prelude::*;

use super::*;

const POOL: [u64; 36] = [
    0x600f4,
    0x500fa,
    0x200f4,
    0x400fa,
    0x1e,
    0x2,
    0x1c048,
    0x2c046,
    0x3c058,
    0x4c048,
    0x1e058,
    0x2c044,
    0x3c040,
    0x4c046,
    0x1e054,
    0x4000a,
    0x3e054,
    0x400f0,
    0x200f2,
    0xc8bc,
    0xc8b8,
    0x1d148,
    0x4c128,
    0x2d146,
    0x402_d146,
    0x16086,
    0x36086,
    0x46086,
    0x36884,
    0x46084,
    0x26080,
    0x536088,
    0x3434_0401e0,
    0x51c058,
    0x41c058,
    0x7_0000,
];

fn rules() -> impl Strategy<Value = Rules> {
    let names = prop::sample::subsequence(vec!["cycles", "instructions", "ref-cycles"], 0..=3);
    let offcore = prop::sample::subsequence(vec![0x1b7, 0x1bb], 0..=2);
    prop_oneof![
        (8_u32..=10).prop_map(power),
        (1_u32..=8, names, offcore).prop_map(|(general, names, offcore)| Rules::Counters {
            general,
            fixed: names.into_iter().map(str::to_owned).collect(),
            offcore,
        }),
    ]
}

fn code() -> impl Strategy<Value = Code> {
    prop_oneof![
        6 => prop::sample::select(POOL.to_vec()).prop_map(raw),
        1 => (0_u64..12).prop_map(generic),
        1 => (0_u64..4).prop_map(software),
        1 => any::<u64>().prop_map(raw),
        1 => (0_u64..1 << 20).prop_map(raw),
        2 => (prop::sample::select(vec![0x1b7, 0x1bb, 0x1c6]), 0_u64..4).prop_map(|(config, config1)| Code { config1, ..raw(config) }),
        2 => (1_u64..5, 0_u64..256).prop_map(|(config, mask)| Code { counters: Some(mask), ..raw(config) }),
    ]
}

fn own() -> impl Strategy<Value = BTreeMap<String, u64>> {
    prop::sample::subsequence(
        vec![("cycles", 0x1e), ("instructions", 0x2), ("cache-misses", 0x3e054), ("branches", 0x10068)],
        0..=4,
    )
    .prop_map(|pairs| pairs.into_iter().map(|(name, code)| (name.to_owned(), code)).collect())
}

/// What a pass opens, in order.
fn opened(pass: &super::super::Pass, codes: &[Code]) -> Vec<Code> {
    pass.companions.iter().cloned().chain(pass.events.iter().map(|&event| codes[event].clone())).collect()
}

/// The passes by what is in them, in any order of the events.
fn contents(found: &Passes, codes: &[Code]) -> Vec<Vec<String>> {
    let content = |pass| {
        let mut content: Vec<String> = opened(pass, codes).iter().map(|code| format!("{code:?}")).collect();
        content.sort();
        content
    };
    found.passes.iter().map(content).collect()
}

proptest! {
    #[test]
    fn passes_pass_and_count_each_event(rules in rules(), own in own(), codes in prop::collection::vec(code(), 0..20)) {
        let found = rules.passes(&own, &codes, &[]);
        let mut counted = vec![0; codes.len()];
        for pass in &found.passes {
            let opened = opened(pass, &codes);
            prop_assert_eq!(rules.check(&own, &opened), vec![]);
            // Linux looks again with every event that is opened.
            for many in 1..opened.len() {
                prop_assert_eq!(rules.check(&own, &opened[..many]), vec![], "{:?} of {:?}", many, &opened);
            }
            for &event in &pass.events {
                counted[event] += 1;
            }
        }
        let refused: Vec<usize> = found.refused.iter().map(|(event, _)| *event).collect();
        prop_assert!(refused.is_sorted());
        for (event, count) in counted.into_iter().enumerate() {
            if refused.contains(&event) {
                prop_assert_eq!(count, 0);
                prop_assert!(found.refused.iter().all(|(_, why)| !why.is_empty()));
                prop_assert!(!rules.check(&own, &codes[event..=event]).is_empty());
            } else {
                prop_assert!(count >= 1);
            }
        }
    }

    #[test]
    fn the_order_of_asking_does_not_matter(
        rules in rules(),
        own in own(),
        (codes, shuffled) in prop::collection::vec(code(), 0..18).prop_flat_map(|codes| (Just(codes.clone()), Just(codes).prop_shuffle())),
        watched in any::<bool>(),
    ) {
        let reserved: Vec<Code> = rules.watchdog().filter(|_| watched).into_iter().collect();
        let first = rules.passes(&own, &codes, &reserved);
        let second = rules.passes(&own, &shuffled, &reserved);
        prop_assert_eq!(contents(&first, &codes), contents(&second, &shuffled));
        prop_assert_eq!(first.refused.len(), second.refused.len());
        prop_assert_eq!(rules.check(&own, &codes).is_empty(), rules.check(&own, &shuffled).is_empty());
    }

    #[test]
    fn conflicts_are_about_events_that_were_asked(rules in rules(), own in own(), codes in prop::collection::vec(code(), 0..14)) {
        let found = rules.passes(&own, &codes, &[]);
        let conflicts = rules.check(&own, &codes);
        for conflict in &conflicts {
            prop_assert!(!conflict.events.is_empty() && !conflict.why.is_empty());
            prop_assert!(conflict.events.iter().all(|&event| event < codes.len()));
        }
        if conflicts.is_empty() && !codes.is_empty() {
            prop_assert_eq!(found.passes.len(), 1);
            prop_assert!(found.passes[0].companions.is_empty());
        }
    }

    #[test]
    fn few_events_are_parted_into_the_fewest_passes(general in 1_u32..5, codes in prop::collection::vec(code(), 0..7)) {
        let rules = Rules::Counters { general, fixed: vec![], offcore: vec![0x1b7, 0x1bb] };
        let none = BTreeMap::new();
        let found = rules.passes(&none, &codes, &[]);
        let refused: Vec<usize> = found.refused.iter().map(|(event, _)| *event).collect();
        let left: Vec<Code> = (0..codes.len()).filter(|event| !refused.contains(event)).map(|event| codes[event].clone()).collect();
        prop_assert_eq!(found.passes.len(), fewest(&rules, &left, &mut Vec::new()));
        let competing = left.iter().filter(|code| code.pmu_type != TYPE_SOFTWARE).count();
        prop_assert!(found.passes.len() >= competing.div_ceil(general as usize));
    }
}

/// By trying all.
fn fewest(rules: &Rules, codes: &[Code], open: &mut Vec<Vec<Code>>) -> usize {
    let Some((first, rest)) = codes.split_first() else { return open.len() };
    open.push(vec![first.clone()]);
    let mut best = fewest(rules, rest, open);
    open.pop();
    for pass in 0..open.len() {
        open[pass].push(first.clone());
        if rules.check(&BTreeMap::new(), &open[pass]).is_empty() {
            best = best.min(fewest(rules, rest, open));
        }
        open[pass].pop();
    }
    best
}
