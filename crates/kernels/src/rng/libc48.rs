//! glibc's own `lrand48` family. The one file of this crate with unsafe code.
//!
//! `lrand48` steps one state of the whole process without a lock: that race is what is measured, and it is glibc's,
//! on its own plain 16-bit words (glibc, `stdlib/nrand48_r.c`, `stdlib/drand48-iter.c`). POSIX permits concurrent
//! calls not at all; glibc's manual (`MT-Unsafe race:drand48`) says what they damage: the state's value. Nothing of
//! this program depends on that value.

use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hitm_keys::rng::{Rand48, WordState};
use libc::{c_double, c_int, c_long, c_ushort};

use crate::memory::Memory;

/// glibc's `struct drand48_data` (`stdlib.h`).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Data {
    x: [c_ushort; 3],
    old_x: [c_ushort; 3],
    c: c_ushort,
    init: c_ushort,
    a: u64,
}

// The `libc` crate does not declare these for glibc.
unsafe extern "C" {
    fn srand48(seed: c_long);
    fn lrand48() -> c_long;
    fn mrand48() -> c_long;
    fn drand48() -> c_double;
    fn seed48(state: *mut c_ushort) -> *mut c_ushort;
    fn srand48_r(seed: c_long, data: *mut Data) -> c_int;
    fn lrand48_r(data: *mut Data, value: *mut c_long) -> c_int;
    fn mrand48_r(data: *mut Data, value: *mut c_long) -> c_int;
    fn drand48_r(data: *mut Data, value: *mut c_double) -> c_int;
}

fn rand48([low, middle, high]: [c_ushort; 3]) -> Rand48 {
    Rand48::from_words([u64::from(high) << 32 | u64::from(middle) << 16 | u64::from(low)])
}

/// Milliseconds to wait for the process's state.
const TRIES: u32 = 200;

/// Whether somebody holds the process's state.
static HELD: AtomicBool = AtomicBool::new(false);

/// The process's one state, held by one trial at a time. Its workers draw from it together.
pub(super) struct Process(());

impl Process {
    /// Takes the state and seeds it by `srand48`.
    ///
    /// # Errors
    /// If another trial in this process holds it and does not let go within a moment: the last trial's threads may be
    /// just about to end.
    pub(super) fn seeded(seed: u32) -> Result<Self, String> {
        let mut tries = 0..TRIES;
        while HELD.swap(true, Ordering::Acquire) {
            if tries.next().is_some() {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            return Err("another trial is drawing from the one lrand48 state of this process".to_owned());
        }
        // SAFETY: takes any number; nobody else of this program touches the state, as `HELD` was free.
        unsafe { srand48(c_long::from(seed as i32)) };
        Ok(Process(()))
    }

    /// The next value of the process's `lrand48`; other threads may be drawing.
    #[inline]
    pub(super) fn lrand48(&self) -> u64 {
        // SAFETY: has no arguments and touches no memory but glibc's own static state, of which any value is a valid
        // state. That other threads do the same is the race that glibc documents and that is measured here (see
        // above).
        let value = unsafe { lrand48() };
        value as u64
    }

    /// The next value of `mrand48`, as 32 bits.
    #[inline]
    pub(super) fn mrand48(&self) -> u32 {
        // SAFETY: as `lrand48`.
        let value = unsafe { mrand48() };
        value as u32
    }

    /// The next value of `drand48`.
    #[inline]
    pub(super) fn drand48(&self) -> f64 {
        // SAFETY: as `lrand48`.
        unsafe { drand48() }
    }

    /// The state, when no worker draws any more.
    pub(super) fn state(&self) -> Rand48 {
        let mut zero = [0; 3];
        // SAFETY: reads three words, which `zero` has, and returns glibc's static array of three.
        let old = unsafe { seed48(zero.as_mut_ptr()) };
        // SAFETY: glibc's array holds the state before the call until the next `seed48`, which only this holder of
        // the state makes.
        let mut state = unsafe { ptr::read(old.cast::<[c_ushort; 3]>()) };
        // SAFETY: as the first call; puts the state back.
        unsafe { seed48(state.as_mut_ptr()) };
        rand48(state)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        HELD.store(false, Ordering::Release);
    }
}

/// A state of one's own, which `lrand48_r` steps.
#[derive(Clone)]
pub(super) struct Reentrant(Data);

impl Reentrant {
    /// Seeded by `srand48_r`.
    pub(super) fn seeded(seed: u32) -> Self {
        let mut data = Data::default();
        // SAFETY: `data` is a whole `drand48_data` that nobody else has.
        unsafe { srand48_r(c_long::from(seed as i32), &mut data) };
        Reentrant(data)
    }

    /// All zero, as a static one that nobody seeded. glibc puts its multiplier in at the first draw.
    pub(super) fn unseeded() -> Self {
        Reentrant(Data::default())
    }

    /// The next value.
    #[inline]
    pub(super) fn lrand48(&mut self) -> u64 {
        let mut value = 0;
        // SAFETY: both point to whole objects that nobody else has.
        unsafe { lrand48_r(&mut self.0, &mut value) };
        value as u64
    }

    /// The next value of `mrand48_r`, as 32 bits.
    #[inline]
    pub(super) fn mrand48(&mut self) -> u32 {
        let mut value = 0;
        // SAFETY: as `lrand48`.
        unsafe { mrand48_r(&mut self.0, &mut value) };
        value as u32
    }

    /// The next value of `drand48_r`.
    #[inline]
    pub(super) fn drand48(&mut self) -> f64 {
        let mut value = 0.0;
        // SAFETY: as `lrand48`.
        unsafe { drand48_r(&mut self.0, &mut value) };
        value
    }

    /// The state.
    pub(super) fn state(&self) -> Rand48 {
        rand48(self.0.x)
    }
}

/// `drand48_data` of several workers in one memory.
pub(super) struct Slots {
    memory: Memory<AtomicU64>,
    stride: usize,
    taken: Vec<AtomicBool>,
}

impl Slots {
    /// Bytes of one `drand48_data`.
    pub(super) const BYTES: usize = size_of::<Data>();

    /// Places for `count` states, `stride` bytes from each to the next: at least [`Slots::BYTES`] and a multiple of 8.
    /// The seed chooses where.
    pub(super) fn new(count: usize, stride: usize, seed: u64) -> Self {
        assert!(stride >= Self::BYTES && stride % align_of::<Data>() == 0, "states {stride} bytes apart overlap");
        let taken = (0..count).map(|_| AtomicBool::new(false)).collect();
        Slots { memory: Memory::zeroed(count * stride, seed), stride, taken }
    }

    /// The addresses of the states.
    pub(super) fn addresses(&self) -> std::ops::Range<usize> {
        let start = self.memory.addresses().start;
        start..start + self.taken.len() * self.stride
    }

    /// Takes one place and puts a state there.
    ///
    /// # Panics
    /// If it is taken.
    pub(super) fn take(&self, index: usize, state: &Reentrant) -> Slot<'_> {
        assert!(!self.taken[index].swap(true, Ordering::Acquire), "worker {index} was made twice");
        let data =
            self.memory.array::<{ size_of::<Data>() / 8 }>(index * self.stride).as_ptr().cast_mut().cast::<Data>();
        // SAFETY: `data` points to 24 bytes of cells that may be written through a shared reference, aligned to 8,
        // which no other slot overlaps (`stride`) and nobody else has (`taken`).
        unsafe { ptr::write(data, state.0) };
        Slot { data, taken: &self.taken[index], memory: PhantomData }
    }
}

/// One place, held by one worker.
pub(super) struct Slot<'a> {
    data: *mut Data,
    taken: &'a AtomicBool,
    memory: PhantomData<&'a Slots>,
}

impl Slot<'_> {
    /// The next value.
    #[inline]
    pub(super) fn lrand48(&mut self) -> u64 {
        let mut value = 0;
        // SAFETY: `data` points to a state that [`Slots::take`] wrote and that this slot alone has.
        unsafe { lrand48_r(self.data, &mut value) };
        value as u64
    }

    /// The next value of `mrand48_r`, as 32 bits.
    #[inline]
    pub(super) fn mrand48(&mut self) -> u32 {
        let mut value = 0;
        // SAFETY: as `lrand48`.
        unsafe { mrand48_r(self.data, &mut value) };
        value as u32
    }

    /// The next value of `drand48_r`.
    #[inline]
    pub(super) fn drand48(&mut self) -> f64 {
        let mut value = 0.0;
        // SAFETY: as `lrand48`.
        unsafe { drand48_r(self.data, &mut value) };
        value
    }

    /// The state.
    pub(super) fn state(&self) -> Rand48 {
        // SAFETY: as above.
        let data = unsafe { ptr::read(self.data) };
        rand48(data.x)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.taken.store(false, Ordering::Release);
    }
}
