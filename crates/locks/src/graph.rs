//! Who waits for whom, behind one mutex: found circles are deadlocks.

use crate::{
    Counts,
    hash::HashMap,
    sync::{Mutex, lock},
};

/// What a search found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Search {
    /// No circle.
    Free,
    /// A circle, or more than could be looked at.
    Deadlock,
}

#[derive(Debug, Default)]
struct Waits {
    /// A waiting transaction's obstacles.
    on: HashMap<u64, Vec<u64>>,
    /// How many wait for a transaction.
    by: HashMap<u64, usize>,
}

impl Waits {
    fn add(&mut self, id: u64, on: &[u64]) {
        self.remove(id);
        on.iter().for_each(|&on| *self.by.entry(on).or_default() += 1);
        self.on.insert(id, on.to_vec());
    }

    fn remove(&mut self, id: u64) {
        for on in self.on.remove(&id).unwrap_or_default() {
            self.forget(on);
        }
    }

    fn forget(&mut self, on: u64) {
        if let Some(waiters) = self.by.get_mut(&on) {
            *waiters -= 1;
            if *waiters == 0 {
                self.by.remove(&on);
            }
        }
    }

    /// Breadth first from `id`, over at most `depth` transactions; none where nobody waits for it.
    fn search(&self, id: u64, depth: usize, counts: &mut Counts) -> Search {
        counts.graph_searches += 1;
        if !self.by.contains_key(&id) {
            return Search::Free;
        }
        let mut line: Vec<u64> = Vec::with_capacity(depth);
        let mut next = self.on.get(&id);
        for head in 0..depth {
            if let Some(on) = next {
                line.extend(on.iter().take(depth - line.len()));
            }
            let Some(&at) = line.get(head) else { return Search::Free };
            counts.graph_steps += 1;
            if at == id {
                return Search::Deadlock;
            }
            next = self.on.get(&at);
        }
        counts.too_deep += 1;
        Search::Deadlock
    }
}

/// One global mutex and two maps, as RocksDB's point locks have them. Entered only by those who are about to wait.
#[derive(Debug, Default)]
pub(crate) struct Graph(Mutex<Waits>);

impl Graph {
    /// Notes that `id` waits for all of `on`, and looks for a circle over at most `depth` transactions. Where there is one, nothing
    /// stays noted.
    pub(crate) fn enter(&self, id: u64, on: &[u64], depth: usize, counts: &mut Counts) -> Search {
        let mut waits = lock(&self.0);
        waits.add(id, on);
        let found = waits.search(id, depth, counts);
        if found == Search::Deadlock {
            waits.remove(id);
        }
        found
    }

    /// `id` waits no more.
    pub(crate) fn leave(&self, id: u64) {
        lock(&self.0).remove(id);
    }

    /// `id` waits on, but for `gone` no more.
    #[allow(dead_code, reason = "for managers to come")]
    pub(crate) fn forget(&self, id: u64, gone: u64) {
        let mut waits = lock(&self.0);
        let Some(on) = waits.on.get_mut(&id) else { return };
        let before = on.len();
        on.retain(|&on| on != gone);
        let removed = before - on.len();
        (0..removed).for_each(|_| waits.forget(gone));
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Search};
    use crate::Counts;

    #[test]
    fn a_circle_is_found_and_its_last_edge_is_not_kept() {
        let (graph, mut counts) = (Graph::default(), Counts::default());
        assert_eq!(graph.enter(1, &[2], 50, &mut counts), Search::Free);
        assert_eq!(graph.enter(2, &[3, 4], 50, &mut counts), Search::Free);
        assert_eq!(graph.enter(3, &[1], 50, &mut counts), Search::Deadlock);
        assert_eq!(graph.enter(4, &[5], 50, &mut counts), Search::Free);
        assert_eq!(counts.too_deep, 0);
        graph.leave(2);
        assert_eq!(graph.enter(3, &[1], 50, &mut counts), Search::Free);
    }

    #[test]
    fn a_search_that_goes_too_deep_is_taken_for_a_deadlock() {
        let (graph, mut counts) = (Graph::default(), Counts::default());
        graph.enter(99, &[1], 50, &mut counts);
        (2..60).for_each(|id| assert_eq!(graph.enter(id, &[id + 1], 50, &mut counts), Search::Free));
        assert_eq!(graph.enter(1, &[2], 50, &mut counts), Search::Deadlock);
        assert_eq!(counts.too_deep, 1);
    }

    #[test]
    fn who_has_left_the_way_is_no_obstacle() {
        let (graph, mut counts) = (Graph::default(), Counts::default());
        graph.enter(1, &[2, 3], 50, &mut counts);
        graph.forget(1, 2);
        assert_eq!(graph.enter(2, &[1], 50, &mut counts), Search::Free);
        assert_eq!(graph.enter(3, &[1], 50, &mut counts), Search::Deadlock);
    }
}
