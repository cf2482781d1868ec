//! What a judge is told at the start.

use std::fmt::Write as _;

use snodo_plugin::prelude::*;
use snodo_plugin::tools::FENCE_RULE;

use crate::change::bounded;
use crate::text::{cut, data};

const RULES: &str = include_str!("../prompts/rules.txt");
const CRITERIA: &str = include_str!("../prompts/criteria.txt");
const FINDINGS: &str = include_str!("../prompts/findings.txt");

/// Characters of one piece of evidence: a test runner's summary fits.
const EVIDENCE: usize = 8_000;
/// Characters of one earlier finding, and how many of them.
const FAILURE: usize = 3_000;
const FAILURES: usize = 20;
/// So many test-governing files are named.
const GOVERNING: usize = 200;

/// What one kind of judge has to say to its model: who it is, and what it judges.
#[derive(Debug, Clone)]
pub struct Brief {
    instructions: &'static str,
    sections: Vec<(&'static str, String)>,
}

impl Brief {
    /// With instructions for the phase in which it judges.
    pub fn new(instructions: &'static str) -> Self {
        Self {
            instructions,
            sections: Vec::new(),
        }
    }

    /// With something to judge, or to judge by: a heading of ours, and text that is data.
    #[must_use]
    pub fn section(mut self, heading: &'static str, text: impl Into<String>) -> Self {
        self.sections.push((heading, text.into()));
        self
    }

    pub(crate) fn system(&self, turns: u32) -> String {
        let last = if turns == 1 {
            "You have one turn, and it is for the verdict.".to_owned()
        } else {
            format!("You have {turns} turns; the last is for the verdict alone.")
        };
        format!(
            "{}\n{}\n{last}",
            self.instructions.trim_end(),
            format!("\n{RULES}").replace("@FENCE_RULE@", FENCE_RULE)
        )
    }

    /// The first message. `change` is the section about the change, where there is one.
    pub(crate) fn first_message(&self, evaluation: &Evaluation, change: Option<&str>) -> String {
        let mut message = Message::default();
        message.block("Validator", &evaluation.validator_id);
        for (heading, text) in &self.sections {
            message.block(heading, text);
        }
        let task = &evaluation.task;
        if !task.constraints.is_empty() {
            message.block("Constraints in force", &task.constraints.join("\n"));
        }
        let failures = &task.prior_failures;
        let skip = failures.len().saturating_sub(FAILURES);
        for failure in &failures[skip..] {
            let found = format!(
                "attempt {}, validator {}, {}\n{}",
                failure.attempt,
                failure.validator_id,
                severity(failure.severity),
                cut(&failure.justification, FAILURE)
            );
            message.block("Found in an earlier attempt", &found);
        }
        if !evaluation.criteria.is_empty() {
            message.say("Criteria", CRITERIA);
            message
                .text
                .push_str(&data("Criteria", &numbered(&evaluation.criteria)));
            message.text.push_str("\n\n");
        }
        for evidence in &evaluation.evidence {
            let found = format!(
                "the validator {} reports: {}\n{}",
                evidence.validator_id,
                severity(evidence.severity),
                cut(&evidence.justification, EVIDENCE)
            );
            // Its own words, whoever wrote it: that the host ran what it asked for makes the host no witness of what it says of it.
            message.block(
                "Evidence: what a validator that had something executed says of it",
                &found,
            );
        }
        if !evaluation.test_governing.is_empty() {
            let lines: Vec<String> = evaluation.test_governing.iter().map(governing).collect();
            message.block(
                "Changed files that decide what the tests check, or whether they run",
                &bounded(&lines, GOVERNING),
            );
        }
        if let Some(change) = change {
            if task.expects == Expectation::Findings {
                message.say("The change", FINDINGS);
            }
            message.say("The change", change);
        }
        message.text.trim_end().to_owned() + "\n"
    }
}

#[derive(Default)]
struct Message {
    text: String,
}

impl Message {
    fn say(&mut self, heading: &str, words: &str) {
        let _ = write!(self.text, "# {heading}\n\n{}\n\n", words.trim_end());
    }

    fn block(&mut self, heading: &str, text: &str) {
        self.say(heading, &data(heading, text));
    }
}

fn governing(change: &snodo_plugin::TestGoverningChange) -> String {
    use snodo_plugin::tools::one_line;
    format!(
        "{}: {}, {}",
        one_line(&change.path, 400),
        crate::change::kind(change.change),
        one_line(&change.reason, 200)
    )
}

/// Criteria with numbers from 1; further lines of one are set in, so that none looks like the next.
fn numbered(criteria: &[String]) -> String {
    let mut text = String::new();
    for (index, criterion) in criteria.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", index + 1, criterion.trim().replace('\n', "\n   "));
    }
    text
}

pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Pass => "pass",
        Severity::Warn => "warn",
        Severity::Blocker => "blocker",
    }
}
