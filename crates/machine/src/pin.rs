//! Binding the calling thread to one PU, and seeing that it is there.

use std::fmt;
use std::sync::OnceLock;

use hitm_topology::{PU_LIMIT, PuList};
use libc::{c_int, c_ulong, pid_t};

use crate::files::Files;
use crate::mask;

/// Why a thread could not be pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinError {
    /// The PU asked for, by OS index.
    pub pu: u32,
    /// The system call's error number; `None` when no call failed.
    pub errno: Option<i32>,
    /// What it comes down to.
    pub fault: PinFault,
}

/// What keeps a thread from a PU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinFault {
    /// The machine has no such PU.
    Absent,
    /// The PU is offline.
    Offline,
    /// The PU is online but outside the process's cpuset or the affinity mask that the process began with.
    Disallowed,
    /// The process may not pin threads.
    NotPermitted,
    /// The OS or its sandbox has no such call.
    Unsupported,
    /// The call succeeded but the thread's mask is another.
    NotTaken {
        /// The PUs that the thread may run on.
        found: Vec<u32>,
    },
    /// Another error.
    Other,
}

impl PinError {
    /// What is wrong, without a full stop.
    pub fn message(&self) -> String {
        let pu = self.pu;
        let why = match &self.fault {
            PinFault::Absent => "the machine has no such PU".into(),
            PinFault::Offline => "it is offline".into(),
            PinFault::Disallowed => "it is outside the process's cpuset or affinity mask".into(),
            PinFault::NotPermitted => "the process may not pin threads".into(),
            PinFault::Unsupported => "the system has no thread pinning".into(),
            PinFault::NotTaken { found } => format!("the system left the thread on {}", list(found)),
            PinFault::Other => "the system refused".into(),
        };
        match self.errno {
            Some(errno) => format!(
                "cannot pin a thread to PU {pu}: {why} (errno {errno}, {})",
                std::io::Error::from_raw_os_error(errno)
            ),
            None => format!("cannot pin a thread to PU {pu}: {why}"),
        }
    }

    /// What cures it, without a full stop.
    pub fn cure(&self) -> String {
        match &self.fault {
            PinFault::Absent | PinFault::Disallowed => {
                let allowed = process_allowed();
                let use_allowed =
                    if allowed.is_empty() { String::new() } else { format!("use PUs out of {}", list(&allowed)) };
                let widen = "widen the cpuset or affinity mask (taskset)";
                match (&self.fault, use_allowed.is_empty()) {
                    (PinFault::Absent, true) => "use a PU that the machine has".into(),
                    (PinFault::Absent, false) => use_allowed,
                    (_, true) => widen.into(),
                    (_, false) => format!("{use_allowed}, or {widen}"),
                }
            }
            PinFault::Offline => {
                format!("bring it online (echo 1 > /sys/devices/system/cpu/cpu{}/online) or use another", self.pu)
            }
            PinFault::NotPermitted => "permit sched_setaffinity in the sandbox's system call filter".into(),
            PinFault::Unsupported => "run outside the sandbox or emulator, or accept unpinned workers".into(),
            PinFault::NotTaken { .. } => {
                "look for something that sets affinities meanwhile (a daemon, a changing cpuset)".into()
            }
            PinFault::Other => "see sched_setaffinity(2)".into(),
        }
    }
}

impl fmt::Display for PinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message(), self.cure())
    }
}

impl std::error::Error for PinError {}

fn list(pus: &[u32]) -> String {
    PuList::new(pus.iter().copied()).map_or_else(|_| "no PU".into(), |list| list.to_string())
}

/// Pins the calling thread to one PU and reads the mask back.
///
/// # Errors
/// A [`PinError`] that tells an absent, an offline and a disallowed PU apart. The thread is then where it was, except after
/// [`PinFault::NotTaken`].
pub fn pin_current_thread(pu: u32) -> Result<(), PinError> {
    let error = |errno, fault| Err(PinError { pu, errno, fault });
    if pu >= PU_LIMIT {
        return error(None, PinFault::Absent);
    }
    // The kernel lets a process leave the mask that it was started with, but whoever said `taskset` meant it. Asking also
    // remembers that mask before this process changes it.
    let allowed = process_allowed();
    if !allowed.is_empty() && !allowed.contains(&pu) {
        let fault = match refusal(libc::EINVAL, pu, &Files::this_machine()) {
            // Without /sys the mask alone is known.
            PinFault::Other => PinFault::Disallowed,
            fault => fault,
        };
        return error(None, fault);
    }
    if let Err(errno) = set_affinity(0, &mask::of_pu(pu)) {
        return error(Some(errno), refusal(errno, pu, &Files::this_machine()));
    }
    match affinity(0) {
        Ok(found) if found == [pu] => Ok(()),
        Ok(found) => error(None, PinFault::NotTaken { found }),
        Err(errno) => error(Some(errno), refusal(errno, pu, &Files::this_machine())),
    }
}

/// What an error number means for a PU. The kernel says EINVAL alike for an absent, an offline and a disallowed one.
fn refusal(errno: i32, pu: u32, files: &Files) -> PinFault {
    match errno {
        libc::EINVAL => {
            let listed = |name: &str| files.pus(&format!("/sys/devices/system/cpu/{name}"));
            let (present, online) = (listed("present"), listed("online"));
            match (present, online) {
                (Some(present), _) if !present.contains(&pu) => PinFault::Absent,
                (_, Some(online)) if !online.contains(&pu) => PinFault::Offline,
                (None, None) => PinFault::Other,
                _ => PinFault::Disallowed,
            }
        }
        libc::EPERM | libc::EACCES => PinFault::NotPermitted,
        libc::ENOSYS => PinFault::Unsupported,
        _ => PinFault::Other,
    }
}

/// The PUs that this process may run on, ascending: its main thread's mask as it was when this was first asked, so that
/// pinning threads later does not shrink it. Empty where the OS does not tell.
pub fn process_allowed() -> Vec<u32> {
    static ALLOWED: OnceLock<Vec<u32>> = OnceLock::new();
    ALLOWED
        .get_or_init(|| {
            let main = pid_t::try_from(std::process::id()).unwrap_or(0);
            affinity(main).or_else(|_| affinity(0)).unwrap_or_default()
        })
        .clone()
}

/// The PU that the calling thread runs on at this moment; `None` where the OS does not tell.
pub fn current_pu() -> Option<u32> {
    // SAFETY: sched_getcpu takes nothing and only returns a number.
    let pu = unsafe { libc::sched_getcpu() };
    u32::try_from(pu).ok()
}

/// Sets a thread's mask; 0 is the calling thread. The kernel takes a mask shorter than its own as filled up with zeros.
fn set_affinity(thread: pid_t, mask: &[c_ulong]) -> Result<(), i32> {
    // SAFETY: sched_setaffinity(2) reads `size_of_val(mask)` bytes from the pointer, which are the slice's, and keeps
    // neither; a cpu_set_t is an array of unsigned long.
    let status = unsafe { libc::sched_setaffinity(thread, size_of_val(mask), mask.as_ptr().cast()) };
    checked(status)
}

/// A thread's mask as PUs; 0 is the calling thread.
fn affinity(thread: pid_t) -> Result<Vec<u32>, i32> {
    // Long enough for most; the kernel says EINVAL as long as its own is longer.
    let mut mask: Vec<c_ulong> = vec![0; 1024 / c_ulong::BITS as usize];
    loop {
        // SAFETY: sched_getaffinity(2) writes at most `size_of_val` bytes to the pointer, which are the vector's own, and
        // any bits are valid words; a cpu_set_t is an array of unsigned long.
        let status = unsafe { libc::sched_getaffinity(thread, size_of_val(mask.as_slice()), mask.as_mut_ptr().cast()) };
        match checked(status) {
            Ok(()) => return Ok(mask::pus(&mask)),
            Err(libc::EINVAL) if mask.len() * (c_ulong::BITS as usize) < PU_LIMIT as usize => {
                mask = vec![0; mask.len() * 2];
            }
            Err(errno) => return Err(errno),
        }
    }
}

fn checked(status: c_int) -> Result<(), i32> {
    if status == 0 { Ok(()) } else { Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    #[test]
    fn a_thread_is_pinned_where_it_is_told_and_the_process_keeps_its_pus() {
        let allowed = process_allowed();
        assert!(!allowed.is_empty());
        for pu in allowed.clone() {
            std::thread::spawn(move || {
                pin_current_thread(pu).unwrap();
                assert_eq!(current_pu(), Some(pu));
                assert_eq!(affinity(0).unwrap(), [pu]);
            })
            .join()
            .unwrap();
        }
        assert_eq!(process_allowed(), allowed);
    }

    #[test]
    fn absent_pus_are_refused_and_the_thread_stays() {
        std::thread::spawn(|| {
            let before = affinity(0).unwrap();
            for pu in [PU_LIMIT - 1, PU_LIMIT, u32::MAX] {
                let error = pin_current_thread(pu).unwrap_err();
                assert_eq!(error.fault, PinFault::Absent);
                assert!(error.to_string().contains(&format!("PU {pu}")) && !error.cure().is_empty());
            }
            assert_eq!(affinity(0).unwrap(), before);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn the_kernel_itself_refuses_a_long_mask_of_an_absent_pu() {
        assert_eq!(set_affinity(0, &mask::of_pu(PU_LIMIT - 1)), Err(libc::EINVAL));
        assert_eq!(affinity(pid_t::MAX), Err(libc::ESRCH));
    }

    #[test]
    fn one_error_number_is_three_faults() {
        let tree =
            Tree::new(&[("/sys/devices/system/cpu/present", "0-7\n"), ("/sys/devices/system/cpu/online", "0-3,6-7\n")]);
        let files = tree.files();
        assert_eq!(refusal(libc::EINVAL, 8, &files), PinFault::Absent);
        assert_eq!(refusal(libc::EINVAL, 5, &files), PinFault::Offline);
        assert_eq!(refusal(libc::EINVAL, 7, &files), PinFault::Disallowed);
        assert_eq!(refusal(libc::EPERM, 7, &files), PinFault::NotPermitted);
        assert_eq!(refusal(libc::ENOSYS, 7, &files), PinFault::Unsupported);
        assert_eq!(refusal(libc::EINVAL, 7, &Tree::new(&[]).files()), PinFault::Other);
        let offline = PinError { pu: 5, errno: Some(libc::EINVAL), fault: PinFault::Offline };
        assert!(offline.message().contains("errno 22"), "{offline}");
        assert!(offline.cure().contains("cpu5/online"), "{offline}");
    }
}
