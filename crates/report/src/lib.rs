//! Summaries to tables, figures and pages: pure functions from data to text and bytes.
//!
//! Everything here reads a [`Summary`](hitm_analysis::Summary) and the run's
//! [`Manifest`](hitm_experiment::Manifest) and writes no file: [`terminal()`], [`markdown()`], [`readme()`], [`csv()`] with
//! [`comparisons_csv()`], [`explanation_csv()`], [`records_csv()`], [`figures()`] with [`png()`], and [`html()`]; [`machine`] draws a topology, [`popularity`] keys by rank, [`scaling`] how throughput grows with the workers. A value that is absent is `–` in
//! tables and an empty field with its reason in CSV, never zero; a quantity that was estimated keeps that word.

#![forbid(unsafe_code)]

mod across;
mod beside;
mod breakdown;
mod by_workers;
mod damage;
mod explain;
mod export;
mod figure;
pub mod machine;
mod markdown;
mod names;
mod notes;
pub mod number;
mod page;
mod pairs;
pub mod popularity;
mod records;
mod relations;
pub mod scaling;
mod table;
mod terminal;
mod text;

pub use across::{across, across_csv, across_markdown};
pub use explain::explanation_csv;
pub use export::{comparisons_csv, csv};
pub use figure::png::{PngError, png};
pub use figure::{Figure, figures};
pub use markdown::{markdown, readme};
pub use page::{Extra, Link, html};
pub use records::records_csv;
pub use terminal::{Style, terminal};
pub use text::wrap;
