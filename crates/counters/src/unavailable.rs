//! Why an event cannot be counted here, and what would permit it.

use std::error::Error;
use std::fmt;
use std::io;

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
    },
    /// It is a name of libpfm, which gives no code for it here.
    NoLibpfm {
        /// Why, as a clause.
        why: String,
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

    /// Why, as a clause that begins with what was found: `this machine shows no PMU for it (ENOENT); …`.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Unavailable::NoPmu => "this machine shows no PMU for it (ENOENT), as in most virtual machines".to_owned(),
            Unavailable::Permission { errno, paranoid, kernel } => {
                let what = if *kernel { "counting in the kernel" } else { "counting" };
                let level = paranoid.map_or("is not readable".to_owned(), |level| format!("is {level}"));
                format!("{what} is not permitted ({}): perf_event_paranoid {level}", errno_name(*errno))
            }
            Unavailable::Confined { errno, paranoid } => format!(
                "counting is refused ({}) although perf_event_paranoid is {paranoid}: a seccomp filter, missing capabilities or a \
                 security module",
                errno_name(*errno)
            ),
            Unavailable::NoSystemCall => {
                "there is no perf_event_open for this process (ENOSYS): a kernel without it, a seccomp filter or an emulator".to_owned()
            }
            Unavailable::NotSupported => "the PMU does not support this event in this form (EOPNOTSUPP)".to_owned(),
            Unavailable::Invalid => "the kernel refuses the event as asked (EINVAL)".to_owned(),
            Unavailable::NotTogether => {
                "it opens alone but not in one group with the events before it (EINVAL): the PMU has too few counters or they conflict"
                    .to_owned()
            }
            Unavailable::TooManyFiles => "this process has no file descriptors left (EMFILE)".to_owned(),
            Unavailable::SystemFiles => "the system has no file descriptors left (ENFILE)".to_owned(),
            Unavailable::Busy => "another user holds the PMU exclusively (EBUSY)".to_owned(),
            Unavailable::NoSpace => "no counter is left for it (ENOSPC)".to_owned(),
            Unavailable::Device { errno } => {
                format!("the device that counts it is not there or not ready ({})", errno_name(*errno))
            }
            Unavailable::TooBig => "the kernel is older than the request (E2BIG)".to_owned(),
            Unavailable::NoSuchThread => "the thread to be counted is gone (ESRCH)".to_owned(),
            Unavailable::NoMemory => "the kernel had no memory for it (ENOMEM)".to_owned(),
            Unavailable::NeverRan { enabled_ns: 0 } => "it was not enabled while the thread ran".to_owned(),
            Unavailable::NeverRan { enabled_ns } => {
                format!("it was enabled for {enabled_ns} ns but never given a counter")
            }
            Unavailable::Inconsistent { what } => format!("its reading cannot be right: {what}"),
            Unavailable::NotOnProcessor { processor, why, .. } if why.is_empty() => {
                format!("{processor} has no such event in the catalogue")
            }
            Unavailable::NotOnProcessor { processor, why, .. } => format!("not on {processor}: {why}"),
            Unavailable::UnknownProcessor { what } => format!("the processor's codes are not known: {what}"),
            Unavailable::Refused { why } => format!("Linux refuses its code: {why}"),
            Unavailable::NoSuchPmu { pmu, there } => format!("this machine has no PMU `{pmu}`; it has {there}"),
            Unavailable::NotPerThread { pmu } => {
                format!("the PMU `{pmu}` counts for a whole package or machine, not for one thread")
            }
            Unavailable::OtherCores { pmu } => format!("the PMU `{pmu}` counts on other cores than this worker's"),
            Unavailable::NoTracepoint { why } => format!("the tracepoint's number is not known: {why}"),
            Unavailable::NoLibpfm { why } => format!("libpfm gives no code for it: {why}"),
            Unavailable::Other { errno } => {
                format!("the kernel refuses it: {}", io::Error::from_raw_os_error(*errno))
            }
        }
    }

    /// What would permit it, as an imperative; never empty.
    #[must_use]
    pub fn cure(&self) -> String {
        match self {
            Unavailable::NoPmu => {
                "run on bare metal, or let the hypervisor pass a PMU through (QEMU: -cpu host,pmu=on; VMware: virtualized CPU \
                 performance counters; clouds: a metal or full-size instance)"
            }
            Unavailable::Permission { kernel: true, .. } => {
                "sudo sysctl kernel.perf_event_paranoid=1, or give the program the capability CAP_PERFMON"
            }
            Unavailable::Permission { kernel: false, .. } => {
                "sudo sysctl kernel.perf_event_paranoid=2, or give the program the capability CAP_PERFMON"
            }
            Unavailable::Confined { .. } => {
                "permit perf_event_open in the container's seccomp profile and add the capability (docker: --security-opt \
                 seccomp=unconfined --cap-add PERFMON), or run outside of it"
            }
            Unavailable::NoSystemCall => {
                "use a kernel built with CONFIG_PERF_EVENTS; in a container permit perf_event_open in the seccomp profile"
            }
            Unavailable::NotSupported => "ask for another event: this PMU cannot count it for one thread",
            Unavailable::Invalid => "check the event's encoding for this processor, and ask for it alone",
            Unavailable::NotTogether => "ask for fewer events at once, or count it in a run of its own",
            Unavailable::TooManyFiles => "raise the limit with ulimit -n, or ask for fewer events or workers",
            Unavailable::SystemFiles => "sudo sysctl fs.file-max with a larger number, or end programs that hold files open",
            Unavailable::Busy => "end other profilers (perf, VTune, oprofile, likwid) and try again",
            Unavailable::NoSpace => {
                "end other profilers, or free the watchdog's counter with sudo sysctl kernel.nmi_watchdog=0"
            }
            Unavailable::Device { .. } => {
                "check that the processor's PMU driver is loaded (dmesg | grep -i -e pmu -e perf), and that the hypervisor emulates it fully"
            }
            Unavailable::TooBig => "use a newer kernel",
            Unavailable::NoSuchThread => "open the events from the thread that they are to count, while it lives",
            Unavailable::NoMemory => "free memory, or raise the memory limit of the process's cgroup",
            Unavailable::NeverRan { enabled_ns: 0 } => "enable the events before the stretch, and let it be longer",
            Unavailable::NeverRan { .. } => {
                "ask for fewer events, free the watchdog's counter with sudo sysctl kernel.nmi_watchdog=0; on a hybrid processor pin \
                 the worker to a core of the kind that the event belongs to"
            }
            Unavailable::Inconsistent { .. } => {
                "do not use this event on this machine; if it happens on bare metal, report it with the kernel's version"
            }
            Unavailable::NotOnProcessor { instead, .. } if !instead.is_empty() => return format!("count {instead} instead"),
            Unavailable::NotOnProcessor { .. } => "see `hitm list events` for what this processor counts",
            Unavailable::UnknownProcessor { .. } => {
                "give the maker's code (r04d2, cpu/event=0xd2,umask=0x04/) or a name of libpfm's"
            }
            Unavailable::Refused { .. } => "leave it out, or count another event of the same role (`hitm list events`)",
            Unavailable::NoSuchPmu { .. } => "leave it out, or name a PMU of /sys/bus/event_source/devices",
            Unavailable::NotPerThread { .. } => "leave it out: hitm counts what each worker does",
            Unavailable::OtherCores { .. } => "pin the worker to a core of that kind, or use a name that both kinds of core have",
            Unavailable::NoTracepoint { .. } => "run as root, or sudo mount -o remount,mode=755 /sys/kernel/tracing",
            Unavailable::NoLibpfm { .. } => {
                "install libpfm4, name an event of this processor (showevtinfo), or give the code (r04d2, cpu/event=0xd2,umask=0x04/)"
            }
            Unavailable::Other { .. } => "see perf_event_open(2) for this error, and dmesg for what the kernel says about it",
        }
        .to_owned()
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

fn errno_name(errno: i32) -> String {
    match errno {
        libc::EACCES => "EACCES".to_owned(),
        libc::EPERM => "EPERM".to_owned(),
        libc::ENODEV => "ENODEV".to_owned(),
        libc::ENXIO => "ENXIO".to_owned(),
        other => format!("errno {other}"),
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
        all.push(Unavailable::NotTogether);
        all.push(Unavailable::NeverRan { enabled_ns: 0 });
        all.push(Unavailable::NeverRan { enabled_ns: 5 });
        all.push(Unavailable::Inconsistent { what: "a test".to_owned() });
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
