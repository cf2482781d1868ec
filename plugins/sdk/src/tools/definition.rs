//! What a model is told of its tools.

use crate::completion::Tool;

use super::one_line;

/// A tool of a plugin's own: name, description, and the JSON Schema of its arguments, as text.
///
/// ```
/// let tool = snodo_plugin::tools::tool(
///     "submit_verdict",
///     "Hand in the verdict.",
///     r#"{"type": "object", "properties": {"severity": {"enum": ["pass", "warn", "blocker"]}}, "required": ["severity"]}"#,
/// );
/// assert_eq!(tool.name, "submit_verdict");
/// ```
pub fn tool(name: impl Into<String>, description: impl Into<String>, parameters: impl Into<String>) -> Tool {
    Tool {
        name: name.into(),
        description: description.into(),
        parameters: parameters.into(),
    }
}

/// The answer to a call of a tool that is not on offer.
///
/// ```
/// use snodo_plugin::tools::{tool, unknown_tool};
///
/// let offered = [tool("read_file", "", "{}"), tool("list_files", "", "{}")];
/// assert_eq!(
///     unknown_tool("shell", &offered),
///     "There is no tool `shell`. The tools are `read_file`, `list_files`."
/// );
/// ```
pub fn unknown_tool(name: &str, offered: &[Tool]) -> String {
    let name = one_line(name, 100);
    let offered: Vec<String> = offered.iter().map(|tool| format!("`{}`", tool.name)).collect();
    match offered.len() {
        0 => format!("There is no tool `{name}`, and no other."),
        1 => format!("There is no tool `{name}`. The only tool is {}.", offered[0]),
        _ => format!("There is no tool `{name}`. The tools are {}.", offered.join(", ")),
    }
}

/// A tool of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoxTool {
    ReadFiles,
    ReadFile,
    ReadFileLines,
    ListFiles,
    SearchText,
    SearchSymbol,
}

impl BoxTool {
    /// In the order in which they are offered.
    pub(super) const ALL: [Self; 6] = [
        Self::ReadFiles,
        Self::ReadFile,
        Self::ReadFileLines,
        Self::ListFiles,
        Self::SearchText,
        Self::SearchSymbol,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ReadFiles => "read_files",
            Self::ReadFile => "read_file",
            Self::ReadFileLines => "read_file_lines",
            Self::ListFiles => "list_files",
            Self::SearchText => "search_text",
            Self::SearchSymbol => "search_symbol",
        }
    }

    /// The function of the contract that it stands on.
    pub(super) fn stands_on(self) -> &'static str {
        match self {
            Self::ReadFiles | Self::ReadFile => "read-file",
            Self::ReadFileLines => "read-lines",
            Self::ListFiles => "list-files",
            Self::SearchText => "search-text",
            Self::SearchSymbol => "search-symbol",
        }
    }

    pub(super) fn definition(self) -> Tool {
        let (description, parameters) = match self {
            Self::ReadFiles => (READ_FILES, READ_FILES_ARGUMENTS),
            Self::ReadFile => (READ_FILE, READ_FILE_ARGUMENTS),
            Self::ReadFileLines => (READ_FILE_LINES, READ_FILE_LINES_ARGUMENTS),
            Self::ListFiles => (LIST_FILES, LIST_FILES_ARGUMENTS),
            Self::SearchText => (SEARCH_TEXT, SEARCH_TEXT_ARGUMENTS),
            Self::SearchSymbol => (SEARCH_SYMBOL, SEARCH_SYMBOL_ARGUMENTS),
        };
        tool(self.name(), description, parameters)
    }
}

const READ_FILES: &str = "Read several text files in one call: up to 10 paths, 32,768 bytes over all. Prefer this to one \
read_file after another. What does not fit is named, and can be asked for next.";
const READ_FILES_ARGUMENTS: &str = r#"{
  "type": "object",
  "properties": {
    "paths": {
      "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 10,
      "description": "Paths relative to the workspace's root, with `/` between names."
    }
  },
  "required": ["paths"],
  "additionalProperties": false
}"#;

const READ_FILE: &str = "Read one text file whole (of a very long one, its beginning).";
const READ_FILE_ARGUMENTS: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The path relative to the workspace's root, with `/` between names."}
  },
  "required": ["path"],
  "additionalProperties": false
}"#;

const READ_FILE_LINES: &str = "Read some lines of a text file: from `start` to `end`, both included, counted from 1.";
const READ_FILE_LINES_ARGUMENTS: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The path relative to the workspace's root, with `/` between names."},
    "start": {"type": "integer", "minimum": 1, "description": "The first line."},
    "end": {"type": "integer", "minimum": 1, "description": "The last line; left out: the end of the file."}
  },
  "required": ["path", "start"],
  "additionalProperties": false
}"#;

const LIST_FILES: &str =
    "List what is in a folder; folders end with `/`. Files that the project's ignore files name are left out.";
const LIST_FILES_ARGUMENTS: &str = r#"{
  "type": "object",
  "properties": {
    "directory": {"type": "string", "description": "The folder, relative to the workspace's root; left out: the root."},
    "recursive": {"type": "boolean", "description": "Everything below it, too. Left out: false."}
  },
  "additionalProperties": false
}"#;

const SEARCH_TEXT: &str = "Find the lines that hold a text (exactly, with its letter case), up to 50 of them, as `path:line: text`. \
Files that the project's ignore files name are left out.";
const SEARCH_TEXT_ARGUMENTS: &str = r#"{
  "type": "object",
  "properties": {
    "query": {"type": "string", "description": "The text."},
    "directory": {"type": "string", "description": "Only in this folder or file; left out: everywhere."},
    "regex": {"type": "boolean", "description": "The text is a regular expression, without look-around and back-references. Left out: false."}
  },
  "required": ["query"],
  "additionalProperties": false
}"#;

const SEARCH_SYMBOL: &str = "Find where a function, type, constant or the like is defined, by its exact name, up to 50 places. It \
goes by the text of lines, and may miss what a compiler would find; search_text finds uses.";
const SEARCH_SYMBOL_ARGUMENTS: &str = r#"{
  "type": "object",
  "properties": {
    "name": {"type": "string", "description": "The name, without what qualifies it."},
    "directory": {"type": "string", "description": "Only in this folder or file; left out: everywhere."}
  },
  "required": ["name"],
  "additionalProperties": false
}"#;
