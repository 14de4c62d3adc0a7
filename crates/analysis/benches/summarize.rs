//! How long 100,000 records take to be summed up, and to tell whether a run may stop.

#![allow(missing_docs)] // criterion's macro makes a public function.

#[path = "../tests/laws/synthetic.rs"]
mod synthetic;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use synthetic::large;

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
