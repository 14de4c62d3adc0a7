//! Placing workers on PUs.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::fault::PlaceFault;
use crate::inside::listed;
use crate::list::{MAX_WORKERS, PuList};
use crate::order::order;
use crate::policy::Policy;
use crate::topology::Topology;
use crate::within::Within;

/// Which PU each worker is pinned to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// The policy that made it.
    pub policy: Policy,
    /// What it was restricted to; empty when to nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Within>,
    /// The PU of each worker, by OS index; the index is the worker.
    pub pus: Vec<u32>,
    /// Whether there are more workers than PUs to place them on, so that some share one.
    pub oversubscribed: bool,
}

/// Puts workers on the allowed PUs of a topology. When there are more workers than PUs the order begins again and the
/// placement says that it is oversubscribed. The same topology and policy always give the same order, and fewer workers get
/// the beginning of what more would get.
///
/// # Errors
/// Every fault found. No worker is ever put on another PU than the policy says.
pub fn place(topology: &Topology, policy: &Policy, workers: usize) -> Result<Placement, Vec<PlaceFault>> {
    place_within(topology, policy, &[], workers)
}

/// As [`place`], on those of the allowed PUs that are inside all bounds.
///
/// # Errors
/// Every fault found, those of [`Topology::within`] included. A list that names PUs outside the bounds is a fault.
pub fn place_within(
    topology: &Topology,
    policy: &Policy,
    within: &[Within],
    workers: usize,
) -> Result<Placement, Vec<PlaceFault>> {
    let mut faults = Vec::new();
    match workers {
        0 => faults.push(PlaceFault::NoWorkers),
        1..=MAX_WORKERS => {}
        _ => faults.push(PlaceFault::TooManyWorkers { workers }),
    }
    let mut keep = |more: Vec<PlaceFault>| {
        // A bound and the policy may name the same PUs.
        let new: Vec<PlaceFault> = more.into_iter().filter(|fault| !faults.contains(fault)).collect();
        faults.extend(new);
    };
    // A list tells more of each of its PUs than that none is allowed.
    let unbounded_list = within.is_empty() && matches!(policy, Policy::List(_));
    let usable = if unbounded_list { Ok(topology.allowed()) } else { topology.within(within) };
    let usable = usable.map_err(&mut keep).ok();
    let order = match (policy, &usable) {
        (Policy::List(list), _) => match listed(topology, list) {
            Ok(()) => usable.as_ref().map_or(Ok(Vec::new()), |usable| inside(list, within, usable)),
            Err(more) => Err(more),
        },
        (_, Some(usable)) => order(topology, policy, usable).map_err(|fault| vec![fault]),
        // The bounds are wrong, and what the machine lacks for the policy is as wrong without them.
        (_, None) => match topology.allowed() {
            none if none.is_empty() => Ok(Vec::new()),
            allowed => order(topology, policy, &allowed).map_err(|fault| vec![fault]),
        },
    };
    let order = order.map_err(keep).unwrap_or_default();
    if !faults.is_empty() {
        return Err(faults);
    }
    let oversubscribed = workers > order.len();
    let pus = order.into_iter().cycle().take(workers).collect();
    Ok(Placement { policy: policy.clone(), within: within.to_vec(), pus, oversubscribed })
}

/// The listed PUs, which may all be used, where all are inside the bounds.
fn inside(list: &PuList, bounds: &[Within], usable: &[u32]) -> Result<Vec<u32>, Vec<PlaceFault>> {
    let inside: BTreeSet<u32> = usable.iter().copied().collect();
    match (
        PuList::new(list.pus().iter().copied().filter(|pu| !inside.contains(pu))),
        PuList::new(inside.iter().copied()),
    ) {
        (Ok(pus), Ok(inside)) => Err(vec![PlaceFault::Outside { pus, bounds: bounds.to_vec(), inside }]),
        _ => Ok(list.pus().to_vec()),
    }
}
