//! The verdict: a call of one tool, and nothing else.
//!
//! No prose is ever read for one, nor what a tool answered, nor what stands in the text under review.

use snodo_plugin::completion::{Tool, ToolCall};
use snodo_plugin::prelude::*;
use snodo_plugin::tools::{ArgumentError, Arguments, tool};

/// Its name.
pub(crate) const SUBMIT_VERDICT: &str = "submit_verdict";

/// What the model is told of it, for so many criteria. Each value has one type: not every provider takes a choice of types. A `null` in
/// the place of what may be left out is taken all the same.
pub(crate) fn submit_verdict_tool(criteria: usize) -> Tool {
    let by_criteria = if criteria == 0 {
        String::new()
    } else {
        format!(
            r#","cited_criteria":{{"type":"array","items":{{"type":"integer","minimum":1,"maximum":{criteria}}},"description":"Numbers of the criteria on which the verdict rests: for a warn or a blocker those that are not met."}},"tool_access_missing":{{"type":"object","properties":{{"criterion":{{"type":"integer","minimum":1,"maximum":{criteria}}},"capability":{{"type":"string"}}}},"required":["criterion","capability"],"additionalProperties":false,"description":"Only when a criterion cannot be checked with the tools on offer: its number, and what it would need."}}"#
        )
    };
    tool(
        SUBMIT_VERDICT,
        "Gives the verdict and ends the work. Call it once, when everything that matters was looked at.",
        format!(
            r#"{{"type":"object","properties":{{"severity":{{"type":"string","enum":["pass","warn","blocker"]}},"justification":{{"type":"string","minLength":1,"description":"Why, in a few sentences: for a warn or a blocker what is wrong, where, and what would mend it."}}{by_criteria}}},"required":["severity","justification"],"additionalProperties":false}}"#
        ),
    )
}

/// The verdict of a turn, or why each call that was to be one is none, or none where there was no such call.
///
/// The first valid one counts; where another of the same turn is graver, that one does.
pub(crate) fn of_turn(calls: &[ToolCall], criteria: usize) -> Option<Result<Verdict, String>> {
    let mut found: Option<Result<Verdict, String>> = None;
    for call in calls.iter().filter(|call| call.name == SUBMIT_VERDICT) {
        found = Some(match (found, parse(&call.arguments, criteria)) {
            (Some(Ok(first)), Ok(other)) if grave(&other) > grave(&first) => Ok(other),
            (Some(Ok(first)), _) => Ok(first),
            (_, Ok(verdict)) => Ok(verdict),
            (Some(Err(why)), Err(_)) | (None, Err(why)) => Err(why),
        });
    }
    found
}

fn grave(verdict: &Verdict) -> u8 {
    match verdict.severity {
        Severity::Pass => 0,
        Severity::Warn => 1,
        Severity::Blocker => 2,
    }
}

/// A call's arguments as a verdict, or what is wrong with them, for the model.
pub(crate) fn parse(arguments: &str, criteria: usize) -> Result<Verdict, String> {
    read(arguments, criteria).map_err(|problem| match problem {
        Problem::Argument(error) => error.to_string(),
        Problem::Value(words) => words,
    })
}

enum Problem {
    Argument(ArgumentError),
    Value(String),
}

impl From<ArgumentError> for Problem {
    fn from(error: ArgumentError) -> Self {
        Self::Argument(error)
    }
}

fn read(arguments: &str, criteria: usize) -> Result<Verdict, Problem> {
    let arguments = Arguments::parse(arguments)?;
    arguments.only(&["severity", "justification", "cited_criteria", "tool_access_missing"])?;
    let severity = match arguments.text("severity")?.trim().to_ascii_lowercase().as_str() {
        "pass" => Severity::Pass,
        "warn" => Severity::Warn,
        "blocker" => Severity::Blocker,
        _ => {
            return Err(Problem::Value(
                "`severity` has to be `pass`, `warn` or `blocker`".to_owned(),
            ));
        }
    };
    let justification = arguments.text("justification")?.trim();
    if justification.is_empty() {
        return Err(Problem::Value("`justification` is empty".to_owned()));
    }
    let mut verdict = Verdict::new(severity, justification);
    for number in arguments.optional_numbers("cited_criteria")?.unwrap_or_default() {
        // Where there are no criteria a number names nothing, and takes nothing from the verdict: some models always cite one.
        if criteria == 0 {
            continue;
        }
        let index = index("cited_criteria", number, criteria)?;
        if !verdict.cited_criteria.contains(&index) {
            verdict = verdict.cite(index);
        }
    }
    if let Some(missing) = arguments.optional_object("tool_access_missing")? {
        missing.only(&["criterion", "capability"])?;
        let index = index("tool_access_missing.criterion", missing.number("criterion")?, criteria)?;
        let capability = missing.text("capability")?.trim();
        if capability.is_empty() {
            return Err(Problem::Value("`tool_access_missing.capability` is empty".to_owned()));
        }
        verdict = verdict.uncheckable(index, capability);
    }
    Ok(verdict)
}

/// The index of a criterion by its number, counted from 1.
fn index(name: &str, number: u64, criteria: usize) -> Result<u32, Problem> {
    let known = number >= 1 && number <= criteria as u64;
    match u32::try_from(number) {
        Ok(number) if known => Ok(number - 1),
        _ if criteria == 0 => Err(Problem::Value(format!(
            "`{name}` names criterion {number}, and there are no numbered criteria: leave it out"
        ))),
        _ => Err(Problem::Value(format!(
            "`{name}` names criterion {number}, and they are numbered from 1 to {criteria}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        }
    }

    #[test]
    fn case_and_blanks_of_a_severity_are_no_matter() {
        for (spelt, severity) in [
            ("pass", Severity::Pass),
            (" Warn\\n", Severity::Warn),
            ("BLOCKER", Severity::Blocker),
        ] {
            let arguments = format!(r#"{{"severity":"{spelt}","justification":" because "}}"#);
            let verdict = parse(&arguments, 0).unwrap();
            assert_eq!(verdict.severity, severity);
            assert_eq!(verdict.justification, "because");
        }
    }

    #[test]
    fn criteria_are_cited_by_their_numbers_and_only_where_they_are_named() {
        let verdict = parse(
            r#"{"severity":"warn","justification":"criterion 2, see RFC 2119 section 3: 1 test","cited_criteria":[3,1,3]}"#,
            3,
        )
        .unwrap();
        assert_eq!(verdict.cited_criteria, [2, 0]);
        let verdict = parse(r#"{"severity":"pass","justification":"criteria 1 and 2 are met"}"#, 3).unwrap();
        assert_eq!(verdict.cited_criteria, [0_u32; 0]);
    }

    #[test]
    fn without_criteria_a_number_cites_nothing() {
        let arguments = r#"{"severity":"warn","justification":"x","cited_criteria":[1, 7]}"#;
        let verdict = parse(arguments, 0).unwrap();
        assert_eq!(verdict, Verdict::warn("x"));
        // Where there are some, it has to be one of them.
        assert!(parse(arguments, 1).unwrap_err().contains("from 1 to 1"));
    }

    #[test]
    fn null_is_what_was_left_out() {
        let arguments = r#"{"severity":"pass","justification":"x","cited_criteria":null,"tool_access_missing":null}"#;
        for criteria in [0, 2] {
            let verdict = parse(arguments, criteria).unwrap();
            assert!(verdict.cited_criteria.is_empty() && verdict.uncheckable.is_empty());
        }
    }

    #[test]
    fn a_criterion_that_cannot_be_checked_is_told() {
        let verdict = parse(
            r#"{"severity":"pass","justification":"x","tool_access_missing":{"criterion":2,"capability":" running the tests "}}"#,
            2,
        )
        .unwrap();
        assert_eq!(verdict.uncheckable.len(), 1);
        assert_eq!(verdict.uncheckable[0].criterion, 1);
        assert_eq!(verdict.uncheckable[0].capability, "running the tests");
    }

    #[test]
    fn what_is_not_exactly_a_verdict_is_none() {
        for (arguments, criteria, expected) in [
            ("", 2, "the argument `severity` is missing"),
            ("null", 2, "the argument `severity` is missing"),
            ("pass", 2, "not JSON"),
            (r#""pass""#, 2, "not JSON"),
            (r#"["pass"]"#, 2, "one JSON object"),
            (r#"{"verdict":"pa"#, 2, "not JSON"),
            (r#"{"severity":"pass"}"#, 2, "`justification` is missing"),
            (
                r#"{"severity":"pass","justification":" \n"}"#,
                2,
                "`justification` is empty",
            ),
            (
                r#"{"severity":"passed","justification":"x"}"#,
                2,
                "`pass`, `warn` or `blocker`",
            ),
            (r#"{"severity":true,"justification":"x"}"#, 2, "has to be a text"),
            (
                r#"{"severity":"pass","justification":"x","confidence":1}"#,
                2,
                "no argument `confidence`",
            ),
            (
                r#"{"severity":"pass","justification":"x","cited_criteria":[0]}"#,
                2,
                "from 1 to 2",
            ),
            (
                r#"{"severity":"pass","justification":"x","cited_criteria":[3]}"#,
                2,
                "from 1 to 2",
            ),
            (
                r#"{"severity":"pass","justification":"x","cited_criteria":"all"}"#,
                2,
                "a list",
            ),
            (
                r#"{"severity":"pass","justification":"x","tool_access_missing":{"criterion":1,"capability":"x"}}"#,
                0,
                "no numbered criteria",
            ),
            (
                r#"{"severity":"blocker","justification":"x","severity":"pass"}"#,
                2,
                "`severity` is given more than once",
            ),
            (
                r#"{"severity":"pass","justification":"x","tool_access_missing":{"criterion":1,"criterion":2,"capability":"x"}}"#,
                2,
                "`criterion` is given more than once",
            ),
            (
                r#"{"severity":"pass","justification":"x","tool_access_missing":{"criterion":1}}"#,
                2,
                "`capability` is missing",
            ),
            (
                r#"{"severity":"pass","justification":"x","tool_access_missing":{"criterion":1,"capability":""}}"#,
                2,
                "is empty",
            ),
        ] {
            let why = parse(arguments, criteria).unwrap_err();
            assert!(why.contains(expected), "{arguments}: {why}");
        }
    }

    #[test]
    fn the_first_of_a_turn_counts_and_the_graver_of_two_that_differ() {
        let submitted = |severity: &str, why: &str| {
            call(
                SUBMIT_VERDICT,
                &format!(r#"{{"severity":"{severity}","justification":"{why}"}}"#),
            )
        };
        let of = |calls: &[ToolCall]| of_turn(calls, 0).unwrap().unwrap();
        assert_eq!(of(&[submitted("warn", "a"), submitted("warn", "b")]).justification, "a");
        assert_eq!(
            of(&[submitted("pass", "a"), submitted("blocker", "b")]).justification,
            "b"
        );
        assert_eq!(of(&[submitted("warn", "a"), submitted("pass", "b")]).justification, "a");
        let broken = call(SUBMIT_VERDICT, "{}");
        assert_eq!(of(&[broken.clone(), submitted("pass", "b")]).justification, "b");
        assert_eq!(of(&[submitted("warn", "a"), broken.clone()]).justification, "a");
        assert!(of_turn(&[broken], 0).unwrap().is_err());
        let other = call("verdict", r#"{"severity":"pass","justification":"x"}"#);
        assert_eq!(of_turn(&[other], 0), None);
    }

    #[test]
    fn the_schema_is_json_and_knows_how_many_criteria_there_are() {
        for criteria in [0, 3] {
            let tool = submit_verdict_tool(criteria);
            let schema: serde_json::Value = serde_json::from_str(&tool.parameters).unwrap();
            assert_eq!(schema["additionalProperties"], false);
            let most = &schema["properties"]["cited_criteria"]["items"]["maximum"];
            assert_eq!(most.as_u64(), (criteria > 0).then_some(3));
        }
    }
}
