//! pgbench's random functions by name.

use super::{Client, Exponential, Gaussian, Uniform, Zipfian};
use crate::KeyRange;
use crate::dist::{Asked, Entry, Parameter, bound};

const NAME: &str = "parameter";

fn parameter(asked: &Asked) -> f64 {
    asked.number(NAME)
}

/// Of the first client.
fn client(asked: &Asked) -> Client {
    Client::new(asked.seed, 0)
}

/// The accounts of pgbench at scale 1.
const ACCOUNTS: KeyRange = KeyRange::constant(1, 100_000);

pub(in crate::dist) const ENTRIES: &[Entry] = &[
    Entry {
        name: "pgbench/uniform",
        summary: "Every key alike (random)",
        fault: "",
        generator: Client::NAME,
        parameters: &[],
        range: ACCOUNTS,
        build: |asked| bound(Uniform::new(asked.range), Ok(client(asked))),
    },
    Entry {
        name: "pgbench/gaussian",
        summary: "A bell around the middle (random_gaussian)",
        fault: "",
        generator: Client::NAME,
        parameters: &[Parameter {
            name: NAME,
            default: 5.0,
            help: "standard deviations from the middle to an end, 2 or more",
        }],
        range: ACCOUNTS,
        build: |asked| bound(Gaussian::new(asked.range, parameter(asked)), Ok(client(asked))),
    },
    Entry {
        name: "pgbench/exponential",
        summary: "The first keys are hot, exponentially (random_exponential)",
        fault: "",
        generator: Client::NAME,
        parameters: &[Parameter {
            name: NAME,
            default: 5.0,
            help: "above 0: the last key is e^-parameter times as likely as the first",
        }],
        range: ACCOUNTS,
        build: |asked| bound(Exponential::new(asked.range, parameter(asked)), Ok(client(asked))),
    },
    Entry {
        name: "pgbench/zipfian",
        summary: "The k-th key in proportion to k^-parameter (random_zipfian)",
        fault: "takes hundreds of tries a key near 1, nothing below 1.001, and its formula loses its digits over about 10^13 keys: \
            those come too often; exact/zipf is without it",
        generator: Client::NAME,
        parameters: &[Parameter { name: NAME, default: 1.07, help: "exponent, 1.001 to 1000" }],
        range: ACCOUNTS,
        build: |asked| bound(Zipfian::new(asked.range, parameter(asked)), Ok(client(asked))),
    },
];
