//! Work that should move any event: an event that it does not move reads zeros that nobody can verify.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hitm_machine::pin;
use hitm_topology::Topology;

/// How long each part lasts at the most that lasts for a time.
const PART: Duration = Duration::from_millis(1);
/// More than the second-level caches hold.
const MEMORY: usize = 8 << 20;
const STEP: usize = 64;
const PAGE: usize = 4096;

/// Work for one thread, and a partner elsewhere to share lines with.
pub(crate) struct Stimulus {
    /// Where it acts, and where its partner is.
    pus: Option<[u32; 2]>,
    alone: Option<u32>,
}

/// What the two share: counters on one line, and one that both write.
#[repr(align(128))]
#[derive(Default)]
struct Shared {
    mine: AtomicU64,
    theirs: AtomicU64,
    both: AtomicU64,
    done: AtomicBool,
}

impl Stimulus {
    /// On the pair of PUs that are farthest apart; alone where there is but one.
    pub fn new(topology: &Topology) -> Self {
        Stimulus { pus: topology.witness_pair(), alone: topology.allowed().first().copied() }
    }

    /// The PU that it is meant for.
    pub fn pu(&self) -> Option<u32> {
        self.pus.map(|[first, _]| first).or(self.alone)
    }

    /// Computes and mispredicts, misses caches, faults pages, sleeps, migrates, and shares lines with a partner: some milliseconds.
    pub fn act(&self) {
        compute();
        touch();
        thread::sleep(Duration::from_micros(50));
        if let Some([here, there]) = self.pus {
            share(there);
            // A thread that cannot be moved shows no migration; that it is where it belongs matters more.
            let _ = pin::pin_current_thread(there);
            let _ = pin::pin_current_thread(here);
        }
    }
}

/// Branches that depend on random bits.
fn compute() {
    let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
    let mut odd = 0_u64;
    for _ in 0..100_000 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if x & 1 == 1 {
            odd = black_box(odd + 1);
        }
    }
    black_box(odd);
}

/// First touches of fresh pages, then a walk through more than the near caches hold, with stores that loads soon follow.
fn touch() {
    let mut memory = vec![0_u8; MEMORY];
    for at in (0..MEMORY).step_by(PAGE) {
        memory[at] = 1;
    }
    let mut sum = 0_u64;
    for at in (0..MEMORY).step_by(STEP) {
        sum = sum.wrapping_add(u64::from(memory[at]));
        memory[at] = sum as u8;
        black_box(&mut memory[at]);
    }
    black_box(sum);
}

/// Stores, locked additions and loads of lines that a partner stores to.
fn share(there: u32) {
    let shared = Shared::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            // Unpinned it still runs, mostly elsewhere.
            let _ = pin::pin_current_thread(there);
            while !shared.done.load(Ordering::Relaxed) {
                shared.theirs.fetch_add(1, Ordering::Relaxed);
                shared.both.fetch_add(1, Ordering::AcqRel);
            }
        });
        let begin = Instant::now();
        // The partner may take longer to start than a part lasts.
        while begin.elapsed() < 10 * PART && shared.theirs.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        let begin = Instant::now();
        while begin.elapsed() < PART {
            for _ in 0..50 {
                shared.mine.store(shared.theirs.load(Ordering::Relaxed), Ordering::Relaxed);
                shared.both.fetch_add(1, Ordering::AcqRel);
            }
        }
        shared.done.store(true, Ordering::Relaxed);
    });
}
