//! Run against run: what changed is found, what did not is not, and what cannot be compared is told.

use hitm_analysis::Verdict;
use hitm_analysis::runs::{Across, Incomparable, Side, across, within};
use hitm_experiment::manifest::Fact;
use hitm_experiment::{Manifest, Record};

use crate::synthetic::{Made, Noise, cell, compared, manifest};

/// A run of cells `work=0, work=1, …` that take so many nanoseconds, with noise of this spread.
fn run(ns: &[f64], repetitions: u32, spread: f64, noise: &mut Noise) -> (Manifest, Vec<Record>) {
    let cells = (0..ns.len() as i64).map(|work| cell(2, &[("work", work.into())])).collect();
    let mut records = Vec::new();
    for repetition in 0..repetitions {
        for (index, ns) in ns.iter().enumerate() {
            records.push(Made::new(index, repetition, 2, ns * noise.factor(spread)).record(records.len() as u64));
        }
    }
    (manifest(cells), records)
}

fn held(before: &(Manifest, Vec<Record>), after: &(Manifest, Vec<Record>)) -> Result<Across, Incomparable> {
    let side = |name, run: &'_ (Manifest, Vec<Record>)| (name, run.0.clone(), run.1.clone());
    let ((a, m, r), (b, n, s)) = (side("before", before), side("after", after));
    across(Side { name: a, manifest: &m, records: &r }, Side { name: b, manifest: &n, records: &s }, None, 1)
}

#[test]
fn what_changed_is_found_and_what_did_not_is_not() {
    let mut noise = Noise(5);
    let before = run(&[10.0, 20.0, 30.0], 30, 0.02, &mut noise);
    let after = run(&[11.0, 20.0, 24.0], 30, 0.02, &mut noise);
    let found = held(&before, &after).unwrap();
    let verdicts: Vec<Verdict> = found.cells.iter().map(|cell| cell.verdict).collect();
    assert_eq!(verdicts, [Verdict::Slower, Verdict::NoCredibleChange, Verdict::Faster]);
    for (cell, truth) in found.cells.iter().zip([1.1, 1.0, 0.8]) {
        let ratio = cell.ratio.as_ref().unwrap();
        assert!(ratio.low <= truth && truth <= ratio.high && ratio.high - ratio.low < 0.1, "{ratio:?}");
    }
    let mean = found.geometric_mean.as_ref().unwrap();
    assert!((mean.median - (1.1_f64 * 0.8).cbrt()).abs() < 0.02 && mean.low < mean.median, "{mean:?}");
    assert_eq!(held(&before, &after), Ok(found), "seeded");
}

/// Of 60 cells that did not change none is called changed: verdicts are adjusted for their number.
#[test]
fn many_cells_without_a_change_have_none() {
    for seed in 0..5 {
        let mut noise = Noise(seed);
        let ns = vec![10.0; 60];
        let (before, after) = (run(&ns, 20, 0.1, &mut noise), run(&ns, 20, 0.1, &mut noise));
        let found = held(&before, &after).unwrap();
        let changed =
            found.cells.iter().filter(|cell| matches!(cell.verdict, Verdict::Faster | Verdict::Slower)).count();
        assert_eq!(changed, 0, "seed {seed}");
        assert!(found.cells.iter().all(|cell| cell.p.is_none_or(|p| (0.0..=1.0).contains(&p))));
    }
}

/// golang/go#19565: the mean is of what both have, and what only one has is named.
#[test]
fn the_mean_is_of_common_cells_alone() {
    let mut noise = Noise(1);
    let before = run(&[100.0, 10000.0], 10, 0.0, &mut noise);
    let after = run(&[100.0], 10, 0.0, &mut noise);
    let found = held(&before, &after).unwrap();
    assert_eq!(found.geometric_mean.as_ref().unwrap().median, 1.0);
    assert_eq!((found.cells.len(), found.only_before.len(), found.only_after.len()), (1, 1, 0));
    let mut other = run(&[100.0], 10, 0.0, &mut noise);
    other.0.cells[0].parameters.insert("work".into(), 77.into());
    assert_eq!(held(&before, &other), Err(Incomparable::NothingInCommon));
}

#[test]
fn too_little_is_told_and_nothing_is_divided_by_zero() {
    let mut noise = Noise(2);
    let few = held(&run(&[10.0], 2, 0.1, &mut noise), &run(&[20.0], 2, 0.1, &mut noise)).unwrap();
    assert_eq!((few.cells[0].verdict, few.cells[0].p), (Verdict::TooFew, None));
    let mut idle = run(&[10.0], 10, 0.0, &mut noise);
    for worker in idle.1.iter_mut().flat_map(|record| &mut record.workers) {
        worker.operations = 0;
        worker.stretches.iter_mut().for_each(|stretch| stretch.operations = 0);
    }
    let mut some = run(&[10.0], 10, 0.0, &mut noise);
    (idle.0.compare.metric, some.0.compare.metric) = ("throughput".into(), "throughput".into());
    let found = held(&idle, &some).unwrap();
    assert_eq!(
        (found.cells[0].ratio.clone(), found.cells[0].verdict, found.geometric_mean.clone()),
        (None, Verdict::NotKnown, None)
    );
    let json = serde_json::to_string(&[found, held(&some, &idle).unwrap()]).unwrap();
    assert!(!json.contains("NaN") && !json.contains("inf"), "{json}");
}

#[test]
fn what_differs_besides_is_told() {
    let mut noise = Noise(3);
    let (mut before, mut after) = (run(&[10.0], 8, 0.0, &mut noise), run(&[10.0], 8, 0.0, &mut noise));
    assert!(held(&before, &after).unwrap().differs.is_empty());
    let fact = |value: &str| vec![Fact { name: "cpu model".into(), value: value.into() }];
    (before.0.machine, after.0.machine) = (fact("POWER8"), fact("EPYC"));
    after.0.measure.duration_ns *= 2;
    let differs = held(&before, &after).unwrap().differs;
    assert!(differs[0].contains("POWER8, then EPYC") && differs[1].contains("duration"), "{differs:?}");
}

/// A run of another release knows a parameter more.
#[test]
fn cells_are_matched_by_what_both_know() {
    let mut noise = Noise(4);
    let (before, mut after) = (run(&[10.0, 20.0], 8, 0.0, &mut noise), run(&[10.0, 20.0], 8, 0.0, &mut noise));
    for cell in &mut after.0.cells {
        cell.parameters.insert("engine".into(), "model".into());
    }
    assert_eq!(held(&before, &after).unwrap().cells.len(), 2);
    // Where the new one varies, no cell is the same.
    let twice: Vec<_> = after.0.cells.clone();
    after.0.cells.extend(twice.into_iter().map(|mut cell| {
        cell.parameters.insert("engine".into(), "rocksdb".into());
        cell
    }));
    assert_eq!(held(&before, &after), Err(Incomparable::NothingInCommon));
}

#[test]
fn a_baseline_among_the_cells_can_be_another() {
    let cells = ["packed", "padded", "local"].map(|state| cell(2, &[("state", state.into())]));
    let manifest = compared(manifest(cells.to_vec()), "state", "local");
    let mut noise = Noise(6);
    let mut records = Vec::new();
    for repetition in 0..20 {
        for (index, ns) in [30.0, 10.0, 10.0].into_iter().enumerate() {
            records.push(Made::new(index, repetition, 2, ns * noise.factor(0.02)).record(records.len() as u64));
        }
    }
    let side = Side { name: "run", manifest: &manifest, records: &records };
    let own = within(side, None, None).unwrap();
    assert_eq!((own.before.as_str(), own.cells.len(), own.paired), ("state=local", 2, true));
    assert_eq!(
        own.cells.iter().map(|cell| cell.verdict).collect::<Vec<_>>(),
        [Verdict::Slower, Verdict::NoCredibleChange]
    );
    let other = within(side, Some(&[("state".to_owned(), "packed".into())].into()), Some("throughput")).unwrap();
    assert!(other.more_is_better && other.cells.iter().all(|cell| cell.verdict == Verdict::Faster), "{other:?}");
    assert_eq!(within(side, Some(&Default::default()), None), Err(Incomparable::NoBaseline { ambiguous: 0 }));
    assert!(matches!(within(side, None, Some("speed")), Err(Incomparable::NoMetric(name)) if name == "speed"));
}
