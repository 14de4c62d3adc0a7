//! How many workers a cell has and by which policy they are placed.

use std::collections::{BTreeSet, HashSet};

use super::Offer;
use crate::experiment::{Experiment, Oversubscribe};
use crate::placement::{PolicyKind, PolicySpec, Workers};
use crate::problem::Problem;

/// One policy with one number of workers.
pub(super) struct Spot {
    pub policy: String,
    pub workers: usize,
    pub pus: Option<Vec<u32>>,
}

/// The PUs that a policy may use, each once.
fn room(policy: &PolicySpec, offer: &Offer) -> BTreeSet<u32> {
    match &policy.kind {
        PolicyKind::List(pus) => pus.iter().copied().collect(),
        PolicyKind::Rule | PolicyKind::Pairs => offer.pus.iter().copied().collect(),
    }
}

/// The numbers of workers of a policy: those that come to the same on this machine once.
fn numbers(experiment: &Experiment, policy: &PolicySpec, offer: &Offer) -> Vec<usize> {
    let all = room(policy, offer).len();
    let mut seen = HashSet::new();
    let resolve = |workers: &Workers| match workers {
        Workers::Exactly(workers) => *workers,
        Workers::All => all,
    };
    experiment.workers.iter().map(resolve).filter(|workers| seen.insert(*workers)).collect()
}

/// How many spots there are.
pub(super) fn count(experiment: &Experiment, offer: &Offer) -> u128 {
    let of = |policy: &PolicySpec| match policy.kind {
        PolicyKind::Pairs => {
            let pus = room(policy, offer).len() as u128;
            pus * pus.saturating_sub(1) / 2
        }
        PolicyKind::Rule | PolicyKind::List(_) => numbers(experiment, policy, offer).len() as u128,
    };
    experiment.policies.iter().map(of).sum()
}

/// All spots, in the order of their definition; pairs with the lower PU first.
pub(super) fn unfold(experiment: &Experiment, offer: &Offer) -> Vec<Spot> {
    let mut spots = Vec::new();
    for policy in &experiment.policies {
        if policy.kind == PolicyKind::Pairs {
            let pus: Vec<u32> = room(policy, offer).into_iter().collect();
            for (at, &a) in pus.iter().enumerate() {
                for &b in &pus[at + 1..] {
                    spots.push(Spot { policy: policy.text.clone(), workers: 2, pus: Some(vec![a, b]) });
                }
            }
            continue;
        }
        for workers in numbers(experiment, policy, offer) {
            spots.push(Spot { policy: policy.text.clone(), workers, pus: None });
        }
    }
    spots
}

/// What the machine does not offer.
pub(super) fn check(experiment: &Experiment, offer: &Offer) -> Vec<Problem> {
    let mut problems = Vec::new();
    let allowed: BTreeSet<u32> = offer.pus.iter().copied().collect();
    let policy_place = |at: usize| experiment.element("placement.policy", at);
    if allowed.is_empty() {
        let cure = "let the process use at least one PU";
        problems.push(Problem::new(experiment.place("placement"), "there is no PU to run on", cure));
        return problems;
    }
    for (at, policy) in experiment.policies.iter().enumerate() {
        let room = room(policy, offer);
        match policy.kind {
            PolicyKind::Pairs if room.len() < 2 => {
                let told = "pairs need two PUs, and the process may use one";
                problems.push(Problem::new(
                    policy_place(at),
                    told,
                    "let the process use more PUs, or run on a larger machine",
                ));
            }
            PolicyKind::Pairs => continue,
            PolicyKind::List(_) => {
                let outside: Vec<String> = room.difference(&allowed).map(u32::to_string).collect();
                if !outside.is_empty() {
                    let told = format!("the process may not use PU {}", shortened(&outside));
                    let inside: Vec<String> = allowed.iter().map(u32::to_string).collect();
                    problems.push(Problem::new(
                        policy_place(at),
                        told,
                        format!("choose from PU {}", shortened(&inside)),
                    ));
                }
            }
            PolicyKind::Rule => {}
        }
        if experiment.oversubscribe == Oversubscribe::Refuse {
            for (number, workers) in experiment.workers.iter().enumerate() {
                let Workers::Exactly(workers) = workers else { continue };
                if *workers > room.len() {
                    let told = format!("{workers} workers are more than the {} PUs of `{}`", room.len(), policy.text);
                    let cure = "ask for fewer workers, or write oversubscribe = \"allow\" below [measure]";
                    problems.push(Problem::new(experiment.element("placement.workers", number), told, cure));
                }
            }
        }
    }
    problems
}

/// The first few of a long list.
pub(super) fn shortened(words: &[String]) -> String {
    const SHOWN: usize = 12;
    match words.len() {
        0..=SHOWN => words.join(", "),
        more => format!("{}, … ({more} in all)", words[..SHOWN].join(", ")),
    }
}
