//! Cells of two workers, one for each pair of PUs.

use std::collections::BTreeMap;

use super::spots::{LeftOut, Spot, Spots};
use super::{Offer, OfferedPair, around_ns};
use crate::experiment::Experiment;
use crate::placement::{OfEach, PairsSpec, Spread, is_relation};
use crate::problem::Problem;
use crate::seed::{Streams, shuffle};
use crate::value::Value;

/// The policy of a pair's cell.
const POLICY: &str = "pairs";

pub(super) fn count(experiment: &Experiment, spec: &PairsSpec, offer: &Offer) -> u128 {
    let all = if offer.pairs.is_empty() {
        let pus = offer.pus.len() as u128;
        pus * pus.saturating_sub(1) / 2
    } else {
        chosen(experiment, spec, offer).len() as u128
    };
    all * spec.together.len() as u128
}

pub(super) fn check(experiment: &Experiment, spec: &PairsSpec, offer: &Offer) -> Option<Problem> {
    let place = experiment.place("placement.pairs");
    if offer.pus.len() < 2 {
        let told = match experiment.placement.within.is_empty() {
            true => "pairs need two PUs, and the process may use one",
            false => "pairs need two PUs, and there is one within the bounds",
        };
        return Some(Problem::new(place, told, "let the process use more PUs, or run on a larger machine"));
    }
    let by_relation = by_relation(offer);
    let wanted = spec.relations.as_ref()?;
    if wanted.iter().any(|relation| by_relation.contains_key(relation.as_str())) {
        return None;
    }
    let there: Vec<&str> = by_relation.keys().copied().collect();
    let told = format!("no two PUs here are {}", wanted.join(" or "));
    Some(Problem::new(place, told, format!("here they are {}; or write pairs = \"all\"", there.join(", "))))
}

pub(super) fn unfold(experiment: &Experiment, spec: &PairsSpec, offer: &Offer) -> Spots {
    let mut spots = Spots::default();
    for pair in chosen(experiment, spec, offer) {
        for together in &spec.together {
            spots.found.push(Spot {
                policy: POLICY.to_owned(),
                workers: 2,
                pus: Some(pair.pus.to_vec()),
                parameters: vec![
                    ("pus", Value::Text(format!("{}+{}", pair.pus[0], pair.pus[1]))),
                    ("relation", pair.relation.as_str().into()),
                    ("together", Value::Boolean(*together)),
                ],
                naming: &["relation", "pus", "together"],
            });
        }
    }
    let there = by_relation(offer);
    let mut asked: Vec<&str> = spec.relations.iter().flatten().map(String::as_str).collect();
    // All pairs are those that there are, unless one is what the others are compared with.
    for named in [&experiment.compare.baseline, &experiment.compare.headline] {
        let relation = named.get("relation").and_then(Value::as_text).filter(|relation| is_relation(relation));
        asked.extend(relation.filter(|relation| !asked.contains(relation)));
    }
    for relation in asked.into_iter().filter(|relation| !there.contains_key(relation)) {
        let why = format!("no two PUs here are {relation}");
        spots.left_out.push(LeftOut { parameter: "relation", value: relation.into(), why });
    }
    spots
}

fn by_relation(offer: &Offer) -> BTreeMap<&str, Vec<&OfferedPair>> {
    let mut found: BTreeMap<&str, Vec<&OfferedPair>> = BTreeMap::new();
    for pair in &offer.pairs {
        found.entry(&pair.relation).or_default().push(pair);
    }
    found
}

/// How many pairs of each relation the budget has time for, where the experiment leaves that to it.
pub(super) fn affordable_here(experiment: &Experiment, offer: &Offer) -> Option<usize> {
    match &experiment.placement.spread {
        Spread::Pairs(spec) if spec.of_each == OfEach::Budget => {
            Some(affordable(experiment, spec, &wanted(spec, offer)))
        }
        _ => None,
    }
}

/// The pairs of the wanted relations.
fn wanted<'a>(spec: &PairsSpec, offer: &'a Offer) -> BTreeMap<&'a str, Vec<&'a OfferedPair>> {
    let mut by_relation = by_relation(offer);
    if let Some(wanted) = &spec.relations {
        by_relation.retain(|relation, _| wanted.iter().any(|word| word == relation));
    }
    by_relation
}

/// The pairs that are cells, ascending: all of the wanted relations, or as many of each as asked, by the seed.
fn chosen<'a>(experiment: &Experiment, spec: &PairsSpec, offer: &'a Offer) -> Vec<&'a OfferedPair> {
    let by_relation = wanted(spec, offer);
    let limit = match spec.of_each {
        OfEach::All => usize::MAX,
        OfEach::Exactly(most) => most,
        OfEach::Budget => affordable(experiment, spec, &by_relation),
    };
    let mut chosen = Vec::new();
    for (relation, mut pairs) in by_relation {
        if pairs.len() > limit {
            shuffle(&mut pairs, Streams::new(experiment.seed).within(relation, 0).stream("pairs", 0));
            pairs.truncate(limit);
        }
        chosen.extend(pairs);
    }
    chosen.sort_unstable_by_key(|pair| pair.pus);
    chosen
}

/// How many pairs of each relation fit into the budget with as many repetitions as asked at least; relations with fewer leave room
/// to the others. At least one.
fn affordable(experiment: &Experiment, spec: &PairsSpec, by_relation: &BTreeMap<&str, Vec<&OfferedPair>>) -> usize {
    let measure = &experiment.measure;
    let trial_ns = measure.duration_ns + measure.warm_up_ns + around_ns([(2, false)]);
    let each = trial_ns * u64::from(measure.min_repetitions) * spec.together.len().max(1) as u64;
    let mut room = (measure.budget_ns / each.max(1)) as usize;
    let mut counts: Vec<usize> = by_relation.values().map(Vec::len).collect();
    counts.sort_unstable();
    for (at, &count) in counts.iter().enumerate() {
        let share = room / (counts.len() - at);
        if count > share {
            return share.max(1);
        }
        room -= count;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Definition;

    /// `same-core` pairs are few, all others many, as on a machine of 64 PUs in 32 cores.
    fn offer() -> Offer {
        let relation = |a: u32, b: u32| if a / 2 == b / 2 { "same-core" } else { "shared-l3" };
        let pairs = (0..64)
            .flat_map(|a| (a + 1..64).map(move |b| OfferedPair { pus: [a, b], relation: relation(a, b).to_owned() }));
        Offer { pus: (0..64).collect(), pairs: pairs.collect(), ..Offer::default() }
    }

    fn found(placement: &str) -> Vec<(String, [u32; 2])> {
        let text = format!("question = \"q\"\nreading = \"r\"\n[kernel]\nname = \"k\"\n[placement]\n{placement}");
        let experiment = Definition::read("f", &text, &[]).and_then(|d| d.check()).unwrap();
        let crate::placement::Spread::Pairs(spec) = &experiment.placement.spread else { panic!() };
        let offer = offer();
        chosen(&experiment, spec, &offer).into_iter().map(|pair| (pair.relation.clone(), pair.pus)).collect()
    }

    #[test]
    fn a_sample_takes_as_many_of_each_relation_and_the_same_for_a_seed() {
        assert_eq!(found("pairs = \"all\"").len(), 64 * 63 / 2);
        let five = found("pairs = \"all\"\npairs_of_each = 5");
        assert_eq!(five.iter().filter(|(relation, _)| relation == "same-core").count(), 5);
        assert_eq!(five.len(), 10);
        assert_eq!(five, found("pairs = \"all\"\npairs_of_each = 5"));
        assert_eq!(found("pairs = \"same-core\"").len(), 32);
        assert_eq!(found("pairs = [\"same-core\", \"same-package\"]\npairs_of_each = 40").len(), 32);
    }

    #[test]
    fn the_budget_decides_how_many_and_few_leave_room_to_many() {
        // 20 ms + 2 ms + 1.6 ms, eight times: 0.1888 s a pair.
        let with = |budget: &str| {
            let all = found(&format!("pairs = \"all\"\npairs_of_each = \"budget\"\n[measure]\nbudget = \"{budget}\""));
            let same = all.iter().filter(|(relation, _)| relation == "same-core").count();
            (same, all.len() - same)
        };
        assert_eq!(with("19s"), (32, 68));
        assert_eq!(with("4s"), (10, 10));
        assert_eq!(with("1ms"), (1, 1));
        assert_eq!(with("1h"), (32, 64 * 63 / 2 - 32));
    }
}
