//! A TOML document with the place of each value, in the order written.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::problem::{Place, Problem};
use crate::value::Value;

/// A value with its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Tree,
}

/// What a place holds.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Scalar(Value),
    Array(Vec<Node>),
    Table(Vec<Entry>),
    /// Something a definition has no use for, told already: readers pass over it.
    Invalid,
}

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Node {
    /// The word for what this is in messages.
    pub fn type_name(&self) -> &'static str {
        match &self.value {
            Tree::Scalar(value) => value.type_name(),
            Tree::Array(_) => "array",
            Tree::Table(_) => "table",
            Tree::Invalid => "value",
        }
    }

    /// The entry of a table.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Tree::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// Every node from here down, this one included.
    pub fn walk(&self, visit: &mut dyn FnMut(&Node)) {
        visit(self);
        match &self.value {
            Tree::Array(items) => items.iter().for_each(|item| item.walk(visit)),
            Tree::Table(entries) => entries.iter().for_each(|entry| entry.node.walk(visit)),
            Tree::Scalar(_) | Tree::Invalid => {}
        }
    }
}

/// `path.key`, or `key` at the top.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Reads a document.
///
/// # Errors
/// What is no TOML, each with its place.
pub(crate) fn read(source: &str, text: &str) -> Result<(Node, Vec<Problem>), Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let told = errors.iter().map(|error| syntax(source, text, error)).collect();
        return Err(told);
    }
    let mut problems = Vec::new();
    let place = Place { source: source.to_owned(), ..Place::default() };
    let spans = Spans::In;
    let value = Tree::Table(entries(table.get_ref(), &place, spans, &mut problems));
    Ok((Node { place, value }, problems))
}

fn syntax(source: &str, text: &str, error: &toml::de::Error) -> Problem {
    // An error at the very end has an empty span there; the text's last byte shows better.
    let span = error.span().map(|span| span.start.min(text.len())..span.end.min(text.len()));
    let place = Place { source: source.to_owned(), path: String::new(), span };
    let cure = if error.message().contains("must be quoted") { "write it in double quotes" } else { "" };
    Problem::new(place, format!("this is not TOML: {}", error.message()), cure)
}

/// Whether the text that spans point into is the one that will be shown.
#[derive(Clone, Copy)]
pub(crate) enum Spans {
    In,
    Without,
}

impl Spans {
    fn of(self, span: Range<usize>) -> Option<Range<usize>> {
        match self {
            Spans::In => Some(span),
            Spans::Without => None,
        }
    }
}

fn entries(table: &DeTable<'_>, parent: &Place, spans: Spans, problems: &mut Vec<Problem>) -> Vec<Entry> {
    let mut sorted: Vec<_> = table.iter().collect();
    // The parser sorts by key; a definition's order is the order of its parameters.
    sorted.sort_by_key(|(key, _)| key.span().start);
    let mut found = Vec::with_capacity(sorted.len());
    for (key, value) in sorted {
        let path = join(&parent.path, key.get_ref());
        let key_place = Place { source: parent.source.clone(), path: path.clone(), span: spans.of(key.span()) };
        let place = Place { source: parent.source.clone(), path, span: spans.of(value.span()) };
        let node = node(value.get_ref(), place, spans, problems);
        found.push(Entry { key: key.get_ref().to_string(), key_place, node });
    }
    found
}

/// Turns a parsed value into a node at `place`.
pub(crate) fn node(value: &DeValue<'_>, place: Place, spans: Spans, problems: &mut Vec<Problem>) -> Node {
    let mut refuse = |message: String, cure: &str| {
        problems.push(Problem::new(place.clone(), message, cure));
        Tree::Invalid
    };
    let tree = match value {
        DeValue::String(text) => Tree::Scalar(Value::Text(text.to_string())),
        DeValue::Boolean(value) => Tree::Scalar(Value::Boolean(*value)),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Tree::Scalar(Value::Integer(number)),
            Err(_) => refuse(format!("{number} is out of range"), "give a number of at most 63 bits"),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => Tree::Scalar(Value::Float(number)),
            _ => refuse(format!("{number} is not a finite number"), "give a finite number"),
        },
        DeValue::Datetime(when) => {
            refuse(format!("a definition has no use for the date {when}"), "write text in quotes")
        }
        DeValue::Array(items) => {
            let mut nodes = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let path = join(&place.path, &index.to_string());
                let at = Place { source: place.source.clone(), path, span: spans.of(item.span()) };
                nodes.push(node(item.get_ref(), at, spans, problems));
            }
            Tree::Array(nodes)
        }
        DeValue::Table(table) => Tree::Table(entries(table, &place, spans, problems)),
    };
    Node { place, value: tree }
}

/// A document that reads as this tree: scalars and arrays first, then a section for each table.
pub(crate) fn write(root: &Node) -> String {
    let mut text = String::new();
    if let Tree::Table(entries) = &root.value {
        section(entries, "", &mut text);
    }
    text
}

fn section(entries: &[Entry], path: &str, text: &mut String) {
    let is_section = |node: &Node| match &node.value {
        Tree::Table(_) => path.is_empty(),
        Tree::Array(items) => {
            path.is_empty() && !items.is_empty() && items.iter().all(|i| matches!(i.value, Tree::Table(_)))
        }
        _ => false,
    };
    for entry in entries.iter().filter(|entry| !is_section(&entry.node)) {
        text.push_str(&format!("{} = {}\n", key(&entry.key), inline(&entry.node)));
    }
    for entry in entries.iter().filter(|entry| is_section(&entry.node)) {
        let name = join(path, &key(&entry.key));
        match &entry.node.value {
            Tree::Table(inner) => {
                text.push_str(&format!("\n[{name}]\n"));
                section(inner, &name, text);
            }
            Tree::Array(items) => {
                for item in items {
                    text.push_str(&format!("\n[[{name}]]\n"));
                    if let Tree::Table(inner) = &item.value {
                        section(inner, &name, text);
                    }
                }
            }
            Tree::Scalar(_) | Tree::Invalid => {}
        }
    }
}

fn key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    // JSON's escapes are TOML's too; DEL alone may stand bare in JSON and not in TOML.
    if bare { key.to_owned() } else { serde_json::Value::from(key).to_string().replace('\u{7f}', "\\u007F") }
}

fn inline(node: &Node) -> String {
    match &node.value {
        Tree::Scalar(value) => scalar(value),
        Tree::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Tree::Table(entries) if entries.is_empty() => "{}".to_owned(),
        Tree::Table(entries) => {
            let pairs: Vec<String> = entries.iter().map(|e| format!("{} = {}", key(&e.key), inline(&e.node))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Tree::Invalid => "\"\"".to_owned(),
    }
}

/// A scalar as TOML writes it.
pub(crate) fn scalar(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => toml::Value::Float(*value).to_string(),
        Value::Text(text) => toml::Value::String(text.clone()).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(node: &Node) -> toml::Value {
        match &node.value {
            Tree::Scalar(Value::Boolean(value)) => (*value).into(),
            Tree::Scalar(Value::Integer(value)) => (*value).into(),
            Tree::Scalar(Value::Float(value)) => (*value).into(),
            Tree::Scalar(Value::Text(value)) => value.clone().into(),
            Tree::Array(items) => toml::Value::Array(items.iter().map(plain).collect()),
            Tree::Table(entries) => {
                toml::Value::Table(entries.iter().map(|e| (e.key.clone(), plain(&e.node))).collect())
            }
            Tree::Invalid => panic!("nothing here is invalid"),
        }
    }

    fn any_value() -> impl Strategy<Value = toml::Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(toml::Value::from),
            any::<i64>().prop_map(toml::Value::from),
            any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(toml::Value::from),
            any::<String>().prop_map(toml::Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(toml::Value::from),
                prop::collection::btree_map("[a-z.\" ]{0,5}", inner, 0..4)
                    .prop_map(|map| toml::Value::Table(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(map in prop::collection::btree_map("[a-z. ]{0,5}", any_value(), 0..6)) {
            let table: toml::Table = map.into_iter().collect();
            let (first, told) = read("t", &table.to_string()).map_err(|p| TestCaseError::fail(format!("{p:?}")))?;
            prop_assert!(told.is_empty());
            prop_assert_eq!(plain(&first), toml::Value::Table(table.clone()));
            let (again, _) = read("t", &write(&first)).map_err(|p| TestCaseError::fail(format!("{p:?}")))?;
            prop_assert_eq!(plain(&again), toml::Value::Table(table));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            if let Err(problems) = read("t", &text) {
                prop_assert!(problems.iter().all(|p| p.place.span.clone().is_none_or(|s| text.get(s).is_some())));
            }
        }
    }

    #[test]
    fn every_syntax_error_is_told_with_its_place() {
        let text = "question = \nreading = 60s\n";
        let problems = read("f.toml", text).unwrap_err();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert_eq!(&text[problems[1].place.span.clone().unwrap()], "60s");
        assert_eq!(problems[1].cure, "write it in double quotes");
    }
}
