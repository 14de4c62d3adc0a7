//! Why workers cannot be placed, and what cures it.

use std::fmt;

use crate::list::MAX_WORKERS;
use crate::list::PuList;
use crate::policy::Policy;
use crate::within::Within;

/// Why workers cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceFault {
    /// There are no workers to place.
    NoWorkers,
    /// There are more workers than [`MAX_WORKERS`].
    TooManyWorkers {
        /// How many.
        workers: usize,
    },
    /// No PU may be used.
    NoAllowedPus,
    /// The list names PUs that the machine does not have.
    Absent {
        /// Their OS indexes.
        pus: PuList,
        /// The PUs that may be used; `None` when there are none.
        allowed: Option<PuList>,
    },
    /// The list names PUs that are offline.
    Offline {
        /// Their OS indexes.
        pus: PuList,
    },
    /// The list names PUs that are online but that this process may not use.
    Disallowed {
        /// Their OS indexes.
        pus: PuList,
        /// The PUs that may be used; `None` when there are none.
        allowed: Option<PuList>,
    },
    /// No core has as many allowed PUs as `smt-N` wants.
    SmtTooWide {
        /// What the policy wants.
        wanted: u32,
        /// The most allowed PUs that a core has.
        most: usize,
    },
    /// The machine has nothing of what `one-per-…` counts, or no usable PU is in any.
    NoneToPlaceOn {
        /// The policy.
        policy: Policy,
        /// What is missing, without a full stop.
        why: String,
        /// What there is instead, without a full stop.
        cure: String,
    },
    /// A bound names what the machine does not have.
    NoSuchBound {
        /// The bound.
        bound: Within,
        /// What is missing, without a full stop.
        why: String,
        /// What there is instead, without a full stop.
        cure: String,
    },
    /// No PU inside a bound is online and allowed.
    NothingUsable {
        /// The bound.
        bound: Within,
        /// The PUs inside it.
        pus: PuList,
    },
    /// No usable PU is inside all bounds.
    Disjoint {
        /// The bound that leaves nothing.
        bound: Within,
        /// Those before it.
        before: Vec<Within>,
        /// What they leave.
        left: PuList,
    },
    /// The list names usable PUs that are outside the bounds.
    Outside {
        /// Their OS indexes.
        pus: PuList,
        /// The bounds.
        bounds: Vec<Within>,
        /// The usable PUs inside them.
        inside: PuList,
    },
}

impl PlaceFault {
    /// What is wrong, without a full stop.
    pub fn message(&self) -> String {
        match self {
            PlaceFault::NoWorkers => "there are no workers to place".into(),
            PlaceFault::TooManyWorkers { workers } => format!("{workers} workers are more than can be placed"),
            PlaceFault::NoAllowedPus => "no PU is online and allowed".into(),
            PlaceFault::Absent { pus, .. } => format!("this machine has no PU {pus}"),
            PlaceFault::Offline { pus } => format!("PU {pus} is offline"),
            PlaceFault::Disallowed { pus, .. } => {
                format!("PU {pus} is online but outside the set that this process may use (cpuset or affinity mask)")
            }
            PlaceFault::SmtTooWide { wanted, most } => {
                format!("smt-{wanted} wants {wanted} PUs of a core, but no core has more than {most} allowed")
            }
            PlaceFault::NoneToPlaceOn { policy, why, .. } => format!("{policy} cannot be had: {why}"),
            PlaceFault::NoSuchBound { bound, why, .. } => format!("nothing is within {bound}: {why}"),
            PlaceFault::NothingUsable { bound, pus } => {
                format!("no PU within {bound} is online and allowed; it holds PU {pus}")
            }
            PlaceFault::Disjoint { bound, before, .. } => {
                format!("no usable PU is within {bound} and within {} at once", all_of(before))
            }
            PlaceFault::Outside { pus, bounds, .. } => format!("PU {pus} is not within {}", all_of(bounds)),
        }
    }

    /// What cures it, without a full stop.
    pub fn cure(&self) -> String {
        let allowed_ones = |allowed: &Option<PuList>| match allowed {
            Some(allowed) => format!("use PUs out of {allowed}"),
            None => "let the process use at least one PU".into(),
        };
        match self {
            PlaceFault::NoWorkers => "ask for at least 1 worker".into(),
            PlaceFault::TooManyWorkers { .. } => format!("ask for at most {MAX_WORKERS}"),
            PlaceFault::NoAllowedPus => "bring a PU online, or widen the cpuset or affinity mask (taskset)".into(),
            PlaceFault::Absent { allowed, .. } => allowed_ones(allowed),
            PlaceFault::Offline { pus } => {
                let first = pus.pus()[0];
                format!("bring it online (echo 1 > /sys/devices/system/cpu/cpu{first}/online) or leave it out")
            }
            PlaceFault::Disallowed { allowed, .. } => {
                format!("{}, or widen the cpuset or affinity mask (taskset)", allowed_ones(allowed))
            }
            PlaceFault::SmtTooWide { most, .. } => format!("use smt-{most} or less, or switch SMT on"),
            PlaceFault::NoneToPlaceOn { cure, .. } | PlaceFault::NoSuchBound { cure, .. } => cure.clone(),
            PlaceFault::NothingUsable { .. } => {
                "choose another bound, or bring one of its PUs online and allow it".into()
            }
            PlaceFault::Disjoint { bound, left, .. } => {
                format!("leave {bound} out, or choose one that holds some of PU {left}")
            }
            PlaceFault::Outside { inside, .. } => format!("use PUs out of {inside}, or widen the bounds"),
        }
    }
}

impl fmt::Display for PlaceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message(), self.cure())
    }
}

impl std::error::Error for PlaceFault {}

fn all_of(bounds: &[Within]) -> String {
    bounds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}
