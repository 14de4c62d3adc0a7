//! What was seen in the values is told before the time, whatever is known of that.

use hitm_analysis::{observed, summarize};
use hitm_experiment::manifest::{FigureKind, FigureSpec};
use hitm_experiment::record::{Observation, Purpose, Record};
use hitm_experiment::{Manifest, Parameters};

use crate::synthetic::{Made, cell, compared, manifest};

fn figure(y: &str) -> FigureSpec {
    let text = |text: &str| text.to_owned();
    FigureSpec {
        kind: FigureKind::Bars,
        title: text("What do they draw?"),
        y: text(y),
        x: text("seeding"),
        series: String::new(),
        panel: String::new(),
        only: Parameters::new(),
    }
}

/// `seeding=none` and `per-worker` with 1 and 2 workers; the second cells draw alike where nobody seeded them.
fn seeded() -> Manifest {
    let cells = [("none", 1), ("none", 2), ("per-worker", 1), ("per-worker", 2)];
    let cells = cells.map(|(seeding, workers)| cell(workers, &[("seeding", seeding.into())]));
    compared(manifest(cells.to_vec()), "seeding", "per-worker")
}

fn observe(records: &mut Vec<Record>, cell: usize, workers: usize, seen: &[(&str, u64)]) {
    let mut record = Made::new(cell, 0, workers, 10.0).record(records.len() as u64);
    record.purpose = Purpose::Observation;
    let observation = |(name, count): &(&str, u64)| Observation { name: (*name).to_owned(), count: *count, of: 1000 };
    record.observations = seen.iter().map(observation).collect();
    records.push(record);
}

fn lockstep(records: &mut Vec<Record>) {
    for (cell, workers, share) in [(0, 1, 0), (1, 2, 1000), (2, 1, 0), (3, 2, 0)] {
        observe(records, cell, workers, &[("lockstep", share), ("drawn-by-several-workers", share), ("stuck", 0)]);
    }
}

fn times(records: &mut Vec<Record>, repetitions: u32, times: [f64; 4]) {
    for repetition in 0..repetitions {
        for (cell, ns) in times.into_iter().enumerate() {
            Made::new(cell, repetition, cell % 2 + 1, ns).into(records);
        }
    }
}

const TOLD: &str = "100 % of the draws are another worker's too, at the same place (lockstep) with seeding=none at 2 workers \
                    (0 % with seeding=per-worker). ";

#[test]
fn the_damage_comes_first_and_needs_no_pair() {
    let mut manifest = seeded();
    let mut records = vec![];
    lockstep(&mut records);
    let alone = summarize(&manifest, &records).answer;
    assert!(alone.starts_with(TOLD) && alone.contains("Of the time there is no answer yet"), "{alone}");
    times(&mut records, 1, [10.0, 5.0, 10.0, 10.0]);
    let one = summarize(&manifest, &records).answer;
    let few = "Of the time there is no answer yet: too few pairs at 2 workers (1 for seeding=none,workers=2, 0.5000× so far).";
    assert_eq!(one, format!("{TOLD}{few}"));
    times(&mut records, 12, [10.0; 4]);
    let same = summarize(&manifest, &records).answer;
    assert!(same.starts_with(&format!("{TOLD}No credible change in time at 2 workers: ")), "{same}");
    // What the figures are of comes first, and what is not there is told where they are of it.
    manifest.figures = vec![figure("time_per_op"), figure("stuck"), figure("drawn-by-several-workers")];
    let asked = summarize(&manifest, &records).answer;
    let start = "0 % of the workers draw one number for ever (stuck) in all 4 cells. 100 % of the values are drawn by several workers with \
                 seeding=none at 2 workers (0 % with seeding=per-worker). No";
    assert!(asked.starts_with(start), "{asked}");
}

#[test]
fn what_is_faster_with_damaged_values_is_no_winner() {
    let manifest = seeded();
    let mut records = vec![];
    lockstep(&mut records);
    times(&mut records, 12, [10.0, 5.0, 10.0, 10.0]);
    let summary = summarize(&manifest, &records);
    let has = |cell: usize| summary.cells[cell].flags.iter().any(|flag| flag.name == "damaged-values");
    assert_eq!([0, 1, 2, 3].map(has), [false, true, false, false]);
    assert!(
        summary.answer.contains(" less per draw than seeding=per-worker, 0.5000× (with damaged values)"),
        "{}",
        summary.answer
    );
}

#[test]
fn values_that_are_like_the_baselines_are_no_damage() {
    let manifest = seeded();
    let mut records = vec![];
    for (cell, workers) in [(0, 1), (1, 2), (2, 1), (3, 2)] {
        observe(&mut records, cell, workers, &[("drawn-by-several-workers", 400), ("hottest-key", 130)]);
    }
    times(&mut records, 12, [10.0; 4]);
    let answer = summarize(&manifest, &records).answer;
    assert!(answer.starts_with("No credible change at 2 workers"), "{answer}");
    // Asked for, it is told all the same.
    let asked = Manifest { figures: vec![figure("hottest-key")], ..manifest };
    let answer = summarize(&asked, &records).answer;
    let start =
        "13 % of the draws fall on the hottest key with seeding=none at 2 workers (as with seeding=per-worker). ";
    assert!(answer.starts_with(start), "{answer}");
}

#[test]
fn without_a_baseline_the_ends_are_told_and_stuck_workers_always() {
    let mut manifest = seeded();
    manifest.compare.baseline.clear();
    let mut records = vec![];
    for (cell, workers, stuck) in [(0, 1, 1000), (1, 2, 500), (2, 1, 0), (3, 2, 0)] {
        observe(&mut records, cell, workers, &[("stuck", stuck), ("lockstep", stuck / 2)]);
    }
    times(&mut records, 12, [10.0; 4]);
    let start = "From 0 % (seeding=per-worker,workers=1) to 100 % (seeding=none,workers=1) of the workers draw one number for ever (stuck).";
    let answer = summarize(&manifest, &records).answer;
    assert!(answer.contains(start), "{answer}");
    manifest.figures = vec![figure("lockstep")];
    let answer = summarize(&manifest, &records).answer;
    assert!(answer.starts_with("From 0 % (") && answer.contains(start), "{answer}");
}

#[test]
fn everything_that_is_counted_has_one_entry() {
    for observed in &observed::TABLE {
        assert_eq!(observed::TABLE.iter().filter(|other| other.name == observed.name).count(), 1, "{}", observed.name);
        assert!(observed.says.starts_with("of the ") && !observed.meaning.ends_with('.'), "{}", observed.name);
    }
}

#[test]
fn the_share_of_a_part_is_told_of_the_baselines_in_pairs_of_one_block() {
    let (states, works) = (["shared", "local"], [0, 64, 256]);
    let cells =
        states.iter().flat_map(|state| works.map(|work| cell(2, &[("state", (*state).into()), ("work", work.into())])));
    let mut manifest = compared(manifest(cells.collect()), "state", "local");
    let mut records = vec![];
    for repetition in 0..12 {
        // The machine slows down by a half meanwhile; within a block nothing changes.
        let drift = 1.0 + 0.5 * f64::from(repetition) / 12.0;
        for (cell, ns) in [70.0, 90.0, 130.0, 10.0, 40.0, 100.0].into_iter().enumerate() {
            Made::new(cell, repetition, 2, ns * drift).into(&mut records);
        }
    }
    assert!(summarize(&manifest, &records).shares.is_empty());
    manifest.compare.share_of = "work".into();
    let summary = summarize(&manifest, &records);
    let told: Vec<_> = summary.shares.iter().map(|one| (one.cell.as_str(), one.part.as_str(), one.pairs)).collect();
    let part = "state=local,work=0,workers=2";
    assert_eq!(told, [("state=local,work=64,workers=2", part, 12), ("state=local,work=256,workers=2", part, 12)]);
    for (share, value) in summary.shares.iter().zip([0.25, 0.1]) {
        assert!((share.share.median - value).abs() < 1e-3 && share.share.high - share.share.low < 1e-3, "{share:?}");
    }
    let answer = &summary.answer;
    let start = "At work=0 a draw takes 25 % [25 … 25] of its time at work=64 and 10 % [10 … 10] of its time at work=256 (state=local, workers=2). At 2 workers";
    assert!(
        answer.starts_with(start) || answer.starts_with(&start.replace(" [25 … 25]", "").replace(" [10 … 10]", "")),
        "{answer}"
    );
    // What the first figure is of comes first.
    observe(&mut records, 0, 2, &[("stuck", 500)]);
    observe(&mut records, 3, 2, &[("stuck", 0)]);
    assert!(summarize(&manifest, &records).answer.starts_with("50 % of the workers draw one number"));
    manifest.figures = vec![figure("share")];
    assert!(summarize(&manifest, &records).answer.starts_with("At work=0 a draw takes 25 %"));
    // Without a baseline of that kind all cells have one.
    manifest.compare.baseline.clear();
    assert_eq!(summarize(&manifest, &records).shares.len(), 4);
    let few: Vec<Record> = records[..12].to_vec();
    assert!(!summarize(&manifest, &few).answer.contains("At work=0"), "two pairs are no interval");
}
