//! A judge's tool list: finer than an interface, and enforced when a function is called.

use snodo_config::protocol::JudgeTool;

/// Which functions of its imports a validator may use. A protocol can only shorten the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolList(Vec<&'static str>);

/// Every function that a validator can be given, by its name in the contract.
pub const JUDGE_TOOLS: [&str; 9] = [
    "read-file",
    "read-lines",
    "read-files",
    "list-files",
    "search-text",
    "search-symbol",
    "summary",
    "diff",
    "before",
];

/// Every function of the coder world.
pub const CODER_TOOLS: [&str; 10] = [
    "read-file",
    "read-lines",
    "read-files",
    "list-files",
    "search-text",
    "search-symbol",
    "submit-files",
    "withdraw",
    "progress",
    "run-tests",
];

/// snodo's names for a judge's tools, and what of this contract each stands for. `git_show`, `git_log` and
/// `summarize_directory` have no counterpart here.
const SNODO_NAMES: [(&str, &[&str]); 4] = [
    ("read_file", &["read-file", "read-files"]),
    ("read_file_lines", &["read-lines"]),
    ("list_files", &["list-files"]),
    ("read_diff_between_refs", &["summary", "diff", "before"]),
];

impl ToolList {
    /// All that a validator's world holds, and the runner where it was granted.
    pub fn whole(runner: bool) -> Self {
        let mut tools = JUDGE_TOOLS.to_vec();
        if runner {
            tools.push("run-tests");
        }
        Self(tools)
    }

    /// What a protocol's `tools` leave: nothing named means nothing taken away. Execution is not in snodo's list and stays
    /// where it was granted; and the change is handed to every judge, as in snodo, whatever else it may look at.
    #[must_use]
    pub fn narrowed(self, snodo_tools: &[JudgeTool]) -> Self {
        if snodo_tools.is_empty() {
            return self;
        }
        let left = |tool: &&'static str| {
            ["run-tests", "summary", "diff"].contains(tool)
                || SNODO_NAMES.iter().any(|(name, stands_for)| {
                    snodo_tools.iter().any(|t| t.as_str() == *name) && stands_for.contains(tool)
                })
        };
        Self(self.0.into_iter().filter(left).collect())
    }

    /// Whether a function may be called.
    pub fn allows(&self, tool: &str) -> bool {
        self.0.contains(&tool)
    }

    /// The names, as a plugin is told them.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|&t| t.to_owned()).collect()
    }
}
