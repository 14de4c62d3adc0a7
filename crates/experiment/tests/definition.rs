//! Definitions: what is refused and where, what overrides do, and that what is run reads back.

use hitm_experiment::manifest::FigureKind;
use hitm_experiment::placement::{Spread, Workers};
use hitm_experiment::{Definition, Experiment, Override, Problem, Value};

const GOOD: &str = r#"question = "What does it cost?"
reading = """
One line,
and another with "quotes" and a \\ in it."""
seed = 7

[kernel]
name = "rng/next"
state = ["shared-racy", "thread-local"]
work = [0, 64]

[placement]
policy = ["cores", "0-1"]
workers = [1, 2, "all"]

[measure]
duration = "40ms"
precision = "1.5%"
events = ["cycles"]

[compare]
baseline = { state = "thread-local" }

[[figure]]
kind = "curve"
title = "Cost"
y = "extra"
x = "work"
series = "state"
only = { work = 64 }
"#;

fn overrides(texts: &[&str]) -> Vec<Override> {
    texts.iter().map(|text| Override::parse(text).unwrap_or_else(|p| panic!("{p}"))).collect()
}

fn read(text: &str, sets: &[&str]) -> Result<Experiment, Vec<Problem>> {
    Definition::read("f.toml", text, &overrides(sets))?.check()
}

fn good(text: &str, sets: &[&str]) -> Experiment {
    read(text, sets).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The problems as `what the span covers: message; cure`.
fn told(text: &str, sets: &[&str]) -> Vec<String> {
    let show = |problem: &Problem| {
        let at = problem.place.span.clone().map_or("-", |span| &text[span]);
        format!("[{at}] {}", Problem { place: Default::default(), ..problem.clone() })
    };
    read(text, sets).err().unwrap_or_default().iter().map(show).collect()
}

#[test]
fn a_whole_definition_is_read() {
    let experiment = good(GOOD, &[]);
    assert_eq!(experiment.question, "What does it cost?");
    assert_eq!(experiment.seed, 7);
    assert_eq!(experiment.kernels[0].parameters[0].name, "state");
    assert_eq!(experiment.kernels[0].parameters[1].values, [Value::Integer(0), Value::Integer(64)]);
    let Spread::Policies { workers, .. } = &experiment.placement.spread else { panic!("{:?}", experiment.placement) };
    assert_eq!(workers[..], [Workers::Exactly(1), Workers::Exactly(2), Workers::All]);
    assert_eq!(experiment.measure.duration_ns, 40_000_000);
    assert_eq!(experiment.measure.warm_up_ns, 2_000_000);
    assert_eq!(experiment.measure.precision, 0.015);
    assert_eq!(experiment.measure.events, ["cycles"]);
    assert_eq!(experiment.compare.metric, "time_per_op");
    assert_eq!(experiment.figures[0].kind, FigureKind::Curve);
}

#[test]
fn the_text_as_run_reads_as_the_same_experiment() {
    assert_eq!(Definition::read("f", GOOD, &[]).unwrap().text_as_run(), GOOD);
    for sets in [&["kernel.work=[8,16]", "measure.budget=90s"][..], &["compare={}", "kernel.padding=\"a b\\n\\\"c\""]] {
        let definition = Definition::read("f.toml", GOOD, &overrides(sets)).unwrap();
        let experiment = definition.check().unwrap();
        let text = definition.text_as_run();
        assert_eq!(good(&text, &[]), experiment, "{text}");
        assert_ne!(experiment, good(GOOD, &[]));
    }
}

#[test]
fn all_problems_are_told_at_once_each_at_its_place() {
    let text = r#"question = ""
redaing = "x"
[kernel]
name = 5
work = [0, "a", 0.5, 3, 3]
state = []
when = 2026-01-02
workers = 2
[placement]
policy = ["cores", "scater", "3-1"]
workers = [0, 2, 2, "many"]
[measure]
duration = 20
batch = "1h"
precision = "60%"
budget = "0s"
min_repetitions = 9
max_repetitions = 3
events = ["cycles", "", "cycles"]
warmup = "1ms"
oversubscribe = "refuze"
[[figure]]
kind = "curv"
"#;
    let told = told(text, &[]);
    let expected = [
        "[2026-01-02] a definition has no use for the date",
        "[-] `reading` is missing",
        "[\"\"] `question` is empty",
        "[redaing] there is no key `redaing`; did you mean `reading`?",
        "[5] `kernel.name` is a string, not an integer",
        "[\"a\"] `work` mixes integers and strings",
        "[0.5] `work` mixes integers and floats",
        "[3] `work` has 3 twice",
        "[[]] `state` has no values",
        "[workers] `workers` is no parameter of a kernel; write it below [placement]",
        "[\"scater\"] there is no placement policy `scater`; did you mean `scatter`?",
        "[\"3-1\"] `3-1` in the PU list runs backwards",
        "[0] there cannot be 0 workers",
        "[2] `workers` has 2 twice",
        "[\"many\"] there cannot be many workers",
        "[20] `measure.duration` is a string, not an integer; write a duration in quotes",
        "[\"1h\"] `measure.batch` cannot be 1h",
        "[\"60%\"] `measure.precision` cannot be 60%; write 0.1% to 50%",
        "[\"0s\"] a budget is the wall-clock time that all trials together may take, and this one is zero",
        "[9] at least 9 and at most 3 repetitions cannot be",
        "[\"\"] an event has no name",
        "[\"cycles\"] the event `cycles` is asked for twice",
        "[warmup] `measure` has no key `warmup`; did you mean `warm_up`?",
        "[\"refuze\"] `measure.oversubscribe` cannot be `refuze`; did you mean `refuse`?",
        "[[[figure]]] `figure.0.title` is missing",
        "[[[figure]]] `figure.0.y` is missing",
        "[[[figure]]] `figure.0.x` is missing",
        "[\"curv\"] `figure.0.kind` cannot be `curv`; did you mean `curve`?",
    ];
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "told {told}\nexpected {expected}");
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
}

#[test]
fn every_problem_of_a_definition_has_its_cure() {
    for text in [
        "",
        "kernel = 3",
        "kernel = []\nfigure = 3\nplacement = 1\nmeasure = \"x\"\ncompare = [1]",
        "[kernel]\nwork = {a = 1}",
    ] {
        for problem in read(text, &[]).unwrap_err() {
            assert!(!problem.cure.is_empty(), "{text}: {problem}");
            assert_eq!(problem.place.source, "f.toml");
        }
    }
}

#[test]
fn an_override_is_told_as_typed() {
    let problems =
        read(GOOD, &["kernel.work=[]", "measure.precison=2%", "measure.budget=0s", "kernel.1.work=3"]).unwrap_err();
    let shown: Vec<String> = problems.iter().map(Problem::to_string).collect();
    for expected in [
        "--set kernel.1.work=3: kernel.1: there is no kernel.1; there is one `kernel`, with index 0",
        "--set kernel.work=[]: kernel.work: `work` has no values",
        "--set measure.precison=2%: measure.precison: `measure` has no key `precison`; did you mean `precision`?",
        "--set measure.budget=0s: measure.budget: a budget is",
    ] {
        assert!(shown.iter().any(|line| line.starts_with(expected)), "{expected}\n{shown:#?}");
    }
    assert_eq!(shown.len(), 4, "{shown:#?}");
}

#[test]
fn an_override_finds_its_kernel() {
    let several = |second: &str| {
        format!(
            "question = \"q\"\nreading = \"r\"\n[[kernel]]\nname = \"a\"\nop = \"add\"\n[[kernel]]\nname = \"b\"\n{second}"
        )
    };
    // Both have the key: it sets both.
    let both = good(&several("op = \"store\""), &["kernel.op=fetch-add"]);
    for kernel in &both.kernels {
        assert_eq!(kernel.parameters[0].values, [Value::from("fetch-add")]);
    }
    // One has it: which one must be said.
    let told = read(&several(""), &["kernel.op=fetch-add"]).unwrap_err();
    assert!(told[0].cure.contains("`kernel.0.op`"), "{}", told[0]);
    let second = good(&several(""), &["kernel.1.op=store"]);
    assert_eq!(second.kernels[0].parameters[0].values, [Value::from("add")]);
    assert_eq!(second.kernels[1].parameters[0].values, [Value::from("store")]);
    // A lone [kernel] is kernel.0 too, and a table that is not there is made.
    assert_eq!(good(GOOD, &["kernel.0.work=3"]), good(GOOD, &["kernel.work=3"]));
    let bare = "question = \"q\"\nreading = \"r\"\nkernel = { name = \"a\" }";
    assert_eq!(good(bare, &["measure.samples=0"]).measure.samples, 0);
    let flag = Override::new("measure.budget", "90s".into(), "--budget 90s");
    assert_eq!(Definition::read("f", bare, &[flag]).unwrap().check().unwrap().measure.budget_ns, 90_000_000_000);
}

#[test]
fn places_are_kept_for_whoever_binds_the_experiment() {
    let experiment = good(GOOD, &["kernel.stride=3"]);
    let text = |path: &str| experiment.place(path).span.map(|span| &GOOD[span]);
    assert_eq!(text("kernel.0.work"), Some("[0, 64]"));
    assert_eq!(text("kernel.work.1"), Some("64"));
    assert_eq!(text("kernel.0.unwritten"), Some("[kernel]"));
    assert_eq!(text("measure.budget"), Some("[measure]"));
    assert_eq!(experiment.place("kernel.0.stride").source, "--set kernel.stride=3");
    assert_eq!(experiment.place("nowhere.at.all").source, "f.toml");
}

#[test]
fn the_ways_of_placing_workers_exclude_each_other() {
    let with = |placement: &str| {
        format!(
            "question = \"q\"\nreading = \"r\"\n[kernel]\nname = \"k\"\n[placement]\n{placement}\n[[figure]]\nkind = \"matrix\"\n"
        )
    };
    let experiment = good(&with("pairs = \"all\""), &[]);
    assert_eq!(experiment.figures[0].title, "q");
    assert_eq!(experiment.figures[0].y, "time_per_op");
    for (placement, cure) in [
        ("pairs = \"all\"\nworkers = 2", "leave `workers` out, or `pairs`"),
        ("pairs = \"all\"\npolicy = \"cores\"", "leave `policy` out, or `pairs`"),
        ("pairs = \"all\"\nthreads_per_core = 2", "leave one of them out"),
        ("pairs = [\"all\", \"same-core\"]", "write \"all\", or relations"),
        ("pairs = \"same-cores\"", "did you mean `same-core`?"),
        ("pairs = []", "write \"all\", or relations"),
        ("pairs = \"all\"\npairs_of_each = 0", "write \"all\", \"budget\""),
        ("pairs = \"all\"\ntogether = [true, true]", "write each once"),
        ("pairs = \"all\"\ntogether = \"yes\"", "write false for one pair at a time"),
        ("together = true", "write `pairs`, or leave it out"),
        ("pairs_of_each = 3", "write `pairs`, or leave it out"),
        ("cores = 3", "write `threads_per_core`, or leave it out"),
        ("threads_per_core = 0", "write whole numbers from 1"),
        ("threads_per_core = [1, 2]\npolicy = \"cores\"", "leave `policy` out, or `threads_per_core`"),
        ("threads_per_core = [1, 2]\ncores = \"some\"", "write whole numbers from 1"),
        ("within = 3", "write what bounds the PUs"),
        ("[measure]\nrequire_pinning = \"yes\"", "write true or false, without quotes"),
        ("policy = \"cores\"", "write pairs = \"all\""),
    ] {
        let told = told(&with(placement), &[]);
        assert!(told.iter().any(|told| told.contains(cure)), "{placement}: {told:#?}");
    }
}
