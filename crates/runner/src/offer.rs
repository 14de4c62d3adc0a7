//! What a topology offers to a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use hitm_experiment::placement::{PolicyKind, PolicySpec, Spread};
use hitm_experiment::plan::{Offer, OfferedPair};
use hitm_experiment::{Experiment, Problem};
use hitm_topology::{PlaceFault, Relation, Relations, Topology, Within, place_within};

/// The bounds of an experiment's placement.
///
/// # Errors
/// Those that cannot be read, each at its place.
pub(crate) fn bounds(experiment: &Experiment) -> Result<Vec<Within>, Vec<Problem>> {
    let (mut bounds, mut problems) = (Vec::new(), Vec::new());
    for text in &experiment.placement.within {
        match Within::from_str(text) {
            Ok(bound) => bounds.push(bound),
            Err(error) => problems.push(Problem::new(experiment.place("placement.within"), error.message, error.cure)),
        }
    }
    if problems.is_empty() { Ok(bounds) } else { Err(problems) }
}

/// What the machine offers within the bounds.
///
/// # Errors
/// What is wrong with the bounds on this machine.
pub(crate) fn offer(experiment: &Experiment, topology: &Topology, bounds: &[Within]) -> Result<Offer, Vec<Problem>> {
    let problem =
        |fault: &PlaceFault| Problem::new(experiment.place("placement.within"), fault.message(), fault.cure());
    let problems = |faults: Vec<PlaceFault>| faults.iter().map(problem).collect::<Vec<_>>();
    let pus = if bounds.is_empty() { topology.allowed() } else { topology.within(bounds).map_err(problems)? };
    let cores = topology.cores(&pus);
    let (mut room, mut pairs) = (BTreeMap::new(), Vec::new());
    match &experiment.placement.spread {
        Spread::Policies { policies, .. } => {
            let uses = |policy: &PolicySpec| {
                let placed = place_within(topology, &policy.text.parse().ok()?, bounds, pus.len()).ok()?;
                let used: BTreeSet<u32> = placed.pus.into_iter().collect();
                Some((policy.text.clone(), used.len()))
            };
            room = policies.iter().filter(|policy| policy.kind == PolicyKind::Rule).filter_map(uses).collect();
        }
        Spread::Pairs(_) => pairs = all_pairs(topology, &pus),
        Spread::Threads(_) => {}
    }
    Ok(Offer { pus, cores, pairs, room })
}

fn all_pairs(topology: &Topology, pus: &[u32]) -> Vec<OfferedPair> {
    let relations = Relations::new(topology);
    let mut pairs = Vec::with_capacity(pus.len() * pus.len().saturating_sub(1) / 2);
    for (at, &a) in pus.iter().enumerate() {
        for &b in &pus[at + 1..] {
            if let Some(relation) = relations.of(a, b) {
                pairs.push(OfferedPair { pus: [a, b], relation: name(relation) });
            }
        }
    }
    pairs
}

/// A relation as experiments name it, such as `shared-l3`.
fn name(relation: Relation) -> String {
    relation.to_string().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use hitm_experiment::placement::is_relation;

    use super::*;

    #[test]
    fn every_relation_of_two_pus_has_a_name_that_experiments_know() {
        let all = [
            Relation::SameCore,
            Relation::SharedCache { level: 1 },
            Relation::SharedCache { level: 3 },
            Relation::SameNumaNode,
            Relation::SamePackage,
            Relation::SameMachine,
            Relation::AcrossPackages,
        ];
        for relation in all {
            assert!(is_relation(&name(relation)), "{}", name(relation));
        }
        assert_eq!(name(Relation::SharedCache { level: 3 }), "shared-l3");
    }
}
