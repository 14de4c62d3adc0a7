//! Holds what a guest said to what its machine is.

use serde_json::Value;

use crate::log::{Log, tail};
use crate::machines::{Machine, Phase};
use crate::{counting, measured, placing, script, topology};

/// One thing looked at: what, and whether it holds.
pub struct Check {
    /// What was looked at, with the machine and its phase before it.
    pub what: String,
    /// Nothing, or what is wrong.
    pub found: Result<(), String>,
}

/// Everything there is to look at in a boot of this machine.
pub fn judge(machine: &Machine, log: &Log) -> Vec<Check> {
    let mut checks = Vec::new();
    for phase in machine.phases {
        let mut check = |what: String, found: Result<(), String>| {
            checks.push(Check { what: format!("{} {}: {what}", machine.name, phase.name), found });
        };
        check("the guest is the machine that was meant".into(), topology::guest(machine, phase, log));
        topology::found(machine, phase, log, &mut check);
        for asked in placing::asked(machine, phase) {
            let step = format!("{}/place/{}/{}", phase.name, asked.policy, asked.workers);
            let placed = log.json(&step).and_then(|json| pus(&json["placement"]["pus"]));
            let holds = placed.and_then(|pus| placing::hold(machine, phase, &asked, &pus));
            check(format!("{} places {} workers as it promises", asked.policy, asked.workers), holds);
        }
        if let Some(list) = script::offline_list(phase) {
            for command in ["place", "run"] {
                let found = refused(phase, log, command);
                check(format!("hitm {command} refuses the list {list}: a PU is offline"), found);
            }
        }
        measured::checks(machine, phase, log, &mut check);
        if phase.name == "booted" {
            counting::checks(machine, phase.name, log, &mut check);
        }
    }
    checks
}

/// The list with an offline PU is bad input, told as offline (not as absent or disallowed) and with that PU's number.
fn refused(phase: &Phase, log: &Log, command: &str) -> Result<(), String> {
    let step = log.step(&format!("{}/refused/{command}", phase.name))?;
    let said = format!("PU {} is offline", phase.offline[0]);
    if step.code != 2 {
        return Err(format!("it ended with {} and not 2: {}", step.code, tail(&step.err)));
    }
    if step.err.contains(&said) { Ok(()) } else { Err(format!("it does not say `{said}`: {}", tail(&step.err))) }
}

/// A JSON list of PUs.
pub(crate) fn pus(value: &Value) -> Result<Vec<u32>, String> {
    let number = |value: &Value| value.as_u64().and_then(|pu| u32::try_from(pu).ok());
    let list = value.as_array().ok_or_else(|| format!("no list of PUs but {value}"))?;
    list.iter().map(|pu| number(pu).ok_or_else(|| format!("no PU but {pu}"))).collect()
}

/// `found` where `wanted` should be.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, wanted: T, found: T) -> Result<(), String> {
    if wanted == found { Ok(()) } else { Err(format!("{what}: {found:?} and not {wanted:?}")) }
}
