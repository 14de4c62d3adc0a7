//! A description as text.

use std::fmt::Write as _;

use super::super::histogram::{drawn_bar, percent};
use super::{About, ranks};
use crate::output::style;

/// Threads that are told.
const THREADS: usize = 10;

pub(in crate::commands::keys) fn text(about: &About) -> String {
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
