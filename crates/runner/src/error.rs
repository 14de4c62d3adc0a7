//! Why a trial has no outcome.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::worker::panic_text;

/// Why there is no outcome, one sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct TrialError(pub String);

/// Calls into a kernel; its panic becomes an error that says at what.
pub(crate) fn guarded<T>(doing: &str, call: impl FnOnce() -> T) -> Result<T, TrialError> {
    catch_unwind(AssertUnwindSafe(call))
        .map_err(|panic| TrialError(format!("the kernel panicked while {doing}: {}", panic_text(panic.as_ref()))))
}

pub(crate) fn cannot_spawn(index: usize, workers: usize, error: &std::io::Error) -> TrialError {
    TrialError(format!(
        "thread {} of {workers} could not be started ({error}): raise `ulimit -u` and the cgroup's pids.max, or ask for fewer workers",
        index + 1
    ))
}
