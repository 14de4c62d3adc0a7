//! Who else used the PUs: context switches, stolen time, throttling.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::MaybeUninit;

use crate::cgroup;
use crate::files::Files;

/// Context switches of one thread since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Those that it asked for: it blocked or yielded.
    pub voluntary: u64,
    /// Those forced on it.
    pub involuntary: u64,
}

/// The calling thread's context switches (getrusage(2), `RUSAGE_THREAD`); `None` where the OS does not tell.
pub fn thread_switches() -> Option<Switches> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage(2) writes one rusage to the pointer, which is the local's.
    let status = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    if status != 0 {
        return None;
    }
    // SAFETY: the call succeeded and wrote it; and zeros, which it was made of, are a valid rusage too.
    let usage = unsafe { usage.assume_init() };
    Some(Switches { voluntary: u64::try_from(usage.ru_nvcsw).ok()?, involuntary: u64::try_from(usage.ru_nivcsw).ok()? })
}

/// How long the calling thread was ready to run and had no PU since it began, nanoseconds (`/proc/thread-self/schedstat`,
/// proc_pid_schedstat(5)); `None` where the scheduler keeps no such account.
pub fn thread_run_delay_ns() -> Option<u64> {
    run_delay_of(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

fn run_delay_of(schedstat: &str) -> Option<u64> {
    let mut numbers = schedstat.split_whitespace().map(|number| number.parse::<u64>().ok());
    let (ran_ns, run_delay_ns) = (numbers.next()??, numbers.next()??);
    // A kernel without the account shows zeros for a thread that surely ran.
    (ran_ns > 0).then_some(run_delay_ns)
}

/// Time that the hypervisor took from these PUs since boot, summed, in the kernel's clock ticks (`USER_HZ`, nearly always
/// 1/100 s; the `steal` column of /proc/stat). A PU listed twice counts once. `None` where it is not told for each of them.
pub fn steal_ticks(pus: &[u32]) -> Option<u64> {
    steal_of(&cpu_times(&Files::this_machine())?, pus)
}

/// Periods in which this process's control group or one above it was throttled, since their making; `None` where no group
/// counts them.
pub fn throttled_periods() -> Option<u64> {
    cgroup::throttled_periods(&Files::this_machine())
}

/// Threads that this process can have: each takes up to four mappings (its stack, its signal stack, and a guard page of each), of
/// which vm.max_map_count is the limit, and all of the system kernel.threads-max. `None` where neither is told.
pub fn most_threads() -> Option<usize> {
    most_threads_of(&Files::this_machine())
}

fn most_threads_of(files: &Files) -> Option<usize> {
    // What the program itself has mapped besides.
    const OTHER_MAPPINGS: usize = 1000;
    let number = |path: &str| files.read(path).ok().and_then(|text| text.trim().parse::<usize>().ok());
    let by_maps = number("/proc/sys/vm/max_map_count").map(|maps| maps.saturating_sub(OTHER_MAPPINGS) / 4);
    let by_system = number("/proc/sys/kernel/threads-max");
    by_maps.into_iter().chain(by_system).min()
}

/// CPUs' worth of time that this process may use: the least quota of its control group and those above; `None` for no quota or
/// where it cannot be read, which [`findings`](crate::findings) tell apart.
pub fn quota() -> Option<f64> {
    cgroup::quota(&Files::this_machine()).ok().flatten()
}

/// One PU's time since boot in clock ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuTime {
    /// All of it, idle time included.
    pub total: u64,
    pub steal: u64,
}

/// The times of all PUs that /proc/stat tells.
pub(crate) fn cpu_times(files: &Files) -> Option<BTreeMap<u32, CpuTime>> {
    Some(times_of_stat(&files.read("/proc/stat").ok()?))
}

/// The lines `cpuN user nice system idle iowait irq softirq steal guest guest_nice` (proc(5)); guest time is in user time.
fn times_of_stat(text: &str) -> BTreeMap<u32, CpuTime> {
    let line = |line: &str| {
        let (name, columns) = line.split_once(' ')?;
        let pu: u32 = name.strip_prefix("cpu")?.parse().ok()?;
        let columns: Vec<u64> = columns.split_whitespace().map_while(|column| column.parse().ok()).collect();
        let steal = *columns.get(7)?;
        Some((pu, CpuTime { total: columns[..8].iter().fold(0, |sum: u64, ticks| sum.saturating_add(*ticks)), steal }))
    };
    text.lines().filter_map(line).collect()
}

pub(crate) fn steal_of(times: &BTreeMap<u32, CpuTime>, pus: &[u32]) -> Option<u64> {
    let pus: BTreeSet<u32> = pus.iter().copied().collect();
    if pus.is_empty() {
        return None;
    }
    pus.iter().map(|pu| times.get(pu).map(|time| time.steal)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  18 0 6 200 1 0 2 9 0 0\ncpu0 10 0 3 100 1 0 1 4 0 0\ncpu1279 8 0 3 100 0 0 1 5 0 0\n\
                        cpu7 1 2 3\nintr 5 6\nctxt 77\n";

    #[test]
    fn stolen_time_is_summed_over_the_pus_asked_for() {
        let times = times_of_stat(STAT);
        assert_eq!(times[&0], CpuTime { total: 119, steal: 4 });
        assert_eq!(steal_of(&times, &[0, 1279]), Some(9));
        assert_eq!(steal_of(&times, &[1279, 1279]), Some(5));
        assert_eq!(steal_of(&times, &[0, 1]), None, "PU 1 is not told");
        assert_eq!(steal_of(&times, &[7]), None, "an old kernel's line has no steal column");
        assert_eq!(steal_of(&times, &[]), None);
    }

    #[test]
    fn a_blocking_thread_counts_its_switches() {
        std::thread::spawn(|| {
            let before = thread_switches().unwrap();
            for _ in 0..3 {
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            let after = thread_switches().unwrap();
            assert!(after.voluntary >= before.voluntary + 3);
            assert!(after.involuntary >= before.involuntary);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn schedstat_is_read() {
        assert_eq!(run_delay_of("1234 56 7\n"), Some(56));
        assert_eq!(run_delay_of("18446744073709551615 0 1"), Some(0));
        for nothing in ["", "0 0 0", "1", "1 x 2", "-1 2 3", "18446744073709551616 1 1"] {
            assert_eq!(run_delay_of(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn this_machine_tells_what_it_tells() {
        let pus = crate::process_allowed();
        assert_eq!(steal_ticks(&pus).is_some(), cpu_times(&Files::this_machine()).is_some());
        assert!(quota().is_none_or(|cpus| cpus.is_finite() && cpus > 0.0));
    }
}
