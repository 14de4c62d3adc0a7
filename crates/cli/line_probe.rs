//! The size of the unit that cores hand over, measured in a second or two.

use hitm_analysis::{Granule, summarize};
use hitm_counters::{Clock, Vocabulary};
use hitm_experiment::Definition;
use hitm_experiment::manifest::{Finding, FindingLevel};
use hitm_experiment::record::Record;
use hitm_experiment::run::RunError;
use hitm_kernels::Registry;
use hitm_runner::{Interrupt, Session, Setup, resolve};
use hitm_topology::Topology;

use crate::build::build;
use crate::progress::Quiet;

/// A short `sharing/stride`: two workers as far apart as the machine has them, on counters farther and farther apart.
const PROBE: &str = r#"
question = "Which distance parts two counters?"
reading = "The smallest without an extra cost."
[kernel]
name = "sharing/counters"
op = "fetch-add"
stride = [8, 16, 32, 64, 128, 256, 512]
work = 64
[placement]
policy = "PAIR"
[measure]
duration = "4ms"
warm_up = "1ms"
budget = "2s"
precision = "10%"
min_repetitions = 10
max_repetitions = 20
samples = 0
events = []
[compare]
baseline = { stride = 512 }
"#;

/// What doctor says of the measured line size.
pub(crate) fn finding(topology: &Topology) -> Finding {
    let of = |level, found: String, cure: &str| Finding {
        name: "measured line size".to_owned(),
        level,
        found,
        effect: match level {
            FindingLevel::Note => String::new(),
            _ => "counters nearer than this share a line falsely; padding has to be as wide".to_owned(),
        },
        cure: cure.to_owned(),
    };
    match measure(topology) {
        Ok(Some(granule)) if granule.agrees => of(FindingLevel::Good, words(&granule), ""),
        Ok(Some(granule)) => of(
            FindingLevel::Warning,
            words(&granule),
            "pad by what was measured; look closer with `hitm run sharing/stride`, and report the machine's wrong line size",
        ),
        Ok(None) => of(
            FindingLevel::Note,
            "no distance between two counters made a clear difference".to_owned(),
            "measure longer with `hitm run sharing/stride`",
        ),
        Err(why) => of(FindingLevel::Note, format!("not measured: {why}"), "let the process use two PUs"),
    }
}

fn words(granule: &Granule) -> String {
    let Granule { bytes, above, told, told_by, .. } = granule;
    let size = if above * 2 == *bytes { format!("{bytes} bytes") } else { format!("{above} to {bytes} bytes") };
    let adjacent = granule
        .adjacent
        .as_ref()
        .map_or(String::new(), |left| format!("; the adjacent line still costs {:.1} ns an update", left.median));
    format!("{size}; {told} told by {told_by}{adjacent}")
}

fn measure(topology: &Topology) -> Result<Option<Granule>, String> {
    let [a, b] = topology.witness_pair().ok_or("there is one PU only")?;
    let text = PROBE.replace("PAIR", &format!("{a},{b}"));
    let first = |problems: Vec<hitm_experiment::Problem>| problems.first().map_or(String::new(), ToString::to_string);
    let experiment = Definition::read("the probe", &text, &[]).and_then(|read| read.check()).map_err(first)?;
    let seed = experiment.seed;
    let resolved = resolve(experiment, &Registry::built_in(), topology.clone(), Vocabulary::here()).map_err(first)?;
    let clock = Clock::detect();
    let setup = Setup { name: "line size".to_owned(), seed, command: Vec::new(), build: build() };
    let manifest = hitm_runner::manifest(&resolved, clock, setup, &Interrupt::default()).map_err(first)?;
    let mut records = Vec::new();
    let mut nowhere = |_: &Record| -> Result<(), RunError> { Ok(()) };
    let ran =
        Session::new(&resolved, &manifest, &mut nowhere, &mut records, clock).run(&Interrupt::default(), &mut Quiet);
    ran.map_err(|failure| format!("{failure:?}"))?;
    Ok(summarize(&manifest, &records).granule)
}
