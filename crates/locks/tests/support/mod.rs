//! The managers under test, each with what it promises beyond the contract.
#![allow(dead_code, reason = "each test file uses its own part")]

use hitm_locks::{LockManager, Mode, Space, Span, history::Obstacles, point, queue, range};
use std::sync::Arc;

/// A manager, and how strict it is.
pub struct Subject {
    pub name: &'static str,
    pub manager: Arc<dyn LockManager>,
    /// Whether it locks ranges.
    pub ranges: bool,
    /// Whether it refuses what conflicts, and nothing else.
    pub exact: bool,
    /// Whether it finds deadlocks.
    pub deadlocks: bool,
    /// Whether who waits stands in a line.
    pub queued: bool,
    pub obstacles: Obstacles,
}

fn points(name: &'static str, config: point::Config) -> Subject {
    Subject {
        name,
        manager: Arc::new(point::PointLocks::new(config).expect("a right configuration")),
        ranges: false,
        exact: true,
        deadlocks: config.deadlock_depth.is_some(),
        queued: false,
        obstacles: Obstacles::Conflicts,
    }
}

fn ranges(name: &'static str, config: range::Config) -> Subject {
    Subject {
        name,
        manager: Arc::new(range::RangeLocks::new(config).expect("a right configuration")),
        ranges: !config.points_only,
        exact: config.points_only,
        deadlocks: config.graph && config.one_map,
        queued: false,
        obstacles: if config.memory_limit.is_some_and(|limit| limit < 1 << 20) {
            Obstacles::Unknown
        } else {
            Obstacles::Overlaps
        },
    }
}

fn queues(name: &'static str, config: queue::Config) -> Subject {
    Subject {
        name,
        manager: Arc::new(queue::Queues::new(config).expect("a right configuration")),
        ranges: !config.points_only,
        exact: true,
        deadlocks: config.deadlocks,
        queued: true,
        obstacles: Obstacles::Conflicts,
    }
}

/// All managers, with every switch in both places.
pub fn subjects() -> Vec<Subject> {
    let point = point::Config::default();
    let range = range::Config::default();
    let bare = range::Config {
        request_mutex_always: false,
        memory_limit: None,
        graph: false,
        single: false,
        reference_count: false,
        shared_numbers: false,
        overtaking: false,
        ..range
    };
    let queue = queue::Config::default();
    vec![
        queues("queue", queue),
        queues("queue, small parts", queue::Config { parts: 3, segment: 1, ..queue }),
        queues("queue, one part", queue::Config { parts: 1, overtaking: false, ..queue }),
        queues("queue, points", queue::Config { points_only: true, shared_numbers: true, ..queue }),
        queues(
            "queue, points, bare",
            queue::Config { points_only: true, parts: 2, deadlocks: false, overtaking: false, ..queue },
        ),
        ranges("range", range),
        ranges("range, forced to points", range::Config { points_only: true, ..range }),
        ranges("range, no shortcut, a tree a space", range::Config { single: false, one_map: false, ..range }),
        ranges("range, parted", range::Config { partitions: 4, segment: 2, ..range }),
        ranges("range, bare", bare),
        ranges("range, bare and parted", range::Config { partitions: 3, segment: 1, ..bare }),
        points("point", point),
        points(
            "point, deadlocks searched",
            point::Config { deadlock_depth: Some(point::Config::DEADLOCK_DEPTH), ..point },
        ),
        points(
            "point, nothing shared",
            point::Config { padded: true, reference_count: false, shared_numbers: false, overtaking: false, ..point },
        ),
        points("point, one stripe", point::Config { stripes: 1, one_map: false, lock_limit: Some(1000), ..point }),
    ]
}

/// Managers so short of memory or of locks that they refuse, and merge ranges, all the while.
pub fn tight() -> Vec<Subject> {
    let (point, range) = (point::Config::default(), range::Config::default());
    let limit = |memory_limit| range::Config { memory_limit: Some(memory_limit), ..range };
    vec![
        ranges("range, 1000 bytes", limit(1000)),
        ranges("range, 400 bytes, no shortcut", range::Config { single: false, ..limit(400) }),
        ranges("range, 3000 bytes, parted", range::Config { partitions: 3, segment: 1, ..limit(3000) }),
        ranges("range, 1000 bytes, a tree a space", range::Config { one_map: false, ..limit(1000) }),
        points("point, 3 keys", point::Config { lock_limit: Some(3), deadlock_depth: Some(50), ..point }),
        points("point, 1 key a space", point::Config { lock_limit: Some(1), one_map: false, ..point }),
    ]
}

/// A small generator, so that the histories are the same each time: splitmix64.
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// What is held, plainly: a list.
#[derive(Debug, Default)]
pub struct Reference(Vec<(usize, Space, Span, Mode)>);

impl Reference {
    pub fn conflicts(&self, who: usize, space: Space, span: Span, mode: Mode) -> bool {
        self.others(who, space, span).any(|held| held.conflicts(mode))
    }

    pub fn overlaps(&self, who: usize, space: Space, span: Span) -> bool {
        self.others(who, space, span).next().is_some()
    }

    fn others(&self, who: usize, space: Space, span: Span) -> impl Iterator<Item = Mode> + '_ {
        let in_the_way =
            move |held: &&(usize, Space, Span, Mode)| held.0 != who && held.1 == space && held.2.overlaps(span);
        self.0.iter().filter(in_the_way).map(|held| held.3)
    }

    pub fn grant(&mut self, who: usize, space: Space, span: Span, mode: Mode) {
        self.0.push((who, space, span, mode));
    }

    pub fn release(&mut self, who: usize) {
        self.0.retain(|held| held.0 != who);
    }
}
