//! One tree: who may have a range, and what becomes of it.

use super::{
    ends::{Ends, Place},
    node::{Entry, Inner, Node, with_subtree},
    single,
};
use crate::{
    contract::Mode,
    sync::{
        MutexGuard,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
};

/// Bytes of all locks held, in one number that all workers write; none where they are not counted.
#[derive(Debug)]
pub(super) struct Memory {
    used: AtomicI64,
    limit: Option<i64>,
}

impl Memory {
    pub(super) fn new(limit: Option<usize>) -> Memory {
        Memory { used: AtomicI64::new(0), limit: limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)) }
    }

    pub(super) fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.used.load(Relaxed) >= limit)
    }

    fn note(&self, bytes: usize, sign: i64) {
        if self.limit.is_some() {
            self.used.fetch_add(sign * i64::try_from(bytes).unwrap_or(i64::MAX), Relaxed);
        }
    }

    /// A lock in the tree: its node, and its ends once for each owner.
    fn take(&self, ends: &Ends) {
        self.note(size_of::<Node>() + ends.size(), 1);
    }

    fn give_back(&self, ends: &Ends) {
        self.note(size_of::<Node>() + ends.size(), -1);
    }

    #[cfg(all(test, not(feature = "loom")))]
    pub(super) fn used(&self) -> i64 {
        self.used.load(Relaxed)
    }
}

/// Who asks for a range.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub id: u64,
    pub ends: &'a Ends,
    pub mode: Mode,
}

/// What a request found in a subtree.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Others in the way.
    pub conflicts: Vec<u64>,
    /// The request's own ranges that overlap, and whether all of them are shared.
    own: Vec<(Ends, Mode)>,
    /// The one overlap is the same range, and shared.
    joins: bool,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    root: Node,
    pub single: single::State,
}

impl Tree {
    pub(super) fn root(&self) -> MutexGuard<'_, Inner> {
        self.root.lock()
    }

    /// Takes the range if nobody is in the way, else says who is.
    pub(super) fn acquire(&self, request: Request<'_>, shortcut: bool, memory: &Memory) -> Result<(), Vec<u64>> {
        let mut root = self.root();
        if shortcut && self.acquire_alone(&mut root, request, memory) {
            return Ok(());
        }
        with_subtree(root, request.ends, |subtree| {
            let found = look(subtree, request);
            if !found.conflicts.is_empty() {
                return Err(found.conflicts);
            }
            take(subtree, request, found, memory);
            Ok(())
        })
    }

    /// Notes the lock in the list of a transaction that is alone. Another one's request, or a list too long, ends that.
    fn acquire_alone(&self, root: &mut Inner, request: Request<'_>, memory: &Memory) -> bool {
        match self.single.owner() {
            Some(owner) => {
                let long = root.single.as_ref().is_some_and(|single| single.locks.len() > single::MOST);
                if owner != request.id || long {
                    self.end_single(root, memory);
                    return false;
                }
            }
            None if root.entry.is_none() && self.single.promises() => self.single.begin(request.id),
            None => return false,
        }
        let single = root.single.get_or_insert_with(Box::default);
        let size = request.ends.size();
        single.locks.push((request.ends.clone(), request.mode));
        single.size += size;
        memory.note(size, 1);
        true
    }

    /// Moves the list of a transaction that was alone into the tree.
    pub(super) fn end_single(&self, root: &mut Inner, memory: &Memory) {
        let Some(id) = self.single.owner() else { return };
        self.single.end_early();
        let Some(single) = root.single.take() else { return };
        memory.note(single.size, -1);
        for (ends, mode) in &single.locks {
            let request = Request { id, ends, mode: *mode };
            let found = look(root, request);
            take(root, request, found, memory);
        }
    }

    /// Releases all locks of a transaction that is alone. False where it is not.
    pub(super) fn release_alone(&self, id: u64, memory: &Memory) -> bool {
        if self.single.owner() != Some(id) {
            return false;
        }
        let mut root = self.root();
        if self.single.owner() != Some(id) {
            return false;
        }
        if let Some(single) = root.single.take() {
            memory.note(single.size, -1);
        }
        self.single.end();
        true
    }

    /// Takes off what the transaction holds of a range, merged or not. What is another's by now stays.
    pub(super) fn release(&self, id: u64, ends: &Ends, memory: &Memory) {
        with_subtree(self.root(), ends, |subtree| {
            let mut own = Vec::new();
            subtree.overlaps(ends, &mut |entry| {
                if entry.owners().any(|owner| owner == id) {
                    own.push(entry.ends.clone());
                }
            });
            for ends in own {
                subtree.remove(&ends, Some(id));
                memory.give_back(&ends);
            }
        });
    }

    /// Who is in the way of a request that waits.
    pub(super) fn conflicts(&self, request: Request<'_>, memory: &Memory) -> Vec<u64> {
        let mut root = self.root();
        if self.single.owner() != Some(request.id) {
            // Alone in this tree no more, and its list is not looked through.
            self.end_single(&mut root, memory);
        }
        with_subtree(root, request.ends, |subtree| look(subtree, request).conflicts)
    }

    /// Merges ranges that lie side by side, are of one owner and one space, and are exclusive; keys between them are locked with them.
    pub(super) fn escalate(&self, memory: &Memory) {
        let mut root = self.root();
        self.end_single(&mut root, memory);
        let mut entries = Vec::new();
        root.drain(&mut entries);
        let mut merged: Vec<Entry> = Vec::new();
        for entry in entries {
            let owners = 1 + entry.others.len();
            (0..owners).for_each(|_| memory.give_back(&entry.ends));
            let alone = |entry: &Entry| entry.others.is_empty() && entry.mode == Mode::Exclusive;
            match merged.last_mut() {
                Some(last)
                    if alone(last)
                        && alone(&entry)
                        && last.owner == entry.owner
                        && last.ends.same_space(&entry.ends) =>
                {
                    last.ends.extend(entry.ends);
                }
                _ => merged.push(entry),
            }
        }
        for entry in merged {
            entry.owners().for_each(|_| memory.take(&entry.ends));
            root.insert(entry);
        }
    }

    pub(super) fn held(&self) -> usize {
        let root = self.root();
        root.held() + root.single.as_ref().map_or(0, |single| single.locks.len())
    }
}

/// Looks who holds what a request wants. A shared lock goes with another's only where it is the very same range, as in the original:
/// any other overlap with another's is a conflict.
pub(super) fn look(subtree: &Inner, request: Request<'_>) -> Found {
    let mut found = Found::default();
    let mut overlaps = 0;
    subtree.overlaps(request.ends, &mut |entry| {
        overlaps += 1;
        found.joins = overlaps == 1
            && request.mode == Mode::Shared
            && entry.mode == Mode::Shared
            && request.ends.place(&entry.ends) == Place::Equal;
        if entry.owner == request.id && entry.others.is_empty() {
            found.own.push((entry.ends.clone(), entry.mode));
        } else {
            found.conflicts.extend(entry.owners().filter(|&owner| owner != request.id));
        }
    });
    if found.joins {
        found.conflicts.clear();
    }
    found
}

/// Puts a range that nobody is in the way of into a subtree, merged with the request's own that overlap.
pub(super) fn take(subtree: &mut Inner, request: Request<'_>, found: Found, memory: &Memory) {
    let Request { id, ends, mut mode } = request;
    if found.joins {
        let mut known = false;
        subtree.overlaps(ends, &mut |entry| known = entry.owners().any(|owner| owner == id));
        if !known {
            memory.take(ends);
            subtree.insert(Entry::new(ends.clone(), mode, id));
        }
        return;
    }
    let mut ends = ends.clone();
    for (own, own_mode) in found.own {
        subtree.remove(&own, None);
        memory.give_back(&own);
        mode = mode.max(own_mode);
        ends.extend(own);
    }
    memory.take(&ends);
    subtree.insert(Entry::new(ends, mode, id));
}
