//! Faults of every stage come in one go, and none that only follows from another.

use hitm_experiment::plan::{KernelPlaces, Offer};
use hitm_experiment::{Definition, Override, Parameters, Problem};

/// A kernel `k` with `stride` (8 to 512, default 64) and `work` (default 0).
fn fill(kernel: &str, given: &Parameters, places: &KernelPlaces<'_>) -> Result<Parameters, Vec<Problem>> {
    if kernel != "k" {
        return Err(vec![Problem::new(places.name(), "there is no such kernel", "write k")]);
    }
    let mut all: Parameters = [("stride".to_owned(), 64.into()), ("work".to_owned(), 0.into())].into();
    let mut problems = Vec::new();
    for (name, value) in given {
        if !["stride", "work"].contains(&name.as_str()) {
            problems.push(Problem::new(places.parameter(name), format!("no parameter {name}"), "leave it out"));
            continue;
        }
        let fits = match name.as_str() {
            "stride" => value.as_number().is_some_and(|stride| (8.0..=512.0).contains(&stride)),
            _ => true,
        };
        if !fits {
            problems.push(Problem::new(places.parameter(name), format!("{name} = {value} cannot be"), "change it"));
        }
        all.insert(name.clone(), value.clone());
    }
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

/// All that is wrong with a definition on two PUs, by path.
fn all_wrong(text: &str, sets: &[&str]) -> Vec<String> {
    let sets: Vec<Override> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
    let (experiment, mut problems) = Definition::read("f.toml", text, &sets).unwrap().check_all();
    let (_, more) = experiment.plan_all(&Offer::of_cores([vec![0], vec![1]]), &fill);
    problems.extend(more);
    problems.into_iter().map(|problem| problem.place.path).collect()
}

#[test]
fn faults_of_every_stage_are_told_in_one_go() {
    let text = r#"question = "q"
when = 2026-01-02
[kernel]
name = "k"
wrok = [0, 64]
stride = [8, 1024]
[placement]
policy = "scater"
[measure]
budgt = "3s"
[compare]
baseline = { strid = 8 }
headline = { wrok = 64 }
[[figure]]
kind = "curv"
title = "t"
y = "time_per_op"
x = "strude"
seris = "work"
only = { stride = 1024, work = 64 }
"#;
    let expected = [
        "when",
        "kernel.1",
        "reading",
        "when",
        "placement.policy",
        "measure.budgt",
        "figure.0.kind",
        "figure.0.seris",
        "kernel.stride.1",
        "kernel.wrok.0",
        "compare.baseline.strid",
        "compare.headline.wrok",
        "figure.0.x",
    ];
    let mut told = all_wrong(text, &["kernel.1.work=3"]);
    told.sort();
    let mut expected = expected.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(told, expected);
}

#[test]
fn what_may_only_follow_from_another_fault_is_not_told() {
    let with = |kernel: &str, rest: &str| format!("question = \"q\"\nreading = \"r\"\n[kernel]\n{kernel}\n{rest}");
    let figure = "\n[[figure]]\nkind = \"bars\"\ntitle = \"t\"\ny = \"extra\"\nx = \"work\"\n";
    let values = format!("{:?}", (8..1008).collect::<Vec<u32>>());
    for (text, expected) in [
        // An unknown kernel may have any parameter and any default.
        (
            with("name = \"l\"", &format!("[compare]\nbaseline = {{ state = 3 }}{figure}only = {{ other = 3 }}")),
            "kernel.name",
        ),
        (with("name = 3", &format!("[compare]\nbaseline = {{ state = 3 }}{figure}")), "kernel.name"),
        // A mistyped parameter may be the one whose value is not there, and a refused one has any values.
        (with("name = \"k\"\nwrok = 64", "[compare]\nbaseline = { work = 64 }"), "kernel.wrok"),
        (with("name = \"k\"\nwork = []", "[compare]\nbaseline = { work = 64 }"), "kernel.work"),
        // A placement that was refused may have been of pairs, and says nothing of the workers.
        (
            with(
                "name = \"k\"",
                "[placement]\npairs = \"same-cor\"\n[compare]\nheadline = { pus = \"0+1\" }\n[[figure]]\nkind = \"matrix\"",
            ),
            "placement.pairs",
        ),
        (with("name = \"k\"", "[placement]\nworkers = 0\n[compare]\nbaseline = { workers = 1 }"), "placement.workers"),
        // The limits of one setting by another, where the other was refused.
        (with("name = \"k\"", "[measure]\nduration = \"60\"\nbatch = \"8ms\""), "measure.duration"),
        (with("name = \"k\"", "[measure]\nmin_repetitions = \"1\"\nmax_repetitions = 3"), "measure.min_repetitions"),
        // More combinations than can be, twins that make a baseline ambiguous.
        (
            with(
                &format!("name = \"k\"\nwork = {values}\nstride = {values}"),
                "[placement]\nworkers = [1, 2]\n[compare]\nbaseline = { workers = 1 }",
            ),
            "kernel",
        ),
        (
            with(
                "name = \"k\"\n[[kernel]]\nname = \"k\"",
                "[placement]\nworkers = [1, 2]\n[compare]\nbaseline = { workers = 1 }",
            )
            .replacen("[kernel]", "[[kernel]]", 1),
            "kernel.1",
        ),
    ] {
        assert_eq!(all_wrong(&text, &[]), [expected], "{text}");
    } // Names are bound all the same.
    let text = with(&format!("name = \"k\"\nwork = {values}\nstride = {values}"), &figure.replace("work", "wrok"));
    assert_eq!(all_wrong(&text, &["placement.workers=[1,2]"]), ["kernel", "figure.0.x"]);
}
