//! What the guest's PMU counted, and what hitm made of it.

mod asked;
mod laws;
mod told;
mod trials;

pub(crate) use asked::steps;

use serde_json::Value;

use crate::judge::same;
use crate::log::Log;
use crate::machines::Machine;
use asked::SOFTWARE;
use told::{doctor, uarch};
use trials::{Trial, trials};

/// The checks of what was counted in `phase`.
pub fn checks(machine: &Machine, phase: &str, log: &Log, check: &mut impl FnMut(String, Result<(), String>)) {
    let pmu = machine.pmu;
    check(format!("it is a {} among all processors of the catalogue", pmu.uarch), {
        uarch(log, &format!("{phase}/uarchs"), pmu)
    });
    let (opens, words): (_, &[&str]) =
        if pmu.opens() { ("hardware counts", pmu.counted) } else { ("nothing of the hardware counts", &["ENOENT"]) };
    check(format!("doctor says that pinning is possible and {opens}"), {
        doctor(log, &format!("{phase}/doctor"), pmu.opens(), words)
    });
    passes(machine, log, &format!("{phase}/passes"), check);
    if pmu.opens() {
        turns(machine, log, &format!("{phase}/turns"), check);
        let user = run(machine, log, &format!("{phase}/user"), false);
        check("a user counts what he may, and the rest is absent or comes from elsewhere by name".into(), {
            user.and_then(|run| told::user(pmu, &run.manifest, &run.trials))
        });
        check("doctor tells a user who may count nothing so".into(), {
            doctor(log, &format!("{phase}/user/doctor"), false, &["EACCES", "perf_event_paranoid is 3"])
        });
    }
}

/// A run that came to its end.
struct Run {
    manifest: Value,
    trials: Vec<Trial>,
    shown: Value,
}

/// What there is to read of a run.
fn run(machine: &Machine, log: &Log, name: &str, show: bool) -> Result<Run, String> {
    log.output(name)?;
    let manifest = log.json(&format!("{name}/manifest"))?;
    let trials = trials(log, name)?;
    for trial in &trials {
        same(&format!("{}: its PU", trial.name), u64::from(machine.pus()) - 1, trial.pu)?;
    }
    let shown = if show { log.json(&format!("{name}/show"))? } else { Value::Null };
    Ok(Run { manifest, trials, shown })
}

/// Events that do not fit at once, each in a pass.
fn passes(machine: &Machine, log: &Log, name: &str, check: &mut impl FnMut(String, Result<(), String>)) {
    let pmu = machine.pmu;
    let run = run(machine, log, name, true);
    let on = |look: &dyn Fn(&Run) -> Result<(), String>| run.as_ref().map_err(Clone::clone).and_then(look);
    let asked = pmu.asked().len() + SOFTWARE.len();
    check(format!("of {asked} events each that counts is counted in one of {} passes", pmu.passes), {
        on(&|run| laws::passes(pmu, &run.manifest, &run.trials))
    });
    check("what a trial counts is counted over one and the same time".into(), on(&|run| laws::same_time(&run.trials)));
    check("what cannot be counted is absent with its reason, and no zero".into(), {
        on(&|run| told::refused(pmu, &run.manifest, &run.shown, &run.trials))
    });
    check("no event explains the time that counts nothing here".into(), {
        on(&|run| told::explanation(pmu, &run.shown))
    });
    check("switches and a tracepoint of the kernel's move".into(), on(&|run| moved(&run.manifest)));
    if !pmu.opens() {
        check("no PMU is the one reason for all".into(), on(&|run| told::one_reason(pmu, &run.manifest)));
        return;
    }
    check("zeros that nobody saw move are told so".into(), {
        on(&|run| told::zeros(pmu, &run.manifest, &run.shown, &run.trials))
    });
    check("no two events of a pass are on one counter".into(), on(&|run| laws::one_event_a_counter(&run.manifest)));
    check("cycles count".into(), on(&|run| laws::positive(&run.trials, "cycles")));
    if pmu.counted.contains(&"instructions") {
        check("instructions grow with the work".into(), on(&|run| laws::instructions_scale(&run.trials)));
    }
    if pmu.icount {
        check("instructions take a nanosecond each, as QEMU has it".into(), {
            on(&|run| laws::instructions_are_nanoseconds(&run.trials))
        });
    }
}

/// Events that take turns because it was asked for.
fn turns(machine: &Machine, log: &Log, name: &str, check: &mut impl FnMut(String, Result<(), String>)) {
    let run = run(machine, log, name, true);
    let on = |look: &dyn Fn(&Run) -> Result<(), String>| run.as_ref().map_err(Clone::clone).and_then(look);
    check("multiplexed events run for a part of the time".into(), {
        on(&|run| laws::turns(&run.trials, &machine.pmu.asked()))
    });
    check("multiplexed counts are told as estimates".into(), on(&|run| told::estimates(&run.shown, &run.trials)));
}

/// They were seen to move when they were tried, by a thread that slept; in a trial they may well be 0.
fn moved(manifest: &Value) -> Result<(), String> {
    for event in SOFTWARE {
        same(event, Some(true), trials::told(manifest, event)?["moved"].as_bool())?;
    }
    Ok(())
}
