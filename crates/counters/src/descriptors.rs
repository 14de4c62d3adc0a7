//! Room for the descriptors that counting holds: one an event and thread.

use std::error::Error;
use std::fmt;

use rlimit::Resource;

/// What a program of this size needs beside: its files, pipes, epolls.
const BESIDE: u64 = 64;

/// The descriptors that counting needs are more than this process may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFewDescriptors {
    /// Those that are needed, the program's own among them.
    pub needed: u64,
    /// Those that it may have (the hard limit).
    pub available: u64,
}

impl TooFewDescriptors {
    /// What would permit it.
    #[must_use]
    pub fn cure(&self) -> String {
        format!(
            "raise the hard limit (ulimit -Hn {}, LimitNOFILE= of a systemd unit, --ulimit nofile={} of a container), or count fewer events or workers",
            self.needed, self.needed
        )
    }
}

impl fmt::Display for TooFewDescriptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "counting needs {} file descriptors and this process may have {}", self.needed, self.available)
    }
}

impl Error for TooFewDescriptors {}

/// Sees to it that the process may hold `counting` descriptors more than it has for itself, raising the soft limit where that does.
///
/// # Errors
/// [`TooFewDescriptors`] where the hard limit is too low. Where limits cannot be read, nothing is known to be wrong.
pub fn make_room(counting: u64) -> Result<(), TooFewDescriptors> {
    let needed = counting.saturating_add(BESIDE);
    let Ok((soft, hard)) = rlimit::getrlimit(Resource::NOFILE) else { return Ok(()) };
    check(needed, hard)?;
    if soft < needed && rlimit::setrlimit(Resource::NOFILE, needed, hard).is_err() {
        return Err(TooFewDescriptors { needed, available: soft });
    }
    Ok(())
}

fn check(needed: u64, hard: u64) -> Result<(), TooFewDescriptors> {
    if needed > hard { Err(TooFewDescriptors { needed, available: hard }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_and_available_are_named() {
        let error = check(160 * 7 + BESIDE, 1024).unwrap_err();
        assert_eq!(error.to_string(), "counting needs 1184 file descriptors and this process may have 1024");
        assert!(error.cure().contains("ulimit -Hn 1184"), "{}", error.cure());
        assert_eq!(check(1024, 1024), Ok(()));
        assert!(make_room(u64::MAX).is_err());
        assert_eq!(make_room(0), Ok(()));
    }
}
