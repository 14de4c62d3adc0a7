//! What each placement policy promises, held to a machine whose shape is known. Nothing here is hitm's own code.

use crate::machines::{Machine, Phase};

/// A placement that is asked for: a policy and how many workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The policy, as `--place` and `placement.policy` take it.
    pub policy: String,
    /// The number of workers.
    pub workers: usize,
}

/// The placements that a machine is asked for in a phase. None has more workers than there are PUs.
pub fn asked(machine: &Machine, phase: &Phase) -> Vec<Asked> {
    let cores = machine.online_cores(phase);
    let pus: usize = cores.iter().map(Vec::len).sum();
    let widest = cores.iter().map(Vec::len).max().unwrap_or(0);
    let mut asked = Vec::new();
    let mut ask = |policy: &str, workers: usize| {
        let one = Asked { policy: policy.to_owned(), workers };
        if workers <= pus && !asked.contains(&one) {
            asked.push(one);
        }
    };
    ask("compact", widest);
    ask("cores", cores.len());
    ask("cores", cores.len() + 1);
    ask("scatter", 2);
    ask("scatter", cores.len());
    if widest > 1 {
        ask(&format!("smt-{widest}"), widest);
    }
    if widest > 2 {
        ask("smt-2", 4);
    }
    ask(&list_text(&cores), cores.len());
    asked
}

/// A list in no order of any policy's: each core's last online thread, the last core first.
pub fn list(cores: &[Vec<u32>]) -> Vec<u32> {
    cores.iter().rev().filter_map(|pus| pus.last().copied()).collect()
}

/// That list as it is written.
pub fn list_text(cores: &[Vec<u32>]) -> String {
    list(cores).iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// Whether `pus` is what was asked for.
///
/// # Errors
/// What is wrong with it, in words.
pub fn hold(machine: &Machine, phase: &Phase, asked: &Asked, pus: &[u32]) -> Result<(), String> {
    let cores = machine.online_cores(phase);
    let online: Vec<u32> = cores.concat();
    if pus.len() != asked.workers {
        return Err(format!("{} workers were asked for, {} placed", asked.workers, pus.len()));
    }
    if let Some(pu) = pus.iter().find(|pu| !online.contains(pu)) {
        return Err(format!("PU {pu} is not online"));
    }
    if let Some((_, pu)) = pus.iter().enumerate().find(|(i, pu)| pus[..*i].contains(pu)) {
        return Err(format!("PU {pu} is taken twice while others are free"));
    }
    // How many workers each core has, and how many it could have.
    let taken: Vec<(usize, &Vec<u32>)> =
        cores.iter().map(|core| (core.iter().filter(|pu| pus.contains(pu)).count(), core)).collect();
    match asked.policy.as_str() {
        "compact" => {
            let begun = taken.iter().filter(|(workers, core)| *workers > 0 && *workers < core.len()).count();
            // A core is filled before the next is begun.
            if begun > 1 { Err(format!("{begun} cores are begun and not filled")) } else { Ok(()) }
        }
        "cores" => spread(&taken).and_then(|()| first_threads(&taken, pus)),
        // Packages come first: one with fewer cores doubles up on them before another gets a worker more.
        "scatter" => (0..machine.packages)
            .try_for_each(|package| {
                let in_it = |(_, core): &&(usize, &Vec<u32>)| machine.package_of(core[0]) == package;
                spread(&taken.iter().filter(in_it).copied().collect::<Vec<_>>())
            })
            .and_then(|()| balanced(machine, &cores, pus)),
        policy => match policy.strip_prefix("smt-").map(str::parse::<usize>) {
            Some(Ok(wide)) => {
                if let Some((workers, core)) = taken.iter().find(|(workers, _)| *workers > wide) {
                    return Err(format!("{workers} workers are on the core of PU {}", core[0]));
                }
                let full = |core: &Vec<u32>| wide.min(core.len());
                let begun = taken.iter().filter(|(workers, core)| *workers > 0 && *workers < full(core)).count();
                if begun > 1 { Err(format!("{begun} cores are begun and not filled")) } else { Ok(()) }
            }
            _ if list(&cores).starts_with(pus) => Ok(()),
            _ => Err(format!("the list was {:?}", list(&cores))),
        },
    }
}

/// No core has a worker more than another that has a PU left for one.
fn spread(taken: &[(usize, &Vec<u32>)]) -> Result<(), String> {
    let most = taken.iter().map(|(workers, _)| *workers).max().unwrap_or(0);
    match taken.iter().find(|(workers, core)| *workers + 1 < most && *workers < core.len()) {
        Some((_, core)) => Err(format!("some core has {most} workers while PU {} has a free sibling", core[0])),
        None => Ok(()),
    }
}

/// Each core's workers are on its first online threads, whatever their numbers.
fn first_threads(taken: &[(usize, &Vec<u32>)], pus: &[u32]) -> Result<(), String> {
    for (workers, core) in taken {
        if let Some(pu) = core[..*workers].iter().find(|pu| !pus.contains(pu)) {
            return Err(format!("PU {pu}, an early online thread of its core, is left out for a later one"));
        }
    }
    Ok(())
}

/// No package has two workers more than another that has a PU left for one.
fn balanced(machine: &Machine, cores: &[Vec<u32>], pus: &[u32]) -> Result<(), String> {
    let online = cores.concat();
    let of = |pus: &[u32], package: u32| pus.iter().filter(|pu| machine.package_of(**pu) == package).count();
    let most = (0..machine.packages).map(|package| of(pus, package)).max().unwrap_or(0);
    for package in 0..machine.packages {
        let (workers, room) = (of(pus, package), of(&online, package));
        if workers + 1 < most && workers < room {
            return Err(format!("package {package} has {workers} workers of {room} while another has {most}"));
        }
    }
    Ok(())
}
