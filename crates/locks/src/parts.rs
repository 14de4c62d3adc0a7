//! Keys spread over parts, a segment of neighbours to each in turn: which parts a range lies in.

use crate::{
    contract::{Space, Span},
    hash::mix,
};

/// The parts of a range, in ascending order.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Parts {
    One(usize),
    Several(Vec<usize>),
}

/// How keys are spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    /// Parts, at least 1.
    pub parts: usize,
    /// Keys side by side in one part, at least 1.
    pub segment: u64,
}

impl Spread {
    /// Two ranges of a space that share a key share a part.
    pub(crate) fn of(self, space: Space, span: Span) -> Parts {
        let n = self.parts as u64;
        let (first, last) = (span.left() / self.segment, span.right() / self.segment);
        // Spaces begin at different parts, so that their first keys do not all meet.
        let place = |segment: u64| ((mix(u64::from(space.0)) % n + segment % n) % n) as usize;
        if n == 1 {
            return Parts::One(0);
        }
        if first == last {
            return Parts::One(place(first));
        }
        if last - first >= n - 1 {
            return Parts::Several((0..self.parts).collect());
        }
        let mut parts: Vec<usize> = (first..=last).map(place).collect();
        parts.sort_unstable();
        Parts::Several(parts)
    }
}

impl Parts {
    pub(crate) fn as_slice(&self) -> &[usize] {
        match self {
            Parts::One(part) => std::slice::from_ref(part),
            Parts::Several(parts) => parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Parts, Spread};
    use crate::{Space, Span};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_that_share_a_key_share_a_part(parts in 1..9_usize, segment in 1..5_u64, a in 0..99_u64, more in 0..40_u64, at in 0..40_u64) {
            let spread = Spread { parts, segment };
            let range = spread.of(Space(3), Span::new(a, a + more).expect("in order"));
            let Parts::One(point) = spread.of(Space(3), Span::point(a + at % (more + 1))) else { panic!("a point has one part") };
            prop_assert!(range.as_slice().contains(&point), "{range:?} {point}");
            prop_assert!(range.as_slice().is_sorted() && range.as_slice().iter().all(|&part| part < parts));
        }
    }

    #[test]
    fn the_widest_range_lies_in_all_parts_once() {
        let all = Span::new(0, u64::MAX).expect("in order");
        assert_eq!(Spread { parts: 3, segment: 1 }.of(Space(u32::MAX), all), Parts::Several(vec![0, 1, 2]));
        assert_eq!(Spread { parts: 1, segment: 1 }.of(Space(0), all), Parts::One(0));
    }
}
