//! Trials that run at the same time: each has its arena, its workers and its verification, and all start as one.

use hitm_counters::{Clock, Vocabulary};
use hitm_experiment::manifest::Build;
use hitm_experiment::plan::Offer;
use hitm_experiment::record::{Record, Verification};
use hitm_experiment::run::RunError;
use hitm_experiment::{Definition, Experiment};
use hitm_kernels::Registry;
use hitm_machine::{Input, discover};
use hitm_runner::trial::{Seeds, Trial};
use hitm_runner::{Interrupt, Progress, Resolved, Session, Setup, State, resolve};

fn experiment(body: &str) -> Experiment {
    let text = format!(
        "question = \"q\"\nreading = \"r\"\n{body}\n[measure]\nduration = \"40ms\"\nwarm_up = \"500us\"\nbatch = \"50us\"\n\
         min_repetitions = 2\nmax_repetitions = 2\nretries = \"0%\"\nevents = []\nsamples = 0\n"
    );
    Definition::read("f", &text, &[]).and_then(|read| read.check()).unwrap()
}

fn resolved(body: &str) -> Resolved {
    let topology = discover(&Input::This).unwrap();
    resolve(experiment(body), &Registry::built_in(), topology, Vocabulary::here())
        .unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[test]
fn each_trial_has_its_own_arena_and_workers() {
    let resolved = resolved(
        "[kernel]\nname = \"sharing/one-counter\"\nop = \"fetch-add\"\nwork = [0, 8]\n[placement]\nworkers = [1, 2]",
    );
    let clock = Clock::detect();
    let seeds: Vec<Seeds> = (0..resolved.cells.len()).map(|cell| resolved.seeds(1, cell, 0)).collect();
    let trials: Vec<Trial<'_>> =
        seeds.iter().enumerate().map(|(cell, seeds)| resolved.trial(cell, seeds, clock)).collect();
    assert_eq!(trials.len(), 4);
    let outcomes = Trial::together(&trials).unwrap();
    for (trial, outcome) in trials.iter().zip(&outcomes) {
        // An arena that another trial's workers had touched would not be exact.
        assert_eq!(outcome.verification, Verification::Exact);
        let pus: Vec<u32> = outcome.workers.iter().map(|worker| worker.pu).collect();
        assert_eq!(pus, trial.placement.pus);
    }
    assert!(outcomes.iter().flat_map(|outcome| &outcome.workers).any(|worker| worker.operations > 0));
}

struct Nobody;

impl Progress for Nobody {
    fn trial(&mut self, _: &State, _: &Record) {}
    fn block(&mut self, _: &State) {}
}

fn run(resolved: &Resolved, records: &mut Vec<Record>) {
    let clock = Clock::detect();
    let build = Build {
        version: String::new(),
        commit: String::new(),
        compiler: String::new(),
        target: String::new(),
        profile: String::new(),
        flags: String::new(),
        target_features: Vec::new(),
    };
    let setup = Setup { name: "t".to_owned(), seed: 1, command: vec![], build };
    let manifest = hitm_runner::manifest(resolved, clock, setup, &Interrupt::default()).unwrap();
    let mut nowhere = |_: &Record| -> Result<(), RunError> { Ok(()) };
    Session::new(resolved, &manifest, &mut nowhere, records, clock).run(&Interrupt::default(), &mut Nobody).unwrap();
}

/// On whatever pairs this machine has: a record for every cell and repetition, with how many ran beside it; a resumed run makes only
/// what is missing.
#[test]
fn pairs_alone_and_together_are_all_recorded_and_resumed() {
    let topology = discover(&Input::This).unwrap();
    if topology.allowed().len() < 2 {
        eprintln!("one PU only: no pairs");
        return;
    }
    let resolved = resolved(
        "[kernel]\nname = \"latency/ping-pong\"\n[placement]\npairs = \"all\"\npairs_of_each = 6\ntogether = [false, true]",
    );
    let mut records = Vec::new();
    run(&resolved, &mut records);
    let key = |record: &Record| (record.cell, record.repetition);
    let mut made: Vec<_> = records.iter().map(key).collect();
    made.sort_unstable();
    let all: Vec<_> =
        (0..resolved.cells.len()).flat_map(|cell| (0..2).map(move |repetition| (cell, repetition))).collect();
    assert_eq!(made, all);
    let together = |cell: usize| resolved.cells[cell].planned.parameters["together"] == true.into();
    for record in &records {
        assert!(together(record.cell) || record.beside == 0);
        let round: Vec<_> =
            records.iter().filter(|other| other.before == record.before && other.after == record.after).collect();
        assert_eq!(round.len() as u32, record.beside + 1);
    }
    let numbers: Vec<u64> = records.iter().map(|record| record.trial).collect();
    assert!(numbers.into_iter().eq(0..records.len() as u64));

    let kept = records.len() - 1;
    records.truncate(kept);
    run(&resolved, &mut records);
    assert_eq!(records.len(), kept + 1);
    assert_eq!(records[kept].trial, kept as u64);
}

#[test]
fn an_offer_of_cores_tells_pairs_of_one_core_from_others() {
    let offer = Offer::of_cores([vec![0, 4], vec![1]]);
    let relations: Vec<_> = offer.pairs.iter().map(|pair| (pair.pus, pair.relation.as_str())).collect();
    assert_eq!(relations, [([0, 1], "same-machine"), ([0, 4], "same-core"), ([1, 4], "same-machine")]);
}
