//! Summaries to tables, figures and pages.
