//! Whether workers drew the same values at a lag of their own.

/// Where a worker drew a value first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct First {
    pub(super) worker: u32,
    pub(super) index: u32,
}

/// Pairs of workers that drew one value, with the lag from the first to the second.
#[derive(Default)]
pub(super) struct Lags(Vec<(u32, u32, i64)>);

impl Lags {
    /// Takes in a value by where each worker that drew it did so first. Of many workers each is paired with the next one alone, so that the
    /// pairs are no more than the draws; workers in lockstep stand side by side in all their values.
    pub(super) fn take(&mut self, firsts: &mut [First]) {
        firsts.sort_unstable();
        let lag = |from: First, to: First| (from.worker, to.worker, i64::from(to.index) - i64::from(from.index));
        self.0.extend(firsts.windows(2).map(|pair| lag(pair[0], pair[1])));
    }

    /// How many values each worker shares with another at the lag at which it shares most, over all workers. A lag that one value alone has is
    /// chance.
    pub(super) fn at_best(mut self, workers: usize) -> u64 {
        self.0.sort_unstable();
        let mut best = vec![0; workers];
        for same in self.0.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
            let (from, to, _) = same[0];
            for worker in [from, to] {
                let best = &mut best[worker as usize];
                *best = same.len().max(*best);
            }
        }
        best.iter().map(|&count| count as u64).sum()
    }
}
