//! What a manager keeps for each space, with a cache in each worker.

use crate::{
    contract::Space,
    hash::HashMap,
    sync::{Mutex, lock},
};
use std::{collections::BTreeMap, sync::Arc};

/// A worker's own, by space.
pub(crate) type Cache<M> = HashMap<Space, Arc<M>>;

/// One map of locks a space, or one for all.
#[derive(Debug)]
pub(crate) struct Spaces<M> {
    one_for_all: bool,
    maps: Mutex<BTreeMap<Space, Arc<M>>>,
}

impl<M> Spaces<M> {
    pub(crate) fn new(one_for_all: bool) -> Self {
        Spaces { one_for_all, maps: Mutex::new(BTreeMap::new()) }
    }

    /// The space whose map holds a space's locks.
    pub(crate) fn map_of(&self, space: Space) -> Space {
        if self.one_for_all { Space(0) } else { space }
    }

    /// That map, made by whoever needs it first; the lock is taken only where the worker has not met it yet.
    pub(crate) fn cached<'a>(&self, cache: &'a mut Cache<M>, map: Space, make: impl FnOnce() -> M) -> &'a Arc<M> {
        cache.entry(map).or_insert_with(|| Arc::clone(lock(&self.maps).entry(map).or_insert_with(|| Arc::new(make()))))
    }

    /// All that were made.
    pub(crate) fn all(&self) -> Vec<Arc<M>> {
        lock(&self.maps).values().map(Arc::clone).collect()
    }
}
