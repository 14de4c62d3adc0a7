//! Why a cell and its baseline part, where their kernel tells where the workers' time went.

use hitm_experiment::Manifest;

use crate::breakdown::{OTHER, OTHER_MEANING};
use crate::summary::{CellSummary, Estimate};
use crate::words::share_text;

/// A part that differs by less explains little.
const WORTH_TELLING: f64 = 0.1;

/// The part of the workers' time that the worse of two cells has more of, beyond what their intervals leave open, and most: how it is called,
/// what it is, and its shares in both.
pub(super) struct Reason<'a> {
    name: &'a str,
    meaning: &'a str,
    shares: [&'a Estimate; 2],
}

impl<'a> Reason<'a> {
    /// Of a cell and its baseline, of which the cell is the better one or not; `None` where no part differs so much, or none is told.
    pub(super) fn of(manifest: &'a Manifest, cells: [&'a CellSummary; 2], better: bool) -> Option<Reason<'a>> {
        let [cell, base] = cells;
        let share = |cell: &'a CellSummary, name: &str| {
            cell.breakdown.iter().find(|part| part.name == name).map(|part| &part.share)
        };
        let differs = |name: &'a str| {
            let shares = [share(cell, name)?, share(base, name)?];
            let [more, less] = if better { [shares[1], shares[0]] } else { shares };
            let size = more.median - less.median;
            (more.low > less.high && size >= WORTH_TELLING).then_some((size, name, shares))
        };
        let names = cell.breakdown.iter().map(|part| part.name.as_str());
        let (_, name, shares) = names.filter_map(differs).max_by(|one, other| one.0.total_cmp(&other.0))?;
        let meaning = match name {
            OTHER => OTHER_MEANING,
            name => manifest.tallies.iter().find(|tally| tally.name == name).map(|tally| tally.meaning.as_str())?,
        };
        // What follows a semicolon or the first comma is for the table.
        let meaning = meaning.split([';', ',']).next().unwrap_or(meaning);
        Some(Reason { name, meaning, shares })
    }

    /// ` Why: 97 % of the workers' time with manager=point is timed_out (…), with manager=range 0.3 %.`
    pub(super) fn sentence(&self, subject: &str, base: &str) -> String {
        let [own, other] = self.shares;
        let mut told = [(own, subject), (other, base)];
        told.sort_by(|one, other| other.0.median.total_cmp(&one.0.median));
        let [(more, with), (less, without)] = told;
        format!(
            " Why: {} of the workers' time with {with} is `{}` ({}), with {without} {}.",
            share_text(more),
            self.name,
            self.meaning,
            share_text(less)
        )
    }
}
