//! What the operating system accounts to a thread without perf_event.

use std::io;
use std::mem::MaybeUninit;

use crate::clock::os::clock_ns;
use crate::event::Fallback;

/// Totals of one thread since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub cpu_ns: u64,
}

impl Usage {
    /// The total that stands in for an event; `None` where there is none.
    pub(crate) fn total(&self, fallback: Fallback) -> Option<u64> {
        match fallback {
            Fallback::None => None,
            Fallback::Switches => self.voluntary_switches.checked_add(self.involuntary_switches),
            Fallback::Faults => self.minor_faults.checked_add(self.major_faults),
            Fallback::MinorFaults => Some(self.minor_faults),
            Fallback::MajorFaults => Some(self.major_faults),
            Fallback::ThreadTime => Some(self.cpu_ns),
        }
    }
}

/// `getrusage(RUSAGE_THREAD)` and `CLOCK_THREAD_CPUTIME_ID` of the calling thread; the errno where either fails.
pub(crate) fn thread_usage() -> Result<Usage, i32> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage(2) writes one rusage to the pointer, which is to one that outlives the call.
    if unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL));
    }
    // SAFETY: it was zeroed, and a rusage is integers only, for which zero is a value.
    let usage = unsafe { usage.assume_init() };
    let total = |count: libc::c_long| u64::try_from(count).unwrap_or(0);
    Ok(Usage {
        voluntary_switches: total(usage.ru_nvcsw),
        involuntary_switches: total(usage.ru_nivcsw),
        minor_faults: total(usage.ru_minflt),
        major_faults: total(usage.ru_majflt),
        cpu_ns: clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)?,
    })
}
