//! A value of a configuration file, with its place.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use snodo_workspace::constraint::Param;

use crate::source::Place;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where. For a list or a map, where it begins.
    pub place: Place,
    /// What.
    pub value: Value,
}

/// What a configuration file can hold, after anchors, merge keys and the rules for plain scalars are applied.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// `true` or `false`, in any of the spellings of the format.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A whole number that does not fit, in decimal, or in the file's own spelling for other bases.
    BigInt(String),
    /// A number with a point, an infinity, or not a number.
    Float(f64),
    /// A text.
    Text(String),
    /// A date or a time, as written.
    Timestamp(String),
    /// Several values in order.
    List(Vec<Node>),
    /// Keys and values in order; no key twice.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Any scalar; where records are read, texts.
    pub key: Node,
    /// Its value.
    pub value: Node,
}

impl Value {
    /// What it is, for a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Int(_) | Self::BigInt(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::Timestamp(_) => "a date",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

impl Node {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Node {
    /// As the parameter of a constraint.
    pub(crate) fn to_param(&self) -> Param {
        match &self.value {
            Value::Null => Param::Null,
            Value::Bool(b) => Param::Bool(*b),
            Value::Int(i) => Param::Number(i.to_string()),
            Value::BigInt(number) => Param::Number(number.clone()),
            Value::Float(f) => Param::Number(f.to_string()),
            Value::Text(text) => Param::Text(text.clone()),
            Value::Timestamp(date) => Param::Date(date.clone()),
            Value::List(items) => Param::List(items.iter().map(Self::to_param).collect()),
            Value::Map(entries) => {
                let entries = entries.iter();
                Param::Map(
                    entries
                        .map(|entry| (entry.key.as_key(), entry.value.to_param()))
                        .collect(),
                )
            }
        }
    }

    /// A scalar as the key of a JSON object, and of a message.
    pub(crate) fn as_key(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(b) => b.to_string(),
            Value::Int(i) => i.to_string(),
            Value::Float(f) => f.to_string(),
            Value::BigInt(s) | Value::Text(s) | Value::Timestamp(s) => s.clone(),
            // No loader lets a list or a map through as a key.
            Value::List(_) | Value::Map(_) => String::new(),
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Null => to.serialize_unit(),
            Value::Bool(b) => to.serialize_bool(*b),
            Value::Int(i) => to.serialize_i64(*i),
            Value::Float(f) => to.serialize_f64(*f),
            Value::BigInt(s) | Value::Text(s) | Value::Timestamp(s) => to.serialize_str(s),
            Value::List(items) => {
                let mut list = to.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Value::Map(entries) => {
                let mut map = to.serialize_map(Some(entries.len()))?;
                for entry in entries {
                    map.serialize_entry(&entry.key.as_key(), &entry.value)?;
                }
                map.end()
            }
        }
    }
}

/// A map whose keys the file's format leaves free (`metadata`, `tooling`, `coder_config`, `params`, `options`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FreeMap(pub(crate) Vec<(Placed<String>, Node)>);

impl FreeMap {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(k, _)| k.value == key).map(|(_, node)| node)
    }

    /// Keys and values in the file's order.
    pub fn iter(&self) -> impl Iterator<Item = (&Placed<String>, &Node)> {
        self.0.iter().map(|(key, node)| (key, node))
    }

    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for FreeMap {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, node)| (&key.value, node)))
    }
}

/// A value with its place, where a later rule must be able to point at it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Placed<T> {
    /// What.
    pub value: T,
    /// Where.
    #[serde(skip)]
    pub place: Place,
}
