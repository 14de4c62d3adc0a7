//! The loops that kernels are held to: the same body, without kernel, arena, worker and batch.

use std::hint::black_box;
use std::time::Duration;

use hitm_experiment::Parameters;
use hitm_kernels::time::OsTime;
use hitm_kernels::{Arena, Context, Registry, Setting, StopToken, work};
use hitm_keys::rng::{Pcg32, Rand48, SysbenchLcg, WiredTigerMwc, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus};

/// A kernel and the loop it is held to.
pub struct Pair {
    /// What both do.
    pub name: String,
    /// The kernel's name and parameters.
    pub kernel: (&'static str, Parameters),
    /// Does that many operations.
    pub bare: Box<dyn FnMut(u64) -> u64>,
}

impl Pair {
    /// Lays out the kernel's arena for one worker.
    pub fn arena(&self) -> Box<dyn Arena> {
        let (name, parameters) = &self.kernel;
        let registry = Registry::built_in();
        let entry = registry.find(name).expect("a built-in kernel");
        let kernel = entry.make(parameters).unwrap_or_else(|faults| panic!("{faults:?}"));
        kernel.lay_out(&Setting { workers: 1, line_bytes: 64, seed: 1, common_seed: 5 }).expect("one worker is enough")
    }
}

/// Its only worker.
pub fn context<'a>((stop, time): &'a (StopToken, OsTime)) -> Context<'a> {
    Context { index: 0, seed: 1, stop, time }
}

/// What it is given: it does not wait.
pub fn trial() -> (StopToken, OsTime) {
    (StopToken::default(), OsTime::lasting(Duration::ZERO))
}

/// All pairs: the empty loop, and every generator without work and with the default.
pub fn pairs() -> Vec<Pair> {
    let mut pairs = vec![Pair {
        name: "overhead/empty".to_owned(),
        kernel: ("overhead/empty", Parameters::new()),
        bare: Box::new(empty),
    }];
    for units in [0, 64] {
        pairs.push(drawing::<Rand48>(units));
        pairs.push(drawing::<SysbenchLcg>(units));
        pairs.push(drawing::<WiredTigerMwc>(units));
        pairs.push(drawing::<Xoroshiro128Plus>(units));
        pairs.push(drawing::<Xoshiro256PlusPlus>(units));
        pairs.push(drawing::<Pcg32>(units));
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        pairs.push(pair("glibc-lrand48", units, glibc::draws(units)));
    }
    pairs
}

fn empty(operations: u64) -> u64 {
    for round in 0..operations {
        black_box(round);
    }
    operations
}

fn pair(generator: &str, units: u32, bare: Box<dyn FnMut(u64) -> u64>) -> Pair {
    let given = [("generator", generator.into()), ("state", "thread-local".into()), ("work", i64::from(units).into())];
    let parameters = given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Pair { name: format!("rng/next {generator}, work {units}"), kernel: ("rng/next", parameters), bare }
}

fn drawing<G: WordState>(units: u32) -> Pair {
    let mut generator = black_box(G::seeded(1));
    let mut sum = 0u64;
    let bare: Box<dyn FnMut(u64) -> u64> = if units == 0 {
        Box::new(move |operations| {
            let mut own = generator.clone();
            for _ in 0..operations {
                sum ^= own.draw();
            }
            generator = own;
            sum
        })
    } else {
        Box::new(move |operations| {
            let mut own = generator.clone();
            for _ in 0..operations {
                sum = work(sum ^ own.draw(), units);
            }
            generator = own;
            sum
        })
    };
    pair(G::NAME, units, bare)
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use std::ffi::{c_int, c_long};

    use hitm_kernels::work;

    // The `libc` crate does not declare these for glibc. Their state is three 64-bit words long.
    unsafe extern "C" {
        fn srand48_r(seed: c_long, data: *mut [u64; 3]) -> c_int;
        fn lrand48_r(data: *mut [u64; 3], value: *mut c_long) -> c_int;
    }

    pub fn draws(units: u32) -> Box<dyn FnMut(u64) -> u64> {
        let mut data = [0; 3];
        // SAFETY: `data` has the size and alignment of glibc's `drand48_data`.
        unsafe { srand48_r(1, &mut data) };
        let mut sum = 0u64;
        Box::new(move |operations| {
            for _ in 0..operations {
                let mut value = 0;
                // SAFETY: as above, and `srand48_r` has made it.
                unsafe { lrand48_r(&mut data, &mut value) };
                sum = work(sum ^ value as u64, units);
            }
            sum
        })
    }
}
