//! A description of keys as text, as JSON and as a picture.

mod json;
mod sentences;
mod text;

use hitm_keys::trace::describe::Description;
use hitm_report::popularity::{self, Ranks};

pub(super) use json::json;
pub(super) use text::text;

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
