//! The machine that the program runs on.

use hitm_machine::Input;
use hitm_topology::Topology;

use crate::problems::CliError;

/// The topology of this machine.
pub(crate) fn this() -> Result<Topology, CliError> {
    hitm_machine::discover(&Input::This).map_err(|error| CliError::Failed { message: error.message, cure: error.cure })
}
