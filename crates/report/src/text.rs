//! Text for narrow places and for other languages: wrapping, cleaning, escaping, file-safe names.

use std::collections::HashSet;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// A longer word is a mistake or an attack: it is cut.
const LONGEST_WORD: usize = 400;

/// The text without control characters, which could move a terminal's cursor or make XML ill-formed, and with words of at most
/// [`LONGEST_WORD`] characters.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len().min(1 << 16));
    let mut word = 0;
    for c in text.chars() {
        let c = if matches!(c, '\n' | '\r' | '\t') { ' ' } else { shown(c) };
        word = if c.is_whitespace() { 0 } else { word + 1 };
        match word {
            0..=LONGEST_WORD => cleaned.push(c),
            _ if word == LONGEST_WORD + 1 => cleaned.push('…'),
            _ => {}
        }
    }
    cleaned
}

/// A whole text of several lines without control characters; its lines and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t') { c } else { shown(c) }).collect()
}

/// A mark in place of control characters, and of those that turn the direction of what follows.
fn shown(c: char) -> char {
    match c {
        c if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => '\u{fffd}',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c => c,
    }
}

/// Lines no wider than `columns`, broken at spaces; a word that is wider is broken where it must be.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        for piece in pieces(word, columns) {
            if !line.is_empty() && width(&line) + 1 + width(&piece) > columns {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&piece);
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A word in pieces that fit, cut after a comma or hyphen where there is one.
fn pieces(word: &str, columns: usize) -> Vec<String> {
    if width(word) <= columns {
        return vec![word.to_owned()];
    }
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for c in word.chars() {
        if width(&piece) + c.width().unwrap_or(0) > columns && !piece.is_empty() {
            let at = piece.rfind([',', '-', '/', '=']).map_or(piece.len(), |at| at + 1);
            let rest = piece.split_off(if at * 2 > piece.len() { at } else { piece.len() });
            pieces.push(std::mem::replace(&mut piece, rest));
        }
        piece.push(c);
    }
    pieces.push(piece);
    pieces
}

/// Escapes for XML and HTML, in text and in double-quoted attributes, after [`clean`].
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Escapes what Markdown would read as markup, in text and in table cells.
pub(crate) fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '|' | '*' | '_' | '`' | '~' | '[' | ']' | '#' | '$' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// The same for prose, in which what stands between backticks stays code.
pub(crate) fn markdown_prose(text: &str) -> String {
    let text = clean(text);
    let parts: Vec<&str> = text.split('`').collect();
    let blank = |number: usize, part: &str| number % 2 == 1 && part.trim().is_empty();
    if parts.len() % 2 == 0 || parts.iter().enumerate().any(|(number, part)| blank(number, part)) {
        return markdown(&text);
    }
    let part = |(number, part): (usize, &&str)| {
        if number % 2 == 1 { format!("`{part}`") } else { markdown(part) }
    };
    parts.iter().enumerate().map(part).collect()
}

/// A word of a command line, quoted for a POSIX shell where it must be.
pub(crate) fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A name that is safe for a file on any system and never leaves its folder: lower-case letters, digits and hyphens.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() >= 60 {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "figure".to_owned() } else { slug.to_owned() }
}

/// The name, with a number after it if it is taken.
pub(crate) fn unique(name: String, taken: &mut HashSet<String>) -> String {
    let mut candidate = name.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{name}-{number}");
        number += 1;
    }
    candidate
}

/// The text with its first letter large.
pub(crate) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// Words joined by hyphens.
pub(crate) fn words_of(parts: &[&str]) -> String {
    parts.join("-")
}

/// `1 cell`, `3 cells`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_fit_and_lose_nothing() {
        let text =
            "state=shared-racy,work=64,generator=a-name-that-goes-on-for-ever costs 112.3 [108.1 … 117.2] 漢字漢字漢字";
        for columns in 8..60 {
            let lines = wrap(text, columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }

    #[test]
    fn a_word_without_end_is_cut_and_long_texts_are_not() {
        let cut = clean(&format!("event {} counts", "x".repeat(1_000_000)));
        assert_eq!(cut, format!("event {}… counts", "x".repeat(LONGEST_WORD)));
        let long = "sharing costs ".repeat(1000);
        assert_eq!(clean(&long), long);
    }

    #[test]
    fn names_stay_inside_the_folder() {
        let mut taken = HashSet::new();
        for name in ["../x", "..", "/etc/passwd", "\"a b\"", "", "*", "<script>", "CON:", "x\0y", "漢字", "", "*"] {
            let slug = unique(slug(name), &mut taken);
            assert!(slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{slug}");
            assert!(!slug.is_empty() && !slug.starts_with('-'));
        }
        assert_eq!(taken.len(), 12);
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(xml("<script>\"a\" & 'b'\u{1}"), "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;\u{fffd}");
        assert_eq!(markdown("a|b\n*c* <d>"), "a\\|b \\*c\\* &lt;d>");
        assert_eq!(markdown_prose("see `a_b` *now*"), "see `a_b` \\*now\\*");
        assert_eq!(markdown_prose("one ` alone, `` two"), markdown("one ` alone, `` two"));
        assert_eq!(clean("\u{1b}[31mred\n"), "\u{fffd}[31mred ");
        assert_eq!(visible("a\n\tb\u{1b}\u{202e}"), "a\n\tb\u{fffd}\u{fffd}");
        assert_eq!(shell_quote("it's"), r"'it'\''s'");
    }
}
