//! What sharing the state of a random generator costs, and what it does to the numbers.

pub mod lookup;
pub mod next;

pub(crate) mod choice;
pub(crate) mod damage;
pub(crate) mod place;

mod cells;
mod drawing;
mod glibc;
mod lags;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
mod libc48;
mod lockstep;
mod own;
mod periods;
mod shared;
mod verdict;
