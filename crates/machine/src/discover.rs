//! A machine as a topology: this one, a recorded one or a described one.

use hitm_topology::Topology;

use crate::complete::complete;
use crate::files::Files;
use crate::hwloc;
use crate::input::{Input, MachineError};
use crate::json;
use crate::notes::notes;
use crate::pin::process_allowed;
use crate::preset::preset;
use crate::sound::clean;
use crate::sys;

/// Finds out what a machine consists of. Of this machine the PUs that the process may run on are the allowed ones; offline
/// and disallowed ones are listed as well. Nothing of this machine gets into a recorded or synthetic one.
///
/// # Errors
/// What is wrong with the file, the description or hwloc's environment, with its cure.
pub fn discover(input: &Input) -> Result<Topology, MachineError> {
    let mut topology = match input {
        Input::This => return this_machine(),
        Input::Xml(path) => noted(hwloc::recorded(path)?),
        Input::Sysfs(folder) => noted(sys::recorded(folder)?),
        Input::Json(path) => json::read(path)?,
        Input::Preset(name) => preset(name)?,
        Input::Synthetic(description) => noted(hwloc::described(description)?),
    };
    topology.source = input.to_string();
    Ok(topology)
}

fn this_machine() -> Result<Topology, MachineError> {
    // The mask before hwloc or a trial can have changed it.
    let mask = process_allowed();
    let mut topology = hwloc::this_machine()?;
    topology.is_this_machine = true;
    topology.architecture.get_or_insert_with(|| std::env::consts::ARCH.to_owned());
    let files = Files::this_machine();
    topology.kinds = sys::kinds::read(&files, &topology.pus);
    topology = noted(topology);
    complete(&mut topology, &mask, &files);
    Ok(topology)
}

/// Adds what the source leaves out.
fn noted(mut topology: Topology) -> Topology {
    let missing = notes(&topology);
    topology.notes.splice(0..0, missing);
    clean(&mut topology);
    topology
}
