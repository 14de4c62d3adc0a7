//! What locks cost: those of transactions in a lock manager, and plain ones.

pub mod manager;
pub mod simple;
pub mod transaction;

mod choice;
mod tallies;
mod transacting;
mod transactor;
mod verify;
mod wanted;
