//! What a key costs: our zipf against `rand_distr`'s on the same generator, all distributions, and what it takes to make a zipf.
//!
//!     cargo bench -p hitm-keys --bench distributions [-- PART-OF-NAME]
//!
//! First the ratio of interleaved pairs (median, quartiles), which holds where other programs run too; then criterion.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput};
use hitm_keys::KeyRange;
use hitm_keys::dist::{Asked, Distribution, entries, exact};
use hitm_keys::rng::{WordState, Xoshiro256PlusPlus};
use rand_distr::Distribution as _;

/// Pairs; odd, so that the median is one of them.
const PAIRS: usize = 501;
/// Draws of one side of a pair: some hundred microseconds.
const DRAWS: u64 = 5_000;

fn main() {
    // `cargo bench` passes `--bench`; `cargo test --benches` does not, and then nothing is timed.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    ratios();
    let mut criterion = Criterion::default().configure_from_args();
    making(&mut criterion);
    drawing(&mut criterion);
    criterion.final_summary();
}

fn zipf(keys: u64, theta: f64) -> exact::Zipf {
    match KeyRange::of(keys).map_err(|refusal| vec![refusal]).and_then(|range| exact::Zipf::new(range, theta)) {
        Ok(zipf) => zipf,
        Err(refusals) => unreachable!("{refusals:?}"),
    }
}

fn ratios() {
    println!("{:<24} {:>12} {:>12} {:>8} {:>8} {:>8}", "zipf", "rand_distr ns", "exact ns", "ratio", "q1", "q3");
    for (keys, theta) in [(1_000_000, 0.99), (1_000_000, 0.5), (1_000_000, 1.0), (1_000_000, 1.5), (1000, 0.99)] {
        let ours = zipf(keys, theta);
        let Ok(theirs) = rand_distr::Zipf::new(keys as f64, theta) else { continue };
        let (mut stream, mut rng) = (Xoshiro256PlusPlus::seeded(1), Xoshiro256PlusPlus::seeded(1));
        let mut exact = || ns(|| ours.draw(&mut stream).unwrap_or_default());
        let mut other = || ns(|| theirs.sample(&mut rng) as u64);
        let mut pairs: Vec<[f64; 3]> = (0..PAIRS)
            .map(|pair| {
                // Whichever side is first would profit from or pay for what drifts.
                let (exact, other) = if pair % 2 == 0 {
                    let exact = exact();
                    (exact, other())
                } else {
                    let other = other();
                    (exact(), other)
                };
                [other / exact, other, exact]
            })
            .collect();
        let mut quarter = |column: usize, quarter: usize| {
            pairs.sort_by(|a, b| a[column].total_cmp(&b[column]));
            pairs[PAIRS * quarter / 4][column]
        };
        println!(
            "{:<24} {:>12.1} {:>12.1} {:>8.2} {:>8.2} {:>8.2}",
            format!("{keys} keys, {theta}"),
            quarter(1, 2),
            quarter(2, 2),
            quarter(0, 2),
            quarter(0, 1),
            quarter(0, 3)
        );
    }
}

/// Nanoseconds a draw.
fn ns(mut draw: impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    let sum = (0..DRAWS).fold(0u64, |sum, _| sum.wrapping_add(draw()));
    black_box(sum);
    start.elapsed().as_nanos() as f64 / DRAWS as f64
}

fn making(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("make zipf");
    for keys in [1000, 1_000_000_000_000_000_000] {
        group.bench_function(format!("{keys} keys"), |bencher| bencher.iter(|| zipf(black_box(keys), black_box(0.99))));
    }
    group.finish();
}

/// All of them behind one virtual call a batch, as the commands draw.
fn drawing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("draw");
    let mut keys = [0; 1024];
    group.throughput(Throughput::Elements(keys.len() as u64));
    // Those that end draw nothing after a while.
    for entry in entries().filter(|entry| entry.generator != "none") {
        let asked = Asked { range: entry.range, seed: 1, parameters: BTreeMap::new() };
        let Ok(mut made) = entry.build(&asked) else { continue };
        group.bench_function(entry.name, |bencher| bencher.iter(|| made.fill(black_box(&mut keys))));
    }
    group.finish();
}
