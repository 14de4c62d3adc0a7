//! A table of somebody's: workers and throughput, whatever they are called there.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};
use hitm_analysis::scaling::Value;
use hitm_experiment::{Place, Problem};

use crate::args::UslArgs;
use crate::problems::CliError;

/// What was read.
pub(super) struct Table {
    /// The file's name, for people.
    pub(super) name: String,
    /// The columns taken, by their headings or places.
    pub(super) columns: [String; 2],
    pub(super) values: Vec<Value>,
    /// The throughput's unit as the heading has it; empty where none is told.
    pub(super) unit: String,
}

/// Headings that mean the number of workers, and those that mean throughput, in small letters.
const WORKERS: &[&str] = &[
    "workers",
    "threads",
    "thread",
    "n",
    "clients",
    "concurrency",
    "connections",
    "processors",
    "cpus",
    "cores",
    "load",
];
const THROUGHPUT: &[&str] = &[
    "throughput",
    "qps",
    "tps",
    "x",
    "ops",
    "op/s",
    "ops/s",
    "rps",
    "iops",
    "transactions/s",
    "queries/s",
    "events/s",
];

/// The most of a file that is read: more rows than anyone measures.
const MOST_BYTES: u64 = 64 << 20;

/// Reads the table.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read(args: &UslArgs, csv: &Path) -> Result<Table, CliError> {
    let name = match csv == Path::new("-") {
        true => "standard input".to_owned(),
        false => csv.display().to_string(),
    };
    let place = |line: Option<u64>| Place {
        source: line.map_or(name.clone(), |line| format!("{name}:{line}")),
        ..Place::default()
    };
    let problem = |line, message: String, cure: &str| Problem::new(place(line), message, cure);
    let text = text(csv).map_err(|(message, cure)| CliError::input(problem(None, message, cure)))?;
    let rows = rows(&text).map_err(|message| {
        CliError::input(problem(None, message, "give rows of numbers with commas, semicolons or tabs between"))
    })?;
    let Some((_, first)) = rows.first() else {
        return Err(CliError::input(problem(
            None,
            "there is nothing in it".to_owned(),
            "give a number of workers and a throughput in each row",
        )));
    };
    let headed = first.iter().any(|field| number(field).is_none());
    let headings: Vec<String> = match headed {
        true => first.iter().map(str::to_owned).collect(),
        false => (1..=first.len()).map(|place| format!("column {place}")).collect(),
    };
    let columns = columns(args, &headings).map_err(|problems| CliError::Input { problems, text: String::new() })?;
    let (mut values, mut problems, mut repetitions) = (Vec::new(), Vec::new(), HashMap::new());
    for (line, row) in rows.iter().skip(usize::from(headed)) {
        let mut taken = [0.0; 2];
        let mut whole = true;
        for (taken, column) in taken.iter_mut().zip(columns) {
            let heading = &headings[column];
            match row.get(column).map(|field| (field, number(field))) {
                Some((_, Some(number))) if number > 0.0 => *taken = number,
                found => {
                    let message = match found {
                        None => format!("there is no {heading}"),
                        Some((field, None)) => format!("{heading} is `{field}`, which is no number"),
                        Some((field, Some(_))) => format!("{heading} is {field}, and only more than 0 can be fitted"),
                    };
                    problems.push(problem(Some(*line), message, "mend the row, or leave it out"));
                    whole = false;
                }
            }
        }
        if whole {
            let [workers, throughput] = taken;
            let repetition = repetitions.entry(workers.to_bits()).or_insert(0);
            values.push(Value { workers, repetition: *repetition, throughput });
            *repetition += 1;
        }
    }
    if !problems.is_empty() {
        return Err(CliError::Input { problems, text: String::new() });
    }
    let unit = unit(&headings[columns[1]], headed);
    Ok(Table { name, columns: columns.map(|column| headings[column].clone()), values, unit })
}

type Told = (String, &'static str);

fn text(path: &Path) -> Result<String, Told> {
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes),
        false => File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|error| (format!("it cannot be read: {error}"), "give a file that can be, or - for standard input"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err((format!("it is larger than {} MiB", MOST_BYTES >> 20), "give a table of measurements"));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| ("it is no text".to_owned(), "give a table as text in UTF-8"))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The rows with the lines that they are on, without empty ones and remarks.
fn rows(text: &str) -> Result<Vec<(u64, StringRecord)>, String> {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or("");
    let between = [b',', b';', b'\t'].into_iter().find(|between| first.as_bytes().contains(between)).unwrap_or(b',');
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .delimiter(between)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!("it is no table: {error}"))?;
        if record.iter().any(|field| !field.is_empty()) {
            rows.push((record.position().map_or(0, csv::Position::line), record));
        }
    }
    Ok(rows)
}

fn number(field: &str) -> Option<f64> {
    field.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Which columns are meant.
fn columns(args: &UslArgs, headings: &[String]) -> Result<[usize; 2], Vec<Problem>> {
    let plain = |heading: &String| heading.split([',', '[', '(']).next().unwrap_or("").trim().to_lowercase();
    let (mut found, mut problems) = ([0; 2], Vec::new());
    let asked = [("--workers", &args.workers, WORKERS), ("--throughput", &args.throughput, THROUGHPUT)];
    for (index, (flag, asked, usual)) in asked.into_iter().enumerate() {
        let known = match asked {
            Some(asked) => headings.iter().position(|heading| heading == asked).or_else(|| {
                let place: usize = asked.parse().ok()?;
                (1..=headings.len()).contains(&place).then(|| place - 1)
            }),
            None => usual
                .iter()
                .find_map(|usual| headings.iter().position(|heading| plain(heading) == *usual))
                // Two columns are what they must be, in the usual order.
                .or((headings.len() == 2).then_some(index)),
        };
        match (known, asked) {
            (Some(column), _) => found[index] = column,
            (None, Some(asked)) => {
                let place = Place { source: format!("{flag} {asked}"), ..Place::default() };
                problems.push(Problem::new(place, "there is no such column", have(headings)));
            }
            (None, None) => {
                let place = Place { source: flag.to_owned(), ..Place::default() };
                problems.push(Problem::new(place, "which column it is cannot be told", have(headings)));
            }
        }
    }
    if problems.is_empty() && found[0] == found[1] {
        let message = format!("{} cannot be both the workers and the throughput", headings[found[0]]);
        problems.push(Problem::new(Place::default(), message, have(headings)));
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

fn have(headings: &[String]) -> String {
    format!("give one of {}", headings.join(", "))
}

/// The unit of a throughput, by its heading: `QPS` is one, `throughput, op/s` has one.
fn unit(heading: &str, headed: bool) -> String {
    match heading.split_once([',', '[', '(']) {
        _ if !headed => String::new(),
        Some((_, unit)) => unit.trim().trim_end_matches([']', ')']).to_owned(),
        None if matches!(heading.to_lowercase().as_str(), "throughput" | "x") => String::new(),
        None => heading.to_owned(),
    }
}
