//! JSON as CPython's `json.loads` takes it: `NaN` and the infinities too, lone surrogates, keys given twice, integers of any size.
//!
//! It is refused what Python refuses. Bounds of our own are said where they are stricter: how deep values stand in each other
//! ([`MAX_DEPTH`]; Python gives up at some thousand), and how many digits an integer has (4300, which is Python's own).

use crate::value::{Float, Integer, Object, Text, Value};

/// How many lists and objects may stand in each other. CPython gives up a little below 1000.
pub const MAX_DEPTH: usize = 900;
/// CPython's limit for reading integers.
pub const MAX_INTEGER_DIGITS: usize = 4300;

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {column}")]
pub struct Malformed {
    /// Where: the byte, the first one is 1.
    pub column: usize,
    /// What.
    pub what: Fault,
}

/// What is wrong with a text that should be JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Something else stands where a value should begin.
    #[error("a value is expected")]
    ValueExpected,
    /// A byte order mark at the beginning.
    #[error("a byte order mark stands before the value")]
    ByteOrderMark,
    /// More after the value.
    #[error("something follows the value")]
    Trailing,
    /// Text without its closing quote.
    #[error("text has no end")]
    UnterminatedText,
    /// A control character that is not escaped.
    #[error("a control character in text is not escaped")]
    ControlCharacter,
    /// A backslash and something unknown.
    #[error("an unknown escape")]
    Escape,
    /// An object's member without its key.
    #[error("a key in double quotes is expected")]
    KeyExpected,
    /// A key without its colon.
    #[error("`:` is expected")]
    ColonExpected,
    /// An item or member that nothing ends.
    #[error("`,` or the end of the list or object is expected")]
    CommaExpected,
    /// A carriage return that is not at the end: Python reads two lines there.
    #[error("a carriage return stands in the line")]
    CarriageReturn,
    /// Beyond [`MAX_DEPTH`].
    #[error("lists and objects stand more than {MAX_DEPTH} deep in each other")]
    TooDeep,
    /// Beyond [`MAX_INTEGER_DIGITS`].
    #[error("an integer has more than {MAX_INTEGER_DIGITS} digits")]
    IntegerTooLong,
}

/// Reads one value, with nothing but white space around it.
pub fn parse(text: &str) -> Result<Value, Malformed> {
    let mut parser = Parser { text, at: 0 };
    if text.starts_with('\u{feff}') {
        return Err(parser.fault(Fault::ByteOrderMark));
    }
    parser.skip_space();
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.fault(Fault::Trailing));
    }
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn fault(&self, what: Fault) -> Malformed {
        Malformed {
            column: self.at + 1,
            what,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        if there {
            self.at += word.len();
        }
        there
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Malformed> {
        match self.peek() {
            Some(b'"') => self.text().map(Value::Text),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'-') if self.take("-Infinity") => Ok(f64::NEG_INFINITY.into()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) if self.take("null") => Ok(Value::Null),
            Some(_) if self.take("true") => Ok(Value::Bool(true)),
            Some(_) if self.take("false") => Ok(Value::Bool(false)),
            Some(_) if self.take("NaN") => Ok(f64::NAN.into()),
            Some(_) if self.take("Infinity") => Ok(f64::INFINITY.into()),
            _ => Err(self.fault(Fault::ValueExpected)),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Malformed> {
        self.enter(depth)?;
        let mut items = Vec::new();
        if self.take("]") {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends("]")? {
                return Ok(Value::List(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Malformed> {
        self.enter(depth)?;
        let mut members = Object::new();
        if self.take("}") {
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.fault(Fault::KeyExpected));
            }
            let key = self.text()?;
            self.skip_space();
            if !self.take(":") {
                return Err(self.fault(Fault::ColonExpected));
            }
            self.skip_space();
            let value = self.value(depth + 1)?;
            members.insert(key, value);
            if self.ends("}")? {
                return Ok(Value::Object(members));
            }
        }
    }

    fn enter(&mut self, depth: usize) -> Result<(), Malformed> {
        if depth >= MAX_DEPTH {
            return Err(self.fault(Fault::TooDeep));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// After an item: whether that was the last one.
    fn ends(&mut self, end: &str) -> Result<bool, Malformed> {
        self.skip_space();
        if self.take(end) {
            return Ok(true);
        }
        if !self.take(",") {
            return Err(self.fault(Fault::CommaExpected));
        }
        self.skip_space();
        Ok(false)
    }

    /// The longest number that begins here; what follows is the business of whoever comes next, as in Python.
    fn number(&mut self) -> Result<Value, Malformed> {
        let start = self.at;
        self.take("-");
        let first = self.at;
        if !self.take("0") {
            self.digits();
        }
        let digits = self.at - first;
        if digits == 0 {
            self.at = start;
            return Err(self.fault(Fault::ValueExpected));
        }
        let integer = self.at;
        if self.take(".") && self.digits() == 0 {
            self.at = integer;
        }
        let fraction = self.at;
        if self.take("e") || self.take("E") {
            let _ = self.take("+") || self.take("-");
            if self.digits() == 0 {
                self.at = fraction;
            }
        }
        let number = &self.text[start..self.at];
        if self.at > integer {
            // Digits of that form are always read; beyond the largest double lies infinity, as in Python.
            return Ok(Value::Float(Float(number.parse().unwrap_or(f64::NAN))));
        }
        if digits > MAX_INTEGER_DIGITS {
            self.at = start;
            return Err(self.fault(Fault::IntegerTooLong));
        }
        Ok(Value::Int(Integer::from_json(number)))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    fn text(&mut self) -> Result<Text, Malformed> {
        let open = self.at;
        self.at += 1;
        let mut text = Text::default();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..0x20)) {
                self.at += 1;
            }
            text.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => self.escape(open, &mut text)?,
                Some(_) => return Err(self.fault(Fault::ControlCharacter)),
                None => {
                    self.at = open;
                    return Err(self.fault(Fault::UnterminatedText));
                }
            }
        }
    }

    fn escape(&mut self, open: usize, text: &mut Text) -> Result<(), Malformed> {
        let point = match self.text.as_bytes().get(self.at + 1) {
            Some(&same @ (b'"' | b'\\' | b'/')) => u32::from(same),
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => 0x0a,
            Some(b'r') => 0x0d,
            Some(b't') => 0x09,
            Some(b'u') => return self.unicode(text),
            Some(_) => return Err(self.fault(Fault::Escape)),
            None => {
                self.at = open;
                return Err(self.fault(Fault::UnterminatedText));
            }
        };
        self.at += 2;
        text.push(point);
        Ok(())
    }

    /// `\uXXXX`, or two of them that make one code point.
    fn unicode(&mut self, text: &mut Text) -> Result<(), Malformed> {
        let Some(unit) = self.unit() else {
            return Err(self.fault(Fault::Escape));
        };
        self.at += 6;
        let low = match unit {
            0xd800..0xdc00 => self.unit().filter(|low| (0xdc00..0xe000).contains(low)),
            _ => None,
        };
        if let Some(low) = low {
            self.at += 6;
            text.push(0x1_0000 + (unit - 0xd800) * 0x400 + (low - 0xdc00));
        } else {
            text.push(unit);
        }
        Ok(())
    }

    /// The code unit of the escape that begins here.
    fn unit(&self) -> Option<u32> {
        let digits = self.text.as_bytes()[self.at..].strip_prefix(b"\\u")?.get(..4)?;
        digits
            .iter()
            .try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
    }
}
