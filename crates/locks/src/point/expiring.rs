//! Transactions that can expire, by their numbers, so that others may steal from them.

use crate::{
    hash::HashMap,
    sync::{Mutex, lock},
    transaction::Standing,
};
use std::sync::{Arc, Weak};

/// So many are kept before those are looked for that are there no more.
const FEW: usize = 64;

#[derive(Debug, Default)]
struct Known {
    standings: HashMap<u64, Weak<Standing>>,
    /// How many were there still when it was looked last.
    there: usize,
}

#[derive(Debug, Default)]
pub(super) struct Expiring(Mutex<Known>);

impl Expiring {
    /// A transaction that begins. Those that were dropped without an end are forgotten now and then.
    pub(super) fn add(&self, id: u64, standing: &Arc<Standing>) {
        let mut known = lock(&self.0);
        if known.standings.len() >= 2 * known.there.max(FEW) {
            known.standings.retain(|_, standing| standing.strong_count() > 0);
            known.there = known.standings.len();
        }
        known.standings.insert(id, Arc::downgrade(standing));
    }

    pub(super) fn remove(&self, id: u64) {
        lock(&self.0).standings.remove(&id);
    }

    /// Takes what has expired from a transaction. False where it is ending by itself. One that is not there has ended, or was dropped.
    pub(super) fn steal(&self, id: u64) -> bool {
        let standing = lock(&self.0).standings.get(&id).and_then(Weak::upgrade);
        standing.is_none_or(|standing| standing.steal())
    }
}

#[cfg(test)]
mod tests {
    use super::{Expiring, FEW, Standing, lock};
    use std::sync::Arc;

    #[test]
    fn those_that_were_dropped_are_forgotten_and_the_others_are_not() {
        let expiring = Expiring::default();
        let kept: Vec<Arc<Standing>> = (0..200).map(|_| Arc::default()).collect();
        for id in 0..10_000_u64 {
            let dropped = Arc::default();
            expiring.add(id, if id % 50 == 0 { &kept[id as usize / 50] } else { &dropped });
        }
        let known = lock(&expiring.0).standings.len();
        assert!((200..=2 * 200.max(FEW)).contains(&known), "{known}");
        assert!(expiring.steal(0) && expiring.steal(1), "the second was dropped");
        assert!(kept[0].is_stolen() && !kept[1].is_stolen());
        assert!(kept[1].end());
        assert!(!expiring.steal(50), "it is ending");
        expiring.remove(50);
        assert!(expiring.steal(50));
    }
}
