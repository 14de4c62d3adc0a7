//! Lock managers of databases as ordinary libraries: they know nothing of being measured.
//!
//! | module | what | as in |
//! | --- | --- | --- |
//! | [`point`] | hashed stripes of point locks | RocksDB's `PointLockManager` |
//! | [`range`] | a tree of ranges, a mutex a node; of points alone too | RocksDB's range lock manager, TokuDB's lock tree |
//! | [`queue`] | lines that are handed over, for points and for ranges | the literature: what is attainable |
//! | [`simple`] | mutex, reader-writer, ticket and MCS locks, behind a contract of their own | – |
//! | [`history`] | what workers did, noted and held to the laws of locking | – |
//!
//! All keep one contract, [`LockManager`]: a worker begins a [`Transaction`], locks closed [`Span`]s of keys in [`Space`]s, in a
//! [`Mode`], each wait with a [`Deadline`], and releases everything at once. A wait blocks; it can be cancelled from outside. What
//! the requests met is in the transaction's own [`Counts`], so that counting shares no line.
//!
//! ```
//! use hitm_locks::{Deadline, Granted, LockManager, Mode, Refused, Space, Span, point};
//!
//! let manager = point::PointLocks::new(point::Config::default())?;
//! let (mut one, mut other) = (manager.transaction(), manager.transaction());
//! manager.begin(&mut one, None)?;
//! manager.begin(&mut other, None)?;
//! let key = Span::point(5);
//! assert_eq!(manager.lock(&mut one, Space(0), key, Mode::Exclusive, Deadline::Now), Ok(Granted::AtOnce));
//! assert_eq!(manager.lock(&mut other, Space(0), key, Mode::Shared, Deadline::Now), Err(Refused::Busy));
//! assert_eq!(manager.lock(&mut other, Space(1), key, Mode::Shared, Deadline::Now), Ok(Granted::AtOnce));
//! manager.release(&mut one);
//! assert_eq!(manager.lock(&mut other, Space(0), key, Mode::Shared, Deadline::Now), Ok(Granted::AtOnce));
//! manager.release(&mut other);
//! assert_eq!(manager.held(), 0);
//! # Ok::<(), hitm_locks::Problem>(())
//! ```

#![forbid(unsafe_code)]

mod contract;
mod counts;
mod graph;
mod hash;
pub mod history;
mod overtaking;
mod parts;
pub mod point;
pub mod queue;
pub mod range;
pub mod simple;
mod spaces;
mod sync;
mod transaction;

pub use contract::{Deadline, Ended, Granted, LockManager, Mode, Problem, Refused, Space, Span};
pub use counts::Counts;
pub use transaction::{Canceller, Transaction};
