//! Which interfaces of the contract each role may import: the policy, one table.

use std::fmt;

use serde::Serialize;

/// What a plugin is for, read off the one interface that it exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Exports `coding`: writes the change.
    Coder,
    /// Exports `judging`: judges it.
    Validator,
}

impl Role {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Coder, Self::Validator];

    /// "coder" or "validator".
    pub fn name(self) -> &'static str {
        match self {
            Self::Coder => "coder",
            Self::Validator => "validator",
        }
    }

    /// By its name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.name() == name)
    }

    /// The interface that makes a plugin one: `coding` or `judging`.
    pub fn export(self) -> &'static str {
        match self {
            Self::Coder => "coding",
            Self::Validator => "judging",
        }
    }

    /// How this role comes by an interface.
    pub fn right_to(self, interface: Interface) -> Right {
        match (self, interface) {
            (_, Interface::Types | Interface::Read | Interface::Search)
            | (Self::Coder, Interface::Submit | Interface::Runner)
            | (Self::Validator, Interface::Change) => Right::Base,
            (Self::Validator, Interface::Runner) => Right::WithGrant(Grant::Runner),
            (_, Interface::Completion) => Right::WithGrant(Grant::Model),
            // A judge that could submit would change what it judges; a coder's change is the host's to tell, to judges.
            (Self::Validator, Interface::Submit) | (Self::Coder, Interface::Change) => Right::Never,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a role comes by an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// It is always given.
    Base,
    /// Only if the user grants it.
    WithGrant(Grant),
    /// Whatever is granted.
    Never,
}

/// The interfaces of the contract that a plugin may import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// The records that the others share.
    Types,
    /// Read and list.
    Read,
    /// Search.
    Search,
    /// Propose a change, tell progress.
    Submit,
    /// Run the declared tests.
    Runner,
    /// See the change.
    Change,
    /// Ask a language model.
    Completion,
}

impl Interface {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Types,
        Self::Read,
        Self::Search,
        Self::Submit,
        Self::Runner,
        Self::Change,
        Self::Completion,
    ];

    /// Its name in the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Types => "types",
            Self::Read => "read",
            Self::Search => "search",
            Self::Submit => "submit",
            Self::Runner => "runner",
            Self::Change => "change",
            Self::Completion => "completion",
        }
    }

    /// By its name in the contract.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|i| i.name() == name)
    }

    /// What importing it lets a plugin do, as the end of "this plugin may …".
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Types => "use the records that the other interfaces share (this opens nothing)",
            Self::Read => "read files of the workspace",
            Self::Search => "search the files of the workspace",
            Self::Submit => "propose a change, and tell its progress",
            Self::Runner => "run the project's declared tests",
            Self::Change => "see the change that is judged",
            Self::Completion => "talk to a language model",
        }
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The user's permission for an import beyond a role's base set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grant {
    /// `completion`, for either role: a call leaves the machine.
    Model,
    /// `runner`, for a validator.
    Runner,
}

impl Grant {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Model, Self::Runner];

    /// By its name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|g| g.name() == name)
    }

    /// As it is written: `--grant NAME:model`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Runner => "runner",
        }
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the user granted to one plugin. There is no default: nothing can be granted by leaving something out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Grants {
    /// [`Grant::Model`].
    pub model: bool,
    /// [`Grant::Runner`].
    pub runner: bool,
}

impl Grants {
    /// Nothing beyond the role's base set.
    pub const NONE: Self = Self {
        model: false,
        runner: false,
    };

    /// These.
    pub fn of(grants: &[Grant]) -> Self {
        Self {
            model: grants.contains(&Grant::Model),
            runner: grants.contains(&Grant::Runner),
        }
    }

    /// Those that were given, in the order of [`Grant::ALL`].
    pub fn list(self) -> Vec<Grant> {
        Grant::ALL.into_iter().filter(|g| self.has(*g)).collect()
    }

    /// What either gives.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            model: self.model || other.model,
            runner: self.runner || other.runner,
        }
    }

    /// Whether this one was given.
    pub fn has(self, grant: Grant) -> bool {
        match grant {
            Grant::Model => self.model,
            Grant::Runner => self.runner,
        }
    }
}

/// Which of the contract's optional interfaces the running host answers. What it does not serve is refused at admission, also
/// with a grant: never answered with a pretence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Served {
    /// `completion`.
    pub completion: bool,
}

impl Served {
    /// Whether this host answers the interface.
    pub fn serves(self, interface: Interface) -> bool {
        match interface {
            Interface::Completion => self.completion,
            Interface::Types
            | Interface::Read
            | Interface::Search
            | Interface::Submit
            | Interface::Runner
            | Interface::Change => true,
        }
    }
}

/// The smallest world of the contract that a plugin of this role with these imports is built for. A judge that both runs tests and
/// asks a model fits no single one; the two that it needs are named together.
pub(crate) fn world(role: Role, imports: &[Interface]) -> Option<&'static str> {
    if imports.iter().any(|i| role.right_to(*i) == Right::Never) {
        return None;
    }
    let model = imports.contains(&Interface::Completion);
    Some(match role {
        Role::Coder if model => "model-coder",
        Role::Coder => "coder",
        Role::Validator => match (model, imports.contains(&Interface::Runner)) {
            (false, false) => "validator",
            (true, false) => "model-validator",
            (false, true) => "runner-validator",
            (true, true) => "model-validator + runner-validator",
        },
    })
}
