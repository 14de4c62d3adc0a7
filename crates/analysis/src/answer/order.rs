//! Comparisons in the order in which an answer names them, and counted.

use std::collections::BTreeMap;

use crate::summary::{Comparison, Estimate, Verdict};
use crate::words::{negated, quantity};

/// `112 ns … more`, `3.2 ns … less`.
pub(super) fn more_or_less(difference: &Estimate) -> String {
    match difference.median >= 0.0 {
        true => format!("{} more", quantity(difference)),
        false => format!("{} less", quantity(&negated(difference))),
    }
}

/// Whether it is a change at all.
pub(super) fn is_credible(one: &Comparison) -> bool {
    matches!(one.verdict, Verdict::Faster | Verdict::Slower)
}

/// How large an effect is, whichever way: a cost in its unit, anything else by its ratio.
fn strength(one: &Comparison) -> f64 {
    if one.metric == "time_per_op" {
        one.difference.median.abs()
    } else if one.ratio.median > 0.0 {
        one.ratio.median.ln().abs()
    } else {
        f64::MAX
    }
}

/// Of each subject the comparison with the largest effect, largest first.
pub(super) fn strongest_of_each<'a>(
    all: &[&'a Comparison],
    subject: impl Fn(&Comparison) -> String,
) -> Vec<&'a Comparison> {
    let mut strongest: BTreeMap<String, &Comparison> = BTreeMap::new();
    for &one in all {
        let kept = strongest.entry(subject(one)).or_insert(one);
        if strength(one) > strength(kept) {
            *kept = one;
        }
    }
    let mut strongest: Vec<&Comparison> = strongest.into_values().collect();
    strongest.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    strongest
}

/// How many comparisons came to which verdict: `5 slower, 1 faster (with damaged values), 3 without credible change`.
pub(super) fn tally(all: &[&Comparison], damaged: impl Fn(&Comparison) -> bool) -> String {
    let count = |verdict| all.iter().filter(|one| one.verdict == verdict).count();
    let words = [
        (Verdict::Slower, "slower"),
        (Verdict::Faster, "faster"),
        (Verdict::NoCredibleChange, "without credible change"),
        (Verdict::NotKnown, "not known"),
        (Verdict::TooFew, "with too few pairs to say"),
    ];
    let bad = all.iter().filter(|one| one.verdict == Verdict::Faster && damaged(one)).count();
    let part = |(verdict, word): (Verdict, &str)| {
        let number = count(verdict);
        let of = match (verdict, bad) {
            (Verdict::Faster, 1..) if bad == number => " (with damaged values)".to_owned(),
            (Verdict::Faster, 1..) => format!(" ({bad} of them with damaged values)"),
            _ => String::new(),
        };
        (number > 0).then(|| format!("{number} {word}{of}"))
    };
    words.into_iter().filter_map(part).collect::<Vec<_>>().join(", ")
}
