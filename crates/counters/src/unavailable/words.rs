//! What is said of an event that cannot be counted.

use std::io;

use super::Unavailable;

impl Unavailable {
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
            Unavailable::NoSuchThread => "the thread or process to be counted has ended (ESRCH)".to_owned(),
            Unavailable::OtherUser => "the process is another user's (EACCES)".to_owned(),
            Unavailable::DidNotRun => "the process did not run while it was counted".to_owned(),
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
            Unavailable::NotAtHand { what } => format!("that machine is not at hand, so it is not known {what}"),
            Unavailable::SameAs { event } => format!("it is the same count as `{event}`, which is counted"),
            Unavailable::NoSuchPmu { pmu, there } => format!("this machine has no PMU `{pmu}`; it has {there}"),
            Unavailable::NotPerThread { pmu } => {
                format!("the PMU `{pmu}` counts for a whole package or machine, not for one thread")
            }
            Unavailable::OtherCores { pmu } => format!("the PMU `{pmu}` counts on other cores than this worker's"),
            Unavailable::NoTracepoint { why, .. } => format!("the tracepoint's number is not known: {why}"),
            Unavailable::NoLibpfm { why, .. } => format!("libpfm gives no code for it: {why}"),
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
                "sudo sysctl kernel.perf_event_paranoid=1, or sudo setcap cap_perfmon=ep \"$(command -v hitm)\""
            }
            Unavailable::Permission { kernel: false, .. } => {
                "sudo sysctl kernel.perf_event_paranoid=2, or sudo setcap cap_perfmon=ep \"$(command -v hitm)\""
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
            Unavailable::NoSuchThread => "count the thread or process while it lives",
            Unavailable::OtherUser => {
                "run as the process's own user, or give the program the capability CAP_PERFMON or CAP_SYS_PTRACE"
            }
            Unavailable::DidNotRun => "give the process work while it is counted, or count it for longer",
            Unavailable::NoMemory => "free memory, or raise the memory limit of the process's cgroup",
            Unavailable::NeverRan { enabled_ns: 0 } => "enable the events before the stretch, and let it be longer",
            Unavailable::NeverRan { .. } => {
                "ask for fewer events, free the watchdog's counter with sudo sysctl kernel.nmi_watchdog=0; on a hybrid processor pin \
                 the worker to a core of the kind that the event belongs to"
            }
            Unavailable::Inconsistent { .. } => {
                "do not use this event on this machine; if it happens on bare metal, report it with the kernel's version"
            }
            Unavailable::NotOnProcessor { instead, .. } if !instead.is_empty() => return format!("count {instead}, the nearest that it has"),
            Unavailable::NotOnProcessor { .. } => "leave it out there, or see what that processor counts (`hitm list events`, with --uarch NAME for another)",
            Unavailable::UnknownProcessor { .. } => {
                "give the maker's code (r04d2, cpu/event=0xd2,umask=0x04/) or a name of libpfm's"
            }
            Unavailable::Refused { .. } => "leave it out, or count another event of the same role (`hitm list events`)",
            Unavailable::NotAtHand { .. } => "ask on the machine: hitm check there tells",
            Unavailable::SameAs { event } => return format!("read `{event}`"),
            Unavailable::NoSuchPmu { .. } => "leave it out, or name a PMU of /sys/bus/event_source/devices",
            Unavailable::NotPerThread { .. } => "leave it out: hitm counts what each worker does",
            Unavailable::OtherCores { .. } => "pin the worker to a core of that kind, or use a name that both kinds of core have",
            Unavailable::NoTracepoint { mounted: false, .. } => "sudo mount -t tracefs tracefs /sys/kernel/tracing",
            Unavailable::NoTracepoint { .. } => "run as root, or sudo mount -o remount,mode=755 /sys/kernel/tracing",
            Unavailable::NoLibpfm { installed: true, .. } => {
                "name an event of this processor as libpfm has it (showevtinfo), or give the code (r04d2, cpu/event=0xd2,umask=0x04/)"
            }
            Unavailable::NoLibpfm { installed: false, .. } => {
                "install libpfm4, name an event of this processor (showevtinfo), or give the code (r04d2, cpu/event=0xd2,umask=0x04/)"
            }
            Unavailable::Other { .. } => "see perf_event_open(2) for this error, and dmesg for what the kernel says about it",
        }
        .to_owned()
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
