//! What can be typed after `hitm compare`.

use std::path::PathBuf;

use clap::Args;

/// What to compare.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A run, whose cells are compared with a baseline among them; or several, of which the others are compared with the first
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Of one run: the baseline's parameters, such as state=thread-local; its own when not given
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub baseline: Vec<String>,
    /// The metric, such as throughput; the first run's own when not given
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Exit with 1 where a cell is slower by more, such as 'slower>3%'; `slower` is by any credible amount
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Option<String>,
    /// Fixes what is drawn for the intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print Markdown
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    pub markdown: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
