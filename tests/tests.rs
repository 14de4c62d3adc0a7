//! Whole-program tests: see README.md beside this file.

mod bad_input;
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
