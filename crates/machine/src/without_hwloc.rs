//! What stands in for hwloc where hitm is built without it.

use std::path::Path;

use hitm_topology::Topology;

use crate::input::MachineError;

/// This machine as its PUs alone; who is there is filled in from /sys.
pub(crate) fn this_machine() -> Result<Topology, MachineError> {
    let topology = Topology { source: "this machine (/sys)".into(), reader: "/sys".into(), ..Topology::default() };
    Ok(Topology { notes: crate::notes::notes(&topology), ..topology })
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
