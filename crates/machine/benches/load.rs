//! How long a machine takes to be read: a copied tree of a large POWER machine, one of a large x86 machine, and a saved one. The
//! aim is below 200 ms for any.

#![allow(missing_docs)] // criterion's macro makes a public function.

#[path = "../tests/trees/mod.rs"]
mod trees;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hitm_machine::{Input, discover, save};
use trees::{Folder, Tree};

/// 4 caches each: 32 cores of 8 threads, and 192 of 2.
fn large() -> [(&'static str, Tree); 2] {
    let with_caches = |tree: Tree, line| {
        let tree = tree.cache_of_cores(1, "Data", "32K", line).cache_of_cores(1, "Instruction", "32K", line);
        tree.cache_of_cores(2, "Unified", "512K", line).cache_of_cores(3, "Unified", "8M", line)
    };
    let power = Tree::new().cpus("0-255", |cpu| (i64::from(cpu / 128), i64::from(cpu / 8)));
    let x86 = Tree::new().cpus("0-383", |cpu| (i64::from(cpu % 192 / 96), i64::from(cpu % 96)));
    [("power-256", with_caches(power, "128").with_masks()), ("x86-384", with_caches(x86, "64"))]
}

fn load(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    group.sample_size(20);
    for (name, tree) in large() {
        let folder = tree.write();
        group.bench_function(format!("sysfs/{name}"), |bencher| bencher.iter(|| black_box(folder.read().unwrap())));
        let saved = Folder::new();
        let file = saved.path().join("machine.json");
        save(&folder.read().unwrap(), &file).unwrap();
        let input = Input::Json(file);
        group.bench_function(format!("json/{name}"), |bencher| bencher.iter(|| black_box(discover(&input).unwrap())));
    }
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
