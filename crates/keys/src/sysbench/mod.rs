//! sysbench 1.0.20 replayed: what one of its threads draws, and the statements that it sends.

mod glibc_random;
mod replay;
mod seeding;
mod sql;

pub use glibc_random::GlibcRandom;
pub use replay::{Replay, Workload};
pub use seeding::{seed_of_srand48, thread_stream};
pub use sql::Sql;
