//! Alone in its process, so that the descriptor table is its own.

use std::fs;

use hitm_counters::{Pass, ThreadEvents, Vocabulary, findings, probe};

#[test]
fn descriptors_do_not_leak() {
    let descriptors = || fs::read_dir("/proc/self/fd").map(|entries| entries.count()).ok();
    let all = Vocabulary::here().all();
    // What is opened once for the whole process is open after this.
    let _ = findings();
    let before = descriptors();
    for _ in 0..100 {
        let opened = ThreadEvents::open(&Pass::of(&all), None);
        let _ = probe(&all);
        drop(opened);
    }
    assert_eq!(descriptors(), before);
}
