//! `hitm keys import`: the keys of a trace into a file that is replayed.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use hitm_experiment::{Place, Problem};
use hitm_keys::Refusal;
use hitm_keys::trace::{BadLine, Counts, Fault, Format, Options, Packing, Ranges, Reader, Writer, Written};
use serde_json::json;

use super::typed::Problems;
use crate::args::ImportArgs;
use crate::commands::Ended;
use crate::commands::picture::same_file;
use crate::output::{print, print_json};
use crate::problems::CliError;
use crate::stderr::tell;

/// Bad lines that are told; of more their number.
const SHOWN: usize = 10;

pub(super) fn import(args: &ImportArgs) -> Result<Ended, CliError> {
    let from_stdin = args.trace == Path::new("-");
    let name = if from_stdin { "standard input".to_owned() } else { args.trace.display().to_string() };
    let flags = [
        ("trace", &*name),
        ("format", "--format"),
        ("column", "--column"),
        ("thread-column", "--thread-column"),
        ("block-bytes", "--block-bytes"),
    ];
    let mut problems = Problems::default();
    let block_bytes = problems.whole("--block-bytes", &args.block_bytes);
    let format = Format::find(&args.format).unwrap_or_else(|refusal| {
        problems.refused(vec![refusal], &flags);
        None
    });
    let options = Options {
        format,
        column: args.column.clone(),
        thread_column: args.thread_column.clone(),
        table: args.table.clone(),
        ranges: if args.ranges == "all" { Ranges::All } else { Ranges::First },
        block_bytes: Some(block_bytes),
    };
    if !from_stdin && same_file(&args.trace, &args.out) {
        let cure = "name another file: the trace would be replaced by its keys";
        problems.add(&format!("--out {}", args.out.display()), "it is the trace", cure);
    }
    let opened = if from_stdin { Reader::new(io::stdin(), &options) } else { Reader::open(&args.trace, &options) };
    let reader = opened.map_err(|refusals| problems.refused(refusals, &flags));
    let writer = Writer::create(&args.out).map_err(|error| {
        let cure = "name a file in a folder that is there and can be written";
        problems.add(&format!("--out {}", args.out.display()), format!("it cannot be written: {error}"), cure);
    });
    if let Ok(reader) = &reader {
        unused(reader.format(), args, &mut problems);
    }
    problems.none()?;
    let (Ok(mut reader), Ok(mut writer)) = (reader, writer) else { return Ok(Ended::Done) };
    let mut bad = Vec::new();
    for item in &mut reader {
        match item {
            Ok(access) => writer.push(access).map_err(|error| unwritable(&args.out, &error))?,
            Err(Fault::Line(line)) if bad.len() < SHOWN => bad.push(line),
            Err(Fault::Line(_)) => {}
            Err(fault) => return Err(ended(&name, &fault)),
        }
    }
    let counts = reader.counts();
    if counts.bad > 0 && !args.skip_bad {
        return Err(refused(&name, bad, &counts, reader.format()));
    }
    if counts.keys == 0 {
        return Err(no_keys(&name, &counts, reader.format(), args));
    }
    let written = writer.finish().map_err(|error| unwritable(&args.out, &error))?;
    if args.json.json {
        print_json(&json!({
            "out": args.out,
            "format": reader.format().name(),
            "packing": match reader.packing() { Packing::None => None, packing => Some(packing.name()) },
            "keys": written.keys,
            "threads": written.streams,
            "range": {"low": written.low, "high": written.high},
            "file_bytes": written.bytes,
            "text_bytes": counts.bytes,
            "lines": counts.lines,
            "bad_lines": counts.bad,
            "statements": counts.statements,
            "without_key": counts.without_key,
            "tables": counts.tables,
            "thread_names": counts.thread_names,
        }))?;
    } else {
        print(&told(args, &reader, &counts, &written))?;
    }
    for BadLine { line, why } in &bad {
        tell(format!("{name}:{line}: left out: {why}"));
    }
    if counts.bad > bad.len() as u64 {
        tell(format!("{} bad lines were left out, of which the first {} are shown", counts.bad, bad.len()));
    }
    Ok(Ended::Done)
}

/// Settings that mean nothing for the format: whoever gave them takes the trace for another.
fn unused(format: Format, args: &ImportArgs, problems: &mut Problems) {
    let of_table = format == Format::Csv;
    let of_blocks = matches!(format, Format::Msr | Format::Spc | Format::Blkparse | Format::Fio);
    let of_statements = !of_table && !of_blocks && format != Format::Keys;
    let given = [
        ("--column", args.column.is_some() && !of_table && !of_statements),
        ("--thread-column", args.thread_column.is_some() && !of_table),
        ("--table", args.table.is_some() && !of_statements),
        ("--ranges all", args.ranges == "all" && !of_blocks && !of_statements),
    ];
    for (flag, _) in given.iter().filter(|(_, meaningless)| *meaningless) {
        let cure = "leave it out, or name the trace's format with --format";
        problems.add(flag, format!("a trace of the format {} has none", format.name()), cure);
    }
}

fn told(args: &ImportArgs, reader: &Reader, counts: &Counts, written: &Written) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let packed = match reader.packing() {
        Packing::None => String::new(),
        packing => format!(", {}", packing.name()),
    };
    let mut text = format!(
        "{}: {} key{} of {} thread{}, from {} to {}\n",
        args.out.display(),
        written.keys,
        plural(written.keys),
        written.streams,
        plural(written.streams as u64),
        written.low,
        written.high,
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "read: {} lines, {} bytes ({}{packed})", counts.lines, counts.bytes, reader.format().name());
    if counts.statements > 0 {
        let _ = writeln!(text, "{} statements, {} of them without a key", counts.statements, counts.without_key);
    }
    if !counts.thread_names.is_empty() {
        let more = if (counts.thread_names.len() as u64) < written.streams as u64 { ", …" } else { "" };
        let _ = writeln!(text, "threads are numbered from 1 as they came: {}{more}", counts.thread_names.join(", "));
    }
    if counts.tables.len() > 1 {
        let tables = counts.tables.join(", ");
        let _ = writeln!(text, "the keys of several tables are taken as one's ({tables}): --table takes those of one");
    }
    text
}

/// Bad lines, each with its place.
fn refused(name: &str, bad: Vec<BadLine>, counts: &Counts, format: Format) -> CliError {
    let count = counts.bad;
    if let (Some(first), true) = (bad.first(), count > SHOWN as u64 && count >= 9 * counts.keys) {
        let what = match format {
            Format::Keys => "a list of keys",
            Format::Csv => "a table with keys in this column",
            _ => "a trace in this format",
        };
        let why = format!(
            "this is not {what} ({}): {count} of its lines are bad, the first, line {}: {}",
            format.name(),
            first.line,
            first.why
        );
        let names = Format::ALL.map(Format::name).join(", ");
        let place = Place { source: name.to_owned(), ..Place::default() };
        return CliError::input(Problem::new(
            place,
            why,
            format!("say what it is with --format ({names}) or --column"),
        ));
    }
    let shown = bad.len() as u64;
    let cure = "mend the line, or leave bad lines out with --skip-bad";
    let at = |line: u64| Place { source: format!("{name}:{line}"), ..Place::default() };
    let mut problems: Vec<Problem> =
        bad.into_iter().map(|BadLine { line, why }| Problem::new(at(line), why, cure)).collect();
    if count > shown {
        let place = Place { source: name.to_owned(), ..Place::default() };
        let all = format!("{count} bad lines, of which the first {shown} are shown; nothing was written");
        problems.push(Problem::new(place, all, cure));
    }
    CliError::Input { problems, text: String::new() }
}

/// What ended the reading.
fn ended(name: &str, fault: &Fault) -> CliError {
    let cure = match fault {
        Fault::Cut { .. } => "get the whole file; what is there can be unpacked first and imported as text",
        Fault::Damaged { .. } => "get the file again",
        _ => "see to it that the file can be read",
    };
    CliError::input(Problem::new(Place { source: name.to_owned(), ..Place::default() }, fault.to_string(), cure))
}

fn no_keys(name: &str, counts: &Counts, format: Format, args: &ImportArgs) -> CliError {
    let column = args.column.as_deref().unwrap_or("id");
    let (why, cure) = match (format, counts.statements, &args.table) {
        (Format::GeneralLog | Format::GeneralLogTable | Format::Statements, 0, Some(table)) => {
            (format!("no statement is about `{table}`"), "give --table another name, or leave it out".to_owned())
        }
        (Format::GeneralLog | Format::GeneralLogTable | Format::Statements, 0, None) => {
            ("no statement reads or writes rows".to_owned(), "give a log of Query or Execute".to_owned())
        }
        (Format::GeneralLog | Format::GeneralLogTable | Format::Statements, statements, _) => (
            format!("none of its {statements} statements names a key in `{column}`"),
            "give the column that the keys are in with --column".to_owned(),
        ),
        (format, ..) => (format!("it holds no key ({})", format.name()), "give --format another one".to_owned()),
    };
    CliError::input(Problem::new(Place { source: name.to_owned(), ..Place::default() }, why, cure))
}

fn unwritable(out: &Path, error: &io::Error) -> CliError {
    let cure = match error.kind() {
        io::ErrorKind::InvalidData => "import a part of it, or leave --thread-column out if that is no thread",
        _ => "see to it that there is room",
    };
    CliError::Failed { message: format!("{} cannot be written: {error}", out.display()), cure: cure.to_owned() }
}

/// A refusal about a file, told at its name.
pub(super) fn at_file(name: &str, refusal: Refusal) -> CliError {
    let place = Place { source: name.to_owned(), ..Place::default() };
    CliError::input(Problem::new(place, refusal.why, refusal.cure))
}
