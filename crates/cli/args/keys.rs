//! What can be typed after `hitm keys`. Numbers are taken as text, so that all that is wrong with them is told at once.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::JsonArgs;

/// What to do with keys.
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// What to do
    #[command(subcommand)]
    pub command: KeysCommand,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// The distributions of keys and the workloads, what they take and what the originals are wrong in
    Dists(DistsArgs),
    /// Keys of a distribution, one a line, or how often each came
    Draw(DrawArgs),
    /// The statements that sysbench sends with one thread, one a line, byte for byte as a server's general log has them
    Sql(SqlArgs),
    /// A log, list, table or block trace, packed or not, to a file of keys that can be described and replayed
    Import(ImportArgs),
    /// What a trace is like: hot keys, working set, skew, how threads' keys go together
    Describe(DescribeArgs),
}

/// What to list.
#[derive(Debug, Args)]
pub struct DistsArgs {
    /// Only those with this in their names
    #[arg(value_name = "PART")]
    pub part: Option<String>,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// What to draw.
#[derive(Debug, Args)]
pub struct DrawArgs {
    /// The distribution (see `hitm keys dists`)
    #[arg(long, value_name = "NAME")]
    pub dist: String,
    /// The keys, both ends among them; 1..10000 for most distributions when not given
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// How many keys; 10 when not given, 100000 for a histogram
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub count: Option<String>,
    /// The seed, taken as the original takes it (sysbench: --rand-seed)
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true)]
    pub seed: String,
    /// A parameter of the distribution, such as h=0.2
    #[arg(long = "set", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// Print how often the keys came in place of them
    #[arg(long)]
    pub histogram: bool,
    /// Parts of equally many keys that the histogram has at most (the last may be smaller), 1 to 10000
    #[arg(long, value_name = "N", default_value = "40", requires = "histogram", allow_hyphen_values = true)]
    pub buckets: String,
    /// Print the histogram as JSON
    #[arg(long, requires = "histogram")]
    pub json: bool,
}

/// What to replay.
#[derive(Debug, Args)]
pub struct SqlArgs {
    /// The script: sysbench-1.0.20/oltp_read_write, …/oltp_read_only, …/oltp_write_only or …/oltp_point_select
    #[arg(long, value_name = "NAME")]
    pub workload: String,
    /// The distribution of the keys: special, uniform, gaussian or pareto (sysbench: --rand-type)
    #[arg(long, value_name = "NAME", default_value = "special")]
    pub dist: String,
    /// The seed (sysbench: --rand-seed)
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true)]
    pub seed: String,
    /// Rows of each table
    #[arg(long, value_name = "N", default_value = "10000", allow_hyphen_values = true)]
    pub table_size: String,
    /// Tables
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true)]
    pub tables: String,
    /// How many transactions
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true)]
    pub transactions: String,
    /// A parameter of the distribution, such as h=0.2 (sysbench: --rand-spec-iter, --rand-spec-pct, --rand-spec-res, --rand-pareto-h)
    #[arg(long = "set", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
}

/// What to read, and where its keys go.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The trace, as text or packed by gzip or zstd; - for standard input
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The file of keys to write; one that is there is replaced when the new one is whole
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// What it is written in: auto (by its first lines), general-log, general-log-table, statements, keys, csv, msr, spc, blkparse or fio
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub format: String,
    /// The column that holds the keys: of a table by name or counted from 1; of statements by name, id when not given
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// The column of a table that holds the thread, by number or by name
    #[arg(long, value_name = "COLUMN")]
    pub thread_column: Option<String>,
    /// Only statements about this table
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Of a range (BETWEEN, a request of several blocks): its first key, or all of them
    #[arg(long, value_name = "WHICH", value_parser = ["first", "all"], default_value = "first")]
    pub ranges: String,
    /// Bytes of a block of a block trace
    #[arg(long, value_name = "N", default_value = "4096", allow_hyphen_values = true)]
    pub block_bytes: String,
    /// Leave bad lines out in place of refusing the trace
    #[arg(long)]
    pub skip_bad: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// What to describe.
#[derive(Debug, Args)]
pub struct DescribeArgs {
    /// The file of keys (from `hitm keys import`)
    #[arg(value_name = "FILE", required_unless_present = "dist")]
    pub trace: Option<PathBuf>,
    /// Write the keys by rank as a picture, as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the same as PNG
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Describe keys of this distribution instead (see `hitm keys dists`)
    #[arg(long, value_name = "NAME", conflicts_with = "trace")]
    pub dist: Option<String>,
    /// The keys of the distribution, both ends among them
    #[arg(long, value_name = "LOW..HIGH", requires = "dist", allow_hyphen_values = true)]
    pub range: Option<String>,
    /// How many keys of the distribution, 1 to 100000000; 1000000 when not given
    #[arg(long, value_name = "N", requires = "dist", allow_hyphen_values = true)]
    pub count: Option<String>,
    /// The seed of the distribution; 1 when not given
    #[arg(long, value_name = "N", requires = "dist", allow_hyphen_values = true)]
    pub seed: Option<String>,
    /// A parameter of the distribution, such as h=0.2
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "dist", allow_hyphen_values = true)]
    pub set: Vec<String>,
    #[command(flatten)]
    pub json: JsonArgs,
}
