//! Cells of the same cores with more and more of their SMT threads.

use super::Offer;
use super::spots::{LeftOut, Spot, Spots};
use crate::experiment::Experiment;
use crate::placement::{ThreadsSpec, Workers};
use crate::problem::Problem;
use crate::value::Value;

/// The cores that have `threads` PUs at least.
fn wide(offer: &Offer, threads: usize) -> impl Iterator<Item = &Vec<u32>> {
    offer.cores.iter().filter(move |core| core.len() >= threads)
}

/// What is asked for and at hand: as many threads as some core has.
fn at_hand<'a>(spec: &'a ThreadsSpec, offer: &'a Offer) -> impl Iterator<Item = usize> + 'a {
    spec.per_core.iter().copied().filter(|threads| wide(offer, *threads).next().is_some())
}

pub(super) fn unfold(spec: &ThreadsSpec, offer: &Offer) -> Spots {
    let mut spots = Spots::default();
    let widest = at_hand(spec, offer).max().unwrap_or(1);
    // All cells have the same cores: those that have the most threads asked for.
    let cores: Vec<&Vec<u32>> = wide(offer, widest).collect();
    let mut numbers = Vec::new();
    for asked in &spec.cores {
        let number = match asked {
            Workers::Exactly(number) => *number,
            Workers::All => cores.len(),
        };
        if number <= cores.len() && !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    for threads in at_hand(spec, offer) {
        for &number in &numbers {
            let pus: Vec<u32> = cores[..number].iter().flat_map(|core| core[..threads].iter().copied()).collect();
            spots.found.push(Spot {
                policy: format!("smt-{threads}"),
                workers: pus.len(),
                pus: Some(pus),
                parameters: vec![
                    ("threads_per_core", Value::Integer(threads as i64)),
                    ("cores", Value::Integer(number as i64)),
                ],
                naming: &["threads_per_core", "cores"],
            });
        }
    }
    let most = offer.cores.iter().map(Vec::len).max().unwrap_or(0);
    for &threads in spec.per_core.iter().filter(|threads| **threads > most) {
        let one = if most == 1 { "thread, so there is no SMT to measure" } else { "threads" };
        let why = format!("no core here has more than {most} {one}");
        spots.left_out.push(LeftOut { parameter: "threads_per_core", value: Value::Integer(threads as i64), why });
    }
    spots
}

pub(super) fn check(experiment: &Experiment, spec: &ThreadsSpec, offer: &Offer) -> Vec<Problem> {
    let mut problems = Vec::new();
    let most = offer.cores.iter().map(Vec::len).max().unwrap_or(0);
    let Some(widest) = at_hand(spec, offer).max() else {
        let told = format!("no core here has more than {most} usable SMT threads");
        let cure = format!("ask for threads_per_core = {most} or fewer, or switch SMT on");
        problems.push(Problem::new(experiment.place("placement.threads_per_core"), told, cure));
        return problems;
    };
    let cores = wide(offer, widest).count();
    for (at, asked) in spec.cores.iter().enumerate() {
        let Workers::Exactly(number) = asked else { continue };
        if *number > cores {
            let told = format!("{number} cores with {widest} threads each are more than the {cores} here");
            let cure = format!("ask for at most {cores}, or for fewer threads of each");
            problems.push(Problem::new(experiment.element("placement.cores", at), told, cure));
        }
    }
    problems
}
