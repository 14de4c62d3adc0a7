//! Why an event cannot be counted here, and what would permit it.

mod words;

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Why an event is absent. Absent is not zero: no number stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Unavailable {
    /// ENOENT: no PMU driver knows the event.
    NoPmu,
    /// EACCES or EPERM, and `perf_event_paranoid` explains it or cannot be read.
    Permission {
        /// The errno.
        errno: i32,
        /// `/proc/sys/kernel/perf_event_paranoid`.
        paranoid: Option<i32>,
        /// Whether the count was to include kernel mode, which a lower level is needed for.
        kernel: bool,
    },
    /// EACCES or EPERM though `perf_event_paranoid` permits it: a seccomp filter, a capability or a security module.
    Confined {
        /// The errno.
        errno: i32,
        /// `/proc/sys/kernel/perf_event_paranoid`.
        paranoid: i32,
    },
    /// ENOSYS: there is no such system call for this process.
    NoSystemCall,
    /// EOPNOTSUPP: the PMU has the event but not what was asked of it.
    NotSupported,
    /// EINVAL: the kernel refuses the request as it stands.
    Invalid,
    /// EINVAL in its group though it opens alone: the PMU cannot count it together with the events before it.
    NotTogether,
    /// EMFILE: this process has no descriptors left.
    TooManyFiles,
    /// ENFILE: the whole system has no descriptors left.
    SystemFiles,
    /// EBUSY: somebody holds the PMU for himself.
    Busy,
    /// ENOSPC: no counter is left.
    NoSpace,
    /// ENODEV or ENXIO: the device behind the event is not there.
    Device {
        /// The errno.
        errno: i32,
    },
    /// E2BIG: the kernel is older than the request.
    TooBig,
    /// ESRCH: the thread is gone.
    NoSuchThread,
    /// EACCES for another user's process.
    OtherUser,
    /// The process to be counted was never on a PU over the stretch.
    DidNotRun,
    /// ENOMEM: the kernel had no memory for it.
    NoMemory,
    /// It opened but did not count over the stretch.
    NeverRan {
        /// How long it was enabled, nanoseconds.
        enabled_ns: u64,
    },
    /// What was read cannot be right.
    Inconsistent {
        /// What is wrong, as a clause.
        what: String,
    },
    /// The processor has no such event.
    NotOnProcessor {
        /// The processor's microarchitecture.
        processor: String,
        /// Why, as a clause; may be empty.
        why: String,
        /// The event that stands in; may be empty.
        instead: String,
    },
    /// The catalogue does not know the processor, so that the event has no code here.
    UnknownProcessor {
        /// What the processor says it is, as a clause.
        what: String,
    },
    /// Linux refuses the code on this processor, which shows without asking it.
    Refused {
        /// Why, as a clause.
        why: String,
    },
    /// It shows only on the machine itself, which is not at hand.
    NotAtHand {
        /// What is not known, as a clause.
        what: String,
    },
    /// It is the same count as another event's.
    SameAs {
        /// The other's name.
        event: String,
    },
    /// The machine has no PMU of that name.
    NoSuchPmu {
        /// The name.
        pmu: String,
        /// Those it has.
        there: String,
    },
    /// The PMU counts for a whole package or machine, not for a thread.
    NotPerThread {
        /// The PMU.
        pmu: String,
    },
    /// The PMU counts on other cores than the one that the worker is pinned to.
    OtherCores {
        /// The PMU.
        pmu: String,
    },
    /// The tracepoint's number cannot be found out.
    NoTracepoint {
        /// Why, as a clause.
        why: String,
        /// Whether there is a tracefs that would have it.
        #[serde(default)]
        mounted: bool,
    },
    /// It is a name of libpfm, which gives no code for it here.
    NoLibpfm {
        /// Why, as a clause.
        why: String,
        /// Whether libpfm is there and was asked.
        #[serde(default)]
        installed: bool,
    },
    /// Another errno.
    Other {
        /// The errno.
        errno: i32,
    },
}

impl Unavailable {
    /// What an errno of `perf_event_open` means. `kernel`: whether kernel mode was to be counted; `paranoid`:
    /// `/proc/sys/kernel/perf_event_paranoid`.
    pub(crate) fn from_errno(errno: i32, kernel: bool, paranoid: Option<i32>) -> Unavailable {
        match errno {
            libc::ENOENT => Unavailable::NoPmu,
            libc::EACCES | libc::EPERM => permission(errno, kernel, paranoid),
            libc::ENOSYS => Unavailable::NoSystemCall,
            libc::EOPNOTSUPP => Unavailable::NotSupported,
            libc::EINVAL => Unavailable::Invalid,
            libc::EMFILE => Unavailable::TooManyFiles,
            libc::ENFILE => Unavailable::SystemFiles,
            libc::EBUSY => Unavailable::Busy,
            libc::ENOSPC => Unavailable::NoSpace,
            libc::ENODEV | libc::ENXIO => Unavailable::Device { errno },
            libc::E2BIG => Unavailable::TooBig,
            libc::ESRCH => Unavailable::NoSuchThread,
            libc::ENOMEM => Unavailable::NoMemory,
            _ => Unavailable::Other { errno },
        }
    }

    /// Whether the same may succeed a moment later: an odd reading, or what others hold just now.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self,
            Unavailable::Inconsistent { .. }
                | Unavailable::Busy
                | Unavailable::TooManyFiles
                | Unavailable::SystemFiles
                | Unavailable::NoMemory
                | Unavailable::Other { errno: libc::EINTR | libc::EAGAIN }
        )
    }
}

/// Linux needs no capability for counting one's own threads in user mode up to level 2, in kernel mode up to level 1; higher levels
/// than 2 are distributions' own (Debian 3, Ubuntu 4) and refuse everything.
fn permission(errno: i32, kernel: bool, paranoid: Option<i32>) -> Unavailable {
    let enough = if kernel { 1 } else { 2 };
    match paranoid {
        // The kernel's own check for kernel mode says EACCES; EPERM at such a level comes from elsewhere.
        Some(level) if level <= enough || (level == 2 && errno == libc::EPERM) => {
            Unavailable::Confined { errno, paranoid: level }
        }
        _ => Unavailable::Permission { errno, paranoid, kernel },
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason())
    }
}

impl Error for Unavailable {}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn each_errno_has_its_own_reason_and_advice() {
        let errnos = [
            libc::ENOENT,
            libc::EACCES,
            libc::ENOSYS,
            libc::EOPNOTSUPP,
            libc::EINVAL,
            libc::EMFILE,
            libc::ENFILE,
            libc::EBUSY,
            libc::ENOSPC,
            libc::ENODEV,
            libc::E2BIG,
            libc::ESRCH,
            libc::ENOMEM,
            libc::EFAULT,
        ];
        let mut all: Vec<Unavailable> =
            errnos.iter().map(|&errno| Unavailable::from_errno(errno, false, Some(3))).collect();
        all.push(Unavailable::from_errno(libc::EPERM, false, Some(2)));
        all.extend([Unavailable::NotTogether, Unavailable::OtherUser, Unavailable::DidNotRun]);
        all.push(Unavailable::NeverRan { enabled_ns: 0 });
        all.push(Unavailable::NeverRan { enabled_ns: 5 });
        all.push(Unavailable::Inconsistent { what: "a test".to_owned() });
        let text = || "a test".to_owned();
        let absent = |why: &str, instead: &str| Unavailable::NotOnProcessor {
            processor: "a processor".to_owned(),
            why: why.to_owned(),
            instead: instead.to_owned(),
        };
        all.extend([absent("", ""), absent("a reason", "another")]);
        all.push(Unavailable::UnknownProcessor { what: text() });
        all.push(Unavailable::Refused { why: text() });
        all.push(Unavailable::NoSuchPmu { pmu: text(), there: text() });
        all.push(Unavailable::NotAtHand { what: text() });
        all.push(Unavailable::SameAs { event: text() });
        all.push(Unavailable::NotPerThread { pmu: text() });
        all.push(Unavailable::OtherCores { pmu: text() });
        all.push(Unavailable::NoTracepoint { why: text(), mounted: true });
        all.push(Unavailable::NoTracepoint { why: "not mounted".to_owned(), mounted: false });
        all.push(Unavailable::NoLibpfm { why: text(), installed: false });
        all.push(Unavailable::NoLibpfm { why: "not found".to_owned(), installed: true });
        let (mut reasons, mut cures) = (HashMap::new(), HashMap::new());
        for one in all {
            assert_eq!(reasons.insert(one.reason(), one.clone()), None, "{one:?}");
            assert_eq!(cures.insert(one.cure(), one.clone()), None, "{one:?}");
            assert!(!one.cure().is_empty() && !one.reason().ends_with('.'));
        }
    }

    #[test]
    fn a_permitted_level_points_at_the_container() {
        for (errno, kernel, level) in
            [(libc::EPERM, false, 2), (libc::EPERM, true, 2), (libc::EACCES, false, -1), (libc::EACCES, true, 1)]
        {
            let found = Unavailable::from_errno(errno, kernel, Some(level));
            assert!(matches!(found, Unavailable::Confined { .. }), "{found:?}");
            assert!(found.cure().contains("seccomp") && !found.cure().contains("paranoid"));
        }
    }

    #[test]
    fn a_forbidding_level_names_the_level_that_permits() {
        for (errno, kernel, level, needed) in [
            (libc::EACCES, true, Some(2), "=1"),
            (libc::EACCES, false, Some(3), "=2"),
            (libc::EPERM, false, Some(4), "=2"),
            (libc::EACCES, true, None, "=1"),
        ] {
            let found = Unavailable::from_errno(errno, kernel, level);
            assert!(matches!(found, Unavailable::Permission { .. }), "{found:?}");
            assert!(found.cure().contains(&format!("perf_event_paranoid{needed}")), "{}", found.cure());
        }
    }
}
