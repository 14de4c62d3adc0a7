//! What stands in for hwloc where hitm is built without it.

use std::path::Path;

use hitm_topology::Topology;

use crate::files::Files;
use crate::input::MachineError;
use crate::sys;

/// This machine as its own /sys tells it.
pub(crate) fn this_machine() -> Result<Topology, MachineError> {
    let refused = |why| MachineError::new(format!("/sys cannot be read as this machine's: {why}"), "mount /sys");
    let topology = sys::read(&Files::this_machine()).map_err(refused)?;
    Ok(Topology { source: "this machine (/sys)".into(), ..topology })
}

pub(crate) fn recorded(path: &Path) -> Result<Topology, MachineError> {
    Err(needed(&format!("xml:{}", path.display())))
}

pub(crate) fn described(description: &str) -> Result<Topology, MachineError> {
    Err(needed(&format!("synthetic:{description}")))
}

fn needed(input: &str) -> MachineError {
    let message = format!("`{input}` is read by hwloc, and this hitm was built without it");
    MachineError::new(message, "build hitm with its default features, or name the machine in another form")
}
