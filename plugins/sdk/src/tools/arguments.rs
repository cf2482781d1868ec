//! The arguments of a tool call, from a model that may spell them in more than one way.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use crate::Explain;

/// A tool call's arguments: one JSON object.
///
/// ```
/// use snodo_plugin::tools::Arguments;
///
/// let arguments = Arguments::parse(r#"{"path": "src/a.rs", "start": 3, "end": null}"#)?;
/// assert_eq!(arguments.text("path")?, "src/a.rs");
/// assert_eq!(arguments.number("start")?, 3);
/// assert_eq!(arguments.optional_number("end")?, None);
/// assert_eq!(
///     arguments.text("query").unwrap_err().to_string(),
///     "the argument `query` is missing"
/// );
/// # Ok::<(), snodo_plugin::tools::ArgumentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arguments(Map<String, Value>);

/// Why arguments cannot be used, in words for the model that gave them.
///
/// ```
/// use snodo_plugin::tools::{ArgumentError, Arguments};
///
/// let arguments = Arguments::parse(r#"{"path": "a", "start": "12", "lines": [1, 2], "deep": {"x": true}}"#)?;
/// assert_eq!((arguments.text("path")?, arguments.number("start")?, arguments.numbers("lines")?), ("a", 12, vec![1, 2]));
/// assert_eq!(arguments.object("deep")?.optional_boolean("x")?, Some(true));
/// assert_eq!(arguments.optional_texts("other")?, None);
/// assert!(matches!(arguments.texts("path"), Err(ArgumentError::WrongType { .. })));
/// assert!(matches!(arguments.only(&["path"]), Err(ArgumentError::Unknown { .. })));
/// assert!(matches!(Arguments::parse("[1]"), Err(ArgumentError::NotAnObject { .. })));
/// # Ok::<(), ArgumentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentError {
    /// The text is not JSON.
    NotJson {
        /// Where, and what the parser says.
        reason: String,
    },
    /// An object gives a name more than once: which of the values is meant cannot be known.
    Repeated {
        /// Which name.
        name: String,
    },
    /// The text is JSON, and not an object.
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// An argument that the tool needs is not given.
    Missing {
        /// Which.
        name: String,
    },
    /// An argument is of another type.
    WrongType {
        /// Which; `files[2]` is an element of a list.
        name: String,
        /// What the tool takes.
        wanted: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// The tool does not take this argument.
    Unknown {
        /// Which.
        name: String,
        /// What it takes.
        known: Vec<String>,
    },
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { reason } => {
                write!(f, "the arguments are not JSON ({reason}); give them as one JSON object")
            }
            Self::Repeated { name } => write!(
                f,
                "the name `{}` is given more than once in one object; give it once",
                super::one_line(name, 100)
            ),
            Self::NotAnObject { found } => write!(f, "the arguments are {found}; give them as one JSON object"),
            Self::Missing { name } => write!(f, "the argument `{name}` is missing"),
            Self::WrongType { name, wanted, found } => {
                write!(f, "the argument `{name}` has to be {wanted}, and is {found}")
            }
            Self::Unknown { name, known } => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                write!(
                    f,
                    "there is no argument `{}`; the tool takes {}",
                    super::one_line(name, 100),
                    if known.is_empty() {
                        "none".to_owned()
                    } else {
                        known.join(", ")
                    }
                )
            }
        }
    }
}

impl std::error::Error for ArgumentError {}

impl Explain for ArgumentError {
    fn explain(&self) -> String {
        self.to_string()
    }
}

impl Arguments {
    /// Reads a call's arguments.
    ///
    /// `null`, an empty text and `{}` are no arguments. A JSON text that itself holds one of the forms is decoded, once: some
    /// models encode twice. An object that gives a name twice, at any depth, is refused: a reader that takes the last and one that takes
    /// the first would understand two different calls.
    ///
    /// ```
    /// use snodo_plugin::tools::Arguments;
    ///
    /// assert_eq!(Arguments::parse("null")?, Arguments::parse("{}")?);
    /// let twice = r#""{\"path\": \"a.rs\"}""#;
    /// assert_eq!(Arguments::parse(twice)?.text("path")?, "a.rs");
    /// assert_eq!(
    ///     Arguments::parse("[1]").unwrap_err().to_string(),
    ///     "the arguments are a list; give them as one JSON object"
    /// );
    /// # Ok::<(), snodo_plugin::tools::ArgumentError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not JSON, not an object, or gives a name twice.
    pub fn parse(text: &str) -> Result<Self, ArgumentError> {
        match value(text)? {
            Value::String(inner) => Self::from_value(value(&inner)?),
            outer => Self::from_value(outer),
        }
    }

    fn from_value(value: Value) -> Result<Self, ArgumentError> {
        match value {
            Value::Null => Ok(Self::default()),
            Value::Object(map) => Ok(Self(map)),
            other => Err(ArgumentError::NotAnObject { found: kind(&other) }),
        }
    }

    /// The names that were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Refuses what the tool does not take, so that a misspelt name is not taken for one left out.
    ///
    /// # Errors
    ///
    /// The first name that is not among `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), ArgumentError> {
        match self.names().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => Err(ArgumentError::Unknown {
                name: name.to_owned(),
                known: known.iter().map(|&name| name.to_owned()).collect(),
            }),
        }
    }

    /// A text that has to be given.
    ///
    /// # Errors
    ///
    /// It is missing, or not a text.
    pub fn text(&self, name: &str) -> Result<&str, ArgumentError> {
        needed(name, self.optional_text(name)?)
    }

    /// A text; none where it is left out or `null`.
    ///
    /// # Errors
    ///
    /// It is not a text.
    pub fn optional_text(&self, name: &str) -> Result<Option<&str>, ArgumentError> {
        self.given(name, "a text", Value::as_str)
    }

    /// A whole number from 0 that has to be given: `12`, `12.0` or `"12"`.
    ///
    /// # Errors
    ///
    /// It is missing, or not such a number.
    pub fn number(&self, name: &str) -> Result<u64, ArgumentError> {
        needed(name, self.optional_number(name)?)
    }

    /// As [`Arguments::number`]; none where it is left out or `null`.
    ///
    /// # Errors
    ///
    /// It is not such a number.
    pub fn optional_number(&self, name: &str) -> Result<Option<u64>, ArgumentError> {
        self.given(name, WHOLE, whole)
    }

    /// Yes or no; none where it is left out or `null`.
    ///
    /// # Errors
    ///
    /// It is neither `true` nor `false`.
    pub fn optional_boolean(&self, name: &str) -> Result<Option<bool>, ArgumentError> {
        self.given(name, "true or false", Value::as_bool)
    }

    /// A list of texts that has to be given.
    ///
    /// # Errors
    ///
    /// It is missing, not a list, or holds something else; the element is named.
    pub fn texts(&self, name: &str) -> Result<Vec<&str>, ArgumentError> {
        needed(name, self.optional_texts(name)?)
    }

    /// As [`Arguments::texts`]; none where it is left out or `null`.
    ///
    /// # Errors
    ///
    /// It is not a list, or holds something else.
    pub fn optional_texts(&self, name: &str) -> Result<Option<Vec<&str>>, ArgumentError> {
        self.list(name, "a list of texts", "a text", Value::as_str)
    }

    /// A list of whole numbers that has to be given.
    ///
    /// # Errors
    ///
    /// It is missing, not a list, or holds something else; the element is named.
    pub fn numbers(&self, name: &str) -> Result<Vec<u64>, ArgumentError> {
        needed(name, self.optional_numbers(name)?)
    }

    /// As [`Arguments::numbers`]; none where it is left out or `null`.
    ///
    /// # Errors
    ///
    /// It is not a list, or holds something else.
    pub fn optional_numbers(&self, name: &str) -> Result<Option<Vec<u64>>, ArgumentError> {
        self.list(name, "a list of whole numbers", WHOLE, whole)
    }

    /// An object that has to be given.
    ///
    /// # Errors
    ///
    /// It is missing, or not an object.
    pub fn object(&self, name: &str) -> Result<Self, ArgumentError> {
        needed(name, self.optional_object(name)?)
    }

    /// As [`Arguments::object`]; none where it is left out or `null`.
    ///
    /// # Errors
    ///
    /// It is not an object.
    pub fn optional_object(&self, name: &str) -> Result<Option<Self>, ArgumentError> {
        self.given(name, "an object", map)
    }

    /// A list of objects that has to be given.
    ///
    /// # Errors
    ///
    /// It is missing, not a list, or holds something else; the element is named.
    pub fn objects(&self, name: &str) -> Result<Vec<Self>, ArgumentError> {
        needed(name, self.optional_objects(name)?)
    }

    /// As [`Arguments::objects`]; none where it is left out or `null`.
    ///
    /// # Errors
    ///
    /// It is not a list, or holds something else.
    pub fn optional_objects(&self, name: &str) -> Result<Option<Vec<Self>>, ArgumentError> {
        self.list(name, "a list of objects", "an object", map)
    }

    /// One value, read by `read`; none where it is left out or `null`.
    fn given<'a, T>(
        &'a self,
        name: &str,
        wanted: &'static str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, ArgumentError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| ArgumentError::WrongType {
                name: name.to_owned(),
                wanted,
                found: kind(value),
            }),
        }
    }

    fn list<'a, T>(
        &'a self,
        name: &str,
        wanted: &'static str,
        element: &'static str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<Vec<T>>, ArgumentError> {
        let Some(values) = self.given(name, wanted, Value::as_array)? else {
            return Ok(None);
        };
        let elements = values.iter().enumerate().map(|(index, value)| {
            read(value).ok_or_else(|| ArgumentError::WrongType {
                name: format!("{name}[{index}]"),
                wanted: element,
                found: kind(value),
            })
        });
        elements.collect::<Result<_, _>>().map(Some)
    }
}

const WHOLE: &str = "a whole number from 0";

fn value(text: &str) -> Result<Value, ArgumentError> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let value = serde_json::from_str(text).map_err(|error| ArgumentError::NotJson {
        reason: error.to_string(),
    })?;
    match repeated(text) {
        None => Ok(value),
        Some(name) => Err(ArgumentError::Repeated { name }),
    }
}

/// The first name that an object of this text, which is JSON, gives twice.
fn repeated(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    // The names of each object that is open; a list has none.
    let mut open: Vec<BTreeSet<String>> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => open.push(BTreeSet::new()),
            b'}' | b']' => {
                open.pop();
            }
            b'"' => {
                while bytes.get(at).is_some_and(|&byte| byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                // In JSON a text before a colon is a name, and every name is one. Decoded: an escape does not make it another one.
                if text.get(at..).is_some_and(|rest| rest.trim_start().starts_with(':'))
                    && let Some(name) = text.get(start..at).and_then(|name| serde_json::from_str(name).ok())
                    && let Some(names) = open.last_mut()
                    && let Some(name) = names.replace(name)
                {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}

fn needed<T>(name: &str, value: Option<T>) -> Result<T, ArgumentError> {
    value.ok_or_else(|| ArgumentError::Missing { name: name.to_owned() })
}

fn map(value: &Value) -> Option<Arguments> {
    value.as_object().map(|map| Arguments(map.clone()))
}

fn whole(value: &Value) -> Option<u64> {
    /// Up to here a floating-point number is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(text) = value.as_str() {
        return text.trim().parse().ok();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and in the range where both types are exact"
    )]
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..=EXACT).contains(number))
            .map(|number| number as u64)
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
