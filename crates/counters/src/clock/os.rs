//! `CLOCK_MONOTONIC_RAW`: on every Linux, through the vDSO (no system call) since Linux 5.3.

/// Nanoseconds since some moment before the boot's end.
pub(crate) fn read() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC_RAW).unwrap_or(0)
}

/// CPU time that the calling thread has used, nanoseconds (`CLOCK_THREAD_CPUTIME_ID`); `None` where the OS does not tell.
pub fn thread_cpu_ns() -> Option<u64> {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID).ok()
}

/// What a clock of the OS shows, in nanoseconds; the errno where it has no such clock.
pub(crate) fn clock_ns(clock: libc::clockid_t) -> Result<u64, i32> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime(2) writes one timespec to the pointer, which is to one that outlives the call.
    if unsafe { libc::clock_gettime(clock, &mut time) } != 0 {
        return Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL));
    }
    Ok((time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64))
}
