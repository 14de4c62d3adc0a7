//! The answer to a run's question in one or two sentences, made from its comparisons.

use std::collections::HashMap;

use hitm_experiment::compare::same;
use hitm_experiment::{Manifest, Parameters, Value};

use crate::flag;
use crate::interval::CREDIBLE;
use crate::metric;
use crate::summary::{CellSummary, Comparison, Estimate, Level, Verdict};
use crate::words::{quantity, times};

use order::{is_credible, more_or_less, strongest_of_each, tally};

mod order;
mod reason;

/// How many subjects (values of the baseline's parameters) a sentence names.
const MOST_SUBJECTS: usize = 7;

/// What the answer is made from.
pub(crate) struct Ground<'a> {
    manifest: &'a Manifest,
    cells: &'a [CellSummary],
    by_id: HashMap<&'a str, &'a CellSummary>,
    comparisons: &'a [Comparison],
    levels: &'a [Level],
    level: Option<&'a str>,
    /// What was seen in the values, and the shares asked for; empty where there is neither.
    values: &'a str,
    /// Whether that is what the question is of, so that it is told before the time.
    values_first: bool,
}

impl<'a> Ground<'a> {
    pub fn new(
        manifest: &'a Manifest,
        cells: &'a [CellSummary],
        comparisons: &'a [Comparison],
        levels: &'a [Level],
        level: Option<&'a str>,
        values: &'a str,
        values_first: bool,
    ) -> Self {
        let by_id = cells.iter().map(|cell| (cell.id.as_str(), cell)).collect();
        Ground { manifest, cells, by_id, comparisons, levels, level, values, values_first }
    }

    /// The answer: what the question is of, and then the rest; what is known before what is not.
    pub fn answer(&self) -> String {
        let time = if self.cells.iter().all(|cell| cell.repetitions == 0) {
            format!("{}: no timing trial counts.", self.no_answer())
        } else if self.comparisons.is_empty() {
            self.extremes()
        } else {
            self.costs()
        };
        let known = !time.starts_with(self.no_answer());
        match self.values_first || !known {
            true => format!("{}{time}", self.values),
            false => format!("{time} {}", self.values).trim_end().to_owned(),
        }
    }

    fn no_answer(&self) -> &'static str {
        if self.values.is_empty() { "There is no answer yet" } else { "Of the time there is no answer yet" }
    }

    fn cell(&self, id: &str) -> Option<&CellSummary> {
        self.by_id.get(id).copied()
    }

    /// What the cells with the most workers cost more than their baselines.
    fn costs(&self) -> String {
        let workers = |comparison: &&Comparison| self.cell(&comparison.cell).map_or(0, |cell| cell.placement.pus.len());
        let most = self.comparisons.iter().map(|comparison| workers(&comparison)).max().unwrap_or(0);
        let widest: Vec<&Comparison> = self.comparisons.iter().filter(|one| workers(one) == most).collect();
        let headline: Vec<&Comparison> = widest.iter().copied().filter(|one| self.is_headline(one)).collect();
        let asked = !self.manifest.compare.headline.is_empty() && !headline.is_empty();
        let widest = if asked { headline } else { widest };
        let credible: Vec<&Comparison> = widest.iter().copied().filter(|one| is_credible(one)).collect();
        let plural = if most == 1 { "worker" } else { "workers" };
        let tally = if asked { self.without(&widest) } else { self.tally(&widest) };
        let from = if credible.is_empty() { &widest } else { &credible };
        // Where the definition says which cells the answer is of, they come in its order; else the largest effect first.
        let named =
            if asked && !credible.is_empty() { from.clone() } else { strongest_of_each(from, |one| self.subject(one)) };
        let Some(&first) = named.first() else { return String::new() };
        if !credible.is_empty() {
            let mut sentence = format!("At {most} {plural}{} {}", self.setting(first), self.effect(first));
            for other in named.iter().skip(1).take(MOST_SUBJECTS - 1) {
                let (subject, setting) = (self.subject(other), self.setting_in_brackets(other));
                sentence += &format!("; {subject}{setting} {}", self.size(other));
            }
            let rest = [self.elsewhere(first), tally, self.reason(first)].concat();
            return format!("{sentence}{}.{rest}", self.at_level(first));
        }
        let ratio = times(&first.ratio);
        if widest.iter().all(|one| one.verdict == Verdict::TooFew) {
            return format!(
                "{}: too few pairs at {most} {plural} ({} for {}, {} so far).",
                self.no_answer(),
                first.pairs,
                first.cell,
                ratio.trim_end_matches(" (1 pair)")
            );
        }
        let says = if first.verdict == Verdict::NotKnown { "Not known yet" } else { "No credible change" };
        let of_time = if self.values.is_empty() || first.metric != "time_per_op" { "" } else { " in time" };
        format!(
            "{says}{of_time} at {most} {plural}: {}, the furthest from its baseline, takes {ratio} of its {}{}.{tally}",
            first.cell,
            if first.metric == "time_per_op" { "time" } else { &first.metric },
            self.at_level(first)
        )
    }

    /// Whether a comparison is of the cells that the definition wants the answer of.
    fn is_headline(&self, one: &Comparison) -> bool {
        let cell = self.cell(&one.cell);
        let holds = |(name, value): (&String, &Value)| {
            cell.is_some_and(|cell| cell.parameters.get(name).is_none_or(|own| same(own, value)))
        };
        self.manifest.compare.headline.iter().all(holds)
    }

    /// ` No credible change for state=padded.`; nothing where all changed.
    fn without(&self, all: &[&Comparison]) -> String {
        let named = |verdict: Verdict| -> Vec<String> {
            let of = all.iter().filter(|one| one.verdict == verdict);
            of.map(|one| format!("{}{}", self.subject(one), self.setting_in_brackets(one))).collect()
        };
        let mut text = String::new();
        for (verdict, words) in [
            (
                Verdict::NoCredibleChange,
                if self.values.is_empty() { "No credible change" } else { "No credible change in time" },
            ),
            (Verdict::NotKnown, "Not known yet"),
            (Verdict::TooFew, "Too few pairs"),
        ] {
            let named = named(verdict);
            if !named.is_empty() {
                text += &format!(" {words} for {}.", named.join(", "));
            }
        }
        text
    }

    /// ` Of 8 comparisons there: 5 slower, 3 without credible change.`; nothing for one.
    fn tally(&self, all: &[&Comparison]) -> String {
        if all.len() == 1 {
            return String::new();
        }
        format!(" Of {} comparisons there: {}.", all.len(), tally(all, |one| self.is_damaged(one)))
    }

    /// `112 ns … more`, `3.2 ns … less`; `4.1× …` for other metrics than time.
    fn size(&self, one: &Comparison) -> String {
        let size = if one.metric == "time_per_op" { more_or_less(&one.difference) } else { times(&one.ratio) };
        format!("{size}{}", self.damaged(one))
    }

    /// What must stand beside a gain that is none.
    fn damaged(&self, one: &Comparison) -> &'static str {
        if one.verdict == Verdict::Faster && self.is_damaged(one) { " (with damaged values)" } else { "" }
    }

    fn is_damaged(&self, one: &Comparison) -> bool {
        let flags = self.cell(&one.cell).map_or(&[][..], |cell| &cell.flags);
        flags.iter().any(|flag| flag.name == flag::DAMAGED_VALUES.name)
    }

    /// `one shared state costs 112 ns … more per draw than …, 4.1× …`.
    fn effect(&self, one: &Comparison) -> String {
        let operation = self.cell(&one.cell).map_or("operation", |cell| cell.operation.as_str());
        let (subject, base) = (self.subject(one), self.base());
        let ratio = times(&one.ratio);
        if one.metric == "time_per_op" {
            let size = more_or_less(&one.difference);
            format!("{subject} costs {size} per {operation} than {base}, {ratio}{}", self.damaged(one))
        } else {
            format!("{} of {subject} is {ratio} that of {base}{}", one.metric, self.damaged(one))
        }
    }

    /// The parameters that a cell and its baseline differ in, as the cell has them.
    fn subject(&self, one: &Comparison) -> String {
        let Some(cell) = self.cell(&one.cell) else { return one.cell.clone() };
        let base = &self.manifest.compare.baseline;
        let differ =
            cell.parameters.iter().filter(|(name, value)| base.get(*name).is_some_and(|base| !same(base, value)));
        let words: Vec<String> = differ.map(|(name, value)| format!("{name}={value}")).collect();
        if words.is_empty() { one.cell.clone() } else { words.join(" and ") }
    }

    /// Why the two part; empty where their kernel does not tell.
    fn reason(&self, one: &Comparison) -> String {
        let cells = self.cell(&one.cell).zip(self.cell(&one.baseline));
        let better = one.verdict == Verdict::Faster;
        let reason = cells.and_then(|(cell, base)| reason::Reason::of(self.manifest, [cell, base], better));
        reason.map_or(String::new(), |reason| reason.sentence(&self.subject(one), &self.base()))
    }

    fn base(&self) -> String {
        words(&self.manifest.compare.baseline, |_| true).join(" and ")
    }

    /// The varied parameters that a cell shares with its baseline, workers aside.
    fn shared(&self, one: &Comparison) -> Vec<String> {
        let Some(cell) = self.cell(&one.cell) else { return Vec::new() };
        let base = &self.manifest.compare.baseline;
        let varied = &self.manifest.cells[cell.index].varied;
        words(&cell.parameters, |name| {
            name != "workers" && !base.contains_key(name) && varied.iter().any(|varied| varied == name)
        })
    }

    fn setting(&self, one: &Comparison) -> String {
        self.shared(one).iter().fold(String::new(), |text, word| format!("{text} and {word}"))
    }

    fn setting_in_brackets(&self, one: &Comparison) -> String {
        // What the headline fixes is said once, with the first.
        let fixed: Vec<String> = words(&self.manifest.compare.headline, |_| true);
        let mut shared = self.shared(one);
        shared.retain(|word| !fixed.contains(word));
        if shared.is_empty() { String::new() } else { format!(" ({})", shared.join(", ")) }
    }

    fn at_level(&self, one: &Comparison) -> String {
        match &one.level {
            Some(name) => self.level_phrase(name),
            None if self.levels.is_empty() => String::new(),
            None => " (pairs at all transfer levels together)".to_owned(),
        }
    }

    /// ` At far it is 55 ns … more.`; nothing where it is known at one level only.
    fn elsewhere(&self, one: &Comparison) -> String {
        let others = one.difference_by_level.iter().filter(|(name, _)| Some(name.as_str()) != one.level.as_deref());
        let known = others.filter(|(_, difference)| one.metric == "time_per_op" && difference.coverage >= CREDIBLE);
        known.map(|(name, difference)| format!(" At {name} it is {}.", more_or_less(difference))).collect()
    }

    fn level_phrase(&self, name: &str) -> String {
        let level = self.levels.iter().find(|level| level.name == name);
        let round_trip = level.map(|level| format!("{:.0} ns", level.round_trip.median)).unwrap_or_default();
        match name {
            "one" => format!(" (ping-pong round trip {round_trip})"),
            _ => format!(" (transfer level {name}, ping-pong round trip {round_trip})"),
        }
    }

    /// The ends of the scale, where nothing is compared.
    fn extremes(&self) -> String {
        let name = metric::named(self.manifest, &self.manifest.compare.metric).map(|metric| metric.name.to_string());
        let name = name.unwrap_or_else(|| "time_per_op".to_owned());
        let mut known: Vec<(&CellSummary, &Estimate)> =
            self.cells.iter().filter_map(|cell| Some((cell, cell.metrics.get(&name)?))).collect();
        known.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
        let level = self.level.map(|level| self.level_phrase(level)).unwrap_or_default();
        let what = match (name.as_str(), known.first()) {
            ("time_per_op", Some((cell, _))) => format!("The time per {}", cell.operation),
            _ => name.clone(),
        };
        let missing = match self.cells.len() - known.len() {
            0 => String::new(),
            missing => format!(" {missing} of {} cells have no value.", self.cells.len()),
        };
        let left_out = &self.manifest.left_out;
        let more = match (self.manifest.compare.baseline.is_empty(), left_out.is_empty()) {
            (_, false) => format!(" Left out: {}.", left_out.join("; ")),
            (true, true) => String::new(),
            (false, true) => " Nothing could be compared with a baseline.".to_owned(),
        };
        match known.as_slice() {
            [] => format!("No cell has a {name} at the level that the run is quoted at.{more}"),
            [one] => {
                let by_level = one.0.time_by_level.iter().filter(|(name, _)| Some(name.as_str()) != self.level);
                let elsewhere = by_level.map(|(name, time)| format!(" At {name} it is {}.", quantity(time)));
                let elsewhere: String = if name == "time_per_op" { elsewhere.collect() } else { String::new() };
                format!("{what} is {} with {}{level}.{elsewhere}{missing}{more}", quantity(one.1), one.0.id)
            }
            [least, .., most] => format!(
                "{what} ranges from {} ({}) to {} ({}) over {} cells{level}.{missing}{more}",
                quantity(least.1),
                least.0.id,
                quantity(most.1),
                most.0.id,
                known.len()
            ),
        }
    }
}

fn words(parameters: &Parameters, only: impl Fn(&str) -> bool) -> Vec<String> {
    parameters.iter().filter(|(name, _)| only(name)).map(|(name, value)| format!("{name}={value}")).collect()
}
