//! Keys of a trace, as a kernel's parameters `trace` and `streams` name them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hitm_experiment::Parameters;
use hitm_keys::trace::{Stream, Streams, Trace};

use crate::registry::{DefaultValue, Parameter, ParameterKind, Refusal, text};

/// The file.
pub(crate) const TRACE: Parameter = Parameter {
    name: "trace",
    kind: ParameterKind::Text { what: "a file that `hitm keys import` made" },
    default: DefaultValue::ToBeGiven,
    help: "The keys",
};

/// Who takes which of its keys.
pub(crate) const STREAMS: Parameter = Parameter {
    name: "streams",
    kind: ParameterKind::Choice(&["thread", "round-robin", "partition"]),
    default: DefaultValue::Choice("partition"),
    help: "Which worker takes which keys: those of a thread, each one in turn, or a part of the trace",
};

/// A trace, and who takes which of its keys.
#[derive(Clone)]
pub(crate) struct Recorded {
    pub(crate) trace: Arc<Trace>,
    streams: Streams,
}

impl Recorded {
    /// The trace in a file that `hitm keys import` made.
    pub(crate) fn read(parameters: &Parameters) -> Result<Recorded, Refusal> {
        let refused = |why: String, cure: String| Refusal { parameter: TRACE.name, why, cure };
        let path = text(parameters, TRACE.name);
        if path.is_empty() {
            let cure = "make one with `hitm keys import LOG --out t.keys` and give it with `--set kernel.trace=t.keys`";
            return Err(refused("no trace is given".to_owned(), cure.to_owned()));
        }
        let trace = Trace::shared(Path::new(path)).map_err(|refusal| refused(refusal.why, refusal.cure))?;
        let word = text(parameters, STREAMS.name);
        let streams =
            Streams::ALL.iter().find(|(name, _)| *name == word).map_or(Streams::Partition, |(_, streams)| *streams);
        Ok(Recorded { trace, streams })
    }

    /// Whether there are keys for so many workers; otherwise why not and what cures it.
    pub(crate) fn check(&self, workers: usize) -> Result<(), String> {
        self.streams.check(&self.trace, workers).map_err(|refusal| format!("{}; {}", refusal.why, refusal.cure))
    }

    /// The keys of one of so many workers, where there are keys for all.
    pub(crate) fn stream(&self, worker: usize, workers: usize) -> Option<Stream> {
        self.streams.of(&self.trace, worker, workers).ok()
    }

    /// What a run must not go on without ([`crate::Kernel::inputs`]).
    pub(crate) fn inputs(&self) -> BTreeMap<String, String> {
        BTreeMap::from([(TRACE.name.to_owned(), self.trace.fingerprint())])
    }
}
