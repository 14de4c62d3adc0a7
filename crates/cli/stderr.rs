//! Writing to standard error: whoever reads it may be gone, and that must stop nothing.

use std::io::{Write, stderr};

/// Writes a line.
pub(crate) fn tell(text: impl AsRef<str>) {
    // Nothing is left to tell it to.
    let _ = writeln!(stderr().lock(), "{}", text.as_ref());
}
