//! `locking/transaction`: every worker begins transactions, locks rows, works, and commits; the lock manager is a model of RocksDB's
//! or of the toku tree's, a better design, or a storage engine's own.
//!
//! One operation is a transaction that committed. It draws `locks` keys from a distribution and locks each row, and where `secondary`
//! is on the row's entry in a second index; does `work` units after each; sleeps for `think_us` with all of them held; and lets go. A
//! lock is waited for until `timeout_ms` have passed. An attempt that a deadlock or the timeout ended is made again, with new keys as
//! sysbench does, or with the same. A wait that the trial's end cuts off is counted as such.
//!
//! Workers above the number of PUs are the normal case: a wait blocks and does not spin.
//!
//! # What is told besides
//!
//! A worker's time, parted into own work, the lock manager's calls, waiting, and attempts that came to nothing by deadlock, timeout or
//! the trial's end (`hitm list kernels locking/transaction` names them); how often each happened; how long waits, holds and whole transactions
//! took. With `timed = off` only the counts are told, and the clock is read half as often.
//!
//! # What is verified
//!
//! Each operation is a commit, every request has one answer, and nothing is held in the end. An observation notes every step of every
//! worker in one order, and holds them to the laws of locking: no two hold what excludes each other, no wait is forgotten while the
//! keys are free, every transaction ends.
//!
//! # What is observed
//!
//! - `hottest-key`: draws of the key that was drawn most, of all draws.
//! - `lock-conflicts`: requests that another was in the way of, of all requests.

use std::sync::LazyLock;
use std::time::Duration;

use hitm_experiment::Parameters;

use super::choice::{self, MODEL, MODELS, NAMES, NOTHING, WITHOUT};
use super::tallies::TALLIES;
use super::verify;
use crate::keys::origin::Origin;
use crate::keys::recorded::{self, Recorded};
use crate::keys::set;
use crate::keys::source::{DISTS, Source};
use crate::registry::{DefaultValue, Entry, Made, Parameter, ParameterKind, Refusal, integer, text, words};
use crate::work;

pub use super::choice::{Asked, Choice};
pub use super::transacting::Script;

/// The keys of all locks of a transaction, at most.
const MOST_KEYS: i64 = 100_000;

const OWN_DIST: &str = "exact/uniform";

/// Stands for keys from the distribution.
const NO_TRACE: &str = "none";

const ON_OFF: &[&str] = &["off", "on"];

const fn integer_of(
    name: &'static str,
    range: std::ops::RangeInclusive<i64>,
    default: i64,
    help: &'static str,
) -> Parameter {
    Parameter { name, kind: ParameterKind::Integer { range, step: 1 }, default: DefaultValue::Integer(default), help }
}

const fn choice_of(
    name: &'static str,
    words: &'static [&'static str],
    default: &'static str,
    help: &'static str,
) -> Parameter {
    Parameter { name, kind: ParameterKind::Choice(words), default: DefaultValue::Choice(default), help }
}

static PARAMETERS: LazyLock<[Parameter; 19]> = LazyLock::new(|| {
    [
        choice_of(
            "manager",
            &NAMES,
            "point",
            "The lock manager: as RocksDB's of points, as the toku tree of ranges, or a better design",
        ),
        choice_of(
            "engine",
            &[MODEL],
            MODEL,
            "Whose lock manager: the model of it, or that of a storage engine itself, which has no better designs",
        ),
        choice_of(
            "deadlocks",
            &["own", "on", "off"],
            "own",
            "Whether deadlocks are looked for; own is the manager's default",
        ),
        choice_of(
            "without",
            &WITHOUT,
            NOTHING,
            "A part of the manager's work that is switched off, to see what it costs",
        ),
        Parameter {
            name: "dist",
            kind: ParameterKind::Choice(&DISTS),
            default: DefaultValue::Choice(OWN_DIST),
            help: "The distribution of keys, by the program that it comes from; hitm keys dists tells of each",
        },
        set::PARAMETER,
        Parameter {
            default: DefaultValue::Choice(NO_TRACE),
            help: "A trace that the keys are taken from, in its order and the first again after the last; without dist and rows",
            ..recorded::TRACE
        },
        recorded::STREAMS,
        integer_of("rows", 1..=1 << 40, 1_000_000, "The rows of the table, which keys are drawn from"),
        integer_of("locks", 1..=1000, 3, "Rows that a transaction locks, one after the other"),
        integer_of(
            "span",
            1..=10_000,
            1,
            "Neighbouring rows of each; a manager of points locks them one by one, as a scan does",
        ),
        choice_of("secondary", ON_OFF, "off", "Whether each row's entry in a second index is locked too"),
        integer_of("shared", 0..=100, 0, "Locks that are shared, of a hundred; the others are exclusive"),
        choice_of(
            "order",
            &["drawn", "ascending"],
            "drawn",
            "In which order a transaction takes its locks; ascending ones close no circle",
        ),
        work::parameter(0, "Units of own work after each lock, about 1 ns each"),
        integer_of(
            "think_us",
            0..=1_000_000,
            0,
            "Microseconds asleep before the end, with all locks held, as for a disk or a client",
        ),
        integer_of("timeout_ms", 1..=3_600_000, 1000, "The lock-wait timeout, milliseconds"),
        choice_of(
            "retry",
            &["new-keys", "same-keys"],
            "new-keys",
            "What a transaction does that was refused: begin anew, or try the same again",
        ),
        choice_of("timed", ON_OFF, "on", "Whether what happens within transactions is timed"),
    ]
});

/// How this kernel is asked for.
pub fn entry() -> Entry {
    Entry {
        name: "locking/transaction",
        summary: "Every worker locks rows in transactions, in a model of a storage engine's lock manager",
        operation: "transaction",
        workers: 1..=crate::MAX_WORKERS,
        parameters: &*PARAMETERS,
        observations: &verify::NAMES,
        tallies: TALLIES,
        build: |parameters| build_with(&[], parameters),
    }
}

/// The parameters of this kernel where these managers can be chosen too. They are kept for ever.
pub fn parameters_with(engines: &[Choice]) -> Vec<Parameter> {
    let mut parameters = PARAMETERS.to_vec();
    let names = words(&[MODEL], engines.iter().map(|choice| choice.engine));
    let engine = parameters.iter_mut().find(|parameter| parameter.name == "engine");
    engine.expect("it is among them").kind = ParameterKind::Choice(names.leak());
    parameters
}

/// Makes this kernel where these managers can be chosen besides the models.
///
/// # Errors
/// A [`Refusal`] for a combination that there is not.
pub fn build_with(engines: &[Choice], parameters: &Parameters) -> Made {
    let is_on = |name: &str| text(parameters, name) == "on";
    let (locks, span) = (integer(parameters, "locks"), integer(parameters, "span"));
    if locks * span > MOST_KEYS {
        return Err(Refusal {
            parameter: "span",
            why: format!(
                "{locks} locks of {span} rows are {} keys a transaction, and at most {MOST_KEYS} are taken",
                locks * span
            ),
            cure: format!("give at most {}", MOST_KEYS / locks),
        });
    }
    let script = Script {
        origin: origin(parameters)?,
        locks: locks as usize,
        span: span as u64,
        secondary: is_on("secondary"),
        shared: integer(parameters, "shared") as u64,
        ascending: text(parameters, "order") == "ascending",
        work: integer(parameters, "work") as u32,
        think: Duration::from_micros(integer(parameters, "think_us") as u64),
        timeout: Duration::from_millis(integer(parameters, "timeout_ms") as u64),
        same_keys: text(parameters, "retry") == "same-keys",
        timed: is_on("timed"),
    };
    let deadlocks = match text(parameters, "deadlocks") {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    };
    let asked = Asked { deadlocks, without: text(parameters, "without") };
    let (engine, manager) = (text(parameters, "engine"), text(parameters, "manager"));
    choice::kernel(&[&MODELS, engines].concat(), engine, manager, script, &asked)
}

fn origin(parameters: &Parameters) -> Result<Origin, Refusal> {
    let dist = text(parameters, "dist");
    if text(parameters, recorded::TRACE.name) != NO_TRACE {
        if dist != OWN_DIST {
            return Err(Refusal {
                parameter: recorded::TRACE.name,
                why: format!("keys cannot come from a trace and from {dist}"),
                cure: format!("leave dist out, or give trace = \"{NO_TRACE}\""),
            });
        }
        return Ok(Origin::Recorded(Recorded::read(parameters)?));
    }
    let rows = integer(parameters, "rows");
    for (parameter, what) in [("locks", "locks"), ("span", "neighbouring rows a lock")] {
        let keys = integer(parameters, parameter);
        if keys > rows {
            return Err(Refusal {
                parameter,
                why: format!("a table of {rows} rows has no {keys} {what}"),
                cure: format!("give at most {rows}, or a larger table"),
            });
        }
    }
    Ok(Origin::Drawn(Source::read(dist, text(parameters, set::PARAMETER.name), rows as u64, "rows")?))
}
