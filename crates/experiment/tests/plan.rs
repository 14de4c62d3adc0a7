//! Plans: their cells, their counts, their baselines, and what is refused before anything runs.

use std::cell::Cell;

use hitm_experiment::manifest::FigureKind;
use hitm_experiment::plan::{KernelPlaces, Offer, Plan};
use hitm_experiment::{Definition, Experiment, Override, Parameters, Problem, Value};
use proptest::prelude::*;

fn experiment(body: &str) -> Experiment {
    let text = format!("question = \"q\"\nreading = \"r\"\n{body}");
    Definition::read("f.toml", &text, &[]).and_then(|d| d.check()).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn offer(pus: u32) -> Offer {
    Offer::of_cores((0..pus).map(|pu| vec![pu]))
}

fn as_given(_: &str, given: &Parameters, _: &KernelPlaces<'_>) -> Result<Parameters, Vec<Problem>> {
    Ok(given.clone())
}

fn plan(body: &str, pus: u32) -> Plan {
    experiment(body).plan(&offer(pus), &as_given).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn refused(body: &str, pus: u32) -> Vec<String> {
    experiment(body).plan(&offer(pus), &as_given).unwrap_err().iter().map(Problem::to_string).collect()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.cells.iter().map(|cell| cell.id.as_str()).collect()
}

#[test]
fn cells_come_in_the_order_of_their_definition_and_name_what_varies() {
    let body = "[kernel]\nname = \"k\"\nwork = [64, 0]\nstate = [\"a\", \"b\"]\nfixed = 1\n[placement]\nworkers = [1, 2, \"all\"]";
    let found = plan(body, 2);
    assert_eq!(found.cells.len(), 8);
    assert_eq!(
        ids(&found)[..3],
        ["work=64,state=a,workers=1", "work=64,state=a,workers=2", "work=64,state=b,workers=1"]
    );
    assert_eq!(found.cells[7].id, "work=0,state=b,workers=2");
    let cell = &found.cells[0];
    assert_eq!(cell.varied, ["work", "state", "workers"]);
    assert_eq!(cell.parameters["kernel"], Value::from("k"));
    assert_eq!(cell.parameters["placement"], Value::from("cores"));
    assert_eq!(cell.parameters["workers"], Value::Integer(1));
    assert_eq!(cell.parameters["fixed"], Value::Integer(1));
    assert_eq!(cell.kernel_parameters().keys().collect::<Vec<_>>(), ["fixed", "state", "work"]);
    // On a machine of eight, `all` is one more.
    assert_eq!(plan(body, 8).cells.len(), 12);
    assert_eq!(ids(&plan("[kernel]\nname = \"k\"", 4)), ["k"]);
    // All PUs of a list, not of the machine.
    assert_eq!(plan("[kernel]\nname = \"k\"\n[placement]\npolicy = \"1,3\"", 8).cells[0].workers, 2);
}

#[test]
fn pairs_are_cells_of_two_pus() {
    let body = "[kernel]\nname = \"k\"\n[placement]\npairs = \"all\"";
    let experiment = experiment(body);
    let three = Offer::of_cores([vec![0], vec![5, 2]]);
    let found = experiment.plan(&three, &as_given).unwrap();
    assert_eq!(
        ids(&found),
        ["relation=same-machine,pus=0+2", "relation=same-machine,pus=0+5", "relation=same-core,pus=2+5"]
    );
    assert_eq!(found.cells[1].pus, Some(vec![0, 5]));
    assert_eq!(found.cells[1].workers, 2);
    assert_eq!(found.cells[2].parameters["relation"], Value::from("same-core"));
    assert!(refused(body, 1)[0].contains("pairs need two PUs"));
    let many = Offer { pus: (0..4096).collect(), ..Offer::default() };
    assert_eq!(experiment.count(&many), 4096 * 4095 / 2);
}

#[test]
fn pairs_of_a_relation_that_is_not_here_are_left_out_and_a_baseline_with_them() {
    let body = "[kernel]\nname = \"k\"\n[placement]\npairs = [\"same-core\", \"same-machine\"]\npairs_of_each = 1\n\
                [compare]\nbaseline = { relation = \"same-core\" }";
    let smt = experiment(body).plan(&Offer::of_cores([vec![0, 1], vec![2, 3]]), &as_given).unwrap();
    assert_eq!((smt.cells.len(), smt.left_out.len()), (2, 0));
    let [core, machine] = ["same-core", "same-machine"].map(|relation| {
        smt.cells.iter().position(|cell| cell.parameters["relation"] == Value::from(relation)).unwrap()
    });
    // Other PUs are what another relation means.
    assert_eq!((smt.baseline_of(machine), smt.baseline_of(core)), (Some(core), None));
    let none = plan(body, 4);
    assert_eq!((none.cells.len(), none.left_out.len()), (1, 1));
    assert!(none.left_out[0].contains("no two PUs here are same-core"), "{:?}", none.left_out);
    assert!(none.compare.baseline.is_empty() && none.baseline_of(0).is_none());
    let told = refused("[kernel]\nname = \"k\"\n[placement]\npairs = \"shared-l2\"", 4);
    assert!(told[0].contains("no two PUs here are shared-l2") && told[0].contains("same-machine"), "{told:?}");
}

#[test]
fn the_same_cores_are_filled_with_more_and_more_threads() {
    let body = "[kernel]\nname = \"k\"\n[placement]\nthreads_per_core = [1, 2, 4, 8]\ncores = [1, \"all\"]\n\
                [compare]\nbaseline = { threads_per_core = 1 }";
    // Four cores, of which two have four usable threads and one has but one.
    let offer = Offer::of_cores([vec![7], (8..12).collect(), vec![16, 17], (24..28).collect()]);
    let found = experiment(body).plan(&offer, &as_given).unwrap();
    assert_eq!(
        ids(&found),
        [
            "threads_per_core=1,cores=1",
            "threads_per_core=1,cores=2",
            "threads_per_core=2,cores=1",
            "threads_per_core=2,cores=2",
            "threads_per_core=4,cores=1",
            "threads_per_core=4,cores=2"
        ]
    );
    let pus: Vec<_> = found.cells.iter().map(|cell| cell.pus.clone().unwrap()).collect();
    assert_eq!(pus[1], [8, 24]);
    assert_eq!(pus[3], [8, 9, 24, 25]);
    assert_eq!(pus[5], [8, 9, 10, 11, 24, 25, 26, 27]);
    assert_eq!(found.cells[5].workers, 8);
    assert_eq!(found.cells[5].parameters["placement"], Value::from("smt-4"));
    assert_eq!(
        (0..6).map(|cell| found.baseline_of(cell)).collect::<Vec<_>>(),
        [None, None, Some(0), Some(1), Some(0), Some(1)]
    );
    assert!(found.left_out.len() == 1 && found.left_out[0].contains("no core here has more than 4 threads"));

    let without = plan(body, 3);
    assert_eq!(ids(&without), ["cores=1", "cores=3"]);
    assert_eq!(
        without.left_out,
        ["threads_per_core 2, 4, 8 (no core here has more than 1 thread, so there is no SMT to measure)"]
    );
    assert!(refused("[kernel]\nname = \"k\"\n[placement]\nthreads_per_core = 2", 3)[0].contains("switch SMT on"));
    assert!(refused("[kernel]\nname = \"k\"\n[placement]\nthreads_per_core = 1\ncores = 9", 3)[0].contains("9 cores"));
}

#[test]
fn a_million_cells_are_told_and_never_unfolded() {
    let values = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let body: String = (0..12).map(|n| format!("p{n} = [{values}]\n")).collect();
    let experiment = experiment(&format!("[kernel]\nname = \"k\"\n{body}"));
    assert_eq!(experiment.count(&offer(2)), 40u128.pow(12));
    let calls = Cell::new(0);
    let fill = |_: &str, given: &Parameters, _: &KernelPlaces<'_>| {
        calls.set(calls.get() + 1);
        Ok(given.clone())
    };
    let problems = experiment.plan(&offer(2), &fill).unwrap_err();
    // Only to learn its parameters.
    assert_eq!(calls.get(), 1);
    assert!(problems[0].message.contains("16,777,216,000,000,000,000 cells, more than 1,000,000"), "{}", problems[0]);
    assert!(problems[0].message.contains("days"), "{}", problems[0]);
    assert!(problems[0].cure.contains("fewer values"));
}

#[test]
fn a_fault_of_many_cells_is_told_once_at_its_value() {
    let text =
        "question = \"q\"\nreading = \"r\"\n[kernel]\nname = \"k\"\nwork = [0, -1]\nstate = [\"a\", \"b\", \"c\"]";
    let experiment = Definition::read("f.toml", text, &[]).unwrap().check().unwrap();
    let fill = |kernel: &str, given: &Parameters, places: &KernelPlaces<'_>| {
        assert_eq!((kernel, places.name().path.as_str()), ("k", "kernel.name"));
        match given.get("work") {
            None | Some(Value::Integer(0..)) => Ok(given.clone()),
            _ => Err(vec![
                Problem::new(places.parameter("work"), "work is negative", "write 0 or more"),
                Problem::new(places.parameter("unwritten"), "something else", ""),
            ]),
        }
    };
    let problems = experiment.plan(&offer(2), &fill).unwrap_err();
    let spans: Vec<&str> = problems.iter().map(|p| &text[p.place.span.clone().unwrap()]).collect();
    assert_eq!(spans, ["-1", "[kernel]"]);
}

#[test]
fn defaults_count_in_ids_and_baselines() {
    let body = "[[kernel]]\nname = \"counters\"\nstride = [8, 256]\n[[kernel]]\nname = \"one\"\n\
                [placement]\nworkers = [1, 2]\n[compare]\nbaseline = { kernel = \"counters\", stride = 256, op = \"add\" }";
    let fill = |_: &str, given: &Parameters, _: &KernelPlaces<'_>| {
        let mut all = given.clone();
        all.insert("op".into(), "add".into());
        Ok(all)
    };
    let plan = experiment(body).plan(&offer(2), &fill).unwrap();
    assert_eq!(plan.cells[4].id, "kernel=one,workers=1");
    let of: Vec<Option<usize>> = (0..plan.cells.len()).map(|cell| plan.baseline_of(cell)).collect();
    assert_eq!(of, [Some(2), Some(3), None, None, Some(2), Some(3)]);
}

#[test]
fn names_that_bind_to_nothing_are_told_together() {
    let body = "[kernel]\nname = \"k\"\nstate = [\"local\", \"racy\"]\nwork = [0, 1]\n[placement]\npolicy = \"cores\"\n\
                [compare]\nbaseline = { state = \"locl\", wrk = 3 }\n\
                [[figure]]\nkind = \"bars\"\ntitle = \"t\"\ny = \"extra\"\nx = \"stat\"\nonly = { work = 7 }";
    let told = refused(body, 10);
    for expected in [
        "compare.baseline.state: no cell has state = locl; did you mean `local`?",
        "compare.baseline.wrk: no cell has a parameter `wrk`; did you mean `work`?",
        "figure.0.x: no cell has a parameter `stat`; did you mean `state`?",
        "figure.0.only.work: no cell has work = 7; cells have work = 0, 1",
    ] {
        assert!(told.iter().any(|line| line.contains(expected)), "{expected}\n{told:#?}");
    }
}

#[test]
fn a_scatter_plot_has_a_metric_along_its_axis_and_parameters_elsewhere() {
    let figure = |series: &str| {
        let axes = "x = \"store-transfer_per_op\"\ny = \"time_per_op\"";
        format!(
            "[kernel]\nname = \"k\"\nwork = [0, 64]\n[[figure]]\nkind = \"scatter\"\ntitle = \"t\"\n{axes}\nseries = \"{series}\""
        )
    };
    assert_eq!(plan(&figure("work"), 2).figures[0].kind, FigureKind::Scatter);
    assert_eq!(refused(&figure("wrok"), 2).len(), 1);
}

#[test]
fn an_override_may_take_a_headline_and_figures_away() {
    let text = "question = \"q\"\nreading = \"r\"\n[kernel]\nname = \"k\"\nop = \"add\"\nwork = [0, 64]\n\
                [placement]\nworkers = [1, 2]\n[compare]\nheadline = { op = \"add\", work = 64, workers = 2 }\n\
                [[figure]]\nkind = \"bars\"\ntitle = \"a\"\ny = \"extra\"\nx = \"op\"\nonly = { work = 64 }\n\
                [[figure]]\nkind = \"bars\"\ntitle = \"b\"\ny = \"extra\"\nx = \"op\"\nonly = { work = 0 }";
    let plan = |text: &str, sets: &[&str]| {
        let sets: Vec<Override> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
        let experiment = Definition::read("f.toml", text, &sets).and_then(|read| read.check()).unwrap();
        experiment.plan(&offer(2), &as_given)
    };
    let titles = |plan: &Plan| plan.figures.iter().map(|figure| figure.title.clone()).collect::<String>();
    let whole = plan(text, &[]).unwrap();
    assert_eq!((whole.compare.headline.len(), titles(&whole).as_str()), (3, "ab"));
    for set in ["kernel.work=0", "kernel.work.1=7", "kernel={name = k, op = add, work = 0}"] {
        let less = plan(text, &[set]).unwrap_or_else(|problems| panic!("{set}: {problems:#?}"));
        assert_eq!((less.compare.headline.len(), titles(&less).as_str()), (0, "b"), "{set}");
    }
    let less = plan(text, &["placement.workers=1"]).unwrap();
    assert_eq!((less.compare.headline.len(), titles(&less).as_str()), (0, "ab"));
    // What the file itself, or the override itself, has wrong is told.
    for (text, sets, path) in [
        (text.replace("work = 64, w", "work = 65, w"), &[][..], "compare.headline.work"),
        (
            text.replace("work = 64, w", "work = 65, w"),
            &["kernel.op=b", "compare.headline.op=b"],
            "compare.headline.work",
        ),
        (text.to_owned(), &["compare.headline.work=3", "kernel.work=0"], "compare.headline.work"),
        (text.to_owned(), &["figure.1.only={work = 3}", "kernel.work=0"], "figure.1.only.work"),
        (text.replace("work = 64, w", "wrok = 64, w"), &["kernel.work=0"], "compare.headline.wrok"),
    ] {
        let problems = plan(&text, sets).unwrap_err();
        assert_eq!(problems.iter().map(|p| p.place.path.as_str()).collect::<Vec<_>>(), [path], "{sets:?}");
    }
}

#[test]
fn a_headline_is_some_cells() {
    let body =
        "[[kernel]]\nname = \"a\"\nx = 1\n[[kernel]]\nname = \"b\"\ny = 1\n[compare]\nheadline = { x = 1, y = 1 }";
    assert!(refused(body, 2)[0].contains("no cell has all values of the headline at once"));
}

#[test]
fn impossible_plans_are_refused() {
    let twice = "[[kernel]]\nname = \"k\"\na = 1\n[[kernel]]\nname = \"k\"\na = 1\n[[kernel]]\nname = \"k\"\na = 2";
    assert_eq!(refused(twice, 2).len(), 1);
    let ambiguous =
        "[[kernel]]\nname = \"a\"\nx = [1, 2]\n[[kernel]]\nname = \"b\"\n[compare]\nbaseline = { kernel = \"a\" }";
    assert!(refused(ambiguous, 2)[0].contains("they differ in `x`"));
    let many = "[kernel]\nname = \"k\"\n[placement]\nworkers = [2, 3]\n[measure]\noversubscribe = \"refuse\"";
    assert!(refused(many, 2)[0].contains("3 workers are more than the 2 PUs of `cores`"));
    assert_eq!(plan(many, 3).cells.len(), 2);
    assert!(refused("[kernel]\nname = \"k\"", 0)[0].contains("no PU"));
}

#[test]
fn the_order_of_a_block_is_stable() {
    let plan = plan("[kernel]\nname = \"k\"\nx = [0, 1, 2, 3, 4, 5]", 2);
    assert_eq!(plan.block(0, 1).concat(), [2, 1, 5, 3, 4, 0]);
    assert_eq!(plan.block(1, 1).concat(), [3, 0, 4, 5, 2, 1]);
}

proptest! {
    #[test]
    fn count_is_the_number_of_cells_and_ids_are_unique(
        lengths in prop::collection::vec(1usize..4, 0..4),
        workers in prop::collection::btree_set(1usize..6, 1..4),
        pus in 1u32..6,
        pairs: bool,
    ) {
        prop_assume!(pus > 1 || !pairs);
        let parameters: String = lengths.iter().enumerate().map(|(n, len)| format!("p{n} = {:?}\n", (0..*len).collect::<Vec<_>>())).collect();
        let placement = match pairs {
            true => "pairs = \"all\"\ntogether = [true, false]".to_owned(),
            false => format!("policy = [\"cores\", \"0\"]\nworkers = [{}, \"all\"]", workers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
        };
        let experiment = experiment(&format!("[[kernel]]\nname = \"a\"\n{parameters}[[kernel]]\nname = \"b\"\n[placement]\n{placement}"));
        let plan = experiment.plan(&offer(pus), &as_given).unwrap();
        prop_assert_eq!(plan.cells.len() as u128, experiment.count(&offer(pus)));
        let mut ids = ids(&plan);
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), plan.cells.len());
        let mut order = plan.block(3, 9).concat();
        order.sort_unstable();
        prop_assert!(order.into_iter().eq(0..plan.cells.len()));
    }

    /// Every cell once; no PU twice in a round; all pairs of n PUs in as few rounds as can be.
    #[test]
    fn rounds_hold_disjoint_pairs(pus in 2u32..12, of_each in 1usize..40, seed: u64, repetition in 0u32..4) {
        let body = format!("[kernel]\nname = \"k\"\nwork = [0, 8]\n[placement]\npairs = \"all\"\npairs_of_each = {of_each}\ntogether = true");
        let plan = plan(&body, pus);
        let rounds = plan.block(repetition, seed);
        let mut all = rounds.concat();
        all.sort_unstable();
        prop_assert!(all.into_iter().eq(0..plan.cells.len()));
        for round in &rounds {
            let mut used: Vec<u32> = round.iter().flat_map(|&cell| plan.cells[cell].pus.clone().unwrap()).collect();
            let all = used.len();
            used.sort_unstable();
            used.dedup();
            prop_assert_eq!(used.len(), all);
            let works: Vec<_> = round.iter().map(|&cell| &plan.cells[cell].parameters["work"]).collect();
            prop_assert!(works.iter().all(|work| *work == works[0]));
        }
        let n = pus as usize;
        if of_each >= n * (n - 1) / 2 {
            prop_assert_eq!(rounds.len(), 2 * if n % 2 == 0 { n - 1 } else { n });
        }
    }
}

#[test]
fn a_share_is_asked_of_a_parameter_that_takes_two_numbers() {
    let text = |share: &str, work: &str| {
        format!(
            "question = \"q\"\nreading = \"r\"\n[kernel]\nname = \"rng/next\"\nwork = {work}\nop = [\"a\", \"b\"]\n[placement]\nworkers = 1\n[compare]\n\
             share_of = {share}\n[[figure]]\nkind = \"bars\"\ntitle = \"?\"\ny = \"share\"\nx = \"work\"\n"
        )
    };
    let planned = |text: &str, sets: &[&str]| {
        let sets: Vec<Override> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
        let experiment = Definition::read("f.toml", text, &sets).and_then(|read| read.check()).unwrap();
        experiment.plan(&offer(2), &as_given)
    };
    let plan = planned(&text("\"work\"", "[0, 64]"), &[]).expect("a plan");
    assert_eq!((plan.compare.share_of.as_str(), plan.figures.len()), ("work", 1));
    for (share, work) in [("\"op\"", "[0, 64]"), ("\"work\"", "64"), ("\"wrok\"", "[0, 64]")] {
        let problems = planned(&text(share, work), &[]).expect_err("nothing to share");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].place.path, "compare.share_of");
    }
    // What an override took away is not asked any more.
    let plan = planned(&text("\"work\"", "[0, 64]"), &["kernel.work=64"]).expect("a plan");
    assert_eq!((plan.compare.share_of.as_str(), plan.figures.len()), ("", 0));
}
