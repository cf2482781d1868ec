//! What a plain scalar means: YAML 1.1's types, as PyYAML's safe loader reads them.
//!
//! `yes` and `off` are booleans, `010` is eight, `1:30` is ninety, `1e5` (no point) is a text, `2026-01-31` is a
//! date. The parser below speaks YAML 1.2 but leaves scalars alone, so this file alone decides.

use crate::node::Value;

/// A plain scalar, resolved.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Resolved {
    /// A value.
    Value(Value),
    /// `<<`: as a key, it merges maps.
    Merge,
    /// `=`: YAML 1.1's default key; a text where it is a key, nothing that is served elsewhere.
    Default,
}

/// What an untagged plain scalar means.
pub(super) fn resolve(text: &str) -> Resolved {
    let value = match text {
        "<<" => return Resolved::Merge,
        "=" => return Resolved::Default,
        _ if is_null(text) => Value::Null,
        _ => boolean(text)
            .map(Value::Bool)
            .or_else(|| float(text).map(Value::Float))
            .or_else(|| integer(text))
            .or_else(|| is_timestamp(text).then(|| Value::Timestamp(text.to_owned())))
            .unwrap_or_else(|| Value::Text(text.to_owned())),
    };
    Resolved::Value(value)
}

/// `~`, `null` in three spellings, and nothing at all.
pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// The booleans: three spellings of each word, no other.
pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// Whole numbers: binary, octal with a leading 0, decimal, hexadecimal, base sixty; `_` between digits is skipped.
pub(super) fn integer(text: &str) -> Option<Value> {
    let (negative, digits) = sign(text);
    let radix = if let Some(rest) = digits.strip_prefix("0b") {
        (2, rest)
    } else if let Some(rest) = digits.strip_prefix("0x") {
        (16, rest)
    } else if digits != "0" && digits.starts_with('0') {
        (8, digits)
    } else {
        (10, digits)
    };
    let number = match radix {
        (10, digits) if digits.contains(':') => sexagesimal(digits)?,
        (base, digits) => {
            if base == 10 && !(digits.starts_with(|c: char| c.is_ascii_digit())) {
                return None;
            }
            if digits.is_empty() || !digits.chars().all(|c| c == '_' || c.is_digit(base)) {
                return None;
            }
            let bare = digits.replace('_', "");
            if bare.is_empty() {
                // `0x_`: PyYAML fails on it; a number it is not.
                return None;
            }
            match u128::from_str_radix(&bare, base) {
                Ok(n) => n,
                Err(_) if base == 10 => {
                    return Some(Value::BigInt(format!("{}{bare}", if negative { "-" } else { "" })));
                }
                Err(_) => return Some(Value::BigInt(text.to_owned())),
            }
        }
    };
    Some(signed(negative, number))
}

fn signed(negative: bool, number: u128) -> Value {
    let value = i128::try_from(number).ok().map(|n| if negative { -n } else { n });
    match value.and_then(|n| i64::try_from(n).ok()) {
        Some(n) => Value::Int(n),
        None => Value::BigInt(format!("{}{number}", if negative { "-" } else { "" })),
    }
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// `1:30`, `190:20:30`: the first place any number without a leading zero, the others one or two digits below sixty.
fn sexagesimal(digits: &str) -> Option<u128> {
    let mut places = digits.split(':');
    let first = places.next()?;
    if !first.starts_with(|c: char| matches!(c, '1'..='9')) || !first.chars().all(|c| c == '_' || c.is_ascii_digit()) {
        return None;
    }
    let mut number: u128 = first.replace('_', "").parse().ok()?;
    for place in places {
        number = number.checked_mul(60)?.checked_add(u128::from(minutes(place)?))?;
    }
    Some(number)
}

fn minutes(place: &str) -> Option<u8> {
    let fits = match place.as_bytes() {
        [b'0'..=b'9'] => true,
        [tens, b'0'..=b'9'] => (b'0'..=b'5').contains(tens),
        _ => false,
    };
    if fits { place.parse().ok() } else { None }
}

/// Numbers with a point, the infinities, not-a-number, base sixty with a point. An exponent needs its sign.
pub(super) fn float(text: &str) -> Option<f64> {
    let (negative, unsigned) = sign(text);
    let signed = |n: f64| if negative { -n } else { n };
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Some(signed(f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    let (whole, rest) = unsigned.split_once('.')?;
    if whole.contains(':') {
        return sexagesimal_float(whole, rest).map(signed);
    }
    let (fraction, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let digits = |s: &str| s.chars().all(|c| c == '_' || c.is_ascii_digit());
    let starts_with_digit = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    // `.5` takes no sign and must have a digit right behind the point.
    let shaped = if whole.is_empty() {
        unsigned.len() == text.len() && starts_with_digit(fraction)
    } else {
        starts_with_digit(whole)
    };
    if !shaped {
        return None;
    }
    if let Some(exponent) = exponent {
        let power = exponent.strip_prefix(['+', '-'])?;
        if power.is_empty() || !power.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
    }
    text.replace('_', "").parse().ok()
}

fn sexagesimal_float(whole: &str, fraction: &str) -> Option<f64> {
    let mut places = whole.split(':');
    let first = places.next()?;
    if !first.starts_with(|c: char| c.is_ascii_digit()) || !first.chars().all(|c| c == '_' || c.is_ascii_digit()) {
        return None;
    }
    if !fraction.chars().all(|c| c == '_' || c.is_ascii_digit()) {
        return None;
    }
    let mut number: f64 = first.replace('_', "").parse().ok()?;
    for place in places {
        number = number.mul_add(60.0, f64::from(minutes(place)?));
    }
    let fraction: f64 = format!("0.{}", fraction.replace('_', "")).parse().ok().or(Some(0.0))?;
    Some(number + fraction)
}

/// `2026-01-31`, or a date and a time with the separators that YAML 1.1 allows. Whether the day exists is not looked
/// at.
pub(super) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || !bytes[..4].iter().all(u8::is_ascii_digit) || bytes[4] != b'-' {
        return false;
    }
    let mut at = Cursor { bytes, at: 5 };
    let Some(month) = at.digits(1, 2) else { return false };
    if !at.skip(b'-') {
        return false;
    }
    let Some(day) = at.digits(1, 2) else { return false };
    if at.is_done() {
        return month == 2 && day == 2;
    }
    at.time() && at.is_done()
}

struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// How many digits follow, if their number is within bounds.
    fn digits(&mut self, least: usize, most: usize) -> Option<usize> {
        let count = self.bytes[self.at..]
            .iter()
            .take(most)
            .take_while(|b| b.is_ascii_digit())
            .count();
        self.at += count;
        (count >= least).then_some(count)
    }

    fn blanks(&mut self) -> bool {
        let before = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.at > before
    }

    fn time(&mut self) -> bool {
        if !(self.skip(b'T') || self.skip(b't') || self.blanks()) {
            return false;
        }
        let clock = self.digits(1, 2).is_some()
            && self.skip(b':')
            && self.digits(2, 2).is_some()
            && self.skip(b':')
            && self.digits(2, 2).is_some();
        if !clock {
            return false;
        }
        if self.skip(b'.') {
            let _ = self.digits(0, usize::MAX);
        }
        if self.is_done() {
            return true;
        }
        self.blanks();
        if self.skip(b'Z') {
            return true;
        }
        if !(self.skip(b'+') || self.skip(b'-')) || self.digits(1, 2).is_none() {
            return false;
        }
        !self.skip(b':') || self.digits(2, 2).is_some()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)] // a test fails by panicking

    use super::*;

    fn value(text: &str) -> Value {
        match resolve(text) {
            Resolved::Value(value) => value,
            other => panic!("{text:?} is {other:?}"),
        }
    }

    #[test]
    fn words_that_are_booleans() {
        for word in ["yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"] {
            assert_eq!(value(word), Value::Bool(true), "{word}");
        }
        for word in ["no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"] {
            assert_eq!(value(word), Value::Bool(false), "{word}");
        }
        for word in ["y", "n", "yEs", "oN", "tRUE", "t", "f", "nope"] {
            assert_eq!(value(word), Value::Text(word.to_owned()), "{word}");
        }
    }

    #[test]
    fn whole_numbers_in_every_base() {
        for (text, number) in [
            ("0", 0),
            ("-0", 0),
            ("7", 7),
            ("+7", 7),
            ("-7", -7),
            ("1_000", 1000),
            ("010", 8),
            ("-010", -8),
            ("0_7", 7),
            ("0_", 0),
            ("0b101", 5),
            ("-0b1_1", -3),
            ("0x1F", 31),
            ("-0xff", -255),
            ("1:30", 90),
            ("-1:30", -90),
            ("190:20:30", 685_230),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(value(text), Value::Int(number), "{text}");
        }
        assert_eq!(
            value("9223372036854775808"),
            Value::BigInt("9223372036854775808".to_owned())
        );
        assert_eq!(
            value("-123456789012345678901234567890"),
            Value::BigInt("-123456789012345678901234567890".to_owned())
        );
        let long = "9".repeat(60);
        assert_eq!(value(&long), Value::BigInt(long.clone()));
    }

    #[test]
    fn what_only_looks_like_a_whole_number() {
        for text in [
            "08", "0o17", "0X1F", "0B1", "1:60", "0:30", "01:30", "1:3:", "_1", "+", "-", "--1", "+-1", "1 000", "0x",
            "0b", "0b2", "1__:3x",
        ] {
            assert_eq!(value(text), Value::Text(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn numbers_with_a_point() {
        for (text, number) in [
            ("1.0", 1.0),
            ("-1.5", -1.5),
            ("1.", 1.0),
            ("08.5", 8.5),
            (".5", 0.5),
            ("1_0.2_5", 10.25),
            ("1.5e+3", 1500.0),
            ("1.5E-1", 0.15),
            (".inf", f64::INFINITY),
            ("-.INF", f64::NEG_INFINITY),
            ("1:30.5", 90.5),
        ] {
            assert_eq!(value(text), Value::Float(number), "{text}");
        }
        assert!(matches!(value(".nan"), Value::Float(f) if f.is_nan()));
        for text in [
            "1e5", "1.5e5", "1.5e", "-.5", ".", "._5", ".e+1", "1.2.3", "+.nan", "inf", "1.5e+_1",
        ] {
            assert_eq!(value(text), Value::Text(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn dates() {
        for text in [
            "2026-01-31",
            "2026-1-3T1:02:03",
            "2026-01-31 10:00:00.5 +01:00",
            "2026-01-31t10:00:00Z",
            "2026-01-31  10:00:00 -5",
        ] {
            assert_eq!(value(text), Value::Timestamp(text.to_owned()), "{text}");
        }
        for text in [
            "2026-1-31",
            "2026-01-31T10:00",
            "2026-01",
            "26-01-31",
            "2026-01-31x",
            "2026-01-31 10:00:00 ZZ",
            "2026-01-31T",
        ] {
            assert_eq!(value(text), Value::Text(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn nothing_and_the_signs() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(value(text), Value::Null, "{text:?}");
        }
        assert_eq!(value("nULL"), Value::Text("nULL".to_owned()));
        assert_eq!(resolve("<<"), Resolved::Merge);
        assert_eq!(resolve("="), Resolved::Default);
    }
}
