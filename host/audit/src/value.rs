//! JSON values as CPython holds them, so that what is written again after reading hashes to the same.
//!
//! Integers have any size and are not floats (`1` and `1.0` are two values), floats may be infinite or no number at all, and text may
//! hold lone surrogates, since `"\ud800"` is text to Python.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// An object: keys in the order of their code points, each once. Of keys given twice, the last one stays, as in Python.
pub type Object = BTreeMap<Text, Value>;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction and exponent, of any size.
    Int(Integer),
    /// A number with a fraction or an exponent, `NaN`, `Infinity` or `-Infinity`.
    Float(Float),
    /// Text.
    Text(Text),
    /// A list.
    List(Vec<Value>),
    /// An object.
    Object(Object),
}

impl Value {
    /// What it is, with its article: "an object", "a number".
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Int(_) | Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// The text, when it is one without lone surrogates.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.as_str(),
            _ => None,
        }
    }

    /// The number, when it is an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Int(number) => number.as_u64(),
            _ => None,
        }
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(object) => object.get(&Text::from(key)),
            _ => None,
        }
    }

    /// How many lists and objects stand in each other at the deepest place; 0 for anything else.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(members) => 1 + members.values().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// Text as Python holds it: code points, among which surrogates may stand alone. They come in by escapes only (`\ud800`), and go out the
/// same way; the two halves of a pair are one code point.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Text(
    /// Generalised UTF-8: surrogates in three bytes each. The order of its bytes is that of the code points.
    Vec<u8>,
);

impl Text {
    /// The text, unless lone surrogates are in it.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text, with U+FFFD for each lone surrogate (three of them, one for each byte). For showing only.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Its code points, surrogates among them.
    pub fn code_points(&self) -> impl Iterator<Item = u32> + '_ {
        let mut bytes = self.0.iter().copied();
        std::iter::from_fn(move || {
            let first = u32::from(bytes.next()?);
            // The constructors let well-formed sequences in only.
            let more = |point: u32, byte: Option<u8>| point << 6 | u32::from(byte.unwrap_or(0)) & 0x3f;
            Some(match first {
                0..0x80 => first,
                0x80..0xe0 => more(first & 0x1f, bytes.next()),
                0xe0..0xf0 => {
                    let two = more(first & 0x0f, bytes.next());
                    more(two, bytes.next())
                }
                _ => {
                    let two = more(first & 0x07, bytes.next());
                    let three = more(two, bytes.next());
                    more(three, bytes.next())
                }
            })
        })
    }

    /// Its bytes in generalised UTF-8.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its first bytes, up to the end of a code point.
    pub(crate) fn first(&self, bytes: usize) -> Self {
        Self(self.0[..bytes].to_vec())
    }

    /// Puts text at the end.
    pub(crate) fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Puts one code point at the end; a surrogate must not complete a pair (the parser joins those).
    pub(crate) fn push(&mut self, point: u32) {
        if let Some(c) = char::from_u32(point) {
            self.push_str(c.encode_utf8(&mut [0; 4]));
        } else {
            let six = |shift: u32| u8::try_from(point >> shift & 0x3f).unwrap_or(0) | 0x80;
            self.0.extend([0xed, six(6), six(0)]);
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.lossy())
    }
}

/// An integer in plain decimal, of any size: no leading zeros, no `-0`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Box<str>);

impl Integer {
    /// From digits as JSON has them, with a minus sign or without.
    pub(crate) fn from_json(digits: &str) -> Self {
        Self(if digits == "-0" { "0" } else { digits }.into())
    }

    /// Its decimal digits, with a minus sign for a negative one.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number, when it fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A double. Two are equal when they are written the same: `NaN` is `NaN`, and `-0.0` is not `0.0`.
#[derive(Debug, Clone, Copy)]
pub struct Float(pub f64);

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits() || self.0.is_nan() && other.0.is_nan()
    }
}

impl Eq for Float {}

macro_rules! from_integer {
    ($($type:ty),*) => {$(
        impl From<$type> for Value {
            fn from(number: $type) -> Self {
                Self::Int(Integer(number.to_string().into()))
            }
        }
    )*};
}
from_integer!(u8, u16, u32, u64, usize, i32, i64);

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(Float(number))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

/// `None` is `null`.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(value),
            serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => number.into(),
                (None, Some(number)) => number.into(),
                (None, None) => number.as_f64().unwrap_or(f64::NAN).into(),
            },
            serde_json::Value::String(text) => text.into(),
            serde_json::Value::Array(items) => items.into(),
            serde_json::Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (key.into(), value.into()))
                    .collect(),
            ),
        }
    }
}
