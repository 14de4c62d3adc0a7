//! Holds `Rand48` and `GlibcRandom` to the libc they claim to be.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::ffi::{c_double, c_long, c_uint};

use hitm_keys::rng::Rand48;
use hitm_keys::sysbench::GlibcRandom;

// The `libc` crate does not declare these for glibc.
unsafe extern "C" {
    fn srand48(seed: c_long);
    fn lrand48() -> c_long;
    fn drand48() -> c_double;
    fn mrand48() -> c_long;
    fn srandom(seed: c_uint);
    fn random() -> c_long;
}

/// One test, because libc has one state for the whole process.
#[test]
fn draws_what_libc_draws() {
    for seed in [0, 1, 42, 4711, -1, i32::MAX, i32::MIN] {
        // SAFETY: takes any number; no other thread of this test program uses these functions.
        unsafe { srand48(seed.into()) };
        let mut generator = Rand48::srand48(seed as u32);
        for draw in 0..1000 {
            // SAFETY: as above.
            assert_eq!(i64::from(generator.lrand48()), unsafe { lrand48() }, "lrand48, seed {seed}, draw {draw}");
            // SAFETY: as above.
            assert_eq!(generator.drand48(), unsafe { drand48() }, "drand48, seed {seed}, draw {draw}");
            // SAFETY: as above.
            assert_eq!(i64::from(generator.mrand48()), unsafe { mrand48() }, "mrand48, seed {seed}, draw {draw}");
        }
    }
}

/// The other state that libc has for the whole process.
#[test]
fn draws_what_libcs_random_draws() {
    for seed in [0, 1, 2, 42, 4711, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, u32::MAX] {
        // SAFETY: takes any number; no other thread of this test program uses these functions.
        unsafe { srandom(seed) };
        let mut generator = GlibcRandom::srandom(seed);
        for draw in 0..1000 {
            // SAFETY: as above.
            assert_eq!(i64::from(generator.random()), unsafe { random() }, "seed {seed}, draw {draw}");
        }
    }
}
