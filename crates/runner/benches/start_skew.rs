//! Start skew: how far apart the two workers of a trial begin, over trials like a run's.
//!
//! `cargo bench -p hitm-runner --bench start_skew`

mod common;

use std::process::ExitCode;

use hitm_counters::{Clock, Pass};
use hitm_runner::trial::Trial;
use hitm_runner::{Resolved, event_infos};

use common::percentile;

/// Trials of each row.
const TRIALS: u32 = 200;

/// Everything else is as in any run.
const EXPERIMENT: &str = r#"
question = "How far apart do two workers begin?"
reading = "By the records' start_ticks."
[kernel]
name = "rng/next"
state = "thread-local"
[placement]
policy = "cores"
workers = 2
[measure]
oversubscribe = "refuse"
"#;

fn main() -> ExitCode {
    common::run("start_skew", EXPERIMENT, rows)
}

fn rows(resolved: &Resolved) -> Result<(), String> {
    let clock = Clock::detect();
    let infos = event_infos(&resolved.events);
    let counted = resolved.events.iter().zip(infos).filter(|(_, info)| info.unavailable.is_none());
    let events: Vec<_> = counted.map(|(event, _)| event.clone()).collect();
    println!("{TRIALS} trials on PUs {:?}, clock {}", resolved.cells[0].placement.pus, clock.name());
    println!("{:<20} {:>12} {:>12} {:>12} {:>16}", "", "median, us", "p95, us", "most, us", "later start, us");
    row("no event", resolved, clock, &Pass::default())?;
    row(&format!("{} events", events.len()), resolved, clock, &Pass::of(&events))
}

/// The skew, and how long after the moment that both had agreed on the later one began (median).
fn row(name: &str, resolved: &Resolved, clock: Clock, pass: &Pass) -> Result<(), String> {
    let (mut skews, mut later) = (Vec::new(), Vec::new());
    for repetition in 0..TRIALS {
        let seeds = resolved.seeds(1, 0, repetition);
        let trial = Trial { pass, ..resolved.trial(0, &seeds, clock) };
        let outcome = trial.run().map_err(|error| error.0)?;
        let starts = || outcome.workers.iter().map(|worker| worker.start_ticks);
        let (first, last) = (starts().min().unwrap_or(0), starts().max().unwrap_or(0));
        skews.push(clock.ns(last - first) / 1e3);
        later.push(clock.ns(last) / 1e3);
    }
    let [median, p95, most] = [50, 95, 100].map(|percent| percentile(&mut skews, percent));
    let later = percentile(&mut later, 50);
    println!("{name:<20} {median:>12.2} {p95:>12.2} {most:>12.2} {later:>16.2}");
    Ok(())
}
