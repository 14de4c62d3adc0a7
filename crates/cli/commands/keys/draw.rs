//! `hitm keys draw`: keys, one a line, or how often they came.

use std::fmt::Write as _;

use hitm_keys::KeyRange;
use hitm_keys::dist::{Asked, Entry, Keys, find};

use super::PIECE;
use super::histogram::{Histogram, json, text};
use super::typed::Problems;
use crate::args::DrawArgs;
use crate::commands::Ended;
use crate::output::{pour, print, print_json};
use crate::problems::CliError;
use crate::stderr::tell;

/// Keys that are drawn in one call.
const BATCH: usize = 4096;

const FLAGS: &[(&str, &str)] = &[("range", "--range"), ("seed", "--seed")];

pub(super) fn draw(args: &DrawArgs) -> Result<Ended, CliError> {
    let mut problems = Problems::default();
    let seed = problems.whole("--seed", &args.seed);
    let count =
        problems.whole("--count", args.count.as_deref().unwrap_or(if args.histogram { "100000" } else { "10" }));
    let buckets = match problems.whole("--buckets", &args.buckets) {
        buckets @ 1..=10_000 => buckets,
        other => {
            problems.add("--buckets", format!("{other} is not among 1 to 10000"), "give 1 to 10000");
            1
        }
    };
    let parameters = problems.parameters(&args.set);
    let range = args.range.as_deref().map(str::parse::<KeyRange>);
    let entry = find(&args.dist);
    if entry.is_none() {
        problems.no_dist(&args.dist);
    }
    let range = match range {
        Some(Err(refusal)) => {
            problems.refused(vec![refusal], FLAGS);
            None
        }
        Some(Ok(range)) => Some(range),
        None => None,
    };
    let made = entry.and_then(|entry| {
        let asked = Asked { range: range.unwrap_or(entry.range), seed, parameters };
        match entry.build(&asked) {
            Ok(keys) => Some((entry, asked, keys)),
            Err(refusals) => {
                problems.refused(refusals, FLAGS);
                None
            }
        }
    });
    problems.none()?;
    let Some((entry, asked, mut keys)) = made else { return Ok(Ended::Done) };
    let drawn = if args.histogram {
        counted(entry, &asked, keys.as_mut(), count, buckets, args.json)?
    } else {
        printed(keys.as_mut(), count)?
    };
    match drawn {
        Some(drawn) => {
            tell(format!("{} has no more keys: {drawn} of {count} were drawn", entry.name));
            Ok(Ended::Failed)
        }
        None => Ok(Ended::Done),
    }
}

/// Prints keys, one a line. Returns how many there were when they ended too early.
fn printed(keys: &mut dyn Keys, count: u64) -> Result<Option<u64>, CliError> {
    let mut batch = [0; BATCH];
    let (mut drawn, mut ended) = (0, false);
    pour(|text| {
        while text.len() < PIECE && drawn < count && !ended {
            let wanted = (count - drawn).min(BATCH as u64) as usize;
            let got = keys.fill(&mut batch[..wanted]);
            for key in &batch[..got] {
                let _ = writeln!(text, "{key}");
            }
            drawn += got as u64;
            ended = got < wanted;
        }
        drawn < count && !ended
    })?;
    Ok(ended.then_some(drawn))
}

/// Prints how often keys came. Returns as [`printed`] does.
fn counted(
    entry: &Entry,
    asked: &Asked,
    keys: &mut dyn Keys,
    count: u64,
    buckets: u64,
    as_json: bool,
) -> Result<Option<u64>, CliError> {
    let mut histogram = Histogram::new(keys.range(), buckets);
    let mut batch = [0; BATCH];
    let mut drawn = 0;
    while drawn < count {
        let wanted = (count - drawn).min(BATCH as u64) as usize;
        let got = keys.fill(&mut batch[..wanted]);
        batch[..got].iter().for_each(|&key| histogram.add(key));
        drawn += got as u64;
        if got < wanted {
            break;
        }
    }
    if as_json {
        print_json(&json(&histogram, entry, asked, keys, count))?;
    } else {
        print(&text(&histogram, entry, asked, keys))?;
    }
    Ok((drawn < count).then_some(drawn))
}
