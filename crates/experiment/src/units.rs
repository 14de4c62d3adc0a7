//! Durations and shares as people write them.

/// Units of time by name, in nanoseconds.
const UNITS: [(&str, f64); 8] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];

/// The longest duration that can be written: 1000 hours, nanoseconds.
pub const LONGEST_NS: u64 = 3_600_000_000_000_000;

/// Reads `40ms`, `1.5s`, `2m`, `500us` into nanoseconds, rounded to the nearest.
///
/// # Errors
/// A sentence without a full stop: no number, no unit, negative or longer than [`LONGEST_NS`].
pub fn duration_ns(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(match unit {
            "" => format!("`{text}` has no unit of time"),
            _ => format!("`{text}` is not a duration"),
        });
    };
    let nanoseconds = (decimal(number).ok_or_else(|| format!("`{text}` is not a duration"))? * scale).round();
    if nanoseconds < 0.0 {
        return Err(format!("`{text}` is negative"));
    }
    if nanoseconds > LONGEST_NS as f64 {
        return Err(format!("`{text}` is longer than 1000h"));
    }
    Ok(nanoseconds as u64)
}

/// Reads `2%` into 0.02.
///
/// # Errors
/// A sentence without a full stop when it is no number with a per cent sign.
pub fn share(text: &str) -> Result<f64, String> {
    match split(text) {
        (number, "%") => decimal(number).map(|n| n / 100.0).ok_or_else(|| format!("`{text}` is not a percentage")),
        _ => Err(format!("`{text}` is not a percentage")),
    }
}

/// A duration in the largest unit that says it in few digits.
pub fn show_ns(nanoseconds: f64) -> String {
    let (unit, scale) = match nanoseconds {
        n if n < 1e3 => ("ns", 1.0),
        n if n < 1e6 => ("us", 1e3),
        n if n < 1e9 => ("ms", 1e6),
        n if n < 120e9 => ("s", 1e9),
        n if n < 7200e9 => ("m", 60e9),
        n if n < 48.0 * 3600e9 => ("h", 3600e9),
        _ => (" days", 86_400e9),
    };
    let value = (nanoseconds / scale * 10.0).round() / 10.0;
    format!("{value}{unit}")
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '_'))).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

fn decimal(text: &str) -> Option<f64> {
    let text = text.replace('_', "");
    // `parse` also takes forms such as `1.` and `.5`; digits on one side are enough for a reader too.
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_written() {
        for (text, expected) in [
            ("40ms", 40_000_000),
            ("1.5s", 1_500_000_000),
            ("2m", 120_000_000_000),
            ("500us", 500_000),
            ("7 ns", 7),
            ("0s", 0),
        ] {
            assert_eq!(duration_ns(text), Ok(expected), "{text}");
        }
        for text in ["", "40", "ms", "-1s", "1e9s", "40 msec", "2000h", "nans", "1.2.3s"] {
            assert!(duration_ns(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_exact() {
        assert_eq!(share("2%"), Ok(0.02));
        assert_eq!(share("95 %"), Ok(0.95));
        assert_eq!(share("-1%"), Ok(-0.01));
        for text in ["2", "%", "", "two%", "2%%"] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    #[test]
    fn long_times_are_shown_in_few_digits() {
        assert_eq!(show_ns(25e6), "25ms");
        assert_eq!(show_ns(90e9), "90s");
        assert_eq!(show_ns(1e6 * 160e6), "44.4h");
    }
}
