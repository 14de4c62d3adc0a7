//! The `hitm` binary: the built-in kernels on the command line.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    hitm::run(&hitm::Registry::built_in(), env::args_os())
}
