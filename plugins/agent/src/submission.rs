//! The tool `submit_files`.

use std::fmt::Write as _;

use snodo_plugin::completion::Tool;
use snodo_plugin::prelude::*;
use snodo_plugin::read::ReadError;
use snodo_plugin::submit::Operation;
use snodo_plugin::tools::{ArgumentError, Arguments, Outcome, Toolbox, one_line, tool};

use crate::account::Account;
use crate::desk::Desk;

pub(crate) const NAME: &str = "submit_files";

const DESCRIPTION: &str = "Submit files: what is submitted is what you deliver. Each item is taken or refused on its own, in order; \
a later item for a path takes the place of an earlier one, also of another call.";

const PARAMETERS: &str = r#"{
  "type": "object",
  "properties": {
    "files": {
      "type": "array", "minItems": 1,
      "items": {
        "type": "object",
        "properties": {
          "path": {"type": "string", "description": "The path relative to the project's root, with `/` between names."},
          "action": {"type": "string", "enum": ["write", "delete", "rename"], "description": "Left out: write."},
          "content": {"type": "string", "description": "For write: the whole content of the file, as it has to stand on disk."},
          "to": {"type": "string", "description": "For rename: the new path."},
          "executable": {"type": "boolean", "description": "For write: set or clear the executable bit. Left out: as it is. With it, and without content, only the bit changes."}
        },
        "required": ["path"],
        "additionalProperties": false
      }
    }
  },
  "required": ["files"],
  "additionalProperties": false
}"#;

pub(crate) fn definition() -> Tool {
    tool(NAME, DESCRIPTION, PARAMETERS)
}

/// Characters of a path, and of a reason, in an answer.
const LINE: usize = 600;

/// Submits the items, each on its own: what is refused is told with the rule, and the others stand.
pub(crate) fn submit<D: Desk>(
    desk: &D,
    toolbox: &mut Toolbox<&D>,
    account: &mut Account,
    arguments: &str,
) -> Result<Outcome, ArgumentError> {
    let arguments = Arguments::parse(arguments)?;
    arguments.only(&["files"])?;
    let items = arguments.objects("files")?;
    if items.is_empty() {
        return Ok(Outcome::refused("Nothing submitted: `files` is empty."));
    }
    let mut text = String::new();
    let mut complete = true;
    for (index, item) in items.iter().enumerate() {
        let done = operation(item)
            .map_err(|error| error.to_string())
            .and_then(|operation| take(desk, toolbox, account, &operation));
        let (word, line) = match done {
            Ok(line) => ("taken", line),
            Err(reason) => {
                complete = false;
                ("REFUSED", reason)
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "files[{index}] {word}: {}", one_line(&line, LINE));
    }
    let pending = account.pending();
    let rest = if complete {
        "All of it was taken."
    } else {
        "What was refused is not submitted; the rest stands. Submit again what can be mended."
    };
    let _ = write!(text, "{rest} {pending} paths differ from the project as it was.");
    Ok(Outcome {
        complete,
        ..Outcome::told(text)
    })
}

/// One operation to the host; what became of it, or why it was refused.
fn take<D: Desk>(
    desk: &D,
    toolbox: &mut Toolbox<&D>,
    account: &mut Account,
    operation: &Operation,
) -> Result<String, String> {
    // One line is asked for, not the file: all that is wanted is whether there is one.
    let existed = !matches!(desk.lines(operation.path(), 1, 1), Err(ReadError::NotFound(_)));
    let described = describe(operation);
    let to = match operation {
        Operation::Rename(rename) => Some(rename.to.clone()),
        _ => None,
    };
    let submission = desk
        .submit(operation.clone())
        .map_err(|error| format!("{described}: {}", reason(error)))?;
    toolbox.changed([operation.path()].into_iter().chain(to.as_deref()));
    account.take(operation, existed, &submission);
    Ok(if submission.unchanged.is_empty() {
        described
    } else {
        format!("{described}; it stands as it did before, which is no change")
    })
}

/// Without the index of the operation: there was only one.
fn reason(error: submit::SubmitError) -> String {
    match error {
        submit::SubmitError::Rejected(rejected) => rejected.reason.explain(),
        limit @ submit::SubmitError::Limit(_) => limit.explain(),
    }
}

fn describe(operation: &Operation) -> String {
    match operation {
        Operation::Write(write) => format!("write `{}` ({} bytes)", write.path, write.content.as_bytes().len()),
        Operation::Delete(path) => format!("delete `{path}`"),
        Operation::Rename(rename) => format!("rename `{}` to `{}`", rename.from, rename.to),
        Operation::SetExecutable(set) => format!("executable bit of `{}`", set.path),
    }
}

/// An item of a call that cannot be an operation.
#[derive(Debug, PartialEq, Eq)]
enum Unusable {
    Argument(ArgumentError),
    Rule(&'static str),
}

impl From<ArgumentError> for Unusable {
    fn from(error: ArgumentError) -> Self {
        Self::Argument(error)
    }
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Argument(error) => error.fmt(f),
            Self::Rule(rule) => f.write_str(rule),
        }
    }
}

/// An item as an operation. Nothing is guessed: content that is left out is never an empty file, and what an action has no use for
/// is refused.
fn operation(item: &Arguments) -> Result<Operation, Unusable> {
    item.only(&["path", "content", "action", "to", "executable"])?;
    let path = item.text("path")?;
    let content = item.optional_text("content")?;
    let to = item.optional_text("to")?;
    let executable = item.optional_boolean("executable")?;
    let unneeded = content.is_some_and(|content| !content.is_empty()) || executable.is_some();
    match item.optional_text("action")?.unwrap_or("write") {
        "write" if to.is_some() => Err(Unusable::Rule("`to` belongs to the action rename")),
        "write" => match (content, executable) {
            (Some(content), Some(executable)) => Ok(submit::write_with_mode(path, content, executable)),
            (Some(content), None) => Ok(submit::write(path, content)),
            (None, Some(executable)) => Ok(submit::set_executable(path, executable)),
            (None, None) => Err(Unusable::Rule(
                "a write needs `content`, the whole of the file; an empty file has the content \"\"",
            )),
        },
        "delete" if unneeded || to.is_some() => Err(Unusable::Rule("a delete takes nothing but the path")),
        "delete" => Ok(submit::delete(path)),
        "rename" if unneeded => Err(Unusable::Rule(
            "a rename takes the path and `to`; new content for `to` is an item of its own, after it",
        )),
        "rename" => Ok(submit::rename(path, item.text("to")?)),
        _ => Err(Unusable::Rule("`action` is write, delete or rename")),
    }
}
