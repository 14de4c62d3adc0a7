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

    /// Breadth first from `id`, over at most `depth` transactions, or over all; none where nobody waits for it.
    fn search(&self, id: u64, depth: Option<usize>, counts: &mut Counts) -> Search {
        counts.graph_searches += 1;
        if !self.by.contains_key(&id) {
            return Search::Free;
        }
        let Some(depth) = depth else { return self.search_all(id, counts) };
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

    fn search_all(&self, id: u64, counts: &mut Counts) -> Search {
        let mut seen: HashMap<u64, ()> = HashMap::default();
        let mut next: Vec<u64> = vec![id];
        while let Some(at) = next.pop() {
            counts.graph_steps += 1;
            for &on in self.on.get(&at).into_iter().flatten() {
                if on == id {
                    return Search::Deadlock;
                }
                if seen.insert(on, ()).is_none() {
                    next.push(on);
                }
            }
        }
        Search::Free
    }
}

/// One global mutex and two maps, as RocksDB's point locks have them. Entered only by those who are about to wait.
#[derive(Debug, Default)]
pub(crate) struct Graph(Mutex<Waits>);

impl Graph {
    /// Notes that `id` waits for all of `on`, and looks for a circle over at most `depth` transactions, or over all. Where there is one, nothing
    /// stays noted.
    pub(crate) fn enter(&self, id: u64, on: &[u64], depth: Option<usize>, counts: &mut Counts) -> Search {
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

    /// These wait on, each for others than before, and these wait no more. Who was not noted as waiting is not noted now.
    pub(crate) fn update(&self, waiting: Vec<(u64, Vec<u64>)>, gone: impl Iterator<Item = u64>) {
        let mut waits = lock(&self.0);
        gone.for_each(|id| waits.remove(id));
        for (id, on) in waiting {
            if waits.on.contains_key(&id) {
                waits.add(id, &on);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Search};
    use crate::Counts;

    #[test]
    fn a_circle_is_found_and_its_last_edge_is_not_kept() {
        let (graph, mut counts) = (Graph::default(), Counts::default());
        assert_eq!(graph.enter(1, &[2], Some(50), &mut counts), Search::Free);
        assert_eq!(graph.enter(2, &[3, 4], Some(50), &mut counts), Search::Free);
        assert_eq!(graph.enter(3, &[1], Some(50), &mut counts), Search::Deadlock);
        assert_eq!(graph.enter(4, &[5], Some(50), &mut counts), Search::Free);
        assert_eq!(counts.too_deep, 0);
        graph.leave(2);
        assert_eq!(graph.enter(3, &[1], Some(50), &mut counts), Search::Free);
    }

    #[test]
    fn a_search_that_goes_too_deep_is_taken_for_a_deadlock() {
        let (graph, mut counts) = (Graph::default(), Counts::default());
        graph.enter(99, &[1], Some(50), &mut counts);
        (2..60).for_each(|id| assert_eq!(graph.enter(id, &[id + 1], Some(50), &mut counts), Search::Free));
        assert_eq!(graph.enter(1, &[2], Some(50), &mut counts), Search::Deadlock);
        assert_eq!(counts.too_deep, 1);
    }

    #[test]
    fn a_search_without_a_depth_goes_all_the_way_and_finds_what_is_there_only() {
        let (graph, mut counts) = (Graph::default(), Counts::default());
        // Each waits for all before it, as in a line.
        for id in 2..200 {
            let on: Vec<u64> = (1..id).collect();
            assert_eq!(graph.enter(id, &on, None, &mut counts), Search::Free);
        }
        assert_eq!(graph.enter(1, &[500], None, &mut counts), Search::Free);
        assert_eq!(graph.enter(500, &[199], None, &mut counts), Search::Deadlock);
        assert_eq!(counts.too_deep, 0);
    }

    #[test]
    fn who_has_left_the_way_is_no_obstacle() {
        let (graph, mut counts) = (Graph::default(), Counts::default());
        graph.enter(1, &[2, 3], None, &mut counts);
        graph.update(vec![(1, vec![3]), (7, vec![2])], [5].into_iter());
        assert_eq!(graph.enter(2, &[1], None, &mut counts), Search::Free);
        assert_eq!(graph.enter(3, &[1], None, &mut counts), Search::Deadlock);
        graph.update(Vec::new(), [1].into_iter());
        assert_eq!(graph.enter(3, &[1], None, &mut counts), Search::Free);
    }
}
