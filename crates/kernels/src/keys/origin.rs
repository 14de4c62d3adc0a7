//! Where the keys of a kernel come from that takes a distribution or a trace.

use std::collections::BTreeMap;

use hitm_keys::KeyRange;

use super::recorded::Recorded;
use super::source::Source;

/// A distribution, or a trace.
#[derive(Clone)]
pub(crate) enum Origin {
    Drawn(Source),
    Recorded(Recorded),
}

/// One worker's keys, one after the other; `None` when there are no more.
pub(crate) type Draws = Box<dyn FnMut() -> Option<u64> + Send>;

impl Origin {
    /// The keys that can come.
    pub(crate) fn range(&self) -> KeyRange {
        match self {
            Origin::Drawn(source) => source.range(),
            Origin::Recorded(recorded) => recorded.trace.range(),
        }
    }

    /// Whether there are keys for so many workers; otherwise why not and what cures it.
    pub(crate) fn check(&self, workers: usize) -> Result<(), String> {
        match self {
            Origin::Drawn(_) => Ok(()),
            Origin::Recorded(recorded) => recorded.check(workers),
        }
    }

    /// The keys of one of so many workers: drawn with a stream of that seed, or those of the trace, the first again after the last.
    pub(crate) fn draws(&self, seed: u64, worker: usize, workers: usize) -> Draws {
        match self {
            Origin::Drawn(source) => {
                let mut keys = source.keys(seed);
                Box::new(move || {
                    let mut key = [0];
                    (keys.fill(&mut key) == 1).then_some(key[0])
                })
            }
            Origin::Recorded(recorded) => {
                let mut stream = recorded.stream(worker, workers);
                Box::new(move || {
                    let mut next = None;
                    stream.as_mut()?.each(1, |key| next = Some(key));
                    next
                })
            }
        }
    }

    /// What a run must not go on without ([`crate::Kernel::inputs`]).
    pub(crate) fn inputs(&self) -> BTreeMap<String, String> {
        match self {
            Origin::Drawn(_) => BTreeMap::new(),
            Origin::Recorded(recorded) => recorded.inputs(),
        }
    }
}
