//! `perf_event_open(2)` of Linux. The bindings bring the ioctl numbers of each architecture: POWER's are not x86's.

use std::fs;
use std::io;
use std::mem::size_of_val;

use perf_event_open_sys::bindings::{
    PERF_FLAG_FD_CLOEXEC, PERF_FORMAT_GROUP, PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING,
    perf_event_attr,
};
use perf_event_open_sys::{ioctls, perf_event_open};

use super::{Handle, Perf, Request, Scope, Target, Usage, thread_usage};

/// The kernel this process runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linux;

fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)
}

/// How often a call that a signal interrupted is made anew: a bound, so that a broken kernel cannot hold the caller.
const INTERRUPTIONS: usize = 100;

/// `call` until it is not interrupted.
fn uninterrupted<T>(mut call: impl FnMut() -> Result<T, i32>) -> Result<T, i32> {
    for _ in 0..INTERRUPTIONS {
        match call() {
            Err(libc::EINTR) => {}
            done => return done,
        }
    }
    Err(libc::EINTR)
}

impl Perf for Linux {
    fn open(&self, request: Request<'_>) -> Result<Handle, i32> {
        let (thread, children) = match request.target {
            Target::ThisThread => (0, false),
            Target::Thread(thread) => (thread, false),
            Target::ThreadAndChildren(thread) => (thread, true),
        };
        let mut attr = perf_event_attr::default();
        attr.size = size_of_val(&attr) as u32;
        attr.type_ = request.code.pmu_type;
        attr.config = request.code.config;
        attr.__bindgen_anon_3.config1 = request.code.config1;
        attr.__bindgen_anon_4.config2 = request.code.config2;
        let times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        // The kernel refuses a group read of events that follow children before Linux 6.13.
        attr.read_format = u64::from(if children { times } else { times | PERF_FORMAT_GROUP });
        attr.set_inherit(u64::from(children));
        // A member that opens disabled starts late even when the group is enabled as a whole (seen on Linux 6.18).
        attr.set_disabled(u64::from(request.leader.is_none()));
        let user_only = u64::from(request.scope == Scope::User);
        attr.set_exclude_kernel(user_only);
        attr.set_exclude_hv(user_only);
        let group = request.leader.map_or(-1, |leader| leader.0);
        let flags = u64::from(PERF_FLAG_FD_CLOEXEC) as libc::c_ulong;
        uninterrupted(|| {
            // SAFETY: perf_event_open(2) reads and writes the attributes for the length in their size field, and they outlive the call.
            // The request only counts (no sampling, no mapping, no signals).
            let fd = unsafe { perf_event_open(&mut attr, thread, -1, group, flags) };
            if fd < 0 { Err(errno()) } else { Ok(Handle(fd)) }
        })
    }

    fn close(&self, handle: Handle) {
        // SAFETY: close(2) of a descriptor that `open` gave out and that its owner gives up with this call.
        unsafe { libc::close(handle.0) };
    }

    fn enable(&self, leader: Handle) -> Result<(), i32> {
        // SAFETY: ioctl(2) PERF_EVENT_IOC_ENABLE takes a number, no pointer; members open enabled and so follow their leader.
        if unsafe { ioctls::ENABLE(leader.0, 0) } < 0 { Err(errno()) } else { Ok(()) }
    }

    fn disable(&self, leader: Handle) -> Result<(), i32> {
        // SAFETY: ioctl(2) PERF_EVENT_IOC_DISABLE takes a number, no pointer.
        if unsafe { ioctls::DISABLE(leader.0, 0) } < 0 { Err(errno()) } else { Ok(()) }
    }

    fn read(&self, leader: Handle, words: &mut [u64]) -> Result<usize, i32> {
        uninterrupted(|| {
            // SAFETY: read(2) writes at most the given number of bytes, which is the buffer's; any bytes are valid integers.
            let bytes = unsafe { libc::read(leader.0, words.as_mut_ptr().cast(), size_of_val(words)) };
            usize::try_from(bytes).map_err(|_| errno())
        })
    }

    fn usage(&self) -> Result<Usage, i32> {
        thread_usage()
    }

    fn paranoid(&self) -> Option<i32> {
        fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_call_is_made_anew_but_not_for_ever() {
        let mut answers = vec![Ok(7), Err(libc::EINTR), Err(libc::EINTR)];
        assert_eq!(uninterrupted(|| answers.pop().expect("no call after the answer")), Ok(7));
        assert_eq!(uninterrupted(|| Err::<(), _>(libc::EIO)), Err(libc::EIO));
        assert_eq!(uninterrupted(|| Err::<(), _>(libc::EINTR)), Err(libc::EINTR));
    }
}
