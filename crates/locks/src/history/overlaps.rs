//! Stretches by their keys, so that a long history is gone through in about as many steps as it has.

use super::stretches::Stretch;
use crate::contract::{Space, Span};
use std::collections::BTreeMap;

/// Stretches of one order of length, by their least keys.
type ByLeft = BTreeMap<u64, Vec<Stretch>>;

/// Stretches that are not over, in an order of length each, so that those that share a key lie near each other.
#[derive(Default)]
pub(super) struct Overlaps(BTreeMap<(Space, u32), ByLeft>);

/// Bits of a span's length, less one: a span of order n has at most 2ⁿ keys.
fn order(span: Span) -> u32 {
    u64::BITS - (span.right() - span.left()).leading_zeros()
}

impl Overlaps {
    pub(super) fn add(&mut self, new: Stretch) {
        let by_left = self.0.entry((new.space, order(new.span))).or_default();
        by_left.entry(new.span.left()).or_default().push(new);
    }

    /// Looks at stretches that share a key with a span, until one is found. Those that are over are forgotten on the way.
    pub(super) fn any(
        &mut self,
        space: Space,
        span: Span,
        over: impl Fn(&Stretch) -> bool,
        mut found: impl FnMut(&Stretch) -> bool,
    ) -> bool {
        for (&(_, order), by_left) in self.0.range_mut((space, 0)..=(space, u64::BITS)) {
            let reach = u64::MAX.checked_shr(u64::BITS - order).unwrap_or(0);
            let mut empty = Vec::new();
            let mut is_found = false;
            for (&left, stretches) in by_left.range_mut(span.left().saturating_sub(reach)..=span.right()) {
                let mut at = stretches.len();
                while at > 0 && !is_found {
                    at -= 1;
                    if over(&stretches[at]) {
                        stretches.swap_remove(at);
                    } else {
                        is_found = stretches[at].span.overlaps(span) && found(&stretches[at]);
                    }
                }
                if stretches.is_empty() {
                    empty.push(left);
                }
                if is_found {
                    break;
                }
            }
            empty.iter().for_each(|left| drop(by_left.remove(left)));
            if is_found {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{Overlaps, Stretch};
    use crate::contract::{Mode, Space, Span};
    use proptest::prelude::*;

    fn span() -> impl Strategy<Value = Span> {
        let near = (0..40_u64, 0..40_u64).prop_map(|(left, more)| (left, left + more));
        let end = (0..40_u64, 0..40_u64).prop_map(|(right, more)| (u64::MAX - right - more, u64::MAX - right));
        let far = (any::<u64>(), any::<u64>()).prop_map(|(a, b)| (a.min(b), a.max(b)));
        prop_oneof![3 => near, 3 => end, 1 => far, 1 => Just((0, u64::MAX))]
            .prop_map(|(left, right)| Span::new(left, right).expect("in order"))
    }

    fn stretch(at: usize, span: Span, to: u64) -> Stretch {
        let space = Space((at % 2) as u32);
        Stretch { owner: (at, 0), transaction: 0, space, span, mode: Mode::Shared, from: 0, to, gone: to }
    }

    proptest! {
        #[test]
        fn as_many_overlap_as_a_look_at_each_finds(spans in prop::collection::vec((span(), 0..40_u64), 0..60)) {
            let (mut overlaps, mut all) = (Overlaps::default(), Vec::new());
            for (now, (span, lasts)) in (0_u64..).zip(spans) {
                let new = stretch(all.len(), span, now + lasts);
                let expected: Vec<usize> = all
                    .iter()
                    .filter(|old: &&Stretch| old.to > now && old.space == new.space && old.span.overlaps(span))
                    .map(|old| old.owner.0)
                    .collect();
                let mut found = Vec::new();
                overlaps.any(new.space, span, |old| old.to <= now, |old| { found.push(old.owner.0); false });
                found.sort_unstable();
                prop_assert_eq!(&found, &expected);
                prop_assert_eq!(overlaps.any(new.space, span, |old| old.to <= now, |_| true), !expected.is_empty());
                overlaps.add(new);
                all.push(new);
            }
        }
    }
}
