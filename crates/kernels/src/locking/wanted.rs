//! Which locks a transaction wants.

use hitm_keys::rng::SplitMix64;
use hitm_locks::{Mode, Space, Span};

use super::transacting::Script;
use crate::keys::origin::Draws;

/// The rows' own space, and that of the second index.
pub(super) const ROWS: Space = Space(0);
const SECONDARY: Space = Space(1);

/// A lock that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) space: Space,
    pub(super) span: Span,
    pub(super) mode: Mode,
}

/// A worker's streams of keys and modes.
pub(super) struct Drawing {
    keys: Draws,
    modes: SplitMix64,
    /// Whether ranges are locked as such.
    ranges: bool,
}

impl Drawing {
    pub(super) fn new(keys: Draws, seed: u64, ranges: bool) -> Self {
        let modes = SplitMix64::new(seed ^ 0x6d6f_6465_7300_0000);
        Drawing { keys, modes, ranges }
    }

    /// Draws the locks of one transaction in place of those there; `false`, and none, when there are no more keys.
    pub(super) fn draw(&mut self, script: &Script, wanted: &mut Vec<Wanted>) -> bool {
        wanted.clear();
        let range = script.origin.range();
        for _ in 0..script.locks {
            let Some(key) = (self.keys)() else {
                wanted.clear();
                return false;
            };
            let key = key.clamp(range.low(), range.high());
            let mode = if self.modes.draw() % 100 < script.shared { Mode::Shared } else { Mode::Exclusive };
            let last = key.saturating_add(script.span - 1).min(range.high());
            if self.ranges {
                let span = Span::new(key, last).unwrap_or(Span::point(key));
                wanted.push(Wanted { space: ROWS, span, mode });
            } else {
                wanted.extend((key..=last).map(|key| Wanted { space: ROWS, span: Span::point(key), mode }));
            }
            if script.secondary {
                // An entry of a second index is its column's value and the row's key: as many as rows, in an order of their own.
                let entry = SplitMix64::new(key).draw();
                wanted.push(Wanted { space: SECONDARY, span: Span::point(entry), mode });
            }
        }
        if script.ascending {
            wanted.sort_unstable_by_key(|wanted| (wanted.space, wanted.span));
        }
        true
    }
}
