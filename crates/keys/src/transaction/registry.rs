//! All transactions by name.

use std::collections::BTreeMap;

use super::ycsb::{Shares, Ycsb};
use super::{Mix, NewOrder, SmallBtree, Sysbench1_0_20, SysbenchOld, Text, Transaction};
use crate::dist::tpcc::Constants;
use crate::dist::{sysbench_1_0_20 as new, sysbench_old as old};
use crate::rng::{Rand48, WiredTigerMwc, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// A transaction that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, `benchmark/workload`, such as `sysbench-1.0.20/oltp_read_write`.
    pub name: &'static str,
    /// What it does, one sentence.
    pub summary: &'static str,
    /// The generator that its original draws from, by its name in experiments.
    pub generator: &'static str,
    /// The distributions of keys that it can be asked for, its default first; empty where it has its own alone.
    pub dists: &'static [&'static str],
    /// Whether it draws texts of digits.
    pub texts: bool,
    build: fn(&Asked) -> Result<Any, Vec<Refusal>>,
}

/// What is asked of a transaction.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The rows of a table, keys from its first one on; for TPC-C the warehouses.
    pub rows: u64,
    /// The tables, for benchmarks that have several alike.
    pub tables: u64,
    /// The distribution of keys; `None` for the default.
    pub dist: Option<&'a str>,
    /// How texts are drawn.
    pub text: Text,
}

impl Entry {
    /// Makes the transaction.
    ///
    /// # Errors
    /// All that is wrong: a distribution or a text that it does not have, rows or tables that it does not take.
    pub fn build(&self, asked: &Asked) -> Result<Any, Vec<Refusal>> {
        let mut refusals = Vec::new();
        let mut asked = *asked;
        if let Some(name) = asked.dist.filter(|name| !self.dists.contains(name)) {
            let cure = match self.dists {
                [] => "leave it out".to_owned(),
                dists => format!("give {}", dists.join(", ")),
            };
            refusals.push(Refusal::new("dist", format!("{} has no distribution `{name}`", self.name), cure));
            asked.dist = None;
        }
        if asked.text != Text::PerDigit && !self.texts {
            refusals.push(Refusal::new("text", format!("{} draws no texts", self.name), "leave it out"));
        }
        match (self.build)(&asked) {
            Ok(made) if refusals.is_empty() => Ok(made),
            made => Err(refusals.into_iter().chain(made.err().into_iter().flatten()).collect()),
        }
    }
}

/// One of them, chosen at run time.
#[derive(Debug)]
pub enum Any {
    /// sysbench before 1.0.
    SysbenchOld(SysbenchOld<old::Any>),
    /// sysbench 1.0.20.
    Sysbench1_0_20(Sysbench1_0_20<new::Any>),
    /// YCSB.
    Ycsb(Ycsb),
    /// TPC-C's new order.
    NewOrder(NewOrder),
    /// wtperf.
    SmallBtree(SmallBtree),
}

macro_rules! of_each {
    ($any:expr, $one:ident => $what:expr) => {
        match $any {
            Any::SysbenchOld($one) => $what,
            Any::Sysbench1_0_20($one) => $what,
            Any::Ycsb($one) => $what,
            Any::NewOrder($one) => $what,
            Any::SmallBtree($one) => $what,
        }
    };
}

impl Transaction for Any {
    fn statements(&self) -> u32 {
        of_each!(self, one => one.statements())
    }

    fn draw<S: Stream>(&self, stream: &mut S, each: impl FnMut(u64)) -> Option<()> {
        of_each!(self, one => one.draw(stream, each))
    }
}

fn sysbench_old(mix: Mix, asked: &Asked) -> Result<Any, Vec<Refusal>> {
    let range = KeyRange::of(asked.rows).map_err(|refusal| vec![refusal])?;
    let keys = old::Any::find(asked.dist.unwrap_or("special"), range)?;
    Ok(Any::SysbenchOld(SysbenchOld::new(mix, keys, asked.tables)?.with_text(asked.text)))
}

fn sysbench_1_0_20(mix: Mix, asked: &Asked) -> Result<Any, Vec<Refusal>> {
    let range = KeyRange::of(asked.rows).map_err(|refusal| vec![refusal])?;
    // The seed does not matter to a distribution without its stream.
    let defaults = crate::dist::Asked { range, seed: 1, parameters: BTreeMap::new() };
    let keys = new::by_rand_type(asked.dist.unwrap_or("special"), &defaults)?;
    Ok(Any::Sysbench1_0_20(Sysbench1_0_20::new(mix, keys, asked.tables)?.with_text(asked.text)))
}

macro_rules! sysbench {
    ($name:literal, $summary:literal, $mix:ident, $texts:literal) => {
        [
            Entry {
                name: concat!("sysbench-old/", $name),
                summary: concat!($summary, ", before sysbench 1.0"),
                generator: Rand48::NAME,
                dists: &old::Any::NAMES,
                texts: $texts,
                build: |asked| sysbench_old(Mix::$mix, asked),
            },
            Entry {
                name: concat!("sysbench-1.0.20/", $name),
                summary: concat!($summary, ", in sysbench 1.0.20"),
                generator: Xoroshiro128Plus::NAME,
                dists: &new::Any::NAMES,
                texts: $texts,
                build: |asked| sysbench_1_0_20(Mix::$mix, asked),
            },
        ]
    };
}

static SYSBENCH: [[Entry; 2]; 4] = [
    sysbench!("oltp_read_write", "14 reads, two updates, a delete and an insert", READ_WRITE, true),
    sysbench!("oltp_read_only", "Ten rows and four ranges read", READ_ONLY, false),
    sysbench!("oltp_write_only", "Two updates, a delete and an insert", WRITE_ONLY, true),
    sysbench!("oltp_point_select", "One row read", POINT_SELECT, false),
];

/// Java's generator of each thread takes no seed: ours stands for it, as in the distributions.
macro_rules! ycsb {
    ($name:literal, $summary:literal, $shares:ident, $latest:literal) => {
        Entry {
            name: concat!("ycsb/workload", $name),
            summary: $summary,
            generator: Xoshiro256PlusPlus::NAME,
            dists: &[],
            texts: false,
            build: |asked| Ycsb::new(Shares::$shares, asked.rows, $latest).map(Any::Ycsb),
        }
    };
}

static OTHERS: [Entry; 8] = [
    ycsb!("a", "Half reads, half updates", A, false),
    ycsb!("b", "95 % reads, 5 % updates", B, false),
    ycsb!("c", "Reads alone", C, false),
    ycsb!("d", "95 % reads of the latest keys, 5 % inserts", D, true),
    ycsb!("e", "95 % scans of up to 100 rows, 5 % inserts", E, false),
    ycsb!("f", "Half reads, half read-modify-writes", F, false),
    Entry {
        name: "tpcc/new-order",
        summary: "The keys of a new order: 5 to 15 items for a customer",
        generator: Xoshiro256PlusPlus::NAME,
        dists: &[],
        texts: false,
        build: |asked| {
            let constants = Constants::run(Constants::load(1), 2).map_err(|refusal| vec![refusal])?;
            NewOrder::new(asked.rows, constants).map(Any::NewOrder)
        },
    },
    Entry {
        name: "wtperf/small-btree",
        summary: "One row read, any",
        generator: WiredTigerMwc::NAME,
        dists: &[],
        texts: false,
        build: |asked| SmallBtree::new(asked.rows).map(Any::SmallBtree),
    },
];

/// All transactions.
pub fn entries() -> impl Iterator<Item = &'static Entry> + Clone {
    SYSBENCH.as_flattened().iter().chain(&OTHERS)
}

/// The transaction of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name)
}
