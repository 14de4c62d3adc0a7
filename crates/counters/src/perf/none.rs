//! Architectures that the perf_event bindings do not know: every event is refused as by a kernel without perf_event.

use super::{Handle, Perf, Request, Usage, thread_usage};

/// The kernel this process runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linux;

impl Perf for Linux {
    fn open(&self, _: Request<'_>) -> Result<Handle, i32> {
        Err(libc::ENOSYS)
    }

    fn close(&self, _: Handle) {}

    fn enable(&self, _: Handle) -> Result<(), i32> {
        Err(libc::ENOSYS)
    }

    fn disable(&self, _: Handle) -> Result<(), i32> {
        Err(libc::ENOSYS)
    }

    fn read(&self, _: Handle, _: &mut [u64]) -> Result<usize, i32> {
        Err(libc::ENOSYS)
    }

    fn usage(&self) -> Result<Usage, i32> {
        thread_usage()
    }

    fn paranoid(&self) -> Option<i32> {
        None
    }
}
