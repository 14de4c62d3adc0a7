//! All reports of a run of 100,000 trials, as `hitm report` makes them. Reference: well below 1 s together.

#![allow(missing_docs)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hitm_report::{Extra, Style, comparisons_csv, csv, figures, html, markdown, terminal};

fn run() -> support::Run {
    let mut run = support::shared_state();
    let each = 100_000 / run.summary.cells.len() as u32 + 1;
    for (number, cell) in run.summary.cells.iter_mut().enumerate() {
        cell.trials = support::trials(each, number as f64);
    }
    run
}

fn reports(criterion: &mut Criterion) {
    let support::Run { summary, manifest } = run();
    let mut group = criterion.benchmark_group("100,000 trials");
    group.sample_size(10);
    group.bench_function("terminal, Markdown, CSV, figures and page", |bench| {
        bench.iter(|| {
            black_box(terminal(&summary, &manifest, Style { color: true, width: 120 }));
            black_box(markdown(&summary, &manifest));
            black_box((csv(&summary, &manifest), comparisons_csv(&summary, &manifest)));
            let figures = figures(&summary, &manifest);
            black_box(html(&summary, &manifest, &figures, &Extra::default()))
        });
    });
    group.finish();
}

criterion_group!(benches, reports);
criterion_main!(benches);
