//! `--set PATH=VALUE`: one value of a definition replaced from outside it.

use toml::de::{DeTable, DeValue};

use crate::fields::article;
use crate::problem::{Place, Problem};
use crate::tree::{self, Entry, Node, Spans, Tree, join};
use crate::value::Value;

/// One value to be replaced, with where that was asked.
#[derive(Clone, Debug)]
pub struct Override {
    path: Vec<String>,
    value: Tree,
    source: String,
}

impl Override {
    /// Reads `PATH=VALUE`: a dotted TOML path (`kernel.work`, `kernel.0.work` for the first of several) and a TOML value. A bare
    /// word is a string, also within an array (`kernel.state=[packed,padded]`).
    ///
    /// # Errors
    /// What is wrong with it; the place's source is `--set` and the text.
    pub fn parse(text: &str) -> Result<Override, Problem> {
        let source = format!("--set {text}");
        let fault = |path: &str, message: String, cure: &str| {
            let place = Place { source: source.clone(), path: path.to_owned(), span: None };
            Problem::new(place, message, cure)
        };
        let Some((path, value)) = text.split_once('=') else {
            return Err(fault("", "this has no `=`".to_owned(), "write PATH=VALUE, such as `kernel.work=64`"));
        };
        let (path, value) = (path.trim(), value.trim());
        let keys = keys(path).ok_or_else(|| {
            fault("", format!("`{path}` is not a dotted path"), "write PATH=VALUE, such as `kernel.work=64`")
        })?;
        if value.is_empty() {
            return Err(fault(
                path,
                "this sets nothing".to_owned(),
                "write a value after `=`, or `\"\"` for an empty text",
            ));
        }
        let value = read_value(value, path, &source).map_err(|message| {
            fault(path, message, "write a TOML value; quote it once for the shell and once for TOML")
        })?;
        Ok(Override { path: keys, value, source })
    }

    /// An override made by a flag of its own: `source` is what was typed, such as `--budget 60s`; `path` is a plain dotted path.
    pub fn new(path: &str, value: Value, source: impl Into<String>) -> Override {
        let path = path.split('.').map(str::to_owned).collect();
        Override { path, value: Tree::Scalar(value), source: source.into() }
    }

    /// Puts the value in its place in a document.
    pub(crate) fn apply(&self, root: &mut Node) -> Result<(), Problem> {
        self.descend(root, &self.path)
    }

    fn descend(&self, node: &mut Node, path: &[String]) -> Result<(), Problem> {
        let Some((first, rest)) = path.split_first() else {
            let place = self.place(&node.place.path);
            *node = Node { value: replaced(&self.value, &place), place };
            return Ok(());
        };
        let parent = node.place.path.clone();
        match &mut node.value {
            Tree::Array(items) => {
                if let Ok(index) = first.parse::<usize>() {
                    let there = items.len();
                    return match items.get_mut(index) {
                        Some(item) => self.descend(item, rest),
                        None => Err(self.fault(
                            &join(&parent, first),
                            format!("there is no {}", join(&parent, first)),
                            format!("`{parent}` has {there}, counted from 0"),
                        )),
                    };
                }
                let tables = items.iter().all(|item| matches!(item.value, Tree::Table(_)));
                if tables && (items.len() == 1 || items.iter().all(|item| item.get(first).is_some())) {
                    return items.iter_mut().try_for_each(|item| self.descend(item, path));
                }
                let which = if tables { join(&join(&parent, "0"), first) } else { join(&parent, "0") };
                let told = format!("`{parent}` has {}, and `{first}` does not say which", items.len());
                Err(self.fault(&join(&parent, first), told, format!("give an index, such as `{which}`")))
            }
            // `[kernel]` alone is the first and only one of `[[kernel]]`.
            Tree::Table(entries) if is_list(&parent) && first.parse::<usize>().is_ok() && !entries.is_empty() => {
                if first == "0" {
                    return self.descend(node, rest);
                }
                let told = format!("there is no {}", join(&parent, first));
                Err(self.fault(&join(&parent, first), told, format!("there is one `{parent}`, with index 0")))
            }
            Tree::Table(entries) => {
                let at = entries.iter().position(|entry| entry.key == *first).unwrap_or_else(|| {
                    let place = self.place(&join(&parent, first));
                    let node = Node { place: place.clone(), value: Tree::Table(Vec::new()) };
                    entries.push(Entry { key: first.clone(), key_place: place, node });
                    entries.len() - 1
                });
                if rest.is_empty() {
                    // An unknown key is to be told at the argument, not at the file it replaced something in.
                    entries[at].key_place = self.place(&join(&parent, first));
                }
                self.descend(&mut entries[at].node, rest)
            }
            Tree::Scalar(_) | Tree::Invalid => {
                let told =
                    format!("`{parent}` is {} {} and has no `{first}`", article(node.type_name()), node.type_name());
                Err(self.fault(&join(&parent, first), told, "set the value itself".to_owned()))
            }
        }
    }

    fn place(&self, path: &str) -> Place {
        Place { source: self.source.clone(), path: path.to_owned(), span: None }
    }

    fn fault(&self, path: &str, message: String, cure: String) -> Problem {
        Problem::new(self.place(path), message, cure)
    }
}

fn is_list(path: &str) -> bool {
    path == "kernel" || path == "figure"
}

/// The same value with its places below `place`.
fn replaced(value: &Tree, place: &Place) -> Tree {
    let below = |key: &str| Place { path: join(&place.path, key), ..place.clone() };
    match value {
        Tree::Array(items) => Tree::Array(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    let place = below(&index.to_string());
                    Node { value: replaced(&item.value, &place), place }
                })
                .collect(),
        ),
        Tree::Table(entries) => Tree::Table(
            entries
                .iter()
                .map(|entry| {
                    let place = below(&entry.key);
                    let node = Node { value: replaced(&entry.node.value, &place), place: place.clone() };
                    Entry { key: entry.key.clone(), key_place: place, node }
                })
                .collect(),
        ),
        other => other.clone(),
    }
}

/// The keys of a dotted path, quoted ones too; `None` when it is none.
fn keys(path: &str) -> Option<Vec<String>> {
    if path.contains(['\n', '\r', '#', '[', ']', '{', '}']) {
        return None;
    }
    let text = format!("{path} = 0");
    let document = DeTable::parse(&text).ok()?;
    let mut keys = Vec::new();
    let mut table = document.get_ref();
    loop {
        let (key, value) = table.iter().next()?;
        keys.push(key.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => return Some(keys),
        }
    }
}

fn read_value(text: &str, path: &str, source: &str) -> Result<Tree, String> {
    let bare = || Ok(Tree::Scalar(Value::Text(text.to_owned())));
    let whole = text.starts_with(['[', '{']);
    let quoted = if whole { quote_words(text) } else { text.to_owned() };
    let value = match DeValue::parse(&quoted) {
        Ok(value) => value,
        Err(error) if whole || text.starts_with(['"', '\'']) => {
            return Err(format!("this is not TOML: {}", error.message()));
        }
        // `0-3,8` begins like a date, `1,2` like a number: text all the same.
        Err(_) => return bare(),
    };
    if matches!(value.get_ref(), DeValue::Datetime(_)) {
        return bare();
    }
    let place = Place { source: source.to_owned(), path: path.to_owned(), span: None };
    let mut problems = Vec::new();
    let node = tree::node(value.get_ref(), place, Spans::Without, &mut problems);
    match problems.into_iter().next() {
        Some(problem) => Err(problem.message),
        None => Ok(node.value),
    }
}

/// An array or an inline table with quotes around the words in it that stand bare and are no value of TOML's: the text
/// `[fetch-add, 8]` becomes `["fetch-add", 8]`. Keys stay as they are.
fn quote_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => quoted_length(rest, first),
            '[' | ']' | '{' | '}' | ',' | '=' => 1,
            _ if first.is_whitespace() => first.len_utf8(),
            _ => rest.find(|c: char| "[]{},=\"'".contains(c) || c.is_whitespace()).unwrap_or(rest.len()),
        };
        let (token, behind) = rest.split_at(length);
        let is_word = !token.starts_with(['"', '\'', '[', ']', '{', '}', ',', '=']) && !token.trim().is_empty();
        let is_key = behind.trim_start().starts_with('=');
        let is_value = || {
            let parsed = DeValue::parse(token);
            parsed.is_ok_and(|value| !matches!(value.get_ref(), DeValue::Datetime(_) | DeValue::String(_)))
        };
        if is_word && !is_key && !is_value() {
            out.push_str(&toml::Value::from(token).to_string());
        } else {
            out.push_str(token);
        }
        rest = behind;
    }
    out
}

/// The bytes of the quoted text at the beginning, quotes included; all there is when it does not end.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> String {
        let over = Override::parse(&format!("a={text}")).unwrap_or_else(|p| panic!("{p}"));
        let place = Place::default();
        let node = Node { place: place.clone(), value: over.value };
        let entry = Entry { key: "a".into(), key_place: place.clone(), node };
        tree::write(&Node { place, value: Tree::Table(vec![entry]) }).trim().to_owned()
    }

    /// Also those that begin as TOML's own words, numbers and dates do.
    #[test]
    fn bare_words_in_arrays_and_tables_are_text() {
        assert_eq!(value("[add,fetch-add]"), "a = [\"add\", \"fetch-add\"]");
        assert_eq!(
            value("[thread-local, true, 8, nope, inf-x]"),
            "a = [\"thread-local\", true, 8, \"nope\", \"inf-x\"]"
        );
        assert_eq!(value("[1979-05-27, \"b, c\", 'd']"), "a = [\"1979-05-27\", \"b, c\", \"d\"]");
        for text in ["{state=thread-local}", "{ state = thread-local, work = 64 }"] {
            assert!(value(text).contains("state = \"thread-local\""), "{}", value(text));
        }
        for text in ["[a b]", "[\"a]", "[a", "{a}", "{=a}"] {
            assert!(Override::parse(&format!("a={text}")).is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_is_toml_and_a_bare_word_is_text() {
        assert_eq!(value("64"), "a = 64");
        assert_eq!(value("0x10"), "a = 16");
        assert_eq!(value("true"), "a = true");
        assert_eq!(value("[0, 64]"), "a = [0, 64]");
        assert_eq!(value("{ state = padded }"), "[a]\nstate = \"padded\"");
        assert_eq!(value("[packed,padded]"), "a = [\"packed\", \"padded\"]");
        for word in
            ["shared-racy", "60s", "2%", "0-3,8", "0-3", "1,2", "rng/next", "xoroshiro128+", "2026-01-02", "a b"]
        {
            assert_eq!(value(word), format!("a = \"{word}\""));
        }
        assert_eq!(value("\"64\""), "a = \"64\"");
    }

    #[test]
    fn what_cannot_be_read_is_told_as_typed() {
        for text in
            ["kernel.work", "=3", "a..b=3", "a=", "a=[1", "a={x=1", "a=\"x", "a=nan", "a=99999999999999999999", "a#=1"]
        {
            let problem = Override::parse(text).unwrap_err();
            assert_eq!(problem.place.source, format!("--set {text}"));
            assert!(!problem.cure.is_empty(), "{text}: {problem}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = Override::parse(&text);
            let _ = Override::parse(&format!("a={text}"));
        }
    }
}
