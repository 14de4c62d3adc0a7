//! What counting costs: the empty kernel's rate with events and without, and a worker's reads as a share of a trial of 1 ms.
//!
//! `cargo bench -p hitm-runner --bench counting`

mod common;

use std::process::ExitCode;

use hitm_counters::{Clock, Pass, ThreadEvents, read_cost};
use hitm_runner::trial::Trial;
use hitm_runner::{Resolved, event_infos};

use common::percentile;

/// Pairs of trials, one with events and one without, in turn.
const PAIRS: u32 = 400;

/// The shortest trials that there are, where counting weighs most.
const EXPERIMENT: &str = r#"
question = "What does counting cost?"
reading = "By the rates with and without."
[kernel]
name = "overhead/empty"
[placement]
policy = "cores"
workers = 1
[measure]
duration = "1ms"
warm_up = "500us"
"#;

fn main() -> ExitCode {
    common::run("counting", EXPERIMENT, rows)
}

fn rows(resolved: &Resolved) -> Result<(), String> {
    let clock = Clock::detect();
    let infos = event_infos(&resolved.events);
    let counted = resolved.events.iter().zip(infos).filter(|(_, info)| info.unavailable.is_none());
    let pass = Pass::of(&counted.map(|(event, _)| event.clone()).collect::<Vec<_>>());
    let names: Vec<&str> = pass.events.iter().map(hitm_counters::Event::name).collect();
    println!("{} events: {}", names.len(), names.join(", "));

    let mut opened = ThreadEvents::open(&pass, None);
    opened.enable();
    let read = read_cost(&mut opened, &clock);
    drop(opened);
    println!("a read of all: {read:.0} ns; two of them are {:.3} % of a trial of 1 ms", 2.0 * read / 1e6 * 100.0);

    let (mut ratios, mut with, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        let first = pair % 2 == 0;
        let one = rate(resolved, clock, pair, if first { &pass } else { &NOTHING })?;
        let other = rate(resolved, clock, pair, if first { &NOTHING } else { &pass })?;
        let (counting, plain) = if first { (one, other) } else { (other, one) };
        ratios.push(counting / plain);
        with.push(counting);
        without.push(plain);
    }
    let [low, median, high] = [25, 50, 75].map(|percent| percentile(&mut ratios, percent));
    println!(
        "rate of the empty kernel with them / without: {median:.4}, quartiles {low:.4} … {high:.4}, {PAIRS} pairs"
    );
    let best = percentile(&mut with, 100) / percentile(&mut without, 100);
    println!("best of all with / best of all without: {best:.4}");
    Ok(())
}

static NOTHING: Pass = Pass { events: Vec::new(), companions: Vec::new(), multiplex: false };

/// Operations a nanosecond.
fn rate(resolved: &Resolved, clock: Clock, repetition: u32, pass: &Pass) -> Result<f64, String> {
    let seeds = resolved.seeds(1, 0, repetition);
    let outcome = Trial { pass, ..resolved.trial(0, &seeds, clock) }.run().map_err(|error| error.0)?;
    let worker = outcome.workers.first().ok_or("no worker")?;
    Ok(worker.operations as f64 / clock.ns(worker.end_ticks.saturating_sub(worker.start_ticks)))
}
