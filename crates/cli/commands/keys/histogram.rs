//! How often keys came.

use std::fmt::Write as _;

use hitm_keys::KeyRange;
use hitm_keys::dist::{Asked, Entry, Keys};
use serde_json::{Map, Value, json};

use crate::output::style;

/// The most keys that are counted one by one: 32 MB of counts.
const MOST_KEYS: u128 = 1 << 22;

/// Hottest keys that are told.
const HOTTEST: usize = 10;

/// Parts that a part is looked at in that holds most draws.
const WITHIN: u64 = 16;

/// Counts of keys, by parts of equally many keys and, where the range permits, by key.
pub(super) struct Histogram {
    range: KeyRange,
    /// Keys of a part; the last may have fewer.
    width: u128,
    buckets: Vec<u64>,
    keys: Option<Vec<u64>>,
    drawn: u64,
}

impl Histogram {
    /// Over a range in so many parts, or as many as there are keys.
    pub(super) fn new(range: KeyRange, buckets: u64) -> Self {
        let width = range.keys().div_ceil(u128::from(buckets.max(1)));
        let buckets = range.keys().div_ceil(width) as usize;
        let keys = (range.keys() <= MOST_KEYS).then(|| vec![0; range.keys() as usize]);
        Histogram { range, width, buckets: vec![0; buckets], keys, drawn: 0 }
    }

    /// One more key of the range.
    pub(super) fn add(&mut self, key: u64) {
        let place = key - self.range.low();
        self.buckets[(u128::from(place) / self.width) as usize] += 1;
        if let Some(keys) = &mut self.keys {
            keys[place as usize] += 1;
        }
        self.drawn += 1;
    }

    /// The first and the last key of a part.
    fn ends(&self, part: usize) -> (u64, u64) {
        let low = u128::from(self.range.low());
        let (first, end) = (part as u128 * self.width, (part as u128 + 1) * self.width);
        ((low + first) as u64, (low + end.min(self.range.keys()) - 1) as u64)
    }

    /// The part that holds more than half of the draws and more than one key, counted by parts of its own; `None` where there is none.
    fn within(&self) -> Option<Histogram> {
        let part = self.buckets.iter().position(|&count| 2 * count > self.drawn)?;
        let (low, high) = self.ends(part);
        let range = KeyRange::new(low, high).ok().filter(|range| range.keys() > 1)?;
        let from = (low - self.range.low()) as usize;
        let counts = self.keys.as_ref()?.get(from..from + range.keys() as usize)?;
        let mut within = Histogram::new(range, WITHIN);
        within.keys = Some(counts.to_vec());
        for (place, count) in counts.iter().enumerate() {
            within.buckets[(place as u128 / within.width) as usize] += count;
        }
        // Shares are of all draws.
        within.drawn = self.drawn;
        Some(within)
    }

    /// A part of all draws; none of none.
    fn share(&self, count: u64) -> Option<f64> {
        (self.drawn > 0).then(|| count as f64 / self.drawn as f64)
    }

    /// The keys that came most often, and how often, and how many different ones came.
    fn hottest(&self) -> Option<(Vec<(u64, u64)>, usize)> {
        let keys = self.keys.as_ref()?;
        let mut came: Vec<(u64, u64)> =
            (0u64..).zip(keys).filter(|(_, count)| **count > 0).map(|(p, c)| (p, *c)).collect();
        let distinct = came.len();
        came.sort_unstable_by_key(|&(place, count)| (u64::MAX - count, place));
        came.truncate(HOTTEST);
        let low = self.range.low();
        Some((came.into_iter().map(|(place, count)| (low + place, count)).collect(), distinct))
    }
}

/// The probability that a key falls between these two, where the distribution tells.
fn expected(keys: &dyn Keys, (low, high): (u64, u64)) -> Option<f64> {
    let below = if low == 0 { 0.0 } else { keys.cumulative(low - 1)? };
    Some((keys.cumulative(high)? - below).max(0.0))
}

pub(super) fn json(histogram: &Histogram, entry: &Entry, asked: &Asked, keys: &dyn Keys, count: u64) -> Value {
    let parameters: Map<String, Value> = entry
        .parameters
        .iter()
        .map(|parameter| {
            let value = asked.parameters.get(parameter.name).copied().unwrap_or(parameter.default);
            (parameter.name.to_owned(), json!(value))
        })
        .collect();
    let buckets: Vec<Value> = (0..histogram.buckets.len())
        .map(|part| {
            let (ends, drawn) = (histogram.ends(part), histogram.buckets[part]);
            json!({"low": ends.0, "high": ends.1, "drawn": drawn, "share": histogram.share(drawn), "expected": expected(keys, ends)})
        })
        .collect();
    let mut absent = Map::new();
    let (hottest, distinct) = match histogram.hottest() {
        Some((hottest, distinct)) => {
            let one = |&(key, drawn): &(u64, u64)| json!({"key": key, "drawn": drawn, "share": histogram.share(drawn), "expected": keys.probability(key)});
            (hottest.iter().map(one).collect(), json!(distinct))
        }
        None => {
            let why = format!("the range holds more than {MOST_KEYS} keys, which are not counted one by one");
            absent.insert("hottest".into(), json!(why));
            absent.insert("distinct".into(), json!(why));
            (Value::Null, Value::Null)
        }
    };
    if keys.cumulative(asked.range.high()).and(keys.cumulative(asked.range.low())).is_none() {
        absent.insert("expected".into(), json!("these probabilities have no closed form here"));
    }
    let taken = keys.taken();
    json!({
        "dist": entry.name,
        "fault": entry.fault,
        "generator": entry.generator,
        "seed": asked.seed,
        "range": {"low": asked.range.low(), "high": asked.range.high()},
        "parameters": parameters,
        "count": count,
        "drawn": histogram.drawn,
        "taken": {"words": taken.words, "units": taken.units, "bits": taken.bits},
        "distinct": distinct,
        "buckets": buckets,
        "hottest": hottest,
        "absent": absent,
    })
}

pub(super) fn text(histogram: &Histogram, entry: &Entry, asked: &Asked, keys: &dyn Keys) -> String {
    let mut text = format!("{} in {}, seed {}: {} keys", entry.name, asked.range, asked.seed, histogram.drawn);
    let hottest = histogram.hottest();
    // Writing to a String cannot fail.
    if let Some((_, distinct)) = &hottest {
        let _ = write!(text, ", {distinct} different ones");
    }
    if histogram.drawn > 0 {
        let a_key = keys.taken().all() as f64 / histogram.drawn as f64;
        let _ = write!(text, ", {a_key:.2} random numbers a key");
    }
    text.push_str("\n\n");
    bars(histogram, keys, &mut text);
    let mut part = histogram.within();
    while let Some(within) = part {
        let _ = writeln!(text, "\nmost of them lie in {}:\n", within.range);
        bars(&within, keys, &mut text);
        part = within.within();
    }
    match hottest {
        Some((hottest, _)) if !hottest.is_empty() => {
            text.push_str("\nhottest keys: ");
            let one = |&(key, drawn): &(u64, u64)| format!("{key} ({})", percent(histogram.share(drawn)));
            text.push_str(&hottest.iter().map(one).collect::<Vec<_>>().join(", "));
            text.push('\n');
        }
        _ => {}
    }
    if !entry.fault.is_empty() {
        let _ = writeln!(text, "\nthe original's fault: {}", entry.fault);
    }
    text
}

/// The parts as bars.
fn bars(histogram: &Histogram, keys: &dyn Keys, text: &mut String) {
    let labels: Vec<String> = (0..histogram.buckets.len())
        .map(|part| match histogram.ends(part) {
            (low, high) if low == high => low.to_string(),
            (low, high) => format!("{low}..{high}"),
        })
        .collect();
    let label = labels.iter().map(String::len).max().unwrap_or(0).max("keys".len());
    let most = histogram.buckets.iter().copied().max().unwrap_or(0);
    let bar = style().width.saturating_sub(label + 22).clamp(8, 80);
    let _ = writeln!(text, "{:>label$}  {:>8}  {:>8}", "keys", "drawn", "expected");
    for (part, (label_text, &drawn)) in labels.iter().zip(&histogram.buckets).enumerate() {
        let blocks = drawn_bar(drawn, most, bar);
        let drawn = percent(histogram.share(drawn));
        let expected = percent(expected(keys, histogram.ends(part)));
        let line = format!("{label_text:>label$}  {drawn:>8}  {expected:>8}  {blocks}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

/// A share in percent with three digits that count; `–` for none.
pub(super) fn percent(share: Option<f64>) -> String {
    match share {
        None => "–".to_owned(),
        Some(share) if share != 0.0 && share < 0.000_1 => format!("{:.1e} %", share * 100.0),
        Some(share) => format!("{:.3} %", share * 100.0),
    }
}

/// A bar in eighths of a character.
pub(super) fn drawn_bar(count: u64, most: u64, width: usize) -> String {
    if most == 0 {
        return String::new();
    }
    let eighths = (u128::from(count) * 8 * width as u128).div_ceil(u128::from(most)) as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + part
}
