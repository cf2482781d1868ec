//! A protocol, typed: every section and field of snodo's `protocol.yml` (0.26), with its default.
//!
//! What of it has an effect here stands in `docs/protocol.md`.

use serde::Serialize;
use snodo_workspace::constraint::Params;
use snodo_workspace::role::Severity;

use crate::node::{FreeMap, Placed};
use crate::policy::Policy;
use crate::record::Places;

/// A protocol that keeps the rules.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Protocol {
    /// Its id; never blank.
    pub protocol_id: String,
    /// For people.
    pub name: String,
    /// Its own version. Default `1.0.0`.
    pub version: String,
    /// At least one, ids unique.
    pub modes: Vec<Mode>,
    /// Ids unique; nothing else is done with them.
    pub roles: Vec<Role>,
    /// At least one, ids unique.
    pub validators: Vec<Validator>,
    /// How verdicts become a decision. Default `unanimous`.
    pub disagreement_policy: Policy,
    /// A mode that exists.
    pub initial_mode: String,
    /// In force in every mode.
    pub global_constraints: Vec<Constraint>,
    /// Paths that no coder may change; a folder stands for everything below it. As written.
    pub protected_paths: Vec<Placed<String>>,
    /// Of snodo's own write tool. Default `.snodo/`.
    pub write_allowed_prefixes: Vec<String>,
    /// Bounds of recovery, delivery, preparation.
    pub execution: Execution,
    /// Of snodo's plan queue.
    pub queue: Queue,
    /// Anything.
    pub metadata: FreeMap,
    /// Sorted, each once; always with `approve` and `merge`.
    pub exclusive_tools: Vec<String>,
    /// Parts of the workspace with rules of their own.
    pub modules: Vec<Module>,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

impl Protocol {
    /// A mode by its id.
    pub fn mode(&self, id: &str) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.mode_id == id)
    }

    /// The constraints of a run in a mode, ready to be evaluated: the global ones, then the mode's.
    pub fn constraints_in(&self, mode: &Mode) -> Vec<snodo_workspace::constraint::Constraint> {
        let all = self.global_constraints.iter().chain(&mode.constraints);
        all.map(Constraint::to_evaluate).collect()
    }

    /// A validator by its id.
    pub fn validator(&self, id: &str) -> Option<&Validator> {
        self.validators.iter().find(|validator| validator.validator_id == id)
    }
}

/// A mode: who may do what, behind which validators.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mode {
    /// Never blank.
    pub mode_id: String,
    /// For people.
    pub name: String,
    /// For people.
    pub description: Option<String>,
    /// Capability names; `dispatch` demands a gate (WF3).
    pub tools: Vec<Placed<String>>,
    /// Names of events to names of modes; never executed.
    pub transitions: Transitions,
    /// Ids of validators; their order is the order of results.
    pub validators: Vec<Placed<String>>,
    /// In force in this mode.
    pub constraints: Vec<Constraint>,
    /// Name of a coder.
    pub coder: Option<String>,
    /// Its settings.
    pub coder_config: FreeMap,
    /// How a result is delivered; not together with `auto_merge`.
    pub delivery: Option<Delivery>,
    /// The predecessor of `delivery`.
    pub auto_merge: Option<bool>,
    /// 0 to 20; in place of `execution.max_recovery_depth`.
    pub max_recovery_depth: Option<u32>,
    /// At least 1; tasks of a plan at once.
    pub concurrency: Option<u64>,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

/// Pairs of names, in the file's order.
#[derive(Debug, Clone, PartialEq)]
pub struct Transitions(pub(crate) Vec<(Placed<String>, String)>);

impl Transitions {
    /// Event and target.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(event, target)| (event.value.as_str(), target.as_str()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Transitions {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.iter())
    }
}

/// A validator as declared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validator {
    /// Never blank.
    pub validator_id: String,
    /// Never blank; names a first-party type or an installed plugin.
    pub validator_type: String,
    /// What to judge by.
    pub criteria: Vec<String>,
    /// Checked (WF5) and never evaluated.
    pub constraints: Vec<Constraint>,
    /// When it judges. Default before the coder.
    pub evaluation_phase: EvaluationPhase,
    /// Once for each task, or once for a wave of a plan. Default each task.
    pub scope: Scope,
    /// Settings of its type; of `quality` the test command and its timeout.
    pub tooling: FreeMap,
    /// The gravest severity that its findings may have.
    pub severity_cap: Option<Severity>,
    /// The read-only tools that it may use.
    pub tools: Vec<JudgeTool>,
    /// Whether its warnings may have the task rewritten.
    pub judges_spec: bool,
    /// Whether a criterion that it has no means to check blocks.
    pub check_tool_access: bool,
    /// Its own model.
    pub model: Option<String>,
    /// 1 to 200.
    pub max_tool_turns: Option<u32>,
    /// Tools of snodo's plugins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validator_tools: Vec<ValidatorTool>,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

/// A tool of a snodo plugin, for a judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ValidatorTool {
    /// By name only.
    Named(String),
    /// With options.
    Configured {
        /// Its name.
        name: String,
        /// Its options.
        options: FreeMap,
    },
}

/// A rule over the change itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Constraint {
    /// Letters, digits, `-`, `_`; unique in the protocol.
    pub constraint_id: String,
    /// For people.
    pub description: String,
    /// For people.
    pub expression: String,
    /// What is evaluated; one of [`snodo_workspace::constraint::PREDICATES`], or empty.
    pub predicate: String,
    /// Its parameters.
    pub params: FreeMap,
    /// What a violation amounts to. Default `blocker`.
    pub severity: Severity,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

impl Constraint {
    /// In the form in which it is evaluated.
    pub fn to_evaluate(&self) -> snodo_workspace::constraint::Constraint {
        let params = self
            .params
            .iter()
            .map(|(key, node)| (key.value.clone(), node.to_param()));
        snodo_workspace::constraint::Constraint {
            id: self.constraint_id.clone(),
            predicate: self.predicate.clone(),
            params: Params(params.collect()),
            severity: self.severity,
        }
    }
}

/// A role: for readers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Role {
    /// Never blank, unique.
    pub role_id: String,
    /// For people.
    pub name: String,
    /// For people.
    pub permissions: Vec<String>,
    /// For people.
    pub responsibilities: Vec<String>,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

/// A part of the workspace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Module {
    /// Letters, digits, `-`, `_`; unique.
    pub module_id: String,
    /// At least one, none blank.
    pub paths: Vec<Placed<String>>,
    /// Where its decisions are kept.
    pub decisions_path: Option<String>,
    /// In place of a validator's.
    pub tooling: FreeMap,
    /// Ids of validators.
    pub validators: Vec<Placed<String>>,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

/// Bounds and delivery.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Execution {
    /// 0 to 10, default 3.
    pub max_retries: u32,
    /// 1 to 30, default 7.
    pub branch_ttl_days: u32,
    /// Default `task`.
    pub branch_prefix: String,
    /// 0 to 20, default 3.
    pub max_recovery_depth: u32,
    /// 1 to 100, default 10.
    pub max_total_fix_attempts: u32,
    /// How a result is delivered; not together with `auto_merge`.
    pub delivery: Option<Delivery>,
    /// Never empty, default `origin`.
    pub delivery_remote: String,
    /// The predecessor of `delivery`.
    pub auto_merge: Option<bool>,
    /// What snodo runs in a fresh worktree.
    pub prepare_command: Option<String>,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

/// snodo's plan queue. Closed: an unknown key is a fault.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Queue {
    /// Default false.
    pub non_blocking: bool,
    /// At least 1, default 1.
    pub parallel_runs: u64,
    /// Where everything stands.
    #[serde(skip)]
    pub places: Places,
}

/// A closed set of words of the file, with the words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),+
        }

        impl $name {
            /// Every word of the set.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
            /// Every value, in the same order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }
    };
}

words! {
    /// When a validator judges.
    EvaluationPhase {
        /// Before the coder.
        PreExecute = "pre_execute",
        /// After the coder.
        PostExecute = "post_execute",
        /// Accepted and never run.
        ModeTransition = "mode_transition",
    }
}

words! {
    /// What a validator judges at once.
    Scope {
        /// A task.
        Task = "task",
        /// A wave of a plan; only before the coder.
        Wave = "wave",
    }
}

words! {
    /// What snodo does with a result.
    Delivery {
        /// Merges it into the base branch.
        LocalMerge = "local_merge",
        /// Pushes its branch.
        PushBranch = "push_branch",
        /// Asks for a review.
        ChangeRequest = "change_request",
    }
}

words! {
    /// A tool of a judge, by snodo's name.
    JudgeTool {
        /// A file.
        ReadFile = "read_file",
        /// Lines of a file.
        ReadFileLines = "read_file_lines",
        /// Names of files.
        ListFiles = "list_files",
        /// A commit.
        GitShow = "git_show",
        /// The history.
        GitLog = "git_log",
        /// The change.
        ReadDiffBetweenRefs = "read_diff_between_refs",
        /// Folders in summary.
        SummarizeDirectory = "summarize_directory",
    }
}
