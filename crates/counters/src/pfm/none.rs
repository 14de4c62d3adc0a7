//! Architectures that the perf_event bindings do not know.

use super::Error;
use crate::code::Code;

pub(crate) fn encode(_: &str) -> Result<Code, Error> {
    Err(Error::NoLibrary("perf_event is not known for this architecture".to_owned()))
}
