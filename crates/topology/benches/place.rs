//! How long 4096 workers on 4096 PUs take to be placed, by every policy.

#![allow(missing_docs)] // criterion's macro makes a public function.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hitm_topology::{Build, CacheKind, CacheSpec, Policy, Topology, Within, place_within};

const POLICIES: [&str; 11] = [
    "compact",
    "cores",
    "scatter",
    "pairs",
    "smt-4",
    "one-per-core",
    "one-per-cache",
    "one-per-l2",
    "one-per-node",
    "one-per-package",
    "0-4095",
];

/// Packages × cores × threads, a last-level cache for each 8 cores.
fn machine(packages: u32, cores: u32, threads: u32) -> Topology {
    let mut build = Build::new("bench");
    for core in 0..packages * cores {
        let package = Some(core / cores);
        build.core(package, package, &(core * threads..(core + 1) * threads).collect::<Vec<_>>());
    }
    let spec = |level, kind| CacheSpec { level, kind, size_bytes: None, line_bytes: Some(64) };
    build.caches(1, spec(1, CacheKind::Data)).caches(1, spec(2, CacheKind::Unified));
    build.caches(8, spec(3, CacheKind::Unified)).done()
}

fn placing(criterion: &mut Criterion) {
    let shapes = [("8 packages of 64 cores of 8 threads", (8, 64, 8)), ("one package of 4096 cores", (1, 4096, 1))];
    for (name, (packages, cores, threads)) in shapes {
        let topology = machine(packages, cores, threads);
        let bounds: [Within; 2] = ["package:0", "pus:0-4095:2"].map(|bound| bound.parse().expect("a bound"));
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for policy in POLICIES {
            let parsed: Policy = policy.parse().expect("a policy");
            // Nothing smaller than the machine has four threads to a core.
            if matches!(parsed, Policy::Smt(wanted) if wanted > threads) {
                continue;
            }
            group.bench_function(policy, |bencher| {
                bencher.iter(|| place_within(black_box(&topology), &parsed, &[], 4096).expect("a placement"));
            });
        }
        group.bench_function("cores within two bounds", |bencher| {
            bencher.iter(|| place_within(black_box(&topology), &Policy::Cores, &bounds, 4096).expect("a placement"));
        });
        group.finish();
    }
}

criterion_group!(benches, placing);
criterion_main!(benches);
