//! What plugins may read and change, by rules that somebody set: the host (`.git`, `.snodo`), the protocol (protected paths),
//! the user (deny list of reads, ignored files that may be read).
//!
//! Every rule is asked before anything is touched, of the path alone: also of a path that does not exist. Names are compared by
//! component, folded (see `fold`), so that no other spelling gets through on a file system that folds.

mod deny;
mod fold;
mod ignored;
mod pattern;
mod protect;

pub use deny::{DenyList, STANDARD_DENY_LIST};
pub(crate) use fold::{fold, fold_case};
pub use ignored::IgnoredReads;

use std::borrow::Cow;

use self::pattern::Hit;
use self::protect::{Protected, Relation, is_named};
use crate::capability::Refusal;
use crate::escape::escaped;
use crate::path::WorkspacePath;

/// git's own folder, or the file that stands for it in a linked worktree.
const GIT: &str = ".git";
/// Where snodo keeps the protocol, the plans and its state.
const SNODO: &str = ".snodo";

const NO_GIT: &str = "`.git` is never opened to plugins, at any depth";
const NO_SNODO: &str =
    "in `.snodo`, only `protocol.yml` and the texts of `plans/` (`.md`, `.yml`, `.yaml`) are open to plugins";

/// A declaration that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` in {origin}: {reason}", escaped(.declared))]
pub struct BadRule {
    /// As written.
    pub declared: String,
    /// Where it stands.
    pub origin: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The rules of a run.
#[derive(Debug, Clone)]
pub struct AccessRules {
    protected: Vec<Protected>,
    paths: Vec<WorkspacePath>,
    deny: DenyList,
    ignored: IgnoredReads,
}

impl AccessRules {
    /// From the protocol's protected paths, the deny list of reads, and what of the ignored files may be read.
    pub fn new(protected: &[String], deny: DenyList, ignored: IgnoredReads) -> Result<Self, BadRule> {
        let protected = protected
            .iter()
            .map(|declared| Protected::parse(declared))
            .collect::<Result<Vec<_>, _>>()?;
        let paths = protected.iter().map(|p| p.path.clone()).collect();
        Ok(Self {
            protected,
            paths,
            deny,
            ignored,
        })
    }

    /// Whether a file's content may be given to a plugin. Ignored files are a question of their own:
    /// [`crate::base::Base::check_readable`].
    pub fn check_read(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        refuse_host_files(path)?;
        refuse_denied(path, self.deny.decide(path, false))
    }

    /// The same for a file in a folder that [`Self::check_enter`] let pass: cheaper where many files are looked at.
    pub fn check_read_in_entered(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        refuse_host_files(path)?;
        refuse_denied(path, self.deny.decide_last(path))
    }

    /// Whether a folder may be listed and searched below: `.snodo` and its `plans` may, `.git` may not. The files in it are asked
    /// for one by one.
    pub fn check_enter(&self, folder: &WorkspacePath) -> Result<(), Refusal> {
        refuse_host_folders(folder)?;
        refuse_denied(folder, self.deny.decide(folder, true))
    }

    /// The deny list's word on an entry itself, whatever it says of the folders above it; the rule with where it stands. For walks, which
    /// ask for each entry and have the path at hand: `folded` has each component folded.
    pub(crate) fn denied_step(&self, folded: &str, is_folder: bool) -> Option<String> {
        let hit = self.deny.decide_step(folded, is_folder)?;
        Some(format!("`{}` is not read ({})", escaped(hit.written), hit.origin))
    }

    /// Whether a plugin may make, replace, move or delete a file at this path.
    pub fn check_write(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        self.check_made(path, false)
    }

    /// The same for a folder, in which a protected path may lie: what matters there is what is done to that.
    pub(crate) fn check_make_folder(&self, path: &WorkspacePath) -> Result<(), Refusal> {
        self.check_made(path, true)
    }

    fn check_made(&self, path: &WorkspacePath, is_folder: bool) -> Result<(), Refusal> {
        let folded: Vec<Cow<'_, str>> = path.components().map(fold).collect();
        for (name, what) in [(GIT, "git's own"), (SNODO, "the host's own")] {
            let Some(at) = folded.iter().position(|component| is_named(component, name)) else {
                continue;
            };
            let spelled = path.components().nth(at).unwrap_or(name);
            let rule = if spelled == name {
                format!("`{name}` is {what}, at any depth, and never changed by plugins")
            } else {
                format!(
                    "`{}` is another name for `{name}` on some systems, which is {what} and never changed by plugins",
                    escaped(spelled)
                )
            };
            return Err(refusal(path, rule));
        }
        for protected in &self.protected {
            let rule = match protected.relation(&folded) {
                None => continue,
                Some(Relation::Inside) => format!(
                    "`{}` is protected by the protocol, with everything below it",
                    protected.path
                ),
                Some(Relation::Above) if is_folder => continue,
                Some(Relation::Above) => format!(
                    "the protected path `{}` of the protocol lies below it, so no file can stand here",
                    protected.path
                ),
            };
            return Err(refusal(path, rule));
        }
        Ok(())
    }

    /// What the protocol declared, normalised.
    pub fn protected_paths(&self) -> &[WorkspacePath] {
        &self.paths
    }

    /// What of the ignored files may be read.
    pub fn ignored_reads(&self) -> &IgnoredReads {
        &self.ignored
    }
}

fn refusal(path: &WorkspacePath, rule: String) -> Refusal {
    Refusal {
        path: path.as_str().to_owned(),
        rule,
    }
}

fn refuse_denied(path: &WorkspacePath, hit: Option<Hit<'_>>) -> Result<(), Refusal> {
    match hit {
        None => Ok(()),
        Some(hit) => Err(refusal(
            path,
            format!("`{}` is not read ({})", escaped(hit.written), hit.origin),
        )),
    }
}

/// Whether a component is `.git` or `.snodo`, in any spelling.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HostName {
    Git,
    Snodo,
}

fn host_name(path: &WorkspacePath) -> Option<HostName> {
    let mut found = None;
    for component in path.components() {
        let folded = fold(component);
        if is_named(&folded, GIT) {
            return Some(HostName::Git);
        }
        if is_named(&folded, SNODO) {
            found = Some(HostName::Snodo);
        }
    }
    found
}

fn refuse_host_files(path: &WorkspacePath) -> Result<(), Refusal> {
    match host_name(path) {
        None => Ok(()),
        Some(HostName::Git) => Err(refusal(path, NO_GIT.to_owned())),
        Some(HostName::Snodo) if is_open_snodo_file(path.as_str()) => Ok(()),
        Some(HostName::Snodo) => Err(refusal(path, NO_SNODO.to_owned())),
    }
}

fn refuse_host_folders(folder: &WorkspacePath) -> Result<(), Refusal> {
    match host_name(folder) {
        None => Ok(()),
        Some(HostName::Git) => Err(refusal(folder, NO_GIT.to_owned())),
        Some(HostName::Snodo) if is_open_snodo_folder(folder.as_str()) => Ok(()),
        Some(HostName::Snodo) => Err(refusal(folder, NO_SNODO.to_owned())),
    }
}

/// Compared literally: another spelling of an open file is refused with the rest.
fn is_open_snodo_file(path: &str) -> bool {
    if path == ".snodo/protocol.yml" {
        return true;
    }
    let is_plan_text =
        |name: &str| matches!(name.rsplit_once('.'), Some((stem, "md" | "yml" | "yaml")) if !stem.is_empty());
    path.rsplit_once('/')
        .is_some_and(|(folder, name)| folder != SNODO && is_open_snodo_folder(folder) && is_plan_text(name))
}

fn is_open_snodo_folder(folder: &str) -> bool {
    match folder.strip_prefix(".snodo/plans") {
        // A second `.snodo` among the plans is somebody else's.
        Some(below) => {
            (below.is_empty() || below.starts_with('/')) && !below.split('/').any(|name| is_named(&fold(name), SNODO))
        }
        None => folder == SNODO,
    }
}

#[cfg(test)]
mod tests;
