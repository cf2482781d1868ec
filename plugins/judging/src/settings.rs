//! The settings that every judge has.

use snodo_plugin::pattern::Pattern;
use snodo_plugin::prelude::*;

/// Turns that cost, when nothing is said: snodo's number.
const TURNS: i64 = 6;
/// snodo's bounds.
const TURNS_ALLOWED: std::ops::RangeInclusive<i64> = 1..=200;
/// Characters of differences in the first message, when nothing is said: snodo's number, some 16,000 tokens.
const BUDGET: i64 = 64_000;
/// Less shows nothing; more is more than models take.
const BUDGET_ALLOWED: std::ops::RangeInclusive<i64> = 2_000..=2_000_000;

const MAX_TOOL_TURNS: &str = "max-tool-turns";
const CHANGE_BUDGET: &str = "change-budget";
pub(crate) const ALLOW_BINARY: &str = "allow-binary";

/// With the settings that every judge has.
pub fn with_settings(description: Description) -> Description {
    description
        .setting(
            Setting::integer(
                MAX_TOOL_TURNS,
                "Turns of the model until it has to decide, from 1 to 200; one that asks only for what it was shown already is free.",
            )
            .default(TURNS),
        )
        .setting(
            Setting::integer(
                CHANGE_BUDGET,
                "Characters of the change that are shown at once, from 2000 to 2000000; the rest is named, and can be asked for.",
            )
            .default(BUDGET),
        )
        .setting(
            Setting::text_list(
                ALLOW_BINARY,
                "Patterns of files that may hold bytes which are no text, and that no model is shown: `*` stops at `/`, `**` does not. \
                 Every other one that the change writes cannot be passed.",
            )
            .default([]),
        )
}

pub(crate) struct Settings {
    pub(crate) turns: u32,
    pub(crate) budget: u64,
    /// Files whose bytes need not be looked at where they are no text.
    pub(crate) binary: Vec<Pattern>,
}

impl Settings {
    pub(crate) fn of(context: &Context) -> Result<Self, Fault> {
        let turns = within(context, MAX_TOOL_TURNS, &TURNS_ALLOWED)?;
        let budget = within(context, CHANGE_BUDGET, &BUDGET_ALLOWED)?;
        Ok(Self {
            turns: u32::try_from(turns).unwrap_or(u32::MAX),
            budget: budget.unsigned_abs(),
            binary: patterns(context)?,
        })
    }
}

fn patterns(context: &Context) -> Result<Vec<Pattern>, Fault> {
    let texts = context.text_list(ALLOW_BINARY)?;
    let parsed = texts.iter().map(|text| {
        Pattern::parse(text).map_err(|why| Fault::Setting(format!("`{ALLOW_BINARY}`, pattern `{text}`: {why}")))
    });
    parsed.collect()
}

fn within(context: &Context, name: &str, allowed: &std::ops::RangeInclusive<i64>) -> Result<i64, Fault> {
    let value = context.integer(name)?;
    if allowed.contains(&value) {
        Ok(value)
    } else {
        Err(Fault::Setting(format!(
            "`{name}` is {value}; it has to be from {} to {}",
            allowed.start(),
            allowed.end()
        )))
    }
}
