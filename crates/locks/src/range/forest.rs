//! A space's trees: one, as in the original, or several that its keys are spread over.

use super::{
    Config,
    ends::Ends,
    requests::Requests,
    tree::{Memory, Request, Tree, look, take},
};
use crate::{
    contract::{Mode, Space, Span},
    parts::{Parts, Spread},
};

/// What the original calls a lock tree: the ranges of a space, and the requests that wait for some.
#[derive(Debug)]
pub(crate) struct Forest {
    trees: Vec<Tree>,
    spread: Spread,
    shortcut: bool,
    pub(super) requests: Requests,
}

/// How a transaction's ranges were released in a tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Way {
    Unused,
    AllAtOnce,
    OneByOne,
}

/// A range as it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub id: u64,
    pub space: Space,
    pub span: Span,
    pub ends: Ends,
    pub mode: Mode,
}

impl Wanted {
    fn request(&self) -> Request<'_> {
        Request { id: self.id, ends: &self.ends, mode: self.mode }
    }
}

impl Forest {
    pub(super) fn new(config: &Config) -> Forest {
        Forest {
            trees: (0..config.partitions).map(|_| Tree::default()).collect(),
            spread: Spread { parts: config.partitions, segment: config.segment },
            shortcut: config.single,
            requests: Requests::default(),
        }
    }

    /// Takes the range if nobody is in the way, else says who is.
    pub(super) fn acquire(&self, wanted: &Wanted, memory: &Memory) -> Result<(), Vec<u64>> {
        let parts = match self.spread.of(wanted.space, wanted.span) {
            Parts::One(part) => return self.trees[part].acquire(wanted.request(), self.shortcut, memory),
            Parts::Several(parts) => parts,
        };
        // All roots at once, so that a range is held in all of its trees or in none.
        let mut roots: Vec<_> = parts.iter().map(|&part| self.trees[part].root()).collect();
        for (root, &part) in roots.iter_mut().zip(&parts) {
            self.trees[part].end_single(root, memory);
        }
        let found: Vec<_> = roots.iter().map(|root| look(root, wanted.request())).collect();
        let conflicts: Vec<u64> = found.iter().flat_map(|found| &found.conflicts).copied().collect();
        if !conflicts.is_empty() {
            return Err(conflicts);
        }
        for (root, found) in roots.iter_mut().zip(found) {
            take(root, wanted.request(), found, memory);
        }
        Ok(())
    }

    /// Who is in the way of a request that waits.
    pub(super) fn conflicts(&self, wanted: &Wanted, memory: &Memory) -> Vec<u64> {
        let parts = self.spread.of(wanted.space, wanted.span);
        parts.as_slice().iter().flat_map(|&part| self.trees[part].conflicts(wanted.request(), memory)).collect()
    }

    /// Releases a transaction's ranges, one after the other, or all at once where it is alone.
    pub(super) fn release(&self, id: u64, ranges: &[(Space, Span)], memory: &Memory) {
        let mut ways: Vec<Way> = self
            .trees
            .iter()
            .map(|tree| if tree.release_alone(id, memory) { Way::AllAtOnce } else { Way::Unused })
            .collect();
        for &(space, span) in ranges {
            let parts = self.spread.of(space, span);
            if parts.as_slice().iter().all(|&part| ways[part] == Way::AllAtOnce) {
                continue;
            }
            let ends = Ends::new(space, span);
            for &part in parts.as_slice() {
                if ways[part] != Way::AllAtOnce {
                    ways[part] = Way::OneByOne;
                    self.trees[part].release(id, &ends, memory);
                }
            }
        }
        let without = self.trees.iter().zip(&ways).filter(|(_, way)| **way == Way::OneByOne);
        without.for_each(|(tree, _)| tree.single.released_without());
    }

    pub(super) fn escalate(&self, memory: &Memory) {
        self.trees.iter().for_each(|tree| tree.escalate(memory));
    }

    /// Locks in the trees, without those of a transaction that is alone.
    #[cfg(all(test, not(feature = "loom")))]
    pub(super) fn in_trees(&self) -> usize {
        self.trees.iter().map(|tree| tree.root().held()).sum()
    }

    pub(super) fn held(&self) -> usize {
        self.trees.iter().map(Tree::held).sum()
    }
}
