//! Which of the known words a mistyped one means.

/// The candidate nearest to `word`, if it is so near that it is likely meant: at most a third of the letters wrong.
pub(crate) fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = |candidate: &str| (word.chars().count().max(candidate.chars().count()) / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed(candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, drop, replace or swap with a neighbour (optimal string alignment); case does not count.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|text| text.to_lowercase().chars().collect::<Vec<_>>());
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before_last[j - 2] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_letters_that_differ() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("stride", "strdie", 1),
            ("stride", "strde", 1),
            ("kitten", "sitting", 3),
            ("WORK", "work", 0),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn suggests_only_what_is_near() {
        let known = ["stride", "base", "op"];
        assert_eq!(closest("strid", known), Some("stride"));
        assert_eq!(closest("bsae", known), Some("base"));
        assert_eq!(closest("workers", known), None);
        assert_eq!(closest("", []), None);
    }
}
