//! The shortcut for a transaction that is alone in a tree: its locks go into a list, without a look at the tree.

use super::ends::Ends;
use crate::{
    contract::Mode,
    sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// So many locks end the shortcut.
pub(super) const MOST: usize = 50 * 1024;
/// From this score on the shortcut is tried. It falls to 0 when the shortcut ends early, and rises by 1 with each transaction that
/// releases without it, however many ranges it has.
const THRESHOLD: u32 = 100;

/// The list, guarded by the root's mutex.
#[derive(Debug, Default)]
pub(super) struct Single {
    pub locks: Vec<(Ends, Mode)>,
    /// Bytes noted for them.
    pub size: usize,
}

/// Whose shortcut it is, and whether to try it; looked at without the root's mutex, written with it.
#[derive(Debug)]
pub(super) struct State {
    owner: AtomicU64,
    score: AtomicU32,
}

impl Default for State {
    fn default() -> State {
        State { owner: AtomicU64::new(0), score: AtomicU32::new(THRESHOLD) }
    }
}

impl State {
    pub(super) fn owner(&self) -> Option<u64> {
        Some(self.owner.load(Relaxed)).filter(|&owner| owner != 0)
    }

    pub(super) fn promises(&self) -> bool {
        self.score.load(Relaxed) >= THRESHOLD
    }

    pub(super) fn begin(&self, owner: u64) {
        self.owner.store(owner, Relaxed);
    }

    pub(super) fn end(&self) {
        self.owner.store(0, Relaxed);
    }

    pub(super) fn end_early(&self) {
        self.end();
        self.score.store(0, Relaxed);
    }

    pub(super) fn released_without(&self) {
        if !self.promises() {
            self.score.fetch_add(1, Relaxed);
        }
    }
}
