//! The words, names, numbers and texts of a statement.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a word of the language.
    Word(&'a [u8]),
    /// A name in backticks.
    Name(&'a [u8]),
    Number(&'a [u8]),
    Text(&'a [u8]),
    Symbol(u8),
}

impl Token<'_> {
    pub(super) fn is(self, word: &str) -> bool {
        matches!(self, Token::Word(name) if name.eq_ignore_ascii_case(word.as_bytes()))
    }

    pub(super) fn names(self, name: &str) -> bool {
        matches!(self, Token::Word(n) | Token::Name(n) if n.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// Bytes of a word or a bare name.
const NAME: [bool; 256] = bytes(b"_$", true);

/// Bytes of a number, right or wrong.
const NUMBER: [bool; 256] = bytes(b"._", false);

/// Letters, digits, some more, and what is beyond ASCII if wanted.
const fn bytes(more: &[u8], beyond: bool) -> [bool; 256] {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = (byte as u8).is_ascii_alphanumeric() || beyond && byte >= 0x80;
        byte += 1;
    }
    let mut index = 0;
    while index < more.len() {
        bytes[more[index] as usize] = true;
        index += 1;
    }
    bytes
}

/// The tokens of a statement; comments and spaces are passed over.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a [u8]) -> Self {
        Tokens { text }
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        let mut ahead = *self;
        ahead.next()
    }

    /// The first `length` bytes, taken.
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.text.split_at(length.min(self.text.len()));
        self.text = rest;
        taken
    }

    /// The first byte and all of these that follow it.
    #[inline]
    fn length(&self, these: &[bool; 256]) -> usize {
        let others = self.text[1..].iter().position(|&byte| !these[usize::from(byte)]);
        others.map_or(self.text.len(), |others| 1 + others)
    }

    fn quoted(&mut self, quote: u8) -> &'a [u8] {
        let mut at = 1;
        while let Some(found) = memchr::memchr2(quote, b'\\', self.text.get(at..).unwrap_or_default()) {
            at += found;
            let escaped = self.text[at] == b'\\' && quote != b'`';
            if escaped || self.text.get(at + 1) == Some(&quote) {
                at += 2;
            } else if self.text[at] == quote {
                return &self.take(at + 1)[1..at];
            } else {
                at += 1;
            }
        }
        &self.take(usize::MAX)[1..]
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (first, second) = (*self.text.first()?, self.text.get(1).copied().unwrap_or(0));
            match first {
                b' ' | b'\t' | b'\n' | b'\r' => self.text = &self.text[1..],
                b'/' if second == b'*' => {
                    let end = memchr::memmem::find(&self.text[2..], b"*/").map_or(usize::MAX, |at| at + 4);
                    self.take(end);
                }
                b'#' => drop(self.take(memchr::memchr(b'\n', self.text).unwrap_or(usize::MAX))),
                b'-' if second == b'-' && self.text.get(2).is_none_or(u8::is_ascii_whitespace) => {
                    self.take(memchr::memchr(b'\n', self.text).unwrap_or(usize::MAX));
                }
                b'\'' | b'"' => return Some(Token::Text(self.quoted(first))),
                b'`' => return Some(Token::Name(self.quoted(b'`'))),
                b'0'..=b'9' => return Some(Token::Number(self.take(self.length(&NUMBER)))),
                b'-' | b'+' if second.is_ascii_digit() => {
                    return Some(Token::Number(self.take(self.length(&NUMBER))));
                }
                byte if NAME[usize::from(byte)] => return Some(Token::Word(self.take(self.length(&NAME)))),
                symbol => {
                    self.text = &self.text[1..];
                    return Some(Token::Symbol(symbol));
                }
            }
        }
    }
}
