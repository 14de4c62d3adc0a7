//! What can be typed after `hitm fit`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::JsonArgs;

/// What to fit.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// What to fit
    #[command(subcommand)]
    pub command: FitCommand,
}

/// What can be fitted.
#[derive(Debug, Subcommand)]
pub enum FitCommand {
    /// The Universal Scalability Law, with Amdahl's and the linear one beside it, to throughput over numbers of workers
    Usl(UslArgs),
}

/// Which data, and how.
#[derive(Debug, Args)]
pub struct UslArgs {
    /// A run, whose cells are fitted over their numbers of workers, those that differ in nothing else together
    #[arg(required_unless_present = "csv", conflicts_with = "csv")]
    pub run: Option<PathBuf>,
    /// A table with a number of workers and a throughput in each row, such as `Threads, QPS`; - reads standard input. Rows of one
    /// number are repetitions
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// The column of the number of workers, by its heading or its place from 1; found by usual headings when not given
    #[arg(long, value_name = "COLUMN", requires = "csv")]
    pub workers: Option<String>,
    /// The column of the throughput, by its heading or its place from 1; found by usual headings when not given
    #[arg(long, value_name = "COLUMN", requires = "csv")]
    pub throughput: Option<String>,
    /// What is made small: every point in per cent, or high throughput most, as the R package usl does
    #[arg(long, value_name = "WHAT", default_value = "relative")]
    pub residuals: ResidualsArg,
    /// Fixes what is drawn for the intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// What a fit makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResidualsArg {
    /// Differences in per cent
    Relative,
    /// Differences in the throughput's unit
    Absolute,
}
