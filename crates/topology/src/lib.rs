//! A machine as plain data, and placement on it.
