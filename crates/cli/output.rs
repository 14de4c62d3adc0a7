//! Writing to standard output: a closed pipe ends quietly, any other fault is told.

use std::io::{self, ErrorKind, IsTerminal, Write};

use hitm_report::{Style, wrap};
use serde::Serialize;

use crate::color::colors_wanted;
use crate::problems::CliError;

/// Columns of a terminal that does not tell, and of anything that is no terminal.
const USUAL_WIDTH: usize = 120;

/// Prints text as it is.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        // Whoever read us has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(CliError::failed(format!("standard output cannot be written: {error}"))),
    }
}

/// Prints text piece by piece: `next` appends a piece and tells whether there may be more. Ends early, and quietly, when whoever reads
/// has seen enough.
pub(crate) fn pour(mut next: impl FnMut(&mut String) -> bool) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let mut piece = String::new();
    loop {
        piece.clear();
        let more = next(&mut piece);
        match stdout.write_all(piece.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) if more => {}
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(CliError::failed(format!("standard output cannot be written: {error}"))),
        }
    }
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| CliError::failed(format!("this cannot be written as JSON: {error}")))?;
    print(&(text + "\n"))
}

/// How to write for whoever reads standard output: colours only on a terminal without `NO_COLOR`, and within its width or `COLUMNS`.
pub(crate) fn style() -> Style {
    let terminal = io::stdout().is_terminal();
    Style { color: terminal && colors_wanted(), width: width(terminal) }
}

/// Appends a text in lines of the terminal's width, the first after `lead`, the others below it; nothing for an empty text.
pub(crate) fn hang(text: &mut String, lead: &str, line: &str) {
    if line.is_empty() {
        return;
    }
    let indent = lead.chars().count();
    let columns = style().width.saturating_sub(indent).max(20);
    for (index, part) in wrap(line, columns).iter().enumerate() {
        text.push_str(if index == 0 { lead } else { "" });
        text.extend(std::iter::repeat_n(' ', if index == 0 { 0 } else { indent }));
        text.push_str(part);
        text.push('\n');
    }
}

/// `COLUMNS` where it is set, else the terminal's width.
fn width(terminal: bool) -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let shown = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    asked.or_else(|| if terminal { shown() } else { None }).unwrap_or(USUAL_WIDTH).max(40)
}
