//! A placement from what was typed.

use std::collections::BTreeSet;

use hitm_experiment::Problem;
use hitm_topology::{PlaceFault, Placement, Policy, PuList, Topology, Within, place_within};

use super::at;
use crate::args::MachineArgs;

/// What is to be placed.
pub(super) struct Asked {
    policy: Policy,
    within: Vec<Within>,
    workers: Option<usize>,
    may_share: bool,
}

/// Reads what is asked for; `None` when nothing is, or when some of it is wrong.
pub(super) fn asked(args: &MachineArgs, problems: &mut Vec<Problem>) -> Option<Asked> {
    let place = args.place.as_ref()?;
    let before = problems.len();
    let policy = place.parse().map_err(|error: hitm_topology::PolicyError| {
        problems.push(at(format!("--place {place}"), error.message, error.cure));
    });
    let mut within = Vec::new();
    for text in &args.within {
        match text.parse::<Within>() {
            Ok(bound) => within.push(bound),
            Err(error) => problems.push(at(format!("--within {text}"), error.message, error.cure)),
        }
    }
    let may_share = args.oversubscribe.as_deref() != Some("refuse");
    match policy {
        Ok(policy) if problems.len() == before => Some(Asked { policy, within, workers: args.workers, may_share }),
        _ => None,
    }
}

impl Asked {
    /// The placement; without a number of workers one for each PU that the policy offers.
    pub(super) fn place(&self, topology: &Topology, problems: &mut Vec<Problem>) -> Option<Placement> {
        let place = |workers| place_within(topology, &self.policy, &self.within, workers);
        let placed = match self.workers {
            Some(workers) => place(workers),
            None => place(topology.pus.len().max(1)).and_then(|all| place(offered(&all))),
        };
        match placed {
            Ok(placement) if placement.oversubscribed && !self.may_share => {
                problems.push(at(
                    "--oversubscribe refuse".to_owned(),
                    format!(
                        "{} workers are more than the {} PUs to place them on",
                        placement.pus.len(),
                        offered(&placement)
                    ),
                    "ask for fewer workers, widen the bounds, or leave --oversubscribe out".to_owned(),
                ));
                None
            }
            Ok(placement) => Some(placement),
            Err(faults) => {
                problems.extend(faults.iter().map(|fault| at(self.source(fault), fault.message(), fault.cure())));
                None
            }
        }
    }

    /// The argument that a fault lies in.
    fn source(&self, fault: &PlaceFault) -> String {
        let place = || format!("--place {}", self.policy);
        match fault {
            PlaceFault::NoWorkers | PlaceFault::TooManyWorkers { .. } => {
                self.workers.map_or_else(place, |workers| format!("--workers {workers}"))
            }
            PlaceFault::NoSuchBound { bound, .. }
            | PlaceFault::NothingUsable { bound, .. }
            | PlaceFault::Disjoint { bound, .. } => format!("--within {bound}"),
            PlaceFault::Absent { pus, .. } | PlaceFault::Offline { pus } | PlaceFault::Disallowed { pus, .. } => {
                let names = |list: &PuList| pus.pus().iter().all(|pu| list.pus().contains(pu));
                let bound = self.within.iter().find(|bound| matches!(bound, Within::Pus(list) if names(list)));
                match (&self.policy, bound) {
                    (Policy::List(list), _) if names(list) => place(),
                    (_, Some(bound)) => format!("--within {bound}"),
                    (_, None) => place(),
                }
            }
            _ => place(),
        }
    }
}

/// How many PUs a placement uses; all that the policy offers when they are used up.
fn offered(placement: &Placement) -> usize {
    placement.pus.iter().collect::<BTreeSet<_>>().len()
}
