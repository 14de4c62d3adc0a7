//! The names that were probably meant.

use strsim::osa_distance;

/// A pasted page is not compared.
const LONGEST: usize = 64;
const MOST: usize = 3;

/// At most three of `candidates`, the nearest first: those a few keystrokes away, and those that `typed` is a part of. Case does not
/// matter, nor `_` for `-`.
pub(crate) fn near<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let plain = |name: &str| name.to_lowercase().replace(['_', ' '], "-");
    let typed = plain(typed);
    if typed.is_empty() || typed.len() > LONGEST {
        return Vec::new();
    }
    let allowed = 1 + typed.chars().count() / 4;
    let far = |candidate: &str| {
        let candidate = plain(candidate);
        let distance = osa_distance(&typed, &candidate);
        if typed.len() >= 3 && candidate.contains(&typed) { distance.min(allowed) } else { distance }
    };
    let mut near: Vec<(usize, &str)> = candidates.into_iter().map(|candidate| (far(candidate), candidate)).collect();
    near.retain(|(distance, _)| *distance <= allowed);
    // What differs in case and dashes alone was meant.
    if near.iter().any(|(distance, _)| *distance == 0) {
        near.retain(|(distance, _)| *distance == 0);
    }
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names =
            ["cycles", "instructions", "cache-misses", "context-switches", "store-transfer", "store-transfer-near"];
        for (typed, meant) in [
            ("cycle", "cycles"),
            ("Cycles", "cycles"),
            ("isntructions", "instructions"),
            ("cache_misses", "cache-misses"),
            ("contextswitches", "context-switches"),
            ("store-transfers", "store-transfer"),
            ("transfer", "store-transfer"),
        ] {
            assert_eq!(near(typed, names).first().map(String::as_str), Some(meant), "{typed}");
        }
        for far in ["", "quux", &"x".repeat(100_000)] {
            assert_eq!(near(far, names), Vec::<String>::new());
        }
    }
}
