//! Parameter values as a definition writes them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One value of one parameter: what a TOML scalar can say.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A finite number with a fraction; never NaN or infinite.
    Float(f64),
    /// Text.
    Text(String),
}

impl Value {
    /// The number this value holds, for axes and sorting; `None` for text and booleans.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Integer(i) => Some(*i as f64),
            Value::Float(f) => Some(*f),
            Value::Boolean(_) | Value::Text(_) => None,
        }
    }

    /// The text this value holds, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The word for this value's type in messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Boolean(_) => "boolean",
            Value::Integer(_) => "integer",
            Value::Float(_) => "float",
            Value::Text(_) => "string",
        }
    }
}

/// As it appears in a cell's id: text bare, numbers in their shortest form.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Boolean(value) => value.fmt(f),
            Value::Integer(value) => value.fmt(f),
            Value::Float(value) => value.fmt(f),
            Value::Text(value) => f.write_str(value),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Boolean(value)
    }
}

/// The parameters of one cell by name, in the order of their names.
pub type Parameters = BTreeMap<String, Value>;
