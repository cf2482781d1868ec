//! Parameters of constraints: what a protocol can write, and what a predicate makes of it.

use std::fmt;

use super::result::quoted;

/// A value as a protocol's file holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum Param {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A date, as written.
    Date(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Param>),
    /// A map, in the file's order.
    Map(Vec<(String, Param)>),
}

impl Param {
    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Date(_) => "a date",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// The parameters of one constraint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params(pub Vec<(String, Param)>);

/// A parameter that a predicate cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadParameter {
    /// Its name.
    pub parameter: &'static str,
    /// What is wrong with it, as the end of a sentence that starts with its name. Escaped.
    pub problem: String,
}

impl fmt::Display for BadParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the parameter `{}` {}", self.parameter, self.problem)
    }
}

impl std::error::Error for BadParameter {}

impl BadParameter {
    pub(super) fn new(parameter: &'static str, problem: impl Into<String>) -> Self {
        Self {
            parameter,
            problem: problem.into(),
        }
    }

    fn wrong(parameter: &'static str, expected: &str, found: &Param) -> Self {
        Self::new(parameter, format!("must be {expected}; it is {}", found.kind()))
    }
}

impl Params {
    /// The last one of a name, as a YAML loader takes it.
    fn get(&self, name: &str) -> Option<&Param> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, param)| param)
    }

    /// How many entries a map has; 0 if it is none.
    pub(super) fn entries(&self, name: &str) -> usize {
        match self.get(name) {
            Some(Param::Map(entries)) => entries.len(),
            _ => 0,
        }
    }

    /// A text; the standard if it is not given.
    pub(super) fn text(&self, name: &'static str, standard: &str) -> Result<String, BadParameter> {
        match self.get(name) {
            None => Ok(standard.to_owned()),
            Some(Param::Text(text)) => Ok(text.clone()),
            Some(other) => Err(BadParameter::wrong(name, "a text", other)),
        }
    }

    /// A list of texts; one text is a list of one.
    pub(super) fn texts(&self, name: &'static str, standard: &[&str]) -> Result<Vec<String>, BadParameter> {
        const EXPECTED: &str = "a text or a list of texts";
        match self.get(name) {
            None => Ok(standard.iter().map(|text| (*text).to_owned()).collect()),
            Some(Param::Text(text)) => Ok(vec![text.clone()]),
            Some(Param::List(items)) => items
                .iter()
                .map(|item| match item {
                    Param::Text(text) => Ok(text.clone()),
                    other => Err(BadParameter::new(
                        name,
                        format!("must be {EXPECTED}; it is a list with {}", other.kind()),
                    )),
                })
                .collect(),
            Some(other) => Err(BadParameter::wrong(name, EXPECTED, other)),
        }
    }

    /// Names with texts; empty if it is not given, or nothing.
    pub(super) fn named_texts(&self, name: &'static str) -> Result<Vec<(String, String)>, BadParameter> {
        match self.get(name) {
            None | Some(Param::Null) => Ok(Vec::new()),
            Some(Param::Map(entries)) => entries
                .iter()
                .map(|(key, value)| match value {
                    Param::Text(text) => Ok((key.clone(), text.clone())),
                    other => Err(BadParameter::new(
                        name,
                        format!(
                            "must be a map of names to texts; {} in it is {}",
                            quoted(key),
                            other.kind()
                        ),
                    )),
                })
                .collect(),
            Some(other) => Err(BadParameter::wrong(name, "a map of names to texts", other)),
        }
    }
}
