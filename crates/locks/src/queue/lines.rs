//! Where the lines are: one a key, in hashed parts; or one a part of the keys.

use super::{Config, line::Line};
use crate::{
    contract::{Space, Span},
    hash::{HashMap, fast_range, mix},
    parts::{Parts, Spread},
    sync::{Mutex, Padded, lock},
};

/// A part of the keys.
#[derive(Debug, Default)]
struct Part {
    /// Where only single keys are locked: a line for each that is held.
    keys: HashMap<(Space, u64), Line>,
    /// Where ranges are locked: one line.
    ranges: Line,
}

#[derive(Debug)]
pub(super) struct Lines {
    points_only: bool,
    spread: Spread,
    parts: Vec<Padded<Mutex<Part>>>,
}

/// Where a claim stands: the part, and the key where each has a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(usize, (Space, u64));

impl Lines {
    pub(super) fn new(config: &Config) -> Lines {
        Lines {
            points_only: config.points_only,
            spread: Spread { parts: config.parts, segment: config.segment },
            parts: (0..config.parts).map(|_| Padded::default()).collect(),
        }
    }

    /// The parts of a span, in the one order that all take them in.
    pub(super) fn parts(&self, space: Space, span: Span) -> Parts {
        if self.points_only {
            let hash = mix(span.left() ^ mix(u64::from(space.0)));
            Parts::One(fast_range(hash, self.parts.len()))
        } else {
            self.spread.of(space, span)
        }
    }

    pub(super) fn place(part: usize, space: Space, span: Span) -> Place {
        Place(part, (space, span.left()))
    }

    /// What tells the line of a place from all others.
    pub(super) fn line(&self, place: &Place) -> (usize, Option<(Space, u64)>) {
        (place.0, self.points_only.then_some(place.1))
    }

    /// Works on the line of a place, behind its mutex.
    pub(super) fn with<R>(&self, Place(part, key): Place, work: impl FnOnce(&mut Line) -> R) -> R {
        let mut part = lock(&self.parts[part].0);
        if !self.points_only {
            return work(&mut part.ranges);
        }
        let line = part.keys.entry(key).or_default();
        let result = work(line);
        if line.is_empty() {
            part.keys.remove(&key);
        }
        result
    }

    /// Looks at all lines, a part after the other.
    pub(super) fn each(&self, mut visit: impl FnMut(&Line)) {
        for part in &self.parts {
            let part = lock(&part.0);
            part.keys.values().for_each(&mut visit);
            visit(&part.ranges);
        }
    }
}
