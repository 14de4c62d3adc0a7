//! hitm
