//! A file of keys, one a line. Empty lines and lines that begin with `#` are passed over, spaces around a key too.

use super::fault::key;
use super::reader::{Out, Parser};

pub(super) struct Plain;

impl Parser for Plain {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out) {
        let text = line.trim_ascii();
        if text.is_empty() || text[0] == b'#' {
            return;
        }
        match key(text) {
            Ok(key) => out.access(key, None),
            Err(why) => out.bad(number, why),
        }
    }

    fn end(&mut self, _: &mut Out) {}
}
