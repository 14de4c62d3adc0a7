//! `hitm keys`: keys as benchmarks of databases draw them.

mod describe;
mod described;
mod dists;
mod draw;
mod histogram;
mod import;
mod sql;
mod typed;

use crate::args::{KeysArgs, KeysCommand};
use crate::commands::Ended;
use crate::problems::CliError;

/// Text that is written at once, in bytes.
const PIECE: usize = 1 << 16;

pub(crate) fn keys(args: &KeysArgs) -> Result<Ended, CliError> {
    match &args.command {
        KeysCommand::Dists(args) => dists::dists(args.part.as_deref().unwrap_or_default(), args.json.json),
        KeysCommand::Draw(args) => draw::draw(args),
        KeysCommand::Sql(args) => sql::sql(args),
        KeysCommand::Import(args) => import::import(args),
        KeysCommand::Describe(args) => describe::describe(args),
    }
}
