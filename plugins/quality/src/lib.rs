//! The validator `quality`: runs the declared tests, and judges by how they ended, by nothing else.
//!
//! No word of the output is read for a judgement: "0 failed" and "test 1 failed ... ok" are both printed by tests that pass. The
//! end of the output is shown to the person who has to act on it.

use snodo_plugin::prelude::*;
use snodo_plugin::runner::{Bound, Captured, Exit, Observation, RunnerError};

/// So many characters of output are shown: the end of it, which is where test tools put their summary.
const TAIL: usize = 1500;

struct Quality;

impl Validator for Quality {
    fn describe() -> Description {
        Description::new(
            "quality",
            env!("CARGO_PKG_VERSION"),
            "Runs the declared tests on the change, and judges by their exit status.",
        )
        .phase(Phase::PostExecute)
    }

    fn evaluate(evaluation: Evaluation, context: Context) -> Result<Verdict, Fault> {
        if evaluation.phase != Phase::PostExecute {
            return Err(Fault::Internal("it judges after execution only".to_owned()));
        }
        let Some(declared) = context.runner else {
            return Ok(not_declared());
        };
        judge(&declared.argv, runner::run_tests(None))
    }
}

snodo_plugin::export!(validator: Quality);

fn not_declared() -> Verdict {
    Verdict::skipped("no test command is declared")
}

fn judge(argv: &[String], outcome: Result<Observation, RunnerError>) -> Result<Verdict, Fault> {
    let command = command_line(argv);
    let seen = match outcome {
        Ok(seen) => seen,
        Err(RunnerError::NotDeclared) => return Ok(not_declared()),
        Err(RunnerError::Limit(limit)) => return Err(Fault::Limit(limit)),
        Err(error) => {
            return Err(Fault::Runner(format!(
                "`{command}` could not be run: {}",
                error.explain()
            )));
        }
    };
    let verdict = match seen.exit {
        Exit::Code(0) => Verdict::pass(format!(
            "`{command}` exited with 0 after {}.",
            duration(seen.duration_ms)
        )),
        // What a shell says of a program that it cannot find or start (POSIX, "Exit Status for Commands").
        Exit::Code(code @ (126 | 127)) if argv.first().is_some_and(|program| program == "sh") => {
            return Err(Fault::Runner(format!(
                "`{command}` could not be run: the shell ended with {code}, so a program in it is missing or cannot be executed\n{}",
                end_of(&seen.stderr)
            )));
        }
        Exit::Code(code) => failed(&format!("`{command}` exited with {code}"), &seen),
        Exit::Signal(signal) => failed(&format!("`{command}` was ended by signal {signal}"), &seen),
        Exit::Bound(Bound::WallClock) => {
            return Err(Fault::Runner(format!(
                "`{command}` did not come to an end within {}, so it was stopped",
                duration(seen.duration_ms)
            )));
        }
        Exit::Bound(Bound::Interrupted) => {
            return Err(Fault::Runner(format!(
                "`{command}` was interrupted after {}",
                duration(seen.duration_ms)
            )));
        }
    };
    Ok(verdict.examined([command]))
}

fn failed(what: &str, seen: &Observation) -> Verdict {
    let mut words = format!("{what} after {}.", duration(seen.duration_ms));
    // Test tools differ in which stream they report on; both are shown, and the one that holds more gets what the other leaves.
    let (out, err) = (end_of(&seen.stdout), end_of(&seen.stderr));
    let shares = shares(out.chars().count(), err.chars().count());
    for (name, text, share) in [("standard output", &out, shares.0), ("standard error", &err, shares.1)] {
        if !text.is_empty() {
            words.push_str("\n\nEnd of ");
            words.push_str(name);
            words.push_str(":\n");
            words.push_str(last_characters(text, share));
        }
    }
    if out.is_empty() && err.is_empty() {
        words.push_str(" It printed nothing.");
    }
    Verdict::blocker(words)
}

/// The end of what was kept of a stream.
fn end_of(stream: &Captured) -> String {
    let kept = if stream.tail.is_empty() {
        &stream.head
    } else {
        &stream.tail
    };
    kept.trim().to_owned()
}

/// How many characters of each stream are shown: half each, and what one does not need goes to the other.
fn shares(out: usize, err: usize) -> (usize, usize) {
    let half = TAIL / 2;
    if out <= half {
        (out, err.min(TAIL - out))
    } else if err <= half {
        (out.min(TAIL - err), err)
    } else {
        (half, TAIL - half)
    }
}

fn last_characters(text: &str, most: usize) -> &str {
    let skip = text.chars().count().saturating_sub(most);
    text.char_indices().nth(skip).map_or("", |(at, _)| &text[at..])
}

fn duration(ms: u64) -> String {
    if ms < 1000 {
        format!("{ms} ms")
    } else {
        format!("{}.{} s", ms / 1000, ms % 1000 / 100)
    }
}

/// The command as a person would type it, so that it can be run by hand.
fn command_line(argv: &[String]) -> String {
    argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests;
