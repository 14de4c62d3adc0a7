//! The kernels of this crate.

use crate::registry::Registry;
use crate::{keys, latency, locking, overhead, rng, sharing};

impl Registry {
    /// A registry with the kernels of this crate.
    pub fn built_in() -> Self {
        let mut registry = Registry::new();
        registry
            .add(sharing::counters::ENTRY)
            .add(sharing::one_counter::ENTRY)
            .add(latency::ping_pong::ENTRY)
            .add(rng::next::ENTRY)
            .add(keys::draw::entry())
            .add(keys::transaction::entry())
            .add(keys::unique::ENTRY)
            .add(keys::replay::ENTRY)
            .add(locking::transaction::entry())
            .add(locking::simple::ENTRY)
            .add(overhead::empty::ENTRY);
        registry
    }
}
