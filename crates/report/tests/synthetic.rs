//! The made-up run that is committed is what its generator makes, and says everywhere that it is made up.

mod support;

use std::path::Path;

use hitm_analysis::{Explained, Standing, summarize};
use hitm_experiment::run::read_run;
use hitm_report::{Extra, figures, html, readme};
use support::counters::{TRANSFER_NS, synthetic_counters, truth};

#[test]
fn the_committed_run_is_what_the_generator_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/synthetic-counters");
    let run = read_run(&folder).unwrap();
    let (manifest, records) = synthetic_counters();
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    let again = "cargo run -p hitm-report --example synthetic-counters -- FOLDER";
    assert!(run.manifest == manifest && run.records == records, "make it again: {again}");
}

#[test]
fn it_shows_an_explanation_and_never_pretends() {
    let (manifest, records) = synthetic_counters();
    let summary = summarize(&manifest, &records);
    let explanation = summary.explanation.as_ref().unwrap();
    assert_eq!((explanation.verdict, explanation.event.as_deref()), (Explained::Explained, Some("store-transfer")));
    let standing = |name: &str| explanation.of(name).unwrap().standing;
    assert_eq!(standing("memory-ordering-clears"), Standing::UnverifiedZero);
    assert_eq!(standing("load-transfer-remote"), Standing::Absent);
    let figures = figures(&summary, &manifest);
    assert!(!figures.is_empty() && figures.iter().all(|figure| figure.svg.contains("SYNTHETIC")));
    for text in [readme(&summary, &manifest), html(&summary, &manifest, &figures, &Extra::default())] {
        assert!(text.matches("SYNTHETIC").count() >= 2 && text.contains("No machine was measured"));
    }
}

/// What is proportional to an event goes into its cost: the truth lies below what is found, and the reading has both.
#[test]
fn the_truth_stands_beside_the_finding_and_below_it() {
    let (manifest, records) = synthetic_counters();
    let summary = summarize(&manifest, &records);
    let found = summary.explanation.as_ref().unwrap().of("store-transfer").unwrap();
    let (cost, share) = (found.cost.as_ref().unwrap(), found.share.as_ref().unwrap());
    let truth = truth(&manifest.cells);
    assert!(cost.low > TRANSFER_NS && share.low > truth, "{cost:?} {share:?} {truth}");
    for number in [TRANSFER_NS, cost.median, truth * 100.0, share.median * 100.0] {
        assert!(manifest.reading.contains(&format!(" {number:.0} ")), "{number} in {}", manifest.reading);
    }
    assert!(readme(&summary, &manifest).ends_with("-- FOLDER\n\nwith seed 1.\n\n"));
    // Its events and its records agree on how often workers gave up their PU.
    for worker in records.iter().flat_map(|record| &record.workers) {
        let switches = worker.voluntary_switches.unwrap() + worker.involuntary_switches.unwrap();
        assert_eq!(worker.events["context-switches"].value, switches);
    }
}
