//! The word that was probably meant.

/// The candidate that `word` was probably meant to be: the nearest by edits, if it is near enough (one edit for each three
/// letters, at least one). Swapped neighbours count as one edit (optimal string alignment); letters' case and `_` against `-`
/// count for nothing.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| -> Vec<char> { text.to_lowercase().replace('_', "-").chars().collect() };
    let word = plain(word);
    let allowed = (word.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The cure for an unknown word: the one probably meant, or all there are.
pub fn cure<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(meant) = closest(word, candidates.clone()) {
        return format!("did you mean `{meant}`?");
    }
    let all: Vec<String> = candidates.into_iter().map(|candidate| format!("`{candidate}`")).collect();
    match all.len() {
        0 => String::new(),
        1 => format!("there is only {}", all[0]),
        _ => format!("there are {}", all.join(", ")),
    }
}

fn distance(a: &[char], b: &[char]) -> usize {
    if a.len().abs_diff(b.len()) > a.len() {
        return usize::MAX;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_offered_and_a_far_one_is_not() {
        let words = ["duration", "warm_up", "batch", "budget"];
        assert_eq!(closest("dration", words), Some("duration"));
        assert_eq!(closest("warm-up", words), Some("warm_up"));
        assert_eq!(closest("bugdet", words), Some("budget"));
        assert_eq!(closest("placement", words), None);
        assert_eq!(closest("", words), None);
        assert_eq!(cure("zz", ["a"]), "there is only `a`");
    }
}
