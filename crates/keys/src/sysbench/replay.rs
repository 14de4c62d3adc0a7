//! A run of sysbench 1.0.20 with one thread, again.

use std::fmt::Write;

use super::{Sql, thread_stream};
use crate::Refusal;
use crate::dist::Asked;
use crate::dist::sysbench_1_0_20::{Any, by_rand_type};
use crate::rng::Xoroshiro128Plus;
use crate::stream::{Counted, Taken};
use crate::transaction::{Mix, Sysbench1_0_20, tables as tables_counted};

/// A script that can be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Its name, such as `sysbench-1.0.20/oltp_read_write`.
    pub name: &'static str,
    /// Its statements.
    pub mix: Mix,
}

impl Workload {
    /// All of them.
    pub const ALL: [Workload; 4] = [
        Workload { name: "sysbench-1.0.20/oltp_read_write", mix: Mix::READ_WRITE },
        Workload { name: "sysbench-1.0.20/oltp_read_only", mix: Mix::READ_ONLY },
        Workload { name: "sysbench-1.0.20/oltp_write_only", mix: Mix::WRITE_ONLY },
        Workload { name: "sysbench-1.0.20/oltp_point_select", mix: Mix::POINT_SELECT },
    ];

    /// The one of that name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(name: &str) -> Result<Workload, Refusal> {
        Self::ALL.into_iter().find(|workload| workload.name == name).ok_or_else(|| {
            let cure = format!("give {}", Self::ALL.map(|workload| workload.name).join(", "));
            Refusal::new("workload", format!("there is no workload `{name}`"), cure)
        })
    }
}

/// The statements of one thread, transaction by transaction: with `sysbench --threads=1` a function of the seed alone.
#[derive(Clone, Debug)]
pub struct Replay {
    transaction: Sysbench1_0_20<Any>,
    stream: Counted<Xoroshiro128Plus>,
}

impl Replay {
    /// As `sysbench WORKLOAD --threads=1 --rand-seed=… --rand-type=… --table-size=… --tables=… run`. `asked` has the seed, the keys from
    /// 1 to the table's size, and the distribution's parameters.
    ///
    /// # Errors
    /// All that is wrong at once.
    pub fn new(workload: Workload, rand_type: &str, asked: &Asked, tables: u64) -> Result<Self, Vec<Refusal>> {
        let (keys, stream, counted) =
            (by_rand_type(rand_type, asked), thread_stream(asked.seed, 0), tables_counted(tables));
        match (keys, stream, counted) {
            (Ok(keys), Ok(stream), Ok(tables)) => {
                let transaction = Sysbench1_0_20::new(workload.mix, keys, tables)?;
                Ok(Replay { transaction, stream: Counted::new(stream) })
            }
            (keys, stream, tables) => {
                Err(keys.err().into_iter().flatten().chain(stream.err()).chain(tables.err()).collect())
            }
        }
    }

    /// Appends the statements of the next transaction, one a line.
    pub fn transaction(&mut self, text: &mut String) {
        // Writing to a string does not fail, and these keys do not end.
        let _ = self.transaction.run(&mut self.stream, |statement| {
            let _ = writeln!(text, "{}", Sql(statement));
        });
    }

    /// What was drawn so far.
    pub fn taken(&self) -> Taken {
        self.stream.taken()
    }
}
