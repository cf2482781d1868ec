//! Amounts of money, kept exactly.

use std::fmt;

use super::value::unusable;
use crate::node::{Node, Value};
use crate::record::value::wrong;
use crate::report::Log;

/// Tokens that a price is for.
const PER_TOKENS: u128 = 1_000_000;

/// The most whole units of an amount. With six decimals these are fifteen digits, which a number in a file holds exactly.
const MOST_UNITS: u64 = 999_999_999;

/// An amount in millionths of the currency's unit. Nothing is ever computed in floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money {
    /// In millionths.
    pub micro: u64,
}

impl Money {
    /// From a decimal such as `2.5`: digits, and up to six behind a point.
    pub fn parse(decimal: &str) -> Result<Self, &'static str> {
        const RULE: &str =
            "an amount is a decimal such as 2.5, from 0 to 999999999, with at most six digits behind the point";
        let (units, decimals) = decimal.split_once('.').unwrap_or((decimal, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(units) || !digits(decimals) || decimals.len() > 6 {
            return Err(RULE);
        }
        let units: u64 = units.parse().map_err(|_| RULE)?;
        let decimals: u64 = format!("{decimals:0<6}").parse().map_err(|_| RULE)?;
        if units > MOST_UNITS {
            return Err(RULE);
        }
        Ok(Self {
            micro: units * 1_000_000 + decimals,
        })
    }
}

/// As a decimal, with two digits behind the point at least.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:06}", self.micro % 1_000_000);
        let shown = decimals.trim_end_matches('0').len().max(2);
        write!(f, "{}.{}", self.micro / 1_000_000, &decimals[..shown])
    }
}

/// What a model's tokens cost, for each million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Of a request.
    pub input: Money,
    /// Of an answer.
    pub output: Money,
}

impl Price {
    /// What so many tokens cost, rounded up to the next millionth, so that a bound is never passed unseen.
    pub fn of(&self, input_tokens: u64, output_tokens: u64) -> Money {
        let one = |price: Money, tokens: u64| u128::from(price.micro) * u128::from(tokens);
        let cost = (one(self.input, input_tokens) + one(self.output, output_tokens)).div_ceil(PER_TOKENS);
        Money {
            micro: u64::try_from(cost).unwrap_or(u64::MAX),
        }
    }
}

/// Reads an amount: a number, or a decimal as a text.
pub(super) fn money(node: &Node, path: &str, log: &mut Log) -> Option<Money> {
    let decimal = match &node.value {
        Value::Int(i) => i.to_string(),
        Value::BigInt(digits) => digits.clone(),
        // The shortest decimal that means this number is the one that was written: of up to fifteen digits none is lost.
        Value::Float(f) => f.to_string(),
        Value::Text(text) => text.clone(),
        _ => {
            wrong(node, path, "a number", log);
            return None;
        }
    };
    match Money::parse(&decimal) {
        Ok(money) => Some(money),
        Err(why) => {
            unusable(node.place, path, &decimal, why, log);
            None
        }
    }
}
