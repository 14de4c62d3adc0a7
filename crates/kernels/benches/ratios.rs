//! How much slower a kernel is than a bare loop over the same body: medians of the ratios of interleaved pairs, with
//! their quartiles, and the ratio of the least times, which other programs on the machine disturb least.
//!
//! `cargo bench -p hitm-kernels --bench ratios [PART-OF-NAME]`

mod bare;

use std::hint::black_box;
use std::time::Instant;

/// Pairs of one row; odd, so that the median is one of them.
const PAIRS: usize = 501;
/// How long one side of a pair takes at least, nanoseconds: much less than a scheduler's time slice, so that most
/// pairs have no interruption.
const SIDE_NS: f64 = 1e5;

fn main() {
    // `cargo bench` passes `--bench`; `cargo test --benches` does not, and then nothing is timed.
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    println!(
        "{:<40} {:>10} {:>10} {:>8} {:>8} {:>8} {:>8}",
        "", "bare ns/op", "kernel", "ratio", "q1", "q3", "of least"
    );
    for mut pair in bare::pairs() {
        if wanted.is_some_and(|wanted| !pair.name.contains(wanted.as_str())) {
            continue;
        }
        let (arena, trial) = (pair.arena(), bare::trial());
        let mut worker = arena.worker(bare::context(&trial));
        let mut kernel = |operations| worker.run(operations).value;

        let mut operations = 1000;
        while ns_per_op(&mut pair.bare, operations) * (operations as f64) < SIDE_NS {
            operations *= 2;
        }
        let (mut ratios, mut bares, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..PAIRS {
            // Whichever side is first would profit from or pay for what drifts.
            let (bare, kernel) = if round % 2 == 0 {
                let bare = ns_per_op(&mut pair.bare, operations);
                (bare, ns_per_op(&mut kernel, operations))
            } else {
                let kernel = ns_per_op(&mut kernel, operations);
                (ns_per_op(&mut pair.bare, operations), kernel)
            };
            ratios.push(kernel / bare);
            bares.push(bare);
            kernels.push(kernel);
        }
        let [q1, ratio, q3] = [1, 2, 3].map(|quarter| quantile(&mut ratios, quarter));
        let [bare, kernel] = [&mut bares, &mut kernels].map(|times| quantile(times, 2));
        let of_least = kernels[0] / bares[0];
        println!("{:<40} {bare:>10.3} {kernel:>10.3} {ratio:>8.3} {q1:>8.3} {q3:>8.3} {of_least:>8.3}", pair.name);
    }
}

fn ns_per_op(run: &mut dyn FnMut(u64) -> u64, operations: u64) -> f64 {
    let start = Instant::now();
    black_box(run(black_box(operations)));
    start.elapsed().as_nanos() as f64 / operations as f64
}

fn quantile(values: &mut [f64], quarter: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() * quarter / 4]
}
