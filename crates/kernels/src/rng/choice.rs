//! The parameters that say which generator draws, where its state lies and how it is seeded, and what they choose.

use hitm_experiment::Parameters;
use hitm_keys::rng::{Pcg32, Rand48, SysbenchLcg, WiredTigerMwc, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus};

use super::cells::Generator;
use super::place::{Place, Seeding};
use super::{glibc, own, shared};
use crate::contract::Kernel;
use crate::registry::{DefaultValue, Parameter, ParameterKind, Refusal, text};

/// The parameter `state`.
pub(crate) const STATE: Parameter = Parameter {
    name: "state",
    kind: ParameterKind::Choice(&["shared-racy", "shared-atomic", "mutex", "packed", "padded", "thread-local"]),
    default: DefaultValue::Choice("shared-racy"),
    help: "Where the generator's state lies and how it is stepped",
};

/// The parameter `seeding`.
pub(crate) const SEEDING: Parameter = Parameter {
    name: "seeding",
    kind: ParameterKind::Choice(&["per-worker", "jump", "equal", "none"]),
    default: DefaultValue::Choice("per-worker"),
    help: "How workers' own states begin: each at its worker's seed, a jump apart on one stream so that they never overlap, all at one seed, or at zero because nobody seeded them",
};

/// The names of all generators.
pub(crate) const GENERATORS: [&str; 7] = [
    glibc::NAME,
    Rand48::NAME,
    SysbenchLcg::NAME,
    WiredTigerMwc::NAME,
    Xoroshiro128Plus::NAME,
    Xoshiro256PlusPlus::NAME,
    Pcg32::NAME,
];

/// Where the state lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatePlace {
    SharedRacy,
    SharedAtomic,
    Mutex,
    Packed,
    Padded,
    ThreadLocal,
}

/// What draws, wherever the state lies.
pub(crate) trait Task {
    /// The kernel for one place.
    fn kernel<P: Place>(self, seeding: Seeding) -> Box<dyn Kernel>;
}

/// The kernel of that task for the generator of that name, one of [`GENERATORS`], and the parameters [`STATE`] and [`SEEDING`].
pub(crate) fn choose(generator: &str, parameters: &Parameters, task: impl Task) -> Result<Box<dyn Kernel>, Refusal> {
    let place = match text(parameters, STATE.name) {
        "shared-racy" => StatePlace::SharedRacy,
        "shared-atomic" => StatePlace::SharedAtomic,
        "mutex" => StatePlace::Mutex,
        "packed" => StatePlace::Packed,
        "padded" => StatePlace::Padded,
        _ => StatePlace::ThreadLocal,
    };
    let seeding = match text(parameters, SEEDING.name) {
        "jump" => Seeding::Jump,
        "equal" => Seeding::Equal,
        "none" => Seeding::None,
        _ => Seeding::PerWorker,
    };
    let one_for_all = matches!(place, StatePlace::SharedRacy | StatePlace::SharedAtomic | StatePlace::Mutex);
    if one_for_all && seeding != Seeding::PerWorker {
        return Err(Refusal {
            parameter: SEEDING.name,
            why: "all workers draw from one state here, which has one seed".to_owned(),
            cure: "leave it out, or give the state packed, padded or thread-local".to_owned(),
        });
    }
    match generator {
        glibc::NAME => glibc::kernel(place, seeding, task),
        Rand48::NAME => kernel::<Rand48>(place, seeding, task),
        SysbenchLcg::NAME => kernel::<SysbenchLcg>(place, seeding, task),
        WiredTigerMwc::NAME => kernel::<WiredTigerMwc>(place, seeding, task),
        Xoroshiro128Plus::NAME => kernel::<Xoroshiro128Plus>(place, seeding, task),
        Xoshiro256PlusPlus::NAME => kernel::<Xoshiro256PlusPlus>(place, seeding, task),
        _ => kernel::<Pcg32>(place, seeding, task),
    }
}

/// That a generator has no streams of one seed.
pub(super) fn no_jump(why: String, cure: &str) -> Refusal {
    Refusal { parameter: SEEDING.name, why, cure: format!("give per-worker, or {cure}") }
}

fn kernel<G: Generator>(place: StatePlace, seeding: Seeding, task: impl Task) -> Result<Box<dyn Kernel>, Refusal> {
    if seeding == Seeding::Jump && G::STRIDES.is_none() {
        let why = format!(
            "the cycle of {} is too short: of {} draws a thousand workers would have {} each before they come to the next one's",
            G::NAME,
            G::PERIOD,
            G::PERIOD / 1000
        );
        return Err(no_jump(why, "a generator with a longer cycle, such as xoshiro256++ or rand48"));
    }
    Ok(match place {
        StatePlace::SharedRacy => task.kernel::<shared::Racy<G>>(seeding),
        StatePlace::SharedAtomic if shared::is_atomic::<G>() => task.kernel::<shared::Atomic<G>>(seeding),
        StatePlace::SharedAtomic => {
            return Err(Refusal {
                parameter: STATE.name,
                why: format!("the state of {} has {} bytes and an atomic word has 8", G::NAME, size_of::<G::Words>()),
                cure: "give mutex, or a generator of at most 8 bytes: rand48, sysbench-lcg or wiredtiger-mwc"
                    .to_owned(),
            });
        }
        StatePlace::Mutex => task.kernel::<shared::Locked<G>>(seeding),
        StatePlace::Packed => task.kernel::<own::Array<G, false>>(seeding),
        StatePlace::Padded => task.kernel::<own::Array<G, true>>(seeding),
        StatePlace::ThreadLocal => task.kernel::<own::Local<G>>(seeding),
    })
}
