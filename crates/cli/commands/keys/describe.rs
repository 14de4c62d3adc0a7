//! `hitm keys describe`: what a trace, or a distribution, is like.

use hitm_keys::KeyRange;
use hitm_keys::dist::{Asked, find};
use hitm_keys::trace::Trace;
use hitm_keys::trace::describe::{Limits, describe as looked_at};

use super::described::{About, json, svg, text};
use super::import::at_file;
use super::typed::Problems;
use crate::args::DescribeArgs;
use crate::commands::{Ended, picture};
use crate::output::{print, print_json};
use crate::problems::CliError;
use crate::stderr::tell;

/// The most keys of a distribution that are kept to be described: 800 MB.
const MOST: u64 = 100_000_000;

pub(super) fn describe(args: &DescribeArgs) -> Result<Ended, CliError> {
    let mut problems = Problems::default();
    only_of_distributions(args, &mut problems);
    for (flag, what) in picture::clashes(args.trace.as_deref(), args.svg.as_deref(), args.png.as_deref()) {
        problems.add(flag, what, "give another file");
    }
    problems.none()?;
    let (about, ended) = match (&args.trace, &args.dist) {
        (Some(path), _) => {
            let name = path.display().to_string();
            let trace = Trace::open(path).map_err(|refusal| at_file("", refusal))?;
            let Some(found) = looked_at(&trace, Limits::default()) else { return Ok(Ended::Done) };
            (About { name, threads: Some(trace.streams().to_vec()), found }, Ended::Done)
        }
        (None, Some(dist)) => {
            let (keys, count) = drawn(args, dist)?;
            let Some(found) = looked_at(keys.as_slice(), Limits::default()) else { return Ok(Ended::Done) };
            let ended = if (keys.len() as u64) < count {
                tell(format!("{dist} has no more keys: {} of {count} were drawn", keys.len()));
                Ended::Failed
            } else {
                Ended::Done
            };
            (About { name: format!("{dist}, seed {}", seed(args).trim()), threads: None, found }, ended)
        }
        (None, None) => return Ok(Ended::Done),
    };
    if args.json.json {
        print_json(&json(&about))?
    } else {
        print(&text(&about))?
    }
    if args.svg.is_some() || args.png.is_some() {
        picture::write(&svg(&about), args.svg.as_deref(), args.png.as_deref())?;
    }
    Ok(ended)
}

/// A trace has its own keys.
fn only_of_distributions(args: &DescribeArgs, problems: &mut Problems) {
    let given = [
        ("--range", args.range.is_some()),
        ("--count", args.count.is_some()),
        ("--seed", args.seed.is_some()),
        ("--set", !args.set.is_empty()),
    ];
    for (flag, _) in given.iter().filter(|(_, given)| args.trace.is_some() && *given) {
        problems.add(
            flag,
            "is for a distribution, and a trace has its own keys",
            "leave it out, or give --dist NAME in place of FILE",
        );
    }
}

fn seed(args: &DescribeArgs) -> &str {
    args.seed.as_deref().unwrap_or("1")
}

/// The keys of a distribution, and how many were asked for.
fn drawn(args: &DescribeArgs, dist: &str) -> Result<(Vec<u64>, u64), CliError> {
    let mut problems = Problems::default();
    let seed = problems.whole("--seed", seed(args));
    let count = problems.whole("--count", args.count.as_deref().unwrap_or("1000000"));
    if !(1..=MOST).contains(&count) {
        problems.add("--count", format!("{count} is not among 1 to {MOST}"), format!("give 1 to {MOST}"));
    }
    let parameters = problems.parameters(&args.set);
    let range = args.range.as_deref().map(str::parse::<KeyRange>).transpose();
    let range = range.unwrap_or_else(|refusal| {
        problems.refused(vec![refusal], &[("range", "--range")]);
        None
    });
    let entry = find(dist);
    if entry.is_none() {
        problems.no_dist(dist);
    }
    let made = entry.and_then(|entry| {
        let asked = Asked { range: range.unwrap_or(entry.range), seed, parameters };
        let flags = [("range", "--range"), ("seed", "--seed")];
        entry.build(&asked).map_err(|refusals| problems.refused(refusals, &flags)).ok()
    });
    problems.none()?;
    let mut keys = vec![0; count as usize];
    let got = made.map_or(0, |mut made| made.fill(&mut keys));
    keys.truncate(got);
    Ok((keys, count))
}
