//! Numbers as people read them: digits by the interval's width, units that suit, absent as `–`.

use hitm_analysis::Estimate;

/// What stands where there is no number.
pub const ABSENT: &str = "–";

/// A unit to show values in: a value is divided by `factor` and followed by `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// What a value is divided by.
    pub factor: f64,
    /// The unit after that; empty for a plain number.
    pub unit: String,
}

const TIMES: [(f64, &str); 5] = [(1e-3, "ps"), (1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
const RATES: [(f64, &str); 5] = [(1.0, "op/s"), (1e3, "k op/s"), (1e6, "M op/s"), (1e9, "G op/s"), (1e12, "T op/s")];

/// What one unit may hold, largest over smallest value, before each value gets its own.
const WIDEST: f64 = 1e7;
/// Up to this the largest value stays in the smaller unit where that reads better for the others.
const LONGEST: f64 = 1e5;

impl Scale {
    /// A scale that changes nothing.
    pub fn plain(unit: &str) -> Self {
        Scale { factor: 1.0, unit: unit.to_owned() }
    }

    /// Shares of one as percent.
    pub fn percent() -> Self {
        Scale { factor: 0.01, unit: "%".to_owned() }
    }

    /// The unit in which one value of `unit` reads best: `1234.5` of `ns` is in `µs`.
    pub fn of(unit: &str, value: f64) -> Self {
        let steps: &[(f64, &str)] = match unit {
            "ns" => &TIMES,
            "op/s" => &RATES,
            "share" => return Scale::percent(),
            _ => return Scale::plain(unit),
        };
        let size = value.abs();
        if size == 0.0 || !size.is_finite() {
            return Scale::plain(unit);
        }
        // Picoseconds only where nanoseconds would begin with several zeros.
        let first = if unit == "ns" && size >= 0.01 { 1 } else { 0 };
        let fitting = steps[first..].iter().rev().find(|step| size >= step.0);
        let (factor, unit) = *fitting.unwrap_or(&steps[first]);
        Scale { factor, unit: unit.to_owned() }
    }

    /// One unit for a whole column or axis, by the largest of its values; `None` when they are so far apart that each
    /// needs its own. Of an estimate the value is its [`reach`]: what may as well be nothing has no unit of its own.
    pub fn common(unit: &str, values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for size in values.into_iter().map(f64::abs).filter(|size| size.is_finite() && *size > 0.0) {
            least = least.min(size);
            most = most.max(size);
        }
        if most == 0.0 {
            return Some(Scale::plain(unit)).map(|scale| if unit == "share" { Scale::percent() } else { scale });
        }
        let by_most = Scale::of(unit, most);
        if least / by_most.factor >= 0.1 {
            return Some(by_most);
        }
        if most / least > WIDEST {
            return None;
        }
        // A unit smaller where the largest is still a number of few digits: 1.4 and 30,000 are both in ns.
        let smaller = Scale::of(unit, by_most.factor / 1e3 * 1.001);
        let fits = smaller.unit != "ps" && smaller.factor < by_most.factor && most / smaller.factor < LONGEST;
        Some(if fits { smaller } else { by_most })
    }

    /// The value in this unit.
    pub fn apply(&self, value: f64) -> f64 {
        value / self.factor
    }
}

/// The largest of an estimate's three numbers without its sign: what its unit is chosen by where it may be nothing.
pub fn reach(estimate: &Estimate) -> f64 {
    [estimate.median, estimate.low, estimate.high].map(f64::abs).into_iter().fold(0.0, f64::max)
}

/// An estimate's three numbers as text, without their unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The median.
    pub median: String,
    /// The interval in brackets; empty where one value has none, or where all values are the same.
    pub interval: String,
}

/// An estimate in a given unit, all three numbers with the digits that the interval's width permits.
pub fn shown(estimate: &Estimate, scale: &Scale) -> Shown {
    let [median, low, high] = [estimate.median, estimate.low, estimate.high].map(|value| scale.apply(value));
    if !(median.is_finite() && low.is_finite() && high.is_finite()) {
        return Shown { median: ABSENT.to_owned(), interval: String::new() };
    }
    let decimals = match scale.unit.as_str() {
        // A share of many repetitions alike is not worth more digits; what is nearly nothing, or nearly all, keeps them.
        "%" if [median, low, high].iter().all(|part| (1.0..=99.0).contains(&part.abs())) => {
            decimals(median, low, high).min(1)
        }
        _ => decimals(median, low, high),
    };
    // Where the ends are far apart each number has the digits it is worth: `0 [0 … 0.003]`, `0.024 [0.006 … 0.84]`.
    let wide = low >= 0.0 && high > 3.0 * low;
    let text = |value: f64| match wide {
        true if value < 1e6 => trim(&significant(value, if low == 0.0 { 1 } else { 2 })).to_owned(),
        _ if value == 0.0 => "0".to_owned(),
        _ => fixed(value, decimals),
    };
    let interval = match estimate.n {
        0 | 1 => String::new(),
        // Of values that are all the same the interval says nothing more.
        _ if low == high => String::new(),
        _ => format!("[{} … {}]", text(low), text(high)),
    };
    Shown { median: text(median), interval }
}

/// An estimate with its own best unit, as in a sentence: `24.3 ns [23.9 … 25.1]`.
pub fn sentence(estimate: &Estimate) -> String {
    let perhaps_nothing = estimate.low <= 0.0 && estimate.high >= 0.0;
    let by = if perhaps_nothing { reach(estimate) } else { estimate.median };
    sentence_in(estimate, &Scale::of(&estimate.unit, by))
}

/// An estimate in a given unit, as in a sentence.
pub fn sentence_in(estimate: &Estimate, scale: &Scale) -> String {
    let Shown { median, interval } = shown(estimate, scale);
    let mut text = with_unit(&median, &scale.unit);
    if !interval.is_empty() {
        text.push(' ');
        text.push_str(&interval);
    }
    text
}

/// A ratio: `3.41× [3.35 … 3.48]`.
pub fn ratio(estimate: &Estimate) -> String {
    sentence_in(estimate, &Scale::plain("×"))
}

/// A number followed by its unit; `×` and nothing follow without a space.
pub fn with_unit(number: &str, unit: &str) -> String {
    match unit {
        _ if number == ABSENT => ABSENT.to_owned(),
        "" => number.to_owned(),
        "×" => format!("{number}×"),
        _ => format!("{number} {unit}"),
    }
}

/// One value with its unit and three significant digits: `1.23 µs`, `56.4 %`.
pub fn quantity(value: f64, unit: &str) -> String {
    let scale = Scale::of(unit, value);
    with_unit(&significant(scale.apply(value), 3), &scale.unit)
}

/// A share of one as percent with two significant digits; never `0 %` for something that is not zero.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    // 99.97 % must not read as all of it.
    let digits = if (99.0..100.0).contains(&value) {
        4
    } else if value >= 10.0 {
        3
    } else {
        2
    };
    with_unit(trim(&significant(value, digits)), "%")
}

/// A value with so many significant digits.
pub fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let decimals = digits - 1 - order(value);
    if decimals > 6 {
        return format!("{value:.*e}", (digits - 1).max(0) as usize);
    }
    fixed(value, decimals.max(0))
}

/// A whole number of nanoseconds as a length of time: `90 s`, `25 ms`.
pub fn duration(ns: u64) -> String {
    let scale = Scale::of("ns", ns as f64);
    with_unit(trim(&significant(scale.apply(ns as f64), 4)), &scale.unit)
}

/// A number in full precision that reads back to the same bits, in exponent form where that is shorter to read.
pub fn full(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        String::new()
    } else if size != 0.0 && !(1e-5..1e17).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// Drops zeros after the decimal point.
pub fn trim(number: &str) -> &str {
    if number.contains('.') && !number.contains('e') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    }
}

/// A value with so many decimals; in exponent form where it would read as zero, or as a row of digits nobody counts.
pub(crate) fn fixed(value: f64, decimals: i32) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    let decimals = decimals.clamp(0, 12) as usize;
    let rounds_to_zero = value != 0.0 && value.abs() < 0.5 * 10f64.powi(-(decimals as i32));
    if rounds_to_zero {
        return match order(value) {
            -4.. => format!("{value:.*}", -order(value) as usize),
            _ => format!("{value:.0e}"),
        };
    }
    if value.abs() >= 1e12 {
        return format!("{value:.4e}");
    }
    // No `-0.0`.
    format!("{:.decimals$}", if value == 0.0 { 0.0 } else { value })
}

/// The power of ten of a value that is not zero.
fn order(value: f64) -> i32 {
    value.abs().log10().floor() as i32
}

/// Decimals for an estimate: about one digit and a half of the half width, at least two of the median, at most six.
fn decimals(median: f64, low: f64, high: f64) -> i32 {
    let largest = median.abs().max(low.abs()).max(high.abs());
    if largest == 0.0 {
        return 0;
    }
    let half_width = (high - low).abs() / 2.0;
    let by_width = if half_width > 0.0 { -order(half_width / 2.0) } else { 3 - order(largest) };
    // A difference that may as well be nothing is shown so, with no more than a digit of what it is.
    let by_median = match (median == 0.0, low <= 0.0 && high >= 0.0) {
        (true, _) => by_width,
        (false, true) => (-order(median)).min(by_width + 1),
        (false, false) => (1 - order(median)).min(by_width + 2),
    };
    by_width.max(by_median).min(5 - order(largest)).clamp(0, 12)
}
