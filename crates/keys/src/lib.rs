//! Random generators, and later key distributions, transactions and traces.
