//! The lock managers that can be chosen, and what each can do without.

use std::sync::LazyLock;

use hitm_locks::history::Obstacles;
use hitm_locks::{LockManager, Problem, point, queue, range};

use super::manager::Model;
use super::transacting::Script;
use crate::registry::{Made, Refusal, words};

/// What is asked of a manager besides its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked<'a> {
    /// Whether deadlocks are looked for; `None` leaves it to the manager.
    pub deadlocks: Option<bool>,
    /// The part of its work that is switched off; `none` for none. Those that the manager does not have are refused before.
    pub without: &'a str,
}

/// A lock manager that can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Whose it is, the value of the parameter `engine`.
    pub engine: &'static str,
    /// Its name, the value of the parameter `manager`.
    pub name: &'static str,
    /// The parts of its work that it can do without.
    pub without: &'static [&'static str],
    /// The kernel that runs a script against it.
    pub kernel: fn(Script, &Asked) -> Made,
}

/// Stands for nothing left out.
pub(super) const NOTHING: &str = "none";
/// Stands for everything left out that can be.
const ALL: &str = "all";

const POINT_PARTS: &[&str] = &["few-stripes", "reference-count", "shared-numbers"];
const RANGE_PARTS: &[&str] = &[
    "one-root",
    "request-mutex",
    "memory-counter",
    "graph",
    "single-transaction",
    "reference-count",
    "shared-numbers",
];

/// The parts that can be switched off, of any manager.
pub(super) static WITHOUT: LazyLock<Vec<&str>> =
    LazyLock::new(|| words(&[NOTHING], MODELS.iter().flat_map(|model| model.without).copied().chain([ALL])));

/// The managers of [`hitm_locks`].
pub(super) const MODELS: [Choice; 5] = [
    model("point", POINT_PARTS, point_kernel),
    model("range", RANGE_PARTS, |script, asked| range_kernel(script, asked, false)),
    model("range-points", RANGE_PARTS, |script, asked| range_kernel(script, asked, true)),
    model("queue-points", &[], |script, asked| queue_kernel(script, asked, true)),
    model("queue-ranges", &[], |script, asked| queue_kernel(script, asked, false)),
];

const fn model(name: &'static str, without: &'static [&'static str], kernel: fn(Script, &Asked) -> Made) -> Choice {
    Choice { engine: MODEL, name, without, kernel }
}

/// The models, as the parameter `engine` names them.
pub(super) const MODEL: &str = "model";

/// The names of the models.
pub(super) static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| words(&[], MODELS.iter().map(|model| model.name)));

/// The kernel of an engine's manager with this script.
pub(super) fn kernel(choices: &[Choice], engine: &str, name: &str, script: Script, asked: &Asked) -> Made {
    let of_engine = || choices.iter().filter(|choice| choice.engine == engine);
    let choice = of_engine().find(|choice| choice.name == name).ok_or_else(|| Refusal {
        parameter: "manager",
        why: format!("{engine} has no lock manager `{name}`"),
        cure: format!("give one of {}", of_engine().map(|choice| choice.name).collect::<Vec<_>>().join(", ")),
    })?;
    let parts = choice.without;
    if asked.without != NOTHING && (parts.is_empty() || asked.without != ALL && !parts.contains(&asked.without)) {
        return Err(Refusal {
            parameter: "without",
            why: format!("there is no {} in the {name} of {engine} that can be left out", asked.without),
            cure: match parts {
                [] => format!("leave it out, or give {NOTHING}"),
                parts => format!("give {NOTHING}, {}, or {ALL}", parts.join(", ")),
            },
        });
    }
    (choice.kernel)(script, asked)
}

impl Asked<'_> {
    fn keeps(&self, part: &str) -> bool {
        self.without != part && self.without != ALL
    }
}

/// Trees, and stripes of lines of their own, that stand for as many as are wanted.
const MANY: usize = 256;

fn point_kernel(script: Script, asked: &Asked) -> Made {
    let mut config = point::Config {
        deadlock_depth: asked.deadlocks.unwrap_or(false).then_some(point::Config::DEADLOCK_DEPTH),
        reference_count: asked.keeps("reference-count"),
        shared_numbers: asked.keeps("shared-numbers"),
        ..point::Config::default()
    };
    if !asked.keeps("few-stripes") {
        (config.stripes, config.padded) = (MANY * 16, true);
    }
    modelled(script, false, Obstacles::Conflicts, move || point::PointLocks::new(config))
}

fn range_kernel(script: Script, asked: &Asked, points_only: bool) -> Made {
    let original = range::Config::default();
    let config = range::Config {
        partitions: if asked.keeps("one-root") { original.partitions } else { MANY },
        request_mutex_always: asked.keeps("request-mutex"),
        memory_limit: original.memory_limit.filter(|_| asked.keeps("memory-counter")),
        graph: asked.deadlocks.unwrap_or(true) && asked.keeps("graph"),
        single: asked.keeps("single-transaction"),
        reference_count: asked.keeps("reference-count"),
        shared_numbers: asked.keeps("shared-numbers"),
        points_only,
        ..original
    };
    modelled(script, !points_only, Obstacles::Overlaps, move || range::RangeLocks::new(config))
}

fn queue_kernel(script: Script, asked: &Asked, points_only: bool) -> Made {
    let config = queue::Config { points_only, deadlocks: asked.deadlocks.unwrap_or(true), ..queue::Config::default() };
    modelled(script, !points_only, Obstacles::Conflicts, move || queue::Queues::new(config))
}

fn modelled<M: LockManager + 'static>(
    script: Script,
    ranges: bool,
    obstacles: Obstacles,
    make: impl Fn() -> Result<M, Problem> + Send + Sync + 'static,
) -> Made {
    Ok(script.kernel(move |_| Ok(Model::new(make().map_err(|problem| problem.to_string())?, ranges, obstacles))))
}
