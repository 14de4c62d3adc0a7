//! Each kernel and the bare loop over the same body, one operation each.
//!
//! `cargo bench -p hitm-kernels --bench kernels`. The two sides run one after the other here; for ratios see the
//! bench `ratios`.

#![allow(missing_docs)] // What `criterion_group!` makes has none.

mod bare;

use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};

fn kernels(criterion: &mut Criterion) {
    for mut pair in bare::pairs() {
        let (arena, trial) = (pair.arena(), bare::trial());
        let mut worker = arena.worker(bare::context(&trial));
        let mut group = criterion.benchmark_group(&pair.name);
        group.bench_function("bare", |bencher| {
            bencher.iter_custom(|operations| {
                let start = Instant::now();
                std::hint::black_box((pair.bare)(operations));
                start.elapsed()
            });
        });
        group.bench_function("kernel", |bencher| {
            bencher.iter_custom(|operations| {
                let start = Instant::now();
                std::hint::black_box(worker.run(operations));
                start.elapsed()
            });
        });
        group.finish();
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
