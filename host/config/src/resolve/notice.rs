//! Fields of a protocol that have no effect here, so that a run can say so in one line.

use std::fmt;

use serde::Serialize;

use crate::printable::printable;
use crate::protocol::{JudgeTool, Mode, Protocol, Validator};
use crate::record::Places;

/// A field that is read, checked, and then not acted upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoEffect {
    /// Its path.
    pub field: String,
    /// Its line.
    pub line: u32,
    /// Why.
    pub why: &'static str,
}

impl NoEffect {
    pub(super) fn new(field: impl Into<String>, line: u32, why: &'static str) -> Self {
        Self {
            field: field.into(),
            line,
            why,
        }
    }
}

impl fmt::Display for NoEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` (line {}: {})", printable(&self.field), self.line, self.why)
    }
}

/// All of them in one line; none if there is none.
pub fn in_one_line(notices: &[NoEffect]) -> Option<String> {
    if notices.is_empty() {
        return None;
    }
    let fields: Vec<String> = notices.iter().map(ToString::to_string).collect();
    Some(format!("no effect here: {}", fields.join(", ")))
}

const NO_DELIVERY: &str = "the change is applied to the workspace and delivered nowhere";
const NO_BRANCHES: &str = "no branches are made";
const NO_PLANS: &str = "plans are snodo's";
const FOR_READERS: &str = "for readers only";

pub(super) fn of_protocol(protocol: &Protocol, mode: &Mode, notices: &mut Vec<NoEffect>) {
    let mut of = |places: &Places, prefix: &str, field: &str, applies: bool, why| {
        if applies && places.is_given(field) {
            notices.push(NoEffect::new(format!("{prefix}{field}"), places.of(field).line, why));
        }
    };
    let p = &protocol.places;
    of(p, "", "roles", !protocol.roles.is_empty(), FOR_READERS);
    of(p, "", "metadata", !protocol.metadata.is_empty(), FOR_READERS);
    let own_prefixes = protocol.write_allowed_prefixes != [".snodo/"];
    of(
        p,
        "",
        "write_allowed_prefixes",
        own_prefixes,
        "it is of snodo's own write tool",
    );
    let queued = protocol.queue.non_blocking || protocol.queue.parallel_runs != 1;
    of(p, "", "queue", queued, NO_PLANS);

    let execution = &protocol.execution;
    let e = &execution.places;
    for (field, applies, why) in [
        ("max_retries", true, "there is no retry command"),
        ("branch_ttl_days", true, NO_BRANCHES),
        ("branch_prefix", true, NO_BRANCHES),
        ("delivery", execution.delivery.is_some(), NO_DELIVERY),
        ("delivery_remote", true, NO_DELIVERY),
        ("auto_merge", execution.auto_merge.is_some(), NO_DELIVERY),
        (
            "prepare_command",
            prepares(execution.prepare_command.as_deref()),
            "nothing is prepared; tests run in a copy of the workspace",
        ),
    ] {
        of(e, "execution.", field, applies, why);
    }

    let m = &mode.places;
    let prefix = format!("modes.{}.", mode.mode_id);
    for (field, applies, why) in [
        (
            "transitions",
            !mode.transitions.is_empty(),
            "transitions are never executed, as in snodo",
        ),
        ("delivery", mode.delivery.is_some(), NO_DELIVERY),
        ("auto_merge", mode.auto_merge.is_some(), NO_DELIVERY),
        ("concurrency", mode.concurrency.is_some(), "one task runs at a time"),
    ] {
        of(m, &prefix, field, applies, why);
    }
}

/// snodo's two ways to say "nothing".
fn prepares(command: Option<&str>) -> bool {
    command.is_some_and(|command| !command.trim().is_empty() && !command.trim().eq_ignore_ascii_case("none"))
}

pub(super) fn of_validator(validator: &Validator, notices: &mut Vec<NoEffect>) {
    const ABSENT: [JudgeTool; 3] = [JudgeTool::GitShow, JudgeTool::GitLog, JudgeTool::SummarizeDirectory];
    const WITHOUT_MODEL: [&str; 3] = [super::QUALITY, "secrets", "scope"];
    let asks_no_model = WITHOUT_MODEL.contains(&validator.validator_type.as_str());
    let names_absent = validator.tools.iter().any(|tool| ABSENT.contains(tool));
    let prefix = format!("validators.{}.", validator.validator_id);
    for (field, applies, why) in [
        (
            "constraints",
            !validator.constraints.is_empty(),
            "a validator's constraints are never evaluated, as in snodo",
        ),
        (
            "tools",
            names_absent,
            "git_show, git_log and summarize_directory have no counterpart",
        ),
        ("judges_spec", validator.judges_spec, "tasks are not rewritten"),
        (
            "model",
            validator.model.is_some() && asks_no_model,
            "validators of this type ask no language model",
        ),
        (
            "max_tool_turns",
            validator.max_tool_turns.is_some() && asks_no_model,
            "validators of this type ask no language model",
        ),
        (
            "validator_tools",
            !validator.validator_tools.is_empty(),
            "tools of snodo's plugins are not offered",
        ),
    ] {
        if applies {
            notices.push(NoEffect::new(
                format!("{prefix}{field}"),
                validator.places.of(field).line,
                why,
            ));
        }
    }
}
