//! The tools on offer, and what a call of one comes to.

use crate::completion::Tool;

use super::definition::BoxTool;
use super::reading::{self, Rest};
use super::seen::{END, Seen};
use super::{Arguments, Outcome, Sight, searching};

/// The tools by which a model reads and searches the workspace.
///
/// | tool | stands on | bound of an answer |
/// |---|---|---|
/// | `read_files` | `read-file` | 10 paths, 32,768 bytes over all; cut at a line, the rest is named |
/// | `read_file` | `read-file` | 131,072 bytes; cut at a line, with where to go on |
/// | `read_file_lines` | `read-lines` | 131,072 bytes; cut at a line, with where to go on |
/// | `list_files` | `list-files` | 1,000 entries; how many there are is said |
/// | `search_text` | `search-text` | 50 matching lines; how many there are is said |
/// | `search_symbol` | `search-symbol` | 50 definitions; how many there are is said |
///
/// What was shown before and is unchanged is answered by a pointer to the turn in which it was shown: whole files, ranges of lines
/// inside what was shown, listings and searches. What failed or was cut is not taken for shown.
///
/// ```
/// use snodo_plugin::tools::{Memory, Toolbox};
///
/// let sight = Memory::new().with("src/a.py", "def hello():\n    pass\n");
/// let mut toolbox = Toolbox::new(sight, &["read-file".to_owned(), "search-symbol".to_owned()]);
/// let names: Vec<String> = toolbox.definitions().into_iter().map(|tool| tool.name).collect();
/// assert_eq!(names, ["read_files", "read_file", "search_symbol"]);
///
/// toolbox.begin_turn(1);
/// let first = toolbox.call("read_file", r#"{"path": "src/a.py"}"#).unwrap();
/// assert!(first.text.contains("def hello():") && first.progress);
/// assert_eq!(first.examined, ["src/a.py"]);
///
/// toolbox.begin_turn(2);
/// let again = toolbox.call("read_file", r#"{"path": "./src/a.py"}"#).unwrap();
/// assert_eq!(again.text, "`./src/a.py` was shown whole in turn 1, and is unchanged since. Look there.");
/// assert!(!again.progress);
///
/// toolbox.changed(["src/a.py"]);
/// assert!(toolbox.call("read_file", r#"{"path": "src/a.py"}"#).unwrap().progress);
/// assert_eq!(toolbox.call("list_files", "{}"), None);
/// ```
#[derive(Debug, Clone)]
pub struct Toolbox<S> {
    sight: S,
    offered: Vec<BoxTool>,
    seen: Seen,
}

impl<S: Sight> Toolbox<S> {
    /// The tools whose functions are in `granted`: [`Context::tools`](crate::Context::tools).
    pub fn new(sight: S, granted: &[String]) -> Self {
        Self {
            sight,
            offered: BoxTool::ALL
                .into_iter()
                .filter(|tool| granted.iter().any(|granted| granted == tool.stands_on()))
                .collect(),
            seen: Seen::default(),
        }
    }

    /// What a model is told of them, always in the same order.
    pub fn definitions(&self) -> Vec<Tool> {
        self.offered.iter().map(|tool| tool.definition()).collect()
    }

    /// Whether a tool is on offer.
    pub fn offers(&self, name: &str) -> bool {
        self.offered(name).is_some()
    }

    /// What is shown from here on is shown in this turn, counted from 1; before the first it is shown in the first message.
    pub fn begin_turn(&mut self, turn: u32) {
        self.seen.begin_turn(turn);
    }

    /// Carries a call out; none where the tool is not of this box, or not on offer. It never fails: what went wrong is said to the
    /// model.
    pub fn call(&mut self, name: &str, arguments: &str) -> Option<Outcome> {
        let tool = self.offered(name)?;
        let outcome = Arguments::parse(arguments).and_then(|arguments| {
            let (sight, seen) = (&self.sight, &mut self.seen);
            let rest = Rest {
                by_lines: self.offered.contains(&BoxTool::ReadFileLines),
            };
            match tool {
                BoxTool::ReadFiles => reading::files(sight, seen, rest, &arguments),
                BoxTool::ReadFile => reading::file(sight, seen, rest, &arguments),
                BoxTool::ReadFileLines => reading::lines(sight, seen, rest, &arguments),
                BoxTool::ListFiles => searching::list(sight, seen, &arguments),
                BoxTool::SearchText => searching::text(sight, seen, &arguments),
                BoxTool::SearchSymbol => searching::symbol(sight, seen, &arguments),
            }
        });
        Some(outcome.unwrap_or_else(|error| Outcome::refused(format!("{name} was not carried out: {error}."))))
    }

    /// What was submitted since: these paths are shown anew when they are asked for, and so are listings and searches.
    pub fn changed<'a>(&mut self, paths: impl IntoIterator<Item = &'a str>) {
        for path in paths {
            self.seen.changed(path);
        }
    }

    /// Lines that the plugin showed itself, in a message of its own: `first` to `last`, counted from 1. The last line of a file is
    /// `u64::MAX`.
    pub fn shown(&mut self, path: &str, first: u64, last: u64) {
        self.seen.show_lines(path, first, last, last == END);
    }

    /// What it sees by.
    pub fn sight(&self) -> &S {
        &self.sight
    }

    fn offered(&self, name: &str) -> Option<BoxTool> {
        self.offered.iter().copied().find(|tool| tool.name() == name)
    }
}
