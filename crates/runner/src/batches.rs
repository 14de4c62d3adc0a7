//! One worker's looks at the clock, and how many operations lie between two of them.

/// One batch: the operations between two looks at the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Ticks from the shared start to its end. It begins where the one before it ended.
    pub end_ticks: u64,
    /// Operations done in it.
    pub operations: u64,
}

/// All batches of one worker in one trial, kept in memory of its own that is there before the trial starts.
#[derive(Debug, Default)]
pub(crate) struct BatchLog {
    /// Ticks from the shared start to the first operation.
    pub start_ticks: u64,
    /// In order.
    pub batches: Vec<Batch>,
}

impl BatchLog {
    /// A log with room for a trial of `duration_ticks` in batches that aim at `batch_ticks`.
    pub(crate) fn with_room(duration_ticks: u64, batch_ticks: u64) -> Self {
        // Batches run from a quarter of the aim upwards (see Pace), hence the four; the rest is slack.
        let room = (duration_ticks / batch_ticks.max(1)) * 4 + 1024;
        let mut batches = Vec::with_capacity(room as usize);
        // Touched now, so that the trial takes no page fault for it.
        batches.resize(room as usize, Batch { end_ticks: 1, operations: 1 });
        batches.clear();
        BatchLog { start_ticks: 0, batches }
    }

    /// Adds a batch; when the room is used up, to the last one.
    #[inline]
    pub(crate) fn push(&mut self, batch: Batch) {
        if self.batches.len() < self.batches.capacity() {
            self.batches.push(batch);
        } else if let Some(last) = self.batches.last_mut() {
            last.end_ticks = batch.end_ticks;
            last.operations += batch.operations;
        }
    }

    /// Ticks from the shared start to the end of the last batch.
    pub(crate) fn end_ticks(&self) -> u64 {
        self.batches.last().map_or(self.start_ticks, |batch| batch.end_ticks)
    }

    /// All operations.
    pub(crate) fn operations(&self) -> u64 {
        self.batches.iter().map(|batch| batch.operations).sum()
    }
}

/// How many operations to ask for, so that a batch takes about as long as asked.
#[derive(Debug)]
pub(crate) struct Pace {
    batch_ticks: u64,
    operations: u64,
    slow: u32,
}

/// Slow batches in a row before the next gets fewer operations: one alone is more likely an interruption.
const SLOW_BEFORE_LESS: u32 = 4;

impl Pace {
    pub(crate) fn new(batch_ticks: u64) -> Self {
        Pace { batch_ticks: batch_ticks.max(1), operations: 1, slow: 0 }
    }

    /// Operations for the next batch.
    #[inline]
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    /// Learns what the last batch took: doubles below half the aim (a quarter once it is near), halves when several in a row take four times as long.
    #[inline]
    pub(crate) fn learn(&mut self, took_ticks: u64) {
        if took_ticks < self.batch_ticks / 4 {
            self.operations = self.operations.saturating_mul(2).min(1 << 40);
            self.slow = 0;
        } else if took_ticks > self.batch_ticks * 4 {
            self.slow += 1;
            if self.slow >= SLOW_BEFORE_LESS {
                self.operations = (self.operations / 2).max(1);
                self.slow = 0;
            }
        } else {
            self.slow = 0;
        }
    }

    /// Aims exactly, from what `operations` took while all workers ran.
    pub(crate) fn settle(&mut self, operations: u64, took_ticks: u64) {
        if took_ticks > 0 && operations > 0 {
            let per_batch = operations as f64 * self.batch_ticks as f64 / took_ticks as f64;
            self.operations = (per_batch as u64).clamp(1, 1 << 40);
        }
        self.slow = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_finds_the_aim_for_fast_and_slow_operations() {
        for ticks_per_operation in [1u64, 7, 300, 50_000] {
            let mut pace = Pace::new(10_000);
            for _ in 0..64 {
                pace.learn(pace.operations() * ticks_per_operation);
            }
            let took = pace.operations() * ticks_per_operation;
            assert!(took >= 2_500 && (took <= 40_000 || pace.operations() == 1), "{took}");
        }
    }

    #[test]
    fn one_interruption_does_not_change_the_pace() {
        let mut pace = Pace::new(1000);
        pace.settle(100, 1000);
        pace.learn(1_000_000);
        assert_eq!(pace.operations(), 100);
    }

    #[test]
    fn a_full_log_loses_no_operation() {
        let mut log = BatchLog::with_room(10, 10);
        let room = log.batches.capacity() as u64;
        for i in 1..=room + 50 {
            log.push(Batch { end_ticks: i, operations: 3 });
        }
        assert_eq!(log.operations(), 3 * (room + 50));
        assert_eq!(log.end_ticks(), room + 50);
    }
}
