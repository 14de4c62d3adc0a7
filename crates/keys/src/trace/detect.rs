//! Which format a text is in, by its first lines.

use super::Format;
use super::fault::{key, shown};
use super::general_log::{head, row};
use super::statements::is_statement;
use super::table::separator;
use crate::Refusal;

/// Bytes of the beginning that are looked at.
pub(super) const LOOKED_AT: usize = 1 << 14;

/// The format of a text that begins so.
///
/// # Errors
/// When it is none that is known.
pub(super) fn format(beginning: &[u8], column_asked: bool) -> Result<Format, Refusal> {
    let lines = beginning.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut lines = lines.filter(|line| !line.trim_ascii().is_empty());
    let Some(first) = lines.clone().next() else {
        return Err(Refusal::new("trace", "it is empty", "give a file with keys in it"));
    };
    if first.starts_with(b"fio version ") {
        return Ok(Format::Fio);
    }
    if first.starts_with(b"hitmkeys") {
        let cure = "it needs no import: describe or replay it as it is";
        return Err(Refusal::new("trace", "it is in the compact form already", cure));
    }
    if first.starts_with(b"event_time\t") {
        return Ok(Format::GeneralLogTable);
    }
    for line in lines.by_ref().take(50) {
        if head(line).is_some() || line.ends_with(b"started with:") {
            return Ok(Format::GeneralLog);
        }
        if row(line).is_some() {
            return Ok(Format::GeneralLogTable);
        }
    }
    if is_statement(first) {
        return Ok(Format::Statements);
    }
    let fields: Vec<&[u8]> = first.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).collect();
    let is = |index: usize, words: &[&str]| {
        fields.get(index).is_some_and(|field| words.iter().any(|word| field.eq_ignore_ascii_case(word.as_bytes())))
    };
    if fields.len() == 7 && is(3, &["read", "write", "type"]) {
        return Ok(Format::Msr);
    }
    if fields.len() >= 5 && is(3, &["r", "w"]) {
        return Ok(Format::Spc);
    }
    let words: Vec<&[u8]> = first.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let is_device = |word: &[u8]| {
        let mut parts = word.splitn(2, |&byte| byte == b',');
        parts.next().is_some_and(|part| key(part).is_ok()) && parts.next().is_some_and(|part| key(part).is_ok())
    };
    if words.len() >= 6 && is_device(words[0]) {
        return Ok(Format::Blkparse);
    }
    let parted = first.contains(&separator(first));
    if parted && column_asked {
        return Ok(Format::Csv);
    }
    let is_number = |word: &[u8]| word.strip_prefix(b"-").unwrap_or(word).iter().all(u8::is_ascii_digit);
    if words.len() == 1 && !parted && (is_number(words[0]) || words[0][0] == b'#')
        || first.trim_ascii().starts_with(b"#")
    {
        return Ok(Format::Keys);
    }
    // The name of the only column.
    if words.len() == 1 && column_asked && first.iter().all(|byte| byte.is_ascii_graphic()) {
        return Ok(Format::Csv);
    }
    if beginning.starts_with(&[0xff, 0xfe]) || beginning.starts_with(&[0xfe, 0xff]) {
        return Err(Refusal::new("trace", "it is text in UTF-16", "turn it into UTF-8: `iconv -f UTF-16 -t UTF-8`"));
    }
    let cure = if parted {
        "if it is a table, say which column holds the keys (--column); else give --format".to_owned()
    } else {
        format!("give --format: {}", Format::ALL.map(Format::name).join(", "))
    };
    Err(Refusal::new("format", format!("it cannot be told from its first line, `{}`", shown(first)), cure))
}
