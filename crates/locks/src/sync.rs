//! The locks and atomics that all managers are made of: the standard library's, or loom's where every order of them is tried.

#[cfg(feature = "loom")]
pub(crate) use loom::{
    hint::spin_loop,
    sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic},
    thread::yield_now,
};
#[cfg(not(feature = "loom"))]
pub(crate) use std::{
    hint::spin_loop,
    sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic},
    thread::yield_now,
};

use crate::contract::Deadline;
use std::{sync::PoisonError, time::Instant};

/// Takes a mutex. One that a panicking worker left is taken as it is: what it guards is whole between any two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock beside others.
pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock alone.
pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Waits to be woken, at most until the deadline; says whether the deadline has passed. Wakes without a cause too.
///
/// Loom knows no time: there nothing ever times out, so that a lost wake-up shows as a deadlock.
pub(crate) fn wait<'a, T>(
    condvar: &Condvar,
    guard: MutexGuard<'a, T>,
    deadline: Deadline,
) -> (MutexGuard<'a, T>, bool) {
    match deadline {
        Deadline::Never => (condvar.wait(guard).unwrap_or_else(PoisonError::into_inner), false),
        Deadline::Now => (guard, true),
        Deadline::At(at) => {
            let left = at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return (guard, true);
            }
            let (guard, timeout) = condvar.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner);
            (guard, timeout.timed_out())
        }
    }
}

/// A value on lines of its own: 128 bytes are a line of POWER, and the pair of lines that x86 fetches together.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Padded<T>(pub(crate) T);
