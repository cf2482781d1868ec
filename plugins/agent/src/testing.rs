//! The tool `run_tests`.

use std::fmt::Write as _;

use snodo_plugin::RunnerInfo;
use snodo_plugin::completion::Tool;
use snodo_plugin::prelude::*;
use snodo_plugin::runner::{Bound, Captured, Exit, Observation};
use snodo_plugin::tools::{ArgumentError, Arguments, Outcome, fence, one_line, tool};

use crate::desk::Desk;

pub(crate) const NAME: &str = "run_tests";

/// Characters of one stream: snodo's figure.
const STREAM: usize = 50_000;

const WITH_PATH: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Only the tests at this path, relative to the project's root; left out: all tests."}
  },
  "additionalProperties": false
}"#;

const WITHOUT_PATH: &str = r#"{"type": "object", "properties": {}, "additionalProperties": false}"#;

pub(crate) fn definition(runner: &RunnerInfo) -> Tool {
    let command = one_line(&runner.argv.join(" "), 300);
    let description = format!(
        "Run the project's declared tests (`{command}`) on the files as you see them. At most {} runs, of {} seconds each.",
        runner.calls,
        runner.timeout_ms.div_ceil(1_000)
    );
    tool(
        NAME,
        description,
        if runner.takes_path { WITH_PATH } else { WITHOUT_PATH },
    )
}

/// Runs them. What is told is what was seen: whether it is good or bad is the model's to say.
pub(crate) fn run(desk: &impl Desk, runner: &RunnerInfo, arguments: &str) -> Result<Outcome, ArgumentError> {
    let arguments = Arguments::parse(arguments)?;
    arguments.only(if runner.takes_path { &["path"] } else { &[] })?;
    // An empty path is how some models leave it out.
    let path = arguments.optional_text("path")?.filter(|path| !path.is_empty());
    Ok(match desk.run_tests(path) {
        Ok(observation) => Outcome::told(told(&observation)),
        Err(error) => Outcome::refused(format!("Nothing was run: {}.", one_line(&error.explain(), 600))),
    })
}

fn told(seen: &Observation) -> String {
    let mut text = match seen.exit {
        Exit::Code(code) => format!("The tests ended with exit code {code}"),
        Exit::Signal(signal) => format!("The tests were ended by signal {signal}"),
        Exit::Bound(Bound::WallClock) => {
            "The tests ran out of time and were stopped: they did not come to an end".to_owned()
        }
        Exit::Bound(Bound::Interrupted) => "The tests were stopped: they did not come to an end".to_owned(),
    };
    let seconds = seen.duration_ms / 1_000;
    let tenths = seen.duration_ms % 1_000 / 100;
    let left = match seen.calls_left {
        0 => "no run is left".to_owned(),
        1 => "1 run is left".to_owned(),
        left => format!("{left} runs are left"),
    };
    let _ = write!(text, ", after {seconds}.{tenths} s; {left}.");
    for (label, captured) in [("standard output", &seen.stdout), ("standard error", &seen.stderr)] {
        let output = stream(captured);
        if output.is_empty() {
            let _ = write!(text, "\nNothing on {label}.");
        } else {
            let _ = write!(text, "\n{}", fence(label, &output));
        }
    }
    text
}

/// Beginning and end of what came out: where it failed stands at either.
fn stream(captured: &Captured) -> String {
    let text = captured.text();
    let count = text.chars().count();
    if count <= STREAM {
        return text;
    }
    let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
    format!(
        "{}\n[… {} characters left out …]\n{}",
        &text[..at(STREAM / 2)],
        count - STREAM,
        &text[at(count - STREAM / 2)..]
    )
}
