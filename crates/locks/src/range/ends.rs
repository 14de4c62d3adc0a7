//! The ends of a range as bytes, as they go through the original: made for each request, copied into each node.

use crate::contract::{Space, Span};
use std::cmp::Ordering;

/// A closed range of byte strings. Both ends are on the heap; a point has one string for both.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Ends {
    left: Box<[u8]>,
    right: Option<Box<[u8]>>,
}

/// Where a range lies, seen from another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    Before,
    After,
    Equal,
    Overlaps,
}

/// A suffix byte as RocksDB puts before each key (0: the key itself, not what follows all its continuations), then the index number and
/// the key of MyRocks, both with the greatest byte first so that bytes sort as numbers do.
fn bytes(space: Space, key: u64) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(13);
    bytes.push(0);
    bytes.extend_from_slice(&space.0.to_be_bytes());
    bytes.extend_from_slice(&key.to_be_bytes());
    bytes.into_boxed_slice()
}

impl Ends {
    pub(super) fn new(space: Space, span: Span) -> Ends {
        let right = (!span.is_point()).then(|| bytes(space, span.right()));
        Ends { left: bytes(space, span.left()), right }
    }

    fn right(&self) -> &[u8] {
        self.right.as_deref().unwrap_or(&self.left)
    }

    /// Where this range lies, seen from the other.
    pub(super) fn place(&self, other: &Ends) -> Place {
        if compare(self.right(), &other.left).is_lt() {
            Place::Before
        } else if compare(&self.left, other.right()).is_gt() {
            Place::After
        } else if compare(&self.left, &other.left).is_eq() && compare(self.right(), other.right()).is_eq() {
            Place::Equal
        } else {
            Place::Overlaps
        }
    }

    /// The least range that covers both.
    pub(super) fn extend(&mut self, other: Ends) {
        let right = if compare(other.right(), self.right()).is_gt() {
            other.right.clone().or_else(|| Some(other.left.clone()))
        } else {
            Some(self.right().into())
        };
        if compare(&other.left, &self.left).is_lt() {
            self.left = other.left;
        }
        self.right = right.filter(|right| compare(right, &self.left).is_ne());
    }

    /// Whether both are ranges of the same space.
    pub(super) fn same_space(&self, other: &Ends) -> bool {
        self.left[1..5] == other.left[1..5]
    }

    /// Bytes on the heap.
    pub(super) fn size(&self) -> usize {
        self.left.len() + self.right.as_ref().map_or(0, |right| right.len())
    }
}

/// By the key, then by the suffix before it.
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    a[1..].cmp(&b[1..]).then(a[0].cmp(&b[0]))
}

#[cfg(test)]
mod tests {
    use super::{Ends, Place};
    use crate::{Space, Span};
    use proptest::prelude::*;

    fn span() -> impl Strategy<Value = Span> {
        let near = (0..600_u64, 0..300_u64).prop_map(|(left, more)| (left, left + more));
        let far = (any::<u64>(), any::<u64>()).prop_map(|(a, b)| (a.min(b), a.max(b)));
        prop_oneof![near, far].prop_map(|(left, right)| Span::new(left, right).expect("in order"))
    }

    proptest! {
        #[test]
        fn bytes_lie_as_numbers_do(a in span(), b in span(), space in 0..2_u32, other in 0..2_u32) {
            let (one, two) = (Ends::new(Space(space), a), Ends::new(Space(other), b));
            let expected = match space.cmp(&other) {
                std::cmp::Ordering::Less => Place::Before,
                std::cmp::Ordering::Greater => Place::After,
                _ if a == b => Place::Equal,
                _ if a.overlaps(b) => Place::Overlaps,
                _ if a.left() < b.left() => Place::Before,
                _ => Place::After,
            };
            prop_assert_eq!(one.place(&two), expected);
            prop_assert_eq!(one.same_space(&two), space == other);
        }

        #[test]
        fn an_extended_range_covers_both_and_no_more(a in span(), b in span()) {
            let mut ends = Ends::new(Space(1), a);
            ends.extend(Ends::new(Space(1), b));
            let both = Span::new(a.left().min(b.left()), a.right().max(b.right())).expect("in order");
            prop_assert_eq!(ends, Ends::new(Space(1), both));
        }
    }
}
