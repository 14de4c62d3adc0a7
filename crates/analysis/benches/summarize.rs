//! How long 100,000 records take to be summed up, and to tell whether a run may stop.

#![allow(missing_docs)] // criterion's macro makes a public function.

#[path = "../tests/laws/synthetic.rs"]
mod synthetic;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hitm_experiment::{Manifest, Record};
use synthetic::{Made, Noise, cell, compared, manifest};

/// A thousand cells of two workers, a hundred blocks, at two levels, with what a busy machine does to them.
fn large() -> (Manifest, Vec<Record>) {
    let mut cells = Vec::new();
    for work in 0..500 {
        for state in ["shared-racy", "thread-local"] {
            cells.push(cell(2, &[("state", state.into()), ("work", work.into())]));
        }
    }
    let (mut records, mut noise) = (Vec::new(), Noise(1));
    for block in 0..100 {
        for index in 0..cells.len() {
            let level = if noise.unit() < 0.2 { 315.0 } else { 52.0 };
            let mut made = Made::new(index, block, 2, 20.0 * noise.factor(0.1));
            if noise.unit() < 0.3 {
                made.held_up = vec![(0.2, 0.3), (0.5, 0.6)];
            }
            made.level(level * noise.factor(0.05), level * noise.factor(0.05)).into(&mut records);
        }
    }
    (compared(manifest(cells), "state", "thread-local"), records)
}

fn summing_up(criterion: &mut Criterion) {
    let (manifest, records) = large();
    let mut group = criterion.benchmark_group("100,000 records");
    group.sample_size(10);
    group.bench_function("summarize", |bencher| {
        bencher.iter(|| hitm_analysis::summarize(black_box(&manifest), black_box(&records)));
    });
    group.bench_function("precision", |bencher| {
        bencher.iter(|| hitm_analysis::precision(black_box(&manifest), black_box(&records)));
    });
    group.finish();
}

criterion_group!(benches, summing_up);
criterion_main!(benches);
