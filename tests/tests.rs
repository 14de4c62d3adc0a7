//! Whole-program tests: see README.md beside this file.

mod bad_input;
mod comparing;
mod counting;
mod fitting;
mod interrupted;
mod key_files;
mod keys;
mod looking;
mod machine;
mod reporting;
mod running;
mod support;
mod traces;
