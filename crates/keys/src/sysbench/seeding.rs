//! From a seed to the state of a thread's generator.

use super::GlibcRandom;
use crate::Refusal;
use crate::rng::{Rand48, WordState, Xoroshiro128Plus};

fn given(seed: u64, what: &str) -> Result<u32, Refusal> {
    match u32::try_from(seed) {
        Ok(0) => {
            let why = format!("0 is no seed: {what}");
            Err(Refusal::new("seed", why, "give 1 to 4294967295"))
        }
        Ok(seed) => Ok(seed),
        Err(_) => {
            Err(Refusal::new("seed", format!("{seed} is more than the 32 bits of its seed"), "give 1 to 4294967295"))
        }
    }
}

/// The stream of one of sysbench 1.0.20's threads under `--rand-seed`: the program calls `srandom(seed)`, and each thread, when it
/// starts, makes its two words of two `random()`s each.
///
/// `order` is how many threads started before it. With one thread that is 0 and the stream is a function of the seed; with more the
/// scheduler decides, and a run with `--report-interval` has one more thread that takes its turn (akopytov/sysbench#524). Seeds above
/// 2147483647 are those that sysbench takes as negative.
///
/// # Errors
/// The seed 0, for which sysbench takes the time, and seeds of more than 32 bits.
pub fn thread_stream(seed: u64, order: u32) -> Result<Xoroshiro128Plus, Refusal> {
    let mut random = GlibcRandom::srandom(given(seed, "sysbench takes the time for it")?);
    let mut word = || u64::from(random.random()) << 32 | u64::from(random.random());
    let mut words = [word(), word()];
    for _ in 0..order {
        words = [word(), word()];
    }
    Ok(Xoroshiro128Plus::from_words(words))
}

/// The stream of sysbench before 1.0 under `--rand-seed`: `srand48(seed)`, one for all threads.
///
/// # Errors
/// The seed 0, which sysbench ignores, and seeds of more than 32 bits.
pub fn seed_of_srand48(seed: u64) -> Result<Rand48, Refusal> {
    given(seed, "sysbench ignores it").map(Rand48::srand48)
}
