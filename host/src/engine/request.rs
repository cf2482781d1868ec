//! What somebody asks for, and why it cannot even begin.

use std::path::PathBuf;

use snodo_admission::Refusal;
use snodo_config::FileError;
use snodo_config::host_config::{ExternalConfig, SandboxPolicy};
use snodo_config::resolve::TestCommandError;
use snodo_install::{InstallError, PinRefusal};
use snodo_workspace::role::Expectation;

/// What can be granted to a plugin beyond its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantKind {
    /// Ask a language model.
    Model,
    /// Run the declared tests (for a validator).
    Runner,
}

impl GrantKind {
    /// As it is written on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Runner => "runner",
        }
    }
}

/// `--grant NAME:WHAT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The plugin's name.
    pub plugin: String,
    /// What it is granted.
    pub kind: GrantKind,
}

/// A run, as asked for.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// The task's text.
    pub task: String,
    /// The workspace.
    pub workspace: PathBuf,
    /// A built-in's name, or a file. None: what the protocol says, else `patch`.
    pub coder: Option<String>,
    /// Coders that are programs, beside those of the user's settings. The only one is the coder of a run that names none.
    pub external: Vec<ExternalConfig>,
    /// How programs are contained; none for what the user's settings say.
    pub sandbox: Option<SandboxPolicy>,
    /// Built-ins' names, or files; added to what the protocol says.
    pub validators: Vec<String>,
    /// A protocol file in place of the workspace's own.
    pub protocol: Option<PathBuf>,
    /// A mode of the protocol; none for its initial mode.
    pub mode: Option<String>,
    /// The module of the protocol that the task is for.
    pub module: Option<String>,
    /// The coder's model.
    pub model: Option<String>,
    /// The test command, where the protocol leaves it open.
    pub test_command: Option<String>,
    /// `NAME.KEY=VALUE`.
    pub settings: Vec<String>,
    /// Grants.
    pub grants: Vec<Grant>,
    /// Patterns of ignored, untracked files that plugins may read all the same.
    pub read_ignored: Vec<String>,
    /// What is to come out.
    pub expect: Expectation,
    /// Judge, and apply nothing.
    pub dry_run: bool,
    /// Commit what was applied.
    pub commit: bool,
}

impl RunRequest {
    /// A task in a workspace, and everything else as it is when nobody says anything.
    pub fn new(task: impl Into<String>, workspace: impl Into<PathBuf>) -> Self {
        Self {
            task: task.into(),
            workspace: workspace.into(),
            coder: None,
            external: Vec::new(),
            sandbox: None,
            validators: Vec::new(),
            protocol: None,
            mode: None,
            module: None,
            model: None,
            test_command: None,
            settings: Vec::new(),
            grants: Vec::new(),
            read_ignored: Vec::new(),
            expect: Expectation::Change,
            dry_run: false,
            commit: false,
        }
    }
}

/// Why a run could not begin. Nothing was changed. Printed for the person who typed the command; exit code 64.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum SetupError {
    /// Not a task.
    #[error("the task is empty")]
    #[diagnostic(help("say what is to be done: `snodo-host run \"…\"`, or `--task-file FILE`"))]
    EmptyTask,
    /// The task file.
    #[error("the task file cannot be used: {0}")]
    TaskFile(String),
    /// The workspace.
    #[error("{0}")]
    Workspace(#[from] snodo_workspace::ambient::OpenError),
    /// A folder of the host's own stands inside the workspace.
    #[error("the {what} folder `{path}` lies inside the workspace `{workspace}`")]
    #[diagnostic(help(
        "what the host keeps must not lie where a repository could bring it along: set {variable} to another folder"
    ))]
    OwnFolderInWorkspace {
        /// "cache", "state".
        what: &'static str,
        /// Where it is.
        path: String,
        /// The workspace.
        workspace: String,
        /// What to set.
        variable: &'static str,
    },
    /// The protocol cannot be read, or not be run here.
    #[error("{0}")]
    Protocol(String),
    /// The protocol has faults.
    #[error("{}", .0.plain())]
    ProtocolFaults(Box<FileError>),
    /// No such plugin.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Find(#[from] crate::plugin::FindError),
    /// A plugin is not admitted.
    #[error("{refusal}")]
    #[diagnostic(help("`snodo-host inspect {given}` shows what the plugin asks for"))]
    NotAdmitted {
        /// Its name or file, as given.
        given: String,
        /// One line for each thing that is wrong.
        refusal: Refusal,
    },
    /// A plugin that is to be installed is not admitted.
    #[error("{refusal}")]
    #[diagnostic(help(
        "`snodo-host inspect {given}` shows what the plugin asks for; what you allow it is given here as `--grant model` or `--grant runner`, \
         without a name"
    ))]
    NotInstalled {
        /// The file, as given.
        given: String,
        /// One line for each thing that is wrong.
        refusal: Refusal,
    },
    /// A plugin is not the one that the repository pins.
    #[error(transparent)]
    Pinned(Box<PinRefusal>),
    /// A plugin that the repository pins is not installed.
    #[error("the repository pins a plugin `{name}`, and none is installed")]
    #[diagnostic(help(
        "get the file from whoever maintains the repository, and install it with `snodo-host plugin add FILE --as {name}`; a pin brings no bytes and \
         grants nothing"
    ))]
    PinnedAndMissing {
        /// Its name.
        name: String,
    },
    /// The repository's pins have faults.
    #[error("{}", .0.plain())]
    Pins(Box<FileError>),
    /// The repository's pins cannot be read.
    #[error("`.snodo/plugins.toml` cannot be read: {0}")]
    PinsUnreadable(std::io::Error),
    /// What is installed cannot be looked at.
    #[error(transparent)]
    Installed(#[from] InstallError),
    /// A plugin could not be compiled or linked.
    #[error("`{name}`: {why}")]
    Load {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// A plugin could not say what it is.
    #[error("`{name}` cannot describe itself: it {why}")]
    Describe {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// Two plugins of one name.
    #[error("two plugins would be called `{name}`: {first} and {second}")]
    #[diagnostic(help("rename one of the files"))]
    SameName {
        /// The name.
        name: String,
        /// Where the first comes from.
        first: String,
        /// Where the second comes from.
        second: String,
    },
    /// A setting.
    #[error("{0}")]
    Setting(String),
    /// A repository that brings its own coder along.
    #[error(
        "the protocol names the coder `{given}`, a file: a repository cannot choose which bytes the user's machine runs"
    )]
    #[diagnostic(help(
        "look at it with `snodo-host inspect {given}`; give it yourself with `--coder {given}`, or install it and let the protocol name it"
    ))]
    CoderOfTheRepository {
        /// As the protocol names it.
        given: String,
    },
    /// A coder that asks a model, and has none.
    #[error("the coder `{coder}` asks a language model, and there is none for it: {why}")]
    #[diagnostic(help("`snodo-host model resolve` shows which model serves which role, and where its key comes from"))]
    CoderWithoutModel {
        /// Its name.
        coder: String,
        /// Why there is none.
        why: String,
    },
    /// A grant for nobody.
    #[error("`--grant {plugin}:{kind}` names a plugin that is not part of this run")]
    GrantForNobody {
        /// As given.
        plugin: String,
        /// As given.
        kind: &'static str,
    },
    /// A validator does not judge where the protocol puts it.
    #[error("validator `{id}` ({plugin}) does not judge in the phase {phase}; it judges in {judges_in}")]
    WrongPhase {
        /// The protocol's id.
        id: String,
        /// The plugin.
        plugin: String,
        /// Where the protocol puts it.
        phase: &'static str,
        /// Where it judges.
        judges_in: String,
    },
    /// What would be changed cannot be committed.
    #[error(transparent)]
    Commit(#[from] snodo_commit::error::CommitError),
    /// The test command.
    #[error(transparent)]
    TestCommand(#[from] TestCommandError),
    /// Not in this version.
    #[error("`{0}` is not served yet by this version")]
    NotServed(&'static str),
    /// Modes and modules need a protocol.
    #[error("`{0}` needs a protocol, and there is none")]
    #[diagnostic(help(
        "modes and modules are declared in `.snodo/protocol.yml`, or in the file that `--protocol` names"
    ))]
    WithoutProtocol(String),
    /// The host's own folders or settings.
    #[error(transparent)]
    Host(#[from] super::HostError),
    /// Somebody interrupted before the run began.
    #[error("interrupted")]
    Interrupted,
}

impl SetupError {
    /// The faults of a file, with their places in it, if that is what it is about.
    pub fn file_error(&self) -> Option<&FileError> {
        match self {
            Self::ProtocolFaults(error)
            | Self::Pins(error)
            | Self::Host(super::HostError::Config(error) | super::HostError::ModelConfig(error)) => Some(error),
            _ => None,
        }
    }
}
