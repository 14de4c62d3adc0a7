//! The command line: what can be typed.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

mod compare;
mod fit;
mod keys;

pub use compare::CompareArgs;
pub use fit::{FitArgs, FitCommand, ResidualsArg, UslArgs};
pub use keys::{DescribeArgs, DrawArgs, ImportArgs, KeysArgs, KeysCommand, SqlArgs};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

/// What sharing a cache line costs on this machine, from a question in TOML to a page with pictures
///
/// A run is a folder of raw records; everything after `run` only reads it.
#[derive(Debug, Parser)]
#[command(name = "hitm", version, styles = STYLES, max_term_width = 110, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 failed (what was measured is kept); 2 bad input; 3 doctor: no hardware events here; \
129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM (what was measured is kept).";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Kernels, experiments and events that can be asked for
    List(ListArgs),
    /// This machine's topology and a placement on it, or those of a recorded or described machine
    Machine(MachineArgs),
    /// What this machine can and cannot measure, and the cure (exit 1 when pinning is not possible, 3 when hardware events cannot be counted)
    Doctor(DoctorArgs),
    /// Plan an experiment and verify each of its cells once, without timing
    Check(CheckArgs),
    /// Measure: from a question to a run folder and its answer
    Run(RunArgs),
    /// What a run says, on the terminal or as JSON
    Show(ShowArgs),
    /// A run as a page with pictures: report.html, figures, Markdown and CSV
    Report(ReportArgs),
    /// Cells of a run against a baseline, or run against run: before and after, one machine and another
    Compare(CompareArgs),
    /// A run's summary or raw records as CSV or JSON
    Export(ExportArgs),
    /// A law of scaling fitted to throughput over numbers of workers, of any benchmark
    Fit(FitArgs),
    /// Keys as benchmarks of databases draw them: sysbench's, exactly
    Keys(KeysArgs),
    /// A completion script for your shell, on standard output
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The manual page, on standard output
    Man,
}

/// What to list.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only these
    pub what: Option<ListWhat>,
    /// Only those whose names have one of these parts, such as `transfer`
    #[arg(value_name = "PART")]
    pub parts: Vec<String>,
    /// Events as this microarchitecture has them (see `hitm list uarchs`), with their codes; it need not be this machine's
    #[arg(long, value_name = "NAME")]
    pub uarch: Option<String>,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListWhat {
    /// The measured loops with their parameters
    Kernels,
    /// The questions that ship with hitm
    Experiments,
    /// What can be counted
    Events,
    /// The microarchitectures whose events the catalogue knows (--uarch NAME)
    Uarchs,
    /// Machines that people speak of (--input preset:NAME)
    Presets,
}

/// Which machine, and which placement on it.
#[derive(Debug, Args)]
pub struct MachineArgs {
    /// The machine: `this`, `preset:NAME` (such as preset:power8-2s10c8t), `synthetic:TEXT` (such as "package:2 core:10 pu:8"),
    /// `xml:FILE` (hwloc's, or lstopo's), `sysfs:DIR` (a copied /sys) or `json:FILE` (from --save)
    #[arg(long, default_value = "this", value_name = "KIND:WHAT")]
    pub input: String,
    /// Preview a placement: compact, cores, scatter, pairs, smt-N, one-per-core, one-per-cache (or -l2, -l3), one-per-node,
    /// one-per-package, or a PU list such as 0-3,8
    #[arg(long, value_name = "POLICY")]
    pub place: Option<String>,
    /// How many workers to place; as many as the policy has PUs for when not given
    #[arg(long, value_name = "N", requires = "place")]
    pub workers: Option<usize>,
    /// Place on a part of the machine only: package:N, numa:N, l3:PU (the cache above a PU), core:PU, kind:NAME or pus:LIST;
    /// of several, on what is inside all
    #[arg(long, value_name = "PART", requires = "place")]
    pub within: Vec<String>,
    /// What to do when there are more workers than PUs: allow (and flag) or refuse
    #[arg(long, value_parser = ["allow", "refuse"], requires = "place")]
    pub oversubscribe: Option<String>,
    /// Draw the machine in place of the table
    #[arg(long, conflicts_with = "json")]
    pub picture: bool,
    /// Write a picture of the machine and the placement as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the same as PNG
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Write the machine to a file that `--input json:FILE` reads
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// How closely to look.
#[derive(Clone, Copy, Debug, Args)]
pub struct DoctorArgs {
    /// Only look; else the line size is measured too, which takes a second or two
    #[arg(long)]
    pub look: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// The choice of JSON.
#[derive(Clone, Copy, Debug, Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// How an experiment is changed from what its file says.
#[derive(Clone, Debug, Args)]
pub struct ChangeArgs {
    /// Change the definition: a dotted TOML path and a TOML value; a bare word is a string (kernel.work=64)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Wall-clock time for all trials of the run, in all its sessions, such as 90s or 5m
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub budget: Option<String>,
    /// The relative half width at which an interval is known well enough, such as 2%
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub precision: Option<String>,
    /// The seed of everything random that is ours
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<i64>,
    /// What to do when there are more workers than PUs: allow (and flag) or refuse
    #[arg(long, value_parser = ["allow", "refuse"])]
    pub oversubscribe: Option<String>,
    /// Compare with the cells that have this value of this parameter
    #[arg(long, value_name = "PARAMETER=VALUE")]
    pub baseline: Vec<String>,
}

/// What to check.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A shipped experiment's name (see `hitm list experiments`) or a TOML file
    #[arg(value_name = "NAME|FILE")]
    pub experiment: String,
    /// Plan it for another machine (as `hitm machine --input`); nothing is run then
    #[arg(long, default_value = "this", value_name = "KIND:WHAT")]
    pub input: String,
    /// Show how its events would be counted on this microarchitecture (see `hitm list uarchs`); nothing is run then
    #[arg(long, value_name = "NAME")]
    pub uarch: Option<String>,
    #[command(flatten)]
    pub changes: ChangeArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// What to run, and where its records go.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A shipped experiment's name (see `hitm list experiments`) or a TOML file
    #[arg(value_name = "NAME|FILE", required_unless_present = "resume")]
    pub experiment: Option<String>,
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// The run folder; results/<experiment>-<number> when not given
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub out: Option<PathBuf>,
    /// Go on with a run where its plan stood; a new --budget counts what was used already
    #[arg(long, value_name = "DIR", conflicts_with_all = ["experiment", "set", "seed", "baseline", "oversubscribe"])]
    pub resume: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
    /// Print no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// Which run to show.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    #[command(flatten)]
    pub json: JsonArgs,
    /// Print a Markdown table for pasting
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

/// Which run to report, in which forms.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Where to write; the run folder when not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Which forms
    #[arg(long, value_enum, value_delimiter = ',', default_value = "html,md,csv,svg,png")]
    pub format: Vec<ReportFormat>,
}

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One page, no network
    Html,
    /// A table for pasting, with links to the figures
    Md,
    /// Tidy tables
    Csv,
    /// Figures that scale
    Svg,
    /// Figures for slides
    Png,
}

/// What to export.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t = ExportWhat::Cells)]
    pub what: ExportWhat,
    /// In which form; comparisons and cells also as JSON through `hitm show --json`
    #[arg(long, value_enum, default_value_t = ExportFormat::Csv)]
    pub format: ExportFormat,
}

/// What can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportWhat {
    /// One row a cell and metric
    Cells,
    /// One row a comparison
    Comparisons,
    /// One row an event and number of what explains the loss
    Explanation,
    /// One row a trial and worker, integers as read
    Records,
}

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Comma-separated values with a header
    Csv,
    /// JSON; records as one array
    Json,
}
