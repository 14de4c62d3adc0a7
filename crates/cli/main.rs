//! The `hitm` binary: the built-in kernels, and the engines of this build, on the command line.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    hitm::run(&hitm::engines::registry(), env::args_os())
}
