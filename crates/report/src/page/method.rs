//! The tables at the page's end: how it was measured, what was counted, where it comes from.

use hitm_analysis::explain::is_beside;
use hitm_analysis::{Summary, UNVERIFIED_ZERO};
use hitm_experiment::Manifest;
use hitm_experiment::manifest::{FindingLevel, Stopped};

use crate::names::operation;
use crate::number::{duration, percent, quantity, significant};
use crate::text::clean;

/// A name and what it is.
type Fact = [String; 2];

fn fact(name: &str, value: impl AsRef<str>) -> Fact {
    [name.to_owned(), clean(value.as_ref())]
}

/// The doctor's findings: level, name, what was found, its effect and the cure; the worst first.
pub(crate) fn findings(manifest: &Manifest) -> Vec<[String; 5]> {
    let mut findings: Vec<_> = manifest.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let level = |level| match level {
        FindingLevel::Good => "good",
        FindingLevel::Note => "note",
        FindingLevel::Warning => "warning",
        FindingLevel::Missing => "missing",
    };
    let row = |finding: &&hitm_experiment::manifest::Finding| {
        let [name, found, effect, cure] =
            [&finding.name, &finding.found, &finding.effect, &finding.cure].map(|text| clean(text));
        [level(finding.level).to_owned(), name, found, effect, cure]
    };
    findings.iter().map(row).collect()
}

/// The method's settings.
pub(crate) fn settings(manifest: &Manifest) -> Vec<Fact> {
    let measure = &manifest.measure;
    let repetitions = format!("{} to {}", measure.min_repetitions, measure.max_repetitions);
    let mut facts = vec![
        fact("a trial's timed stretch", duration(measure.duration_ns)),
        fact("warm-up before it", duration(measure.warm_up_ns)),
        fact("batch between two looks at the clock", duration(measure.batch_ns)),
        fact("precision asked for", format!("±{}", percent(measure.precision))),
        fact("budget", duration(measure.budget_ns)),
        fact("repetitions of a cell", repetitions),
        fact("overlap asked of a trial", percent(measure.overlap)),
        fact("re-runs allowed, of all trials", percent(measure.retries)),
    ];
    if measure.samples > 0 {
        facts.push(fact("values kept by a worker in an observation trial", measure.samples.to_string()));
    }
    if !manifest.compare.baseline.is_empty() {
        let baseline: Vec<String> =
            manifest.compare.baseline.iter().map(|(name, value)| format!("{name}={value}")).collect();
        facts.push(fact("baseline", baseline.join(", ")));
        facts.push(fact("metric compared", &manifest.compare.metric));
    }
    facts
}

/// What measuring costs here.
pub(crate) fn overheads(manifest: &Manifest) -> Vec<Fact> {
    let overheads = &manifest.overheads;
    let counters = match overheads.counters_read_ns {
        Some(ns) => quantity(ns, "ns"),
        None => "no events were counted".to_owned(),
    };
    let empty = overheads.empty_operation_ns.map_or("not measured".to_owned(), |ns| quantity(ns, "ns"));
    let calibration = &manifest.calibration;
    let step = match calibration.cycles_per_step {
        Some(cycles) => format!("{} steps of {cycles} cycles ({})", calibration.steps, calibration.source),
        None => format!(
            "{} steps; cycles a step unknown, so none are estimated ({})",
            calibration.steps, calibration.source
        ),
    };
    let clock = &manifest.clock;
    let hz = if clock.hz.is_finite() && clock.hz > 0.0 {
        format!("{:.4} MHz", clock.hz / 1e6)
    } else {
        "unknown rate".to_owned()
    };
    vec![
        fact("clock", format!("{}, {hz} ({})", clock.name, clock.source)),
        fact("one look at the clock", quantity(overheads.clock_read_ns, "ns")),
        fact("smallest step of the clock", quantity(overheads.clock_step_ns, "ns")),
        fact("one operation of the empty kernel", empty),
        fact("one read of a worker's events", counters),
        fact("calibration loop", step),
    ]
}

/// Events: name, state (counted, unverified zero or absent), range over the cells per operation or, of what software counts, per
/// millisecond, meaning and what it must not be taken for.
pub(crate) fn events(summary: &Summary, manifest: &Manifest) -> Vec<[String; 5]> {
    let operation = operation(summary);
    let row = |event: &hitm_experiment::manifest::EventInfo| {
        let beside = is_beside(event);
        let metric = format!("{}_per_{}", event.name, if beside { "ms" } else { "op" });
        // What is counted as a unit needs no name twice.
        let unit = if event.unit.is_empty() { &event.name } else { &event.unit };
        let unit = if beside { format!("{unit} per ms") } else { format!("{unit} per {operation}") };
        let found: Vec<_> = summary.cells.iter().filter_map(|cell| cell.metrics.get(&metric)).collect();
        let medians: Vec<f64> = found.iter().map(|estimate| estimate.median).collect();
        let (low, high) = crate::figure::reach(&medians);
        let never_moved = found.iter().all(|estimate| estimate.high == 0.0 && estimate.median == 0.0);
        let absent = || summary.cells.iter().find_map(|cell| cell.absent.get(&metric));
        let (state, value) = match &event.unavailable {
            Some(why) => {
                let cure = if why.cure.is_empty() { String::new() } else { format!("; cure: {}", why.cure) };
                ("absent", format!("{}{cure}", why.reason))
            }
            None if found.is_empty() && absent().is_some_and(|why| why == UNVERIFIED_ZERO) => {
                ("unverified zero", UNVERIFIED_ZERO.to_owned())
            }
            None if found.is_empty() => ("absent", absent().cloned().unwrap_or_else(|| "no cell has it".to_owned())),
            None if never_moved => ("counted", "0 in every cell".to_owned()),
            None if low == high => ("counted", quantity(low, &unit)),
            None => ("counted", format!("{} to {}", significant(low, 3), quantity(high, &unit))),
        };
        [&event.name, state, &value, &event.meaning, &event.traps].map(clean)
    };
    manifest.events.iter().map(row).collect()
}

/// Where the numbers come from.
pub(crate) fn provenance(manifest: &Manifest) -> Vec<Fact> {
    let build = &manifest.build;
    let commit = if build.commit.is_empty() { String::new() } else { format!(", commit {}", build.commit) };
    let mut facts = vec![
        fact("seed", manifest.seed.to_string()),
        fact("hitm", format!("{}{commit}", build.version)),
        fact("compiler", &build.compiler),
        fact("target", format!("{}, {}", build.target, build.profile)),
        fact("flags", if build.flags.is_empty() { "none" } else { &build.flags }),
        fact("target features", build.target_features.join(" ")),
        fact("line size", format!("{} bytes ({})", manifest.line.bytes, manifest.line.source)),
    ];
    // What is not told, as of a run that no program made, has no line.
    facts.retain(|[_, value]| !value.trim_matches([',', ' ']).is_empty());
    for (number, session) in manifest.sessions.iter().enumerate() {
        let ended = match session.ended_unix_ms {
            Some(ended) => format!("to {}", utc(ended)),
            None => "without an end".to_owned(),
        };
        let why = match session.stopped {
            Some(Stopped::Precision) => "precision reached",
            Some(Stopped::Budget) => "budget used up",
            Some(Stopped::Repetitions) => "all repetitions made",
            Some(Stopped::Interrupted) => "interrupted by a signal",
            Some(Stopped::Failed) => "failed",
            None => "no word of why",
        };
        facts
            .push(fact(&format!("session {}", number + 1), format!("{} {ended}; {why}", utc(session.started_unix_ms))));
    }
    facts
}

/// Milliseconds since the Unix epoch as `2026-11-30 15:40:35 UTC`, by the civil calendar
/// (<https://howardhinnant.github.io/date_algorithms.html#civil_from_days>).
pub(crate) fn utc(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_of_the_civil_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_827_696_000), "2000-02-29 12:34:56 UTC");
        assert_eq!(utc(1_796_053_235_000), "2026-11-30 15:40:35 UTC");
        assert_eq!(utc(4_107_542_399_000), "2100-02-28 23:59:59 UTC");
    }
}
