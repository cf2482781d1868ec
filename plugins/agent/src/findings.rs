//! The tool `report_findings`, for a task that asks for an answer in words.

use snodo_plugin::completion::Tool;
use snodo_plugin::prelude::*;
use snodo_plugin::tools::{ArgumentError, Arguments, Outcome, tool};

pub(crate) const NAME: &str = "report_findings";

const DESCRIPTION: &str = "Report what you found: this is what you deliver. Reports add up over calls.";

const PARAMETERS: &str = r#"{
  "type": "object",
  "properties": {
    "findings": {
      "type": "array", "minItems": 1,
      "items": {
        "type": "object",
        "properties": {
          "title": {"type": "string", "description": "One line."},
          "detail": {"type": "string", "description": "What was found, and how to check it."},
          "path": {"type": "string", "description": "The file that it is about."},
          "line": {"type": "integer", "minimum": 1, "description": "The line, counted from 1."}
        },
        "required": ["title", "detail"],
        "additionalProperties": false
      }
    }
  },
  "required": ["findings"],
  "additionalProperties": false
}"#;

/// Characters of a title that is made from prose.
const TITLE: usize = 120;

pub(crate) fn definition() -> Tool {
    tool(NAME, DESCRIPTION, PARAMETERS)
}

/// Takes a report, all of it or none.
pub(crate) fn report(findings: &mut Vec<Finding>, arguments: &str) -> Result<Outcome, ArgumentError> {
    let arguments = Arguments::parse(arguments)?;
    arguments.only(&["findings"])?;
    let items = arguments.objects("findings")?;
    if items.is_empty() {
        return Ok(Outcome::refused("Nothing reported: `findings` is empty."));
    }
    let reported = items.iter().map(finding).collect::<Result<Vec<_>, _>>()?;
    let count = reported.len();
    findings.extend(reported);
    Ok(Outcome::told(format!(
        "{count} taken; {} are reported in all.",
        findings.len()
    )))
}

fn finding(item: &Arguments) -> Result<Finding, ArgumentError> {
    item.only(&["title", "detail", "path", "line"])?;
    let finding = Finding::new(item.text("title")?, item.text("detail")?);
    let line = item.optional_number("line")?.filter(|line| *line > 0);
    Ok(match item.optional_text("path")? {
        Some(path) if !path.is_empty() => finding.at(path, line),
        _ => finding,
    })
}

/// An answer in words, taken as the one finding.
pub(crate) fn from_prose(text: &str) -> Finding {
    let text = text.trim();
    let title: String = text.lines().next().unwrap_or_default().chars().take(TITLE).collect();
    Finding::new(title, text)
}
