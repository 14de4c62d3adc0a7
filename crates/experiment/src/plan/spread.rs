//! From the way of spreading workers to the places that a plan has for them.

use std::collections::HashSet;

use super::spots::{Spot, Spots};
use super::{Offer, pairs, threads};
use crate::experiment::{Experiment, Oversubscribe};
use crate::placement::{PolicyKind, PolicySpec, Spread, Workers};
use crate::problem::Problem;

/// How many PUs a policy uses before it begins again.
fn room(policy: &PolicySpec, offer: &Offer) -> usize {
    match &policy.kind {
        PolicyKind::List(pus) => pus.len(),
        PolicyKind::Rule => offer.room.get(&policy.text).copied().unwrap_or(offer.pus.len()),
    }
}

/// The numbers of workers of a policy: those that come to the same on this machine once.
fn numbers(workers: &[Workers], policy: &PolicySpec, offer: &Offer) -> Vec<usize> {
    let all = room(policy, offer);
    let mut seen = HashSet::new();
    let resolve = |workers: &Workers| match workers {
        Workers::Exactly(workers) => *workers,
        Workers::All => all,
    };
    workers.iter().map(resolve).filter(|workers| seen.insert(*workers)).collect()
}

/// How many spots there are.
pub(super) fn count(experiment: &Experiment, offer: &Offer) -> u128 {
    match &experiment.placement.spread {
        Spread::Policies { policies, workers } => {
            policies.iter().map(|policy| numbers(workers, policy, offer).len() as u128).sum()
        }
        Spread::Pairs(spec) => pairs::count(experiment, spec, offer),
        Spread::Threads(spec) => (spec.per_core.len() * spec.cores.len()) as u128,
    }
}

/// All spots, in the order of their definition.
pub(super) fn unfold(experiment: &Experiment, offer: &Offer) -> Spots {
    match &experiment.placement.spread {
        Spread::Policies { policies, workers } => {
            let of = |policy: &PolicySpec| {
                let spot = |workers| Spot {
                    policy: policy.text.clone(),
                    workers,
                    pus: None,
                    parameters: Vec::new(),
                    naming: &["placement", "workers"],
                };
                numbers(workers, policy, offer).into_iter().map(spot).collect::<Vec<_>>()
            };
            Spots { found: policies.iter().flat_map(of).collect(), left_out: Vec::new() }
        }
        Spread::Pairs(spec) => pairs::unfold(experiment, spec, offer),
        Spread::Threads(spec) => threads::unfold(spec, offer),
    }
}

/// What the machine does not offer, so that nothing can be run.
pub(super) fn check(experiment: &Experiment, offer: &Offer) -> Vec<Problem> {
    if offer.pus.is_empty() {
        let cure = "let the process use at least one PU";
        return vec![Problem::new(experiment.place("placement"), "there is no PU to run on", cure)];
    }
    match &experiment.placement.spread {
        Spread::Policies { policies, workers } => {
            policies.iter().flat_map(|policy| check_policy(experiment, policy, workers, offer)).collect()
        }
        Spread::Pairs(_) | Spread::Threads(_) if experiment.refused("placement") => Vec::new(),
        Spread::Pairs(spec) => pairs::check(experiment, spec, offer).into_iter().collect(),
        Spread::Threads(spec) => threads::check(experiment, spec, offer),
    }
}

fn check_policy(experiment: &Experiment, policy: &PolicySpec, workers: &[Workers], offer: &Offer) -> Vec<Problem> {
    let mut problems = Vec::new();
    let room = room(policy, offer);
    if experiment.oversubscribe == Oversubscribe::Refuse {
        for (number, workers) in workers.iter().enumerate() {
            let Workers::Exactly(workers) = workers else { continue };
            if *workers > room {
                let told = format!("{workers} workers are more than the {room} PUs of `{}`", policy.text);
                let cure = "ask for fewer workers, or write oversubscribe = \"allow\" below [measure]";
                problems.push(Problem::new(experiment.element("placement.workers", number), told, cure));
            }
        }
    }
    problems
}
