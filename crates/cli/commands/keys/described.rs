//! A description of keys as text and as JSON.

use std::fmt::Write as _;

use hitm_keys::trace::describe::{Description, Evenness, Zipf};
use hitm_report::popularity::{self, Ranks};
use serde_json::{Map, Value, json};

use super::histogram::{drawn_bar, percent};
use crate::output::style;

/// Threads that are told.
const THREADS: usize = 10;

/// What is described.
pub(super) struct About {
    /// The trace's file, or the distribution.
    pub(super) name: String,
    /// Thread and keys of each stream; `None` of a distribution.
    pub(super) threads: Option<Vec<(Option<u64>, u64)>>,
    pub(super) found: Description,
}

impl About {
    /// A part of all keys.
    fn share(&self, count: u64) -> f64 {
        count as f64 / self.found.keys as f64
    }

    /// What a stream's thread is called in the trace.
    fn thread(&self, stream: usize) -> Option<u64> {
        self.threads.as_ref().and_then(|threads| threads.get(stream)).and_then(|thread| thread.0)
    }

    fn thread_word(&self, stream: usize) -> String {
        self.thread(stream).map_or_else(|| "untold".to_owned(), |thread| thread.to_string())
    }

    fn thread_count(&self) -> usize {
        self.threads.as_ref().map_or(1, Vec::len)
    }

    /// Why counts of single keys are absent.
    fn estimated_from(&self) -> String {
        let (looked_at, parts) = self.found.counted;
        format!("{looked_at} of {parts} parts of the keys were counted, so the hottest may not be among them")
    }

    /// One sentence on the skew.
    fn skew(&self) -> String {
        let found = &self.found;
        let few = || {
            let (keys, distinct, once) = (found.keys, found.distinct, found.once);
            format!("too few draws a key to tell skew: {keys} of {distinct} different keys, {once} of them once")
        };
        match (found.even, found.zipf) {
            _ if found.distinct == 1 => "one key only: no law to fit".to_owned(),
            (Evenness::Even { keys }, _) => {
                format!("no skew: the keys come as evenly as uniform draws of about {keys:.0} keys would")
            }
            (Evenness::TooFew, _) | (_, None) => few(),
            (Evenness::Skewed, Some(zipf)) => self.law(&zipf) + self.copies(),
        }
    }

    /// What to think of a skew where threads draw the same.
    fn copies(&self) -> &'static str {
        let locked = self.found.together.is_some_and(|together| together.locked > 0);
        if locked { "; threads in lockstep bring each key several times, which is part of it" } else { "" }
    }

    /// The same, held to Zipf's law.
    fn law(&self, zipf: &Zipf) -> String {
        let [far, limit] = [zipf.distance, zipf.limit].map(|share| percent(Some(share)));
        let elsewhere = format!("{far} of the draws lie elsewhere than in draws of it (a fit is up to {limit})");
        let a_key = self.found.keys as f64 / zipf.ranks as f64;
        let theta = match zipf.interval {
            Some((low, high)) if zipf.is_told() => {
                format!("θ = {:.3} ({low:.3} to {high:.3} with 95 % confidence)", zipf.theta)
            }
            Some((low, high)) => format!("a θ that cannot be told at {a_key:.2} draws a key ({low:.1} to {high:.1})"),
            None => format!("θ about {:.2}, whose confidence cannot be told", zipf.theta),
        };
        let best = format!("with the best exponent, about {:.2}", zipf.theta);
        if zipf.fits() {
            format!("Zipf's law fits, with {theta} over about {} keys: {elsewhere}", rounded(zipf.ranks))
        } else if zipf.distance <= zipf.limit {
            format!("skewed, and no Zipf's law: {best}, other numbers of keys come often than in draws of it")
        } else {
            format!("skewed, and no Zipf's law: {best}, {elsewhere}")
        }
    }

    /// One sentence on how threads go together; `None` of one thread.
    fn lockstep(&self) -> Option<String> {
        let together = self.found.together?;
        let (streams, all) = (together.streams, self.thread_count());
        let of = if streams < all { format!("{streams} of the {all} threads") } else { format!("{streams} threads") };
        let looked = format!("looked at: the first {} keys of {of}, at any lag", together.keys);
        let Some(pair) = together.best else {
            return Some(format!("no lockstep: no two threads have rows of keys in common ({looked})"));
        };
        let [a, b] = [pair.a, pair.b].map(|stream| self.thread_word(stream));
        let (share, usual) = (percent(Some(pair.share)), percent(Some(pair.usual)));
        let at = match pair.lag {
            0 => "at the same place".to_owned(),
            lag if lag > 0 => format!("{lag} places later"),
            lag => format!("{} places before", lag.unsigned_abs()),
        };
        let seen = format!("in {share} of the places, {usual} by chance");
        Some(if pair.holds() {
            let more = if together.locked > 2 {
                format!("; {} threads have such a partner", together.locked)
            } else {
                String::new()
            };
            format!("lockstep: thread {b} draws what thread {a} draws, {at} ({seen}){more}; {looked}")
        } else {
            format!("no lockstep: threads {a} and {b} agree most, {at}, {seen} ({looked})")
        })
    }
}

pub(super) fn json(about: &About) -> Value {
    let found = &about.found;
    let mut absent = Map::new();
    if found.hottest.is_none() {
        absent.insert("hottest".into(), json!(about.estimated_from()));
        absent.insert("top".into(), json!(about.estimated_from()));
    }
    if found.zipf.is_none() {
        absent.insert("zipf".into(), json!("no key, or the only one, came more than once"));
    }
    match found.together {
        None => drop(absent.insert("lockstep".into(), json!("there are no two threads with 128 keys each"))),
        Some(together) if together.best.is_none() => {
            drop(absent.insert("lockstep".into(), json!("no two threads have rows of keys in common")));
        }
        Some(_) => {}
    }
    let key = |&(key, times): &(u64, u64)| json!({"key": key, "times": times, "share": about.share(times)});
    let first = |&(keys, times): &(u64, u64)| json!({"keys": keys, "times": times, "share": about.share(times)});
    let mut before = 0;
    let octaves: Vec<Value> = (0..)
        .zip(&found.octaves)
        .map(|(octave, &(rank, times))| {
            let from = std::mem::replace(&mut before, rank);
            let expected = found.by_law.get(octave);
            json!({"first_rank": from + 1, "last_rank": rank, "times": times, "share": about.share(times), "zipf": expected})
        })
        .collect();
    let threads: Option<Vec<Value>> = about.threads.as_ref().map(|threads| {
        threads
            .iter()
            .map(|&(thread, keys)| json!({"thread": thread, "keys": keys, "share": about.share(keys)}))
            .collect()
    });
    json!({
        "name": about.name,
        "keys": found.keys,
        "range": {"low": found.range.low(), "high": found.range.high()},
        "counted": {"parts": found.counted.0, "of": found.counted.1, "estimate": found.is_estimate()},
        "distinct": found.distinct,
        "once": found.once,
        "repeats": found.keys.saturating_sub(found.distinct),
        "in_a_row": found.in_a_row,
        "hottest": found.hottest.as_ref().map(|hottest| hottest.iter().map(key).collect::<Vec<_>>()),
        "top": found.top.iter().map(first).collect::<Vec<_>>(),
        "working_set": found.working_set.map(|(percent, keys)| json!({"percent": percent, "keys": keys})),
        "windows": found.windows.iter().map(|window| json!({
            "length": window.length, "windows": window.windows, "least": window.least, "mean": window.mean, "most": window.most,
        })).collect::<Vec<_>>(),
        "octaves": octaves,
        "zipf": found.zipf.map(|zipf| json!({
            "theta": zipf.theta, "low": zipf.interval.map(|ends| ends.0), "high": zipf.interval.map(|ends| ends.1),
            "told": zipf.is_told(), "ranks": zipf.ranks, "distance": zipf.distance, "limit": zipf.limit, "alike": zipf.alike,
            "fits": zipf.fits() && found.even == Evenness::Skewed,
        })),
        "even": match found.even {
            Evenness::Even { .. } => Some(true),
            Evenness::Skewed => Some(false),
            Evenness::TooFew => None,
        },
        "threads": threads,
        "shared": about.share(found.shared),
        "compared": found.together.map(|together| json!({
            "threads": together.streams, "keys": together.keys, "in_lockstep": together.locked,
        })),
        "lockstep": found.together.and_then(|together| together.best).map(|pair| json!({
            "threads": [about.thread(pair.a), about.thread(pair.b)],
            "lag": pair.lag, "share": pair.share, "usual": pair.usual, "holds": pair.holds(),
        })),
        "absent": absent,
    })
}

pub(super) fn text(about: &About) -> String {
    let found = &about.found;
    let about_word = if found.is_estimate() { "about " } else { "" };
    let mut text = format!(
        "{}: {} draws of {about_word}{} different keys from {} to {}",
        about.name,
        found.keys,
        found.distinct,
        found.range.low(),
        found.range.high()
    );
    // Writing to a String cannot fail.
    if about.threads.is_some() {
        let threads = about.thread_count();
        let _ = write!(text, ", {threads} thread{}", if threads == 1 { "" } else { "s" });
    }
    text.push_str("\n\n");
    picture(about, &mut text);
    let _ = writeln!(
        text,
        "each row has twice the ranks of the one above; `Zipf` is what draws of the best such law have\n\n{}",
        about.skew()
    );
    for &(keys, times) in &found.top {
        let of = if keys > 1 && keys == found.distinct / 100 { " (1 % of the different ones)" } else { "" };
        let word =
            if keys == 1 { "the hottest key gets".to_owned() } else { format!("the {keys} hottest keys{of} get") };
        let _ = writeln!(text, "{word} {} of the draws", percent(Some(about.share(times))));
    }
    let set = found.working_set.map(|(percent, keys)| format!("{about_word}{keys} keys for {percent} %"));
    let _ = writeln!(text, "working set: {}", set.join(", "));
    for window in &found.windows {
        let _ = writeln!(
            text,
            "in {} draws in a row: {} to {} different keys, {:.1} on average ({} window{})",
            window.length,
            window.least,
            window.most,
            window.mean,
            window.windows,
            if window.windows == 1 { "" } else { "s" }
        );
    }
    let repeats = found.keys.saturating_sub(found.distinct);
    let _ = writeln!(
        text,
        "{} of the draws took a key that had come before; {about_word}{} keys came once; {} times one came twice in a row{}",
        percent(Some(about.share(repeats))),
        found.once,
        found.in_a_row,
        if about.thread_count() > 1 { " in its thread" } else { "" }
    );
    match &found.hottest {
        Some(hottest) => {
            let one = |&(key, times): &(u64, u64)| format!("{key} ({})", percent(Some(about.share(times))));
            let _ = writeln!(text, "hottest keys: {}", hottest.iter().map(one).collect::<Vec<_>>().join(", "));
        }
        None => {
            let _ = writeln!(text, "hottest keys: not told: {}", about.estimated_from());
        }
    }
    threads(about, &mut text);
    text
}

/// To two digits, since it is an estimate.
fn rounded(count: u64) -> u64 {
    let unit = 10_u64.pow(count.max(1).ilog10().saturating_sub(1));
    count.saturating_add(unit / 2) / unit * unit
}

/// The keys' shares by rank, in octaves.
fn ranks(about: &About) -> Vec<Ranks> {
    let mut before = 0;
    let row = |(octave, &(rank, times)): (usize, &(u64, u64))| {
        let from = std::mem::replace(&mut before, rank) + 1;
        let label = if from == rank { rank.to_string() } else { format!("{from}..{rank}") };
        Ranks { label, share: about.share(times), expected: about.found.by_law.get(octave).copied() }
    };
    about.found.octaves.iter().enumerate().map(row).collect()
}

/// The same as a picture.
pub(super) fn svg(about: &About) -> String {
    let found = &about.found;
    let title = format!("Which keys come how often in {}?", about.name);
    let subtitle = format!("{} draws of {} different keys, the hottest first", found.keys, found.distinct);
    let note = format!(
        "Each row has twice the ranks of the one above. Bars: what came; lines: draws of Zipf's law with the best exponent. {}.",
        about.skew()
    );
    popularity::svg(&title, &subtitle, &ranks(about), &note)
}

/// The same as text.
fn picture(about: &About, text: &mut String) {
    let rows = ranks(about);
    let label = rows.iter().map(|row| row.label.len()).max().unwrap_or(0).max("rank".len());
    let times = about.found.octaves.iter().map(|octave| octave.1);
    let most = times.clone().max().unwrap_or(0);
    let bar = style().width.saturating_sub(label + 22).clamp(8, 80);
    let _ = writeln!(text, "{:>label$}  {:>8}  {:>8}", "rank", "draws", "Zipf");
    for (row, times) in rows.iter().zip(times) {
        let (share, expected) = (percent(Some(row.share)), percent(row.expected));
        let line = format!("{:>label$}  {share:>8}  {expected:>8}  {}", row.label, drawn_bar(times, most, bar));
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn threads(about: &About, text: &mut String) {
    let Some(threads) = about.threads.as_ref().filter(|threads| threads.len() > 1) else { return };
    let mut busiest: Vec<usize> = (0..threads.len()).collect();
    busiest.sort_by_key(|&stream| (u64::MAX - threads[stream].1, stream));
    let one =
        |&stream: &usize| format!("{} ({})", about.thread_word(stream), percent(Some(about.share(threads[stream].1))));
    let mut shown: Vec<String> = busiest.iter().take(THREADS).map(one).collect();
    if threads.len() > THREADS {
        shown.push(format!("… and {} more", threads.len() - THREADS));
    }
    let _ = writeln!(text, "threads: {}", shown.join(", "));
    let _ = writeln!(
        text,
        "{} of the draws took a key that several threads drew",
        percent(Some(about.share(about.found.shared)))
    );
    if let Some(sentence) = about.lockstep() {
        let _ = writeln!(text, "{sentence}");
    }
}
