//! Writes the made-up run that shows what an explanation looks like: `cargo run -p hitm-report --example synthetic-counters -- FOLDER`. The
//! committed one is `examples/synthetic-counters`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::{env, fs, io};

use hitm_analysis::summarize;
use hitm_experiment::run::RunFolder;
use hitm_report::{figures, readme};
use support::counters::{EXPERIMENT, synthetic_counters};

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "synthetic-counters".to_owned());
    let path = Path::new(&folder);
    let (manifest, records) = synthetic_counters();
    let mut run = RunFolder::create(path).map_err(io::Error::other)?;
    run.write_experiment(EXPERIMENT).map_err(io::Error::other)?;
    run.write_manifest(&manifest).map_err(io::Error::other)?;
    for record in &records {
        run.append(record).map_err(io::Error::other)?;
    }
    run.finish().map_err(io::Error::other)?;
    let summary = summarize(&manifest, &records);
    for figure in figures(&summary, &manifest) {
        fs::write(path.join(format!("{}.svg", figure.name)), &figure.svg)?;
    }
    fs::write(path.join("README.md"), readme(&summary, &manifest))
}
