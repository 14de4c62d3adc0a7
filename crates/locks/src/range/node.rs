//! The tree of ranges: a mutex a node, taken hand over hand. No two ranges in it overlap.

use super::ends::{Ends, Place};
use super::single::Single;
use crate::{
    contract::Mode,
    sync::{Mutex, MutexGuard, lock},
};
use std::sync::Arc;

/// A range that is held.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub ends: Ends,
    pub mode: Mode,
    /// Mostly one; more where the same range is shared.
    pub owner: u64,
    pub others: Vec<u64>,
}

impl Entry {
    pub(super) fn new(ends: Ends, mode: Mode, owner: u64) -> Entry {
        Entry { ends, mode, owner, others: Vec::new() }
    }

    pub(super) fn owners(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.owner).chain(self.others.iter().copied())
    }

    fn add(&mut self, owner: u64) {
        if !self.owners().any(|known| known == owner) {
            self.others.push(owner);
        }
    }

    /// Takes an owner off; false where it is the only one.
    fn drop_owner(&mut self, owner: u64) -> bool {
        if let Some(at) = self.others.iter().position(|&other| other == owner) {
            self.others.swap_remove(at);
        } else if let Some(other) = self.others.pop() {
            self.owner = other;
        } else {
            return false;
        }
        true
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Node(Mutex<Inner>);

impl Node {
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }
}

/// A subtree, and its depth when somebody last came by.
#[derive(Debug, Default)]
struct Child {
    node: Option<Arc<Node>>,
    depth: u32,
}

/// What a node's mutex guards.
#[derive(Debug, Default)]
pub(super) struct Inner {
    /// None only in the root of an empty tree.
    pub entry: Option<Entry>,
    left: Child,
    right: Child,
    /// In the root only: the locks of a transaction that is alone.
    pub single: Option<Box<Single>>,
}

/// Depths may differ by so much before a node is rotated.
const THRESHOLD: u32 = 2;

impl Inner {
    fn child(&self, side: Side) -> &Child {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    fn child_mut(&mut self, side: Side) -> &mut Child {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
        }
    }

    fn depth(&self) -> u32 {
        self.left.depth.max(self.right.depth) + 1
    }

    /// The side that is deeper by more than the threshold.
    fn heavy(&self) -> Option<Side> {
        if self.left.depth > self.right.depth + THRESHOLD {
            Some(Side::Left)
        } else if self.right.depth > self.left.depth + THRESHOLD {
            Some(Side::Right)
        } else {
            None
        }
    }

    /// Which side a range belongs to, where it is neither this node's nor overlaps it.
    fn side_of(&self, ends: &Ends) -> Option<Side> {
        match ends.place(&self.entry.as_ref()?.ends) {
            Place::Before => Some(Side::Left),
            Place::After => Some(Side::Right),
            Place::Equal | Place::Overlaps => None,
        }
    }

    /// Turns the child on `side` towards its lighter side, once or twice, and gives the new child. Nobody else can be between this
    /// node and the nodes that move: whoever passed is below them, and whoever comes waits for this one.
    fn rotate(&mut self, side: Side, heavy: Side) -> Option<Arc<Node>> {
        let light = heavy.other();
        let top = self.child_mut(side).node.take()?;
        let mut upper = top.lock();
        let Some(middle) = upper.child_mut(heavy).node.take() else {
            drop(upper);
            self.child_mut(side).node = Some(Arc::clone(&top));
            return Some(top);
        };
        let mut lower = middle.lock();
        let inner =
            if lower.child(light).depth > lower.child(heavy).depth { lower.child_mut(light).node.take() } else { None };
        let (new, depth) = if let Some(inner) = inner {
            let mut lowest = inner.lock();
            *lower.child_mut(light) = std::mem::take(lowest.child_mut(heavy));
            *upper.child_mut(heavy) = std::mem::take(lowest.child_mut(light));
            *lowest.child_mut(heavy) = Child { depth: lower.depth(), node: Some(Arc::clone(&middle)) };
            *lowest.child_mut(light) = Child { depth: upper.depth(), node: Some(Arc::clone(&top)) };
            let depth = lowest.depth();
            drop(lowest);
            (inner, depth)
        } else {
            *upper.child_mut(heavy) = std::mem::take(lower.child_mut(light));
            *lower.child_mut(light) = Child { depth: upper.depth(), node: Some(Arc::clone(&top)) };
            (Arc::clone(&middle), lower.depth())
        };
        *self.child_mut(side) = Child { node: Some(Arc::clone(&new)), depth };
        Some(new)
    }

    /// Puts a range below this node, whose subtree has none that overlaps it; or one more owner to the same range.
    pub(super) fn insert(&mut self, entry: Entry) {
        let Some(own) = &mut self.entry else {
            self.entry = Some(entry);
            return;
        };
        let side = match entry.ends.place(&own.ends) {
            Place::Before => Side::Left,
            Place::After => Side::Right,
            Place::Equal | Place::Overlaps => {
                debug_assert!(entry.ends == own.ends, "ranges in a tree do not overlap");
                return own.add(entry.owner);
            }
        };
        let Some(mut child) = self.child(side).node.clone() else {
            let leaf = Inner { entry: Some(entry), ..Inner::default() };
            *self.child_mut(side) = Child { node: Some(Arc::new(Node(Mutex::new(leaf)))), depth: 1 };
            return;
        };
        let mut below = child.lock();
        if let Some(heavy) = below.heavy() {
            drop(below);
            child = self.rotate(side, heavy).unwrap_or(child);
            below = child.lock();
        }
        below.insert(entry);
        self.child_mut(side).depth = below.depth();
    }

    /// Takes a range off this subtree; with an owner, only that owner, where others share it. True where this node is left empty.
    pub(super) fn remove(&mut self, ends: &Ends, owner: Option<u64>) -> bool {
        let Some(side) = self.side_of(ends) else {
            let shared = |entry: &mut Entry| owner.is_some_and(|owner| entry.drop_owner(owner));
            return !self.entry.as_mut().is_some_and(shared) && self.remove_own();
        };
        let Some(child) = self.child(side).node.clone() else { return false };
        let mut below = child.lock();
        let empty = below.remove(ends, owner);
        *self.child_mut(side) =
            if empty { Child::default() } else { Child { depth: below.depth(), node: Some(Arc::clone(&child)) } };
        false
    }

    /// Takes this node's own range off, and puts the nearest range below in its place. True where there is none.
    fn remove_own(&mut self) -> bool {
        self.entry = if self.left.node.is_some() {
            self.left.take_extreme(Side::Right)
        } else {
            self.right.take_extreme(Side::Left)
        };
        self.entry.is_none()
    }

    /// Calls for each range of this subtree that overlaps, in order.
    pub(super) fn overlaps(&self, ends: &Ends, visit: &mut impl FnMut(&Entry)) {
        let Some(entry) = &self.entry else { return };
        let place = ends.place(&entry.ends);
        let mut below = |child: &Child| {
            if let Some(node) = &child.node {
                node.lock().overlaps(ends, visit);
            }
        };
        match place {
            Place::Equal => visit(entry),
            Place::Before => below(&self.left),
            Place::After => below(&self.right),
            Place::Overlaps => {
                below(&self.left);
                visit(entry);
                if let Some(node) = &self.right.node {
                    node.lock().overlaps(ends, visit);
                }
            }
        }
    }

    /// Takes all ranges off, in order.
    pub(super) fn drain(&mut self, into: &mut Vec<Entry>) {
        for (child, own) in [(&mut self.left, true), (&mut self.right, false)] {
            if let Some(node) = std::mem::take(child).node {
                node.lock().drain(into);
            }
            if own {
                into.extend(self.entry.take());
            }
        }
    }

    /// The true depth of this subtree.
    #[cfg(all(test, not(feature = "loom")))]
    pub(super) fn measured_depth(&self) -> u32 {
        let below = |child: &Child| child.node.as_ref().map_or(0, |node| node.lock().measured_depth());
        below(&self.left).max(below(&self.right)) + 1
    }

    /// How many owners hold ranges of this subtree.
    pub(super) fn held(&self) -> usize {
        let below = |child: &Child| child.node.as_ref().map_or(0, |node| node.lock().held());
        self.entry.as_ref().map_or(0, |entry| entry.owners().count()) + below(&self.left) + below(&self.right)
    }
}

impl Child {
    /// Takes off the outermost range below, on one side.
    fn take_extreme(&mut self, side: Side) -> Option<Entry> {
        let node = self.node.take()?;
        let mut inner = node.lock();
        if inner.child(side).node.is_some() {
            let entry = inner.child_mut(side).take_extreme(side);
            self.depth = inner.depth();
            self.node = Some(Arc::clone(&node));
            return entry;
        }
        let entry = inner.entry.take();
        *self = std::mem::take(inner.child_mut(side.other()));
        entry
    }
}

/// From the locked root down, locking each child before its parent is let go, to the node whose subtree has all ranges that overlap.
/// That one stays locked while `work` is done on it.
pub(super) fn with_subtree<R>(root: MutexGuard<'_, Inner>, ends: &Ends, work: impl FnOnce(&mut Inner) -> R) -> R {
    descend(root, ends, work)
}

fn descend<R, W: FnOnce(&mut Inner) -> R>(mut at: MutexGuard<'_, Inner>, ends: &Ends, work: W) -> R {
    let Some(side) = at.side_of(ends) else { return work(&mut at) };
    let Some(mut child) = at.child(side).node.clone() else { return work(&mut at) };
    let mut below = child.lock();
    if let Some(heavy) = below.heavy() {
        drop(below);
        child = at.rotate(side, heavy).unwrap_or(child);
        below = child.lock();
    }
    at.child_mut(side).depth = below.depth();
    if below.side_of(ends).is_none() {
        drop(below);
        return work(&mut at);
    }
    drop(at);
    descend(below, ends, work)
}
