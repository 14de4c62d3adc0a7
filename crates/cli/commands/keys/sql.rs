//! `hitm keys sql`: sysbench's statements again.

use hitm_keys::KeyRange;
use hitm_keys::dist::Asked;
use hitm_keys::sysbench::{Replay, Workload};

use super::PIECE;
use super::typed::Problems;
use crate::args::SqlArgs;
use crate::commands::Ended;
use crate::output::pour;
use crate::problems::CliError;

/// Which flag each setting is typed with.
const FLAGS: &[(&str, &str)] = &[
    ("workload", "--workload"),
    ("dist", "--dist"),
    ("seed", "--seed"),
    ("range", "--table-size"),
    ("tables", "--tables"),
];

pub(super) fn sql(args: &SqlArgs) -> Result<Ended, CliError> {
    let mut problems = Problems::default();
    let seed = problems.whole("--seed", &args.seed);
    let tables = problems.whole("--tables", &args.tables);
    let transactions = problems.whole("--transactions", &args.transactions);
    let size = problems.whole("--table-size", &args.table_size);
    let parameters = problems.parameters(&args.set);
    let workload = Workload::find(&args.workload);
    let range = KeyRange::of(size);
    // What was refused has a stand-in, so that the rest is looked at too.
    let asked = Asked { range: range.clone().unwrap_or(KeyRange::TEN_THOUSAND), seed, parameters };
    let stand_in = workload.clone().unwrap_or(Workload::ALL[0]);
    let dist = args.dist.strip_prefix("sysbench-1.0.20/").unwrap_or(&args.dist);
    let replay = Replay::new(stand_in, dist, &asked, tables);
    let first = [workload.err(), range.err()].into_iter().flatten().collect();
    problems.refused(first, FLAGS);
    let replay = match replay {
        Ok(replay) => Some(replay),
        Err(refusals) => {
            problems.refused(refusals, FLAGS);
            None
        }
    };
    problems.none()?;
    let Some(mut replay) = replay else { return Ok(Ended::Done) };
    let mut left = transactions;
    pour(|text| {
        while left > 0 && text.len() < PIECE {
            replay.transaction(text);
            left -= 1;
        }
        left > 0
    })?;
    Ok(Ended::Done)
}
