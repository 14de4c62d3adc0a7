//! Numbers in sentences: as many digits as their interval is worth.

use crate::summary::Estimate;

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent.abs() >= 9.95 {
        format!("{percent:.0} %")
    } else if percent.abs() >= 0.095 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.1e} %")
    }
}

/// A number that is not negative with two significant digits: `0.034`, `1.2`, `340`.
pub(crate) fn significant(value: f64) -> String {
    match 1 - order(value) {
        decimals @ 0..=6 => format!("{value:.*}", decimals as usize),
        ..0 => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    }
}

/// `83 % [74 … 90]`; the share alone where it has no interval, or one of its own digits.
pub(crate) fn share_text(share: &Estimate) -> String {
    let bare = |share: f64| match share.abs() * 100.0 {
        little if little > 0.0 && little < 0.095 => {
            format!("{}{}", if share < 0.0 { "-" } else { "" }, significant(little))
        }
        _ => percent(share).trim_end_matches(" %").to_owned(),
    };
    let [median, low, high] = [share.median, share.low, share.high].map(bare);
    match has_interval(share) && (low != median || high != median) {
        true => format!("{median} % [{low} … {high}]"),
        false => format!("{median} %"),
    }
}

/// Whether there is an interval to tell: one value has none, and of values that are all the same it says nothing more.
pub(crate) fn has_interval(estimate: &Estimate) -> bool {
    estimate.coverage > 0.0 && estimate.low < estimate.high
}

/// `12 of 40 trials (30 %)`.
pub(crate) fn share_of(count: usize, of: usize, what: &str) -> String {
    format!("{count} of {of} {what} ({})", percent(count as f64 / of.max(1) as f64))
}

/// `1 comparison`, `3 comparisons`.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `112 ns [108 … 117]`, in a unit that suits.
pub(crate) fn quantity(estimate: &Estimate) -> String {
    // The median decides the unit, so that a wide interval never rounds it to nothing; one that may be zero has no size of its own.
    let perhaps_nothing = estimate.low <= 0.0 && estimate.high >= 0.0;
    let size = if perhaps_nothing { largest(estimate) } else { estimate.median.abs() };
    let (scale, unit) = scaled(&estimate.unit, size);
    let [median, low, high] = digits(estimate, scale, 0);
    match has_interval(estimate) {
        true => format!("{median} {unit} [{low} … {high}]"),
        false => format!("{median} {unit}"),
    }
}

/// The value of an estimate alone: `112 ns`.
pub(crate) fn plain(estimate: &Estimate) -> String {
    let text = quantity(estimate);
    text.split(" [").next().unwrap_or(&text).to_owned()
}

/// `4.1× [4.0 … 4.2]`; of one pair `4.1× (1 pair)`.
pub(crate) fn times(ratio: &Estimate) -> String {
    let [median, low, high] = digits(ratio, 1.0, 1);
    match (has_interval(ratio), ratio.n) {
        (true, _) => format!("{median}× [{low} … {high}]"),
        (false, 1) => format!("{median}× (1 pair)"),
        (false, _) => format!("{median}×"),
    }
}

/// The three numbers with as many digits as the interval is worth, at least so many after the point. Where the ends are far apart
/// each has two digits of its own.
fn digits(estimate: &Estimate, scale: f64, least: usize) -> [String; 3] {
    let all = [estimate.median, estimate.low, estimate.high].map(|value| value * scale);
    let apart = estimate.low > 0.0 && estimate.high > FAR_APART * estimate.low;
    let common = decimals(estimate, scale).max(least);
    all.map(|value| {
        let own = if value == 0.0 { 0 } else { (1 - order(value)).clamp(0, 12) as usize };
        let digits = if apart { own } else { common };
        let reads_as_zero = value != 0.0 && value.abs() < 0.5 * 10f64.powi(-(digits as i32));
        if (reads_as_zero && all[1] * all[2] > 0.0) || value.abs() >= LONG {
            return format!("{value:.1e}");
        }
        format!("{value:.digits$}")
    })
}

/// From here on a row of digits is read by nobody.
const LONG: f64 = 1e12;

/// How many times its lower end an interval's upper end is when its numbers no longer share their digits.
const FAR_APART: f64 = 20.0;

/// An estimate with the signs turned round: a saving instead of a cost.
pub(crate) fn negated(estimate: &Estimate) -> Estimate {
    Estimate { median: -estimate.median, low: -estimate.high, high: -estimate.low, ..estimate.clone() }
}

fn largest(estimate: &Estimate) -> f64 {
    [estimate.median, estimate.low, estimate.high].into_iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// What to multiply by, and the unit then.
fn scaled(unit: &str, largest: f64) -> (f64, String) {
    let steps: &[(f64, &str)] = match unit {
        "ns" => &[(1e9, "s"), (1e6, "ms"), (1e3, "µs")],
        "op/s" => &[(1e9, "G op/s"), (1e6, "M op/s"), (1e3, "k op/s")],
        _ => &[],
    };
    let step = steps.iter().find(|(from, _)| largest >= *from);
    step.map_or((1.0, unit.to_owned()), |(from, name)| (1.0 / from, (*name).to_owned()))
}

/// Digits after the point: the interval's width decides, within four significant digits of the largest number.
fn decimals(estimate: &Estimate, scale: f64) -> usize {
    let width = (estimate.high - estimate.low).abs() * scale;
    let size = largest(estimate) * scale;
    let by_size = 3 - order(size);
    let by_width = if width > 0.0 { -order(width) } else { by_size };
    // A median that is not zero never reads as zero, unless zero is within its interval.
    let median = estimate.median * scale;
    let seen = if median != 0.0 && estimate.low * estimate.high > 0.0 { 1 - order(median) } else { by_width };
    by_width.max(seen.min(by_width + 2)).min(by_size).clamp(0, 12) as usize
}

/// The power of ten of a number's first digit; 0 for zero and whatever has none.
fn order(value: f64) -> i32 {
    let size = value.abs();
    if size > 0.0 && size.is_finite() { size.log10().floor() as i32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(median: f64, low: f64, high: f64, unit: &str) -> Estimate {
        Estimate { median, low, high, unit: unit.into(), n: 9, independent: 9, coverage: 0.96 }
    }

    #[test]
    fn digits_follow_the_interval() {
        assert_eq!(quantity(&estimate(112.3, 108.1, 117.2, "ns")), "112 ns [108 … 117]");
        assert_eq!(quantity(&estimate(2.0161, 2.012, 2.018, "ns")), "2.016 ns [2.012 … 2.018]");
        assert_eq!(quantity(&estimate(0.000_4, 0.000_4, 0.000_4, "ns")), "0.0004000 ns");
        assert_eq!(quantity(&estimate(12_345.0, 12_000.0, 12_900.0, "ns")), "12.3 µs [12.0 … 12.9]");
        assert_eq!(quantity(&estimate(98_765_432.0, 9.7e7, 9.9e7, "op/s")), "99 M op/s [97 … 99]");
        // Wide intervals: nothing that is there reads as zero.
        assert_eq!(quantity(&estimate(302.0, 83.0, 3085.0, "ns")), "302 ns [83 … 3085]");
        assert_eq!(quantity(&estimate(368.0, 159.0, 132_473.0, "ns")), "368 ns [159 … 132473]");
        assert_eq!(quantity(&estimate(1.2, 0.02, 40.0, "ns")), "1.2 ns [0.020 … 40]");
        assert_eq!(quantity(&estimate(0.0, 0.0, 0.0, "ns")), "0.000 ns");
        assert_eq!(quantity(&estimate(3e-16, 2e-16, 4e-16, "ns")), "3.0e-16 ns [2.0e-16 … 4.0e-16]");
        assert_eq!(plain(&estimate(3e-20, 3e-20, 3e-20, "")), "3.0e-20 ");
        assert_eq!(quantity(&estimate(3e14, 2e14, 4e14, "cycles")), "3.0e14 cycles [2.0e14 … 4.0e14]");
        assert_eq!(times(&estimate(4.11, 4.02, 4.19, "")), "4.1× [4.0 … 4.2]");
        let one = Estimate { n: 1, independent: 1, coverage: 0.0, ..estimate(0.166_7, 0.166_7, 0.166_7, "") };
        assert_eq!(
            (times(&one).as_str(), quantity(&Estimate { unit: "ns".into(), ..one.clone() }).as_str()),
            ("0.1667× (1 pair)", "0.1667 ns")
        );
        assert_eq!(times(&estimate(140.0, 120.0, 160.0, "")), "140.0× [120.0 … 160.0]");
    }

    #[test]
    fn shares_are_never_rounded_to_nothing() {
        assert_eq!((percent(0.95).as_str(), percent(0.034).as_str(), percent(0.0).as_str()), ("95 %", "3.4 %", "0 %"));
        assert_eq!(percent(0.000_01), "1.0e-3 %");
        let text = |median, low, high| share_text(&estimate(median, low, high, "share"));
        assert_eq!(text(0.000_24, 0.0, 0.000_31), "0.024 % [0 … 0.031]");
        assert_eq!(
            [text(0.13, 0.1301, 0.1304), text(1.0, 1.0, 1.0), text(0.36, 0.34, 0.39)],
            ["13 %", "100 %", "36 % [34 … 39]"]
        );
        assert_eq!([0.0341, 1.23, 341.0, 3e-9].map(significant), ["0.034", "1.2", "341", "3.0e-9"]);
    }
}
