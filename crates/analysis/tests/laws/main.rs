//! What must hold of every summary, shown on made-up runs: see each module's first line.

mod across;
mod answers;
mod believed;
mod candidates;
mod clocks;
mod explain;
mod finite;
mod flags;
mod granule;
mod metrics;
mod pairs;
mod parted;
mod plausible;
mod reruns;
mod stopping;
mod synthetic;
mod tallies;
mod values;
