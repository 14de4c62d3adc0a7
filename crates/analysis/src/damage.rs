//! What was seen in the values drawn, in sentences, and which cells' values are damaged. One observation trial is enough for it.

use std::collections::BTreeMap;

use hitm_experiment::Manifest;
use hitm_experiment::compare::{Baseline, same};

use crate::observed::{self, Observed};
use crate::summary::{CellSummary, Estimate};
use crate::words::{percent, share_text};

/// A share that differs by less from another, or from zero, is as good as the same.
const NOTHING: f64 = 1e-3;

/// From so much more damage than the baseline's on, a cell's time is not that of the same work.
pub const LARGE: f64 = 0.1;

/// The most observations that an answer names, of those that figures are of.
const MOST_ASKED: usize = 2;

/// The most subjects of one sentence.
const MOST_SUBJECTS: usize = 4;

/// What a run shows of its values.
pub(crate) struct Seen<'a> {
    manifest: &'a Manifest,
    cells: &'a [CellSummary],
    baselines: &'a [Baseline],
}

/// A cell's share of one observation beside its baseline's.
struct Beside<'a> {
    cell: &'a CellSummary,
    own: &'a Estimate,
    base: &'a Estimate,
}

impl Beside<'_> {
    fn more(&self) -> f64 {
        self.own.median - self.base.median
    }
}

impl<'a> Seen<'a> {
    pub fn new(manifest: &'a Manifest, cells: &'a [CellSummary], baselines: &'a [Baseline]) -> Self {
        Seen { manifest, cells, baselines }
    }

    /// The largest damage of a cell that its baseline has not, with both shares in words; `None` below [`LARGE`].
    pub fn large(&self, cell: usize) -> Option<String> {
        let all = observed::TABLE.iter().filter(|observed| observed.harms);
        let beside = all.filter_map(|observed| Some((observed, self.beside(observed.name, &self.cells[cell])?)));
        let worst = beside.max_by(|a, b| a.1.more().total_cmp(&b.1.more()))?;
        let (observed, Beside { own, base, .. }) = (worst.0, &worst.1);
        (worst.1.more() >= LARGE)
            .then(|| format!("{} {}, {} in the baseline", observed.name, percent(own.median), percent(base.median)))
    }

    /// What the answer says of the values: what the figures are of, or else the worst damage; empty where nothing was looked at.
    pub fn sentences(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for name in self.manifest.figures.iter().map(|figure| figure.y.as_str()) {
            if !names.contains(&name) && self.cells.iter().any(|cell| cell.observations.contains_key(name)) {
                names.push(name);
            }
        }
        names.truncate(MOST_ASKED);
        let shown = names.iter().any(|name| self.worst(name) >= NOTHING);
        let others = observed::TABLE.iter().filter(|observed| observed.harms && !names.contains(&observed.name));
        let others: Vec<(&str, f64)> = others.map(|observed| (observed.name, self.worst_unasked(observed))).collect();
        // Of equals the first of the table.
        let worst = others.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|worst| worst.1 >= LARGE);
        // A stuck worker is never a side matter.
        let stuck = others.iter().find(|(name, worst)| *name == "stuck" && *worst >= NOTHING);
        names.extend(stuck.or(worst.filter(|_| !shown)).map(|(name, _)| *name));
        names.iter().map(|name| self.sentence(name)).collect()
    }

    fn beside(&self, name: &str, cell: &'a CellSummary) -> Option<Beside<'a>> {
        let Some(Baseline::Cell(base)) = self.baselines.get(cell.index) else { return None };
        Some(Beside { cell, own: cell.observations.get(name)?, base: self.cells[*base].observations.get(name)? })
    }

    fn all_beside(&self, name: &str) -> Vec<Beside<'a>> {
        self.cells.iter().filter_map(|cell| self.beside(name, cell)).collect()
    }

    /// The most that a cell shows of something beside its baseline's share, or without any baseline at all.
    fn worst(&self, name: &str) -> f64 {
        let beside = self.all_beside(name);
        let alone = || self.cells.iter().filter_map(|cell| cell.observations.get(name)).map(|seen| seen.median);
        let most = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
        if beside.is_empty() { most(&mut alone()) } else { most(&mut beside.iter().map(Beside::more)) }
    }

    /// The same of what nobody asked for: without a baseline only what is damage whatever is drawn.
    fn worst_unasked(&self, observed: &Observed) -> f64 {
        let of_keys = self.cells.iter().any(|cell| !cell.kernel.starts_with("rng/"));
        if of_keys && !observed.in_keys && self.all_beside(observed.name).is_empty() {
            return 0.0;
        }
        self.worst(observed.name)
    }

    fn sentence(&self, name: &str) -> String {
        let says = observed::of(name).map_or_else(|| format!("is {name}"), |observed| observed.says.to_owned());
        let cells: Vec<(&CellSummary, &Estimate)> =
            self.cells.iter().filter_map(|cell| Some((cell, cell.observations.get(name)?))).collect();
        let none = |seen: &Estimate| seen.median == 0.0 && seen.high < NOTHING;
        if cells.iter().all(|(_, seen)| none(seen)) {
            let where_to = if cells.len() == 1 { cells[0].0.id.clone() } else { format!("all {} cells", cells.len()) };
            return format!("0 % {says} in {where_to}. ");
        }
        let subjects = self.subjects(name);
        let Some(first) = subjects.first() else { return range(&cells, &says) };
        let base = words_of(self.manifest.compare.baseline.iter());
        let beside = |one: &Beside| match one.more().abs() < NOTHING {
            true => format!("as with {base}"),
            false => format!("{} with {base}", share_text(one.base)),
        };
        let at = self.setting(first.cell);
        let share = share_text(first.own);
        let mut text = format!("{share} {says} with {}{at} ({})", self.subject(first.cell), beside(first));
        // What is like the baseline is told by the baseline.
        let others = subjects.iter().skip(1).filter(|other| other.more().abs() >= NOTHING);
        for other in others.take(MOST_SUBJECTS - 1) {
            let setting = self.setting(other.cell);
            let setting = if setting == at { String::new() } else { setting };
            text += &format!("; {} with {}{setting}", share_text(other.own), self.subject(other.cell));
        }
        format!("{text}. ")
    }

    /// Of each subject the cell that differs most from its baseline, of equals the one with the most workers; the largest difference first.
    fn subjects(&self, name: &str) -> Vec<Beside<'a>> {
        let all = self.all_beside(name);
        let is_headline = |cell: &CellSummary| {
            let mut asked = self.manifest.compare.headline.iter();
            asked.all(|(name, value)| cell.parameters.get(name).is_none_or(|own| same(own, value)))
        };
        let some_are = all.iter().any(|one| is_headline(one.cell));
        // To the nearest thousandth, so that chance does not choose among equals.
        let rank = |one: &Beside| ((one.more().abs() / NOTHING).round() as i64, one.cell.placement.pus.len());
        let mut subjects: BTreeMap<String, Beside> = BTreeMap::new();
        for one in all.into_iter().filter(|one| !some_are || is_headline(one.cell)) {
            let subject = self.subject(one.cell);
            if subjects.get(&subject).is_none_or(|kept| rank(&one) > rank(kept)) {
                subjects.insert(subject, one);
            }
        }
        let mut subjects: Vec<Beside> = subjects.into_values().collect();
        subjects.sort_by_key(|one| std::cmp::Reverse(rank(one)));
        subjects
    }

    /// The parameters of the baseline as the cell has them where they differ.
    fn subject(&self, cell: &CellSummary) -> String {
        let base = &self.manifest.compare.baseline;
        let differ = cell.parameters.iter().filter(|(name, own)| base.get(*name).is_some_and(|base| !same(base, own)));
        let text = words_of(differ);
        if text.is_empty() { cell.id.clone() } else { text }
    }

    /// ` at 2 workers and work=64`: what varies and is no part of the baseline.
    fn setting(&self, cell: &CellSummary) -> String {
        let base = &self.manifest.compare.baseline;
        let varied = &self.manifest.cells[cell.index].varied;
        let names = varied.iter().filter(|name| !base.contains_key(*name));
        let parts: Vec<String> = names
            .filter_map(|name| match (name.as_str(), cell.parameters.get(name)?) {
                ("workers", _) if cell.placement.pus.len() == 1 => Some("1 worker".to_owned()),
                ("workers", value) => Some(format!("{value} workers")),
                (_, value) => Some(format!("{name}={value}")),
            })
            .collect();
        if parts.is_empty() { String::new() } else { format!(" at {}", parts.join(" and ")) }
    }
}

/// `From 0 % (state=mutex) to 40 % (state=shared-racy) of the values …`.
fn range(cells: &[(&CellSummary, &Estimate)], says: &str) -> String {
    let by = |a: &&(&CellSummary, &Estimate), b: &&(&CellSummary, &Estimate)| a.1.median.total_cmp(&b.1.median);
    let (Some(least), Some(most)) = (cells.iter().min_by(by), cells.iter().max_by(by)) else { return String::new() };
    let (least_share, most_share) = (share_text(least.1), share_text(most.1));
    match cells.len() {
        1 => format!("{most_share} {says} with {}. ", most.0.id),
        n if most.1.median - least.1.median < NOTHING => format!("{most_share} {says} in all {n} cells. "),
        _ => format!("From {least_share} ({}) to {most_share} ({}) {says}. ", least.0.id, most.0.id),
    }
}

fn words_of<'v>(parameters: impl Iterator<Item = (&'v String, &'v hitm_experiment::Value)>) -> String {
    parameters.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" and ")
}
