//! One merging at a time, and those who come meanwhile wait for its end instead of beginning another.

use crate::{
    contract::Deadline,
    sync::{Condvar, Mutex, lock, wait},
};

#[derive(Debug, Default)]
struct State {
    running: bool,
    ended: u64,
}

#[derive(Debug, Default)]
pub(super) struct Escalator {
    state: Mutex<State>,
    done: Condvar,
}

impl Escalator {
    /// Does the work, or waits for the end of another's; whether it was done here.
    pub(super) fn run(&self, work: impl FnOnce()) -> bool {
        let mut state = lock(&self.state);
        if state.running {
            let seen = state.ended;
            while state.ended == seen {
                state = wait(&self.done, state, Deadline::Never).0;
            }
            return false;
        }
        state.running = true;
        drop(state);
        let _end = End(self);
        work();
        true
    }
}

/// Says that it is over, also where the work panics.
struct End<'a>(&'a Escalator);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.running = false;
        state.ended += 1;
        drop(state);
        self.0.done.notify_all();
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::Escalator;
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::atomic::{AtomicU32, Ordering::SeqCst},
        thread,
        time::Duration,
    };

    #[test]
    fn who_comes_while_it_runs_waits_for_its_end_and_begins_none() {
        let (escalator, runs) = (Escalator::default(), AtomicU32::new(0));
        let (escalator, runs) = (&escalator, &runs);
        let (begin, begun) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            let first = scope.spawn(move || {
                escalator.run(|| {
                    begin.send(()).expect("the other side waits");
                    thread::sleep(Duration::from_millis(100));
                    runs.fetch_add(1, SeqCst);
                })
            });
            begun.recv().expect("it begins");
            let others: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (escalator.run(|| _ = runs.fetch_add(1, SeqCst)), runs.load(SeqCst))))
                .collect();
            assert!(first.join().expect("no panic"));
            let own = others.into_iter().map(|other| other.join().expect("no panic")).filter(|&(own, runs)| {
                assert!(runs > 0, "came back before the end");
                own
            });
            let own = own.count() as u32;
            assert_eq!(runs.load(SeqCst), 1 + own);
        });
    }

    #[test]
    fn work_that_panics_leaves_the_way_free() {
        let escalator = Escalator::default();
        assert!(catch_unwind(AssertUnwindSafe(|| escalator.run(|| panic!("on purpose")))).is_err());
        assert!(escalator.run(|| {}));
    }
}
