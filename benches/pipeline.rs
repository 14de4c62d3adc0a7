//! What hitm itself takes for a large run, apart from measuring: planning 100,000 cells; writing, reading, summing up and
//! reporting 100,000 records of 1,000 cells.
//!
//! `cargo bench --bench pipeline` prints a table of the steps and their sum; with `-- PART-OF-NAME` criterion looks closer at
//! the steps of that name.

#[path = "../crates/analysis/tests/laws/synthetic.rs"]
mod synthetic;

use std::any::Any;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::Criterion;
use hitm_analysis::{Summary, precision, summarize};
use hitm_counters::Vocabulary;
use hitm_experiment::record::{EventCount, Record};
use hitm_experiment::run::{RECORDS, RunError, RunFolder, read_run};
use hitm_experiment::{Definition, Manifest};
use hitm_kernels::Registry;
use hitm_machine::{Input, Topology, discover};
use hitm_report::{Extra, Style, comparisons_csv, csv, figures, html, markdown, readme, terminal};
use hitm_runner::{Resolved, resolve};

/// Rounds over all steps; the table shows medians.
const ROUNDS: usize = 5;

/// A step by its name, from what is given.
type Step = (&'static str, fn(&Large) -> Box<dyn Any>);

/// What they give is dropped when their time has been taken.
const STEPS: [Step; 9] = [
    ("plan", |large| Box::new(large.plan())),
    ("append", |large| Box::new(large.append().expect("a run folder"))),
    ("read", |large| Box::new(read_run(&large.folder).expect("a run"))),
    ("precision", |large| Box::new(precision(&large.manifest, &large.records))),
    ("summarize", |large| Box::new(summarize(&large.manifest, &large.records))),
    ("terminal", |large| Box::new(terminal(&large.summary, &large.manifest, Style { color: true, width: 120 }))),
    ("markdown", |large| {
        Box::new([markdown(&large.summary, &large.manifest), readme(&large.summary, &large.manifest)])
    }),
    ("csv", |large| Box::new([csv(&large.summary, &large.manifest), comparisons_csv(&large.summary, &large.manifest)])),
    ("figures and page", |large| {
        let figures = figures(&large.summary, &large.manifest);
        Box::new((html(&large.summary, &large.manifest, &figures, &Extra::default()), figures))
    }),
];

fn main() {
    // `cargo bench` passes `--bench`; `cargo test --benches` does not, and then nothing is timed.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let large = Large::new();
    if arguments.len() == 1 {
        large.table();
    } else {
        let mut criterion = Criterion::default().sample_size(10).configure_from_args();
        for step in STEPS {
            criterion.bench_function(step.0, |bencher| {
                bencher.iter_custom(|times| (0..times).map(|_| large.time(step)).sum());
            });
        }
        criterion.final_summary();
    }
}

/// Everything that the steps begin with.
struct Large {
    /// An experiment of 100,000 cells.
    experiment: String,
    registry: Registry,
    topology: Topology,
    /// A run of 1,000 cells and 100,000 records, in memory, on the disk and summed up.
    manifest: Manifest,
    records: Vec<Record>,
    summary: Summary,
    folder: PathBuf,
    /// Where a step writes such a run anew.
    fresh: PathBuf,
}

impl Large {
    fn new() -> Large {
        let (manifest, mut records) = synthetic::large();
        records.iter_mut().for_each(as_written);
        let machine = Input::Synthetic("package:2 l3:1 core:16 l1:1 pu:2".to_owned());
        let scratch = std::env::temp_dir().join(format!("hitm-pipeline-{}", std::process::id()));
        let large = Large {
            experiment: experiment(),
            registry: Registry::built_in(),
            topology: discover(&machine).expect("a machine"),
            summary: summarize(&manifest, &records),
            manifest,
            records,
            folder: scratch.join("run"),
            fresh: scratch.join("fresh"),
        };
        large.append().expect("a run folder");
        fs::rename(&large.fresh, &large.folder).expect("a folder of the run's own");
        large
    }

    /// How long a step takes.
    fn time(&self, (_, step): Step) -> Duration {
        let _ = fs::remove_dir_all(&self.fresh);
        let start = Instant::now();
        let made = step(self);
        let took = start.elapsed();
        drop(made);
        took
    }

    fn table(&self) {
        let bytes = fs::metadata(self.folder.join(RECORDS)).map_or(0, |about| about.len());
        let (cells, records) = (self.manifest.cells.len(), self.records.len());
        println!("{records} records of {cells} cells, {:.0} MB; medians of {ROUNDS} rounds\n", bytes as f64 / 1e6);
        let rounds: Vec<Vec<Duration>> =
            (0..ROUNDS).map(|_| STEPS.iter().map(|step| self.time(*step)).collect()).collect();
        let median = |of: &dyn Fn(&Vec<Duration>) -> Duration| {
            let mut all: Vec<Duration> = rounds.iter().map(of).collect();
            all.sort_unstable();
            all[ROUNDS / 2].as_secs_f64()
        };
        println!("{:<20} {:>8}", "step", "seconds");
        for (at, (name, _)) in STEPS.iter().enumerate() {
            println!("{name:<20} {:>8.3}", median(&|round| round[at]));
        }
        println!("{:<20} {:>8.3}", "sum", median(&|round| round.iter().sum()));
    }

    /// From the text to cells bound to kernels and PUs.
    fn plan(&self) -> Resolved {
        let definition = Definition::read("pipeline", &self.experiment, &[]).expect("a definition");
        let experiment = definition.check().expect("an experiment");
        let resolved = resolve(experiment, &self.registry, self.topology.clone(), Vocabulary::here())
            .unwrap_or_else(|_| panic!("a plan"));
        assert_eq!(resolved.cells.len(), 100_000);
        resolved
    }

    /// Writes the run as measuring does, one write a record, and tells how many.
    fn append(&self) -> Result<u64, RunError> {
        let mut folder = RunFolder::create(&self.fresh)?;
        folder.write_manifest(&self.manifest)?;
        for record in &self.records {
            folder.append(record)?;
        }
        let kept = folder.records();
        folder.finish().map(|()| kept)
    }
}

impl Drop for Large {
    fn drop(&mut self) {
        if let Some(scratch) = self.folder.parent() {
            let _ = fs::remove_dir_all(scratch);
        }
    }
}

/// 2 states × 25,000 amounts of work × 2 numbers of workers.
fn experiment() -> String {
    let mut text = "question = \"How long does planning take?\"\nreading = \"By a clock.\"\n[kernel]\n".to_owned();
    text.push_str("name = \"rng/next\"\nstate = [\"shared-racy\", \"thread-local\"]\nwork = [");
    for work in 0..25_000 {
        let _ = write!(text, "{work}, ");
    }
    text.push_str("]\n[placement]\nworkers = [1, 2]\n[compare]\nbaseline = { state = \"thread-local\" }\n");
    text
}

/// Makes a record as long as those of real runs: counts of four events, nine chunks a witness.
fn as_written(record: &mut Record) {
    for witness in [&mut record.before, &mut record.after] {
        if let Some(ping_pong) = &mut witness.ping_pong {
            ping_pong.chunks = ping_pong.chunks.repeat(3);
        }
    }
    for worker in &mut record.workers {
        for event in ["task-clock", "context-switches", "cpu-migrations", "page-faults"] {
            let value = if event == "task-clock" { 19_929_466 } else { 0 };
            worker
                .events
                .insert(event.to_owned(), EventCount { value, enabled_ns: 19_929_603, running_ns: 19_929_603 });
        }
    }
}
