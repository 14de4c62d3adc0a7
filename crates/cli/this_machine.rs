//! The machine that the program runs on, or another that the command line names.

use hitm_experiment::{Place, Problem};
use hitm_machine::{Input, MachineError};
use hitm_topology::Topology;

use crate::problems::CliError;

/// The topology of this machine.
pub(crate) fn this() -> Result<Topology, CliError> {
    hitm_machine::discover(&Input::This).map_err(|error| CliError::Failed { message: error.message, cure: error.cure })
}

/// The topology of the machine that `--input` names.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn given(input: &str) -> Result<Topology, Problem> {
    let wrong = |error: MachineError| {
        let place = Place { source: format!("--input {input}"), ..Place::default() };
        Problem::new(place, error.message, error.cure)
    };
    let input: Input = input.parse().map_err(wrong)?;
    hitm_machine::discover(&input).map_err(wrong)
}
