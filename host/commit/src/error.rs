//! Everything that can be wrong with a commit.

use std::io;
use std::path::PathBuf;

/// Why there is no commit, or none can be made.
///
/// Paths of the repository are escaped where they become text here.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The workspace is in no repository.
    #[error(
        "`{}` is in no git repository: make one (`git init`), or run without `--commit`", .workspace.display()
    )]
    NoRepository {
        /// The workspace.
        workspace: PathBuf,
    },
    /// What stands at `.git` is not a repository that can be relied on.
    #[error("`{}` cannot be used as a repository: {why}", .at.display())]
    NotARepository {
        /// What was found.
        at: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A folder of the repository belongs to somebody else.
    #[error(
        "`{}` belongs to user {owner}, not to the user {user} who runs this: a repository of somebody else is not written to", .at.display()
    )]
    NotOurs {
        /// The folder.
        at: PathBuf,
        /// Who owns it.
        owner: u32,
        /// Who runs this.
        user: u32,
    },
    /// Something in the repository is not what git itself would have made there.
    #[error("`{}` in the repository is {what}: nothing is read or written through it", .at.display())]
    OddFile {
        /// Its path.
        at: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Something in the repository is over the size that is read.
    #[error("`{}` in the repository has more than {limit} bytes, which is not read", .at.display())]
    TooLarge {
        /// Its path.
        at: PathBuf,
        /// In bytes.
        limit: u64,
    },
    /// The repository cannot be written to.
    #[error("`{}` cannot be written to: {error}", .at.display())]
    ReadOnly {
        /// The folder.
        at: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// A format of repository that is not supported.
    #[error("the repository uses {0}, which is not supported here: commit the change yourself")]
    UnsupportedFormat(String),
    /// The index is in a form that is not supported.
    #[error("the repository's index is {what}, which is not supported here: {remedy}")]
    UnsupportedIndex {
        /// What it is.
        what: &'static str,
        /// What can be done.
        remedy: &'static str,
    },
    /// The index, or an object, is damaged.
    #[error("the repository is damaged: {0}; `git fsck` tells more")]
    Damaged(String),
    /// A configuration file cannot be read.
    #[error("the configuration `{}` cannot be read: {why}", .at.display())]
    Config {
        /// The file.
        at: PathBuf,
        /// The reason.
        why: String,
    },
    /// Nobody knows who the author is.
    #[error(
        "git does not know who you are: no {missing} is configured. `git config --global user.name \"Your Name\"` and `git config --global user.email you@example.com` set it"
    )]
    NoIdentity {
        /// `user.name` or `user.email`.
        missing: &'static str,
    },
    /// Something else is going on in the repository.
    #[error("{what} is going on in the repository (`{marker}` is there): finish it or abort it first")]
    InProgress {
        /// What.
        what: &'static str,
        /// The file or folder that says so.
        marker: &'static str,
    },
    /// Somebody works on the index.
    #[error(
        "`{}` is there: another git process is at work in the repository, or one ended before it was done. If none is, remove the file", .at.display()
    )]
    Locked {
        /// The lock file.
        at: PathBuf,
    },
    /// HEAD names something other than a branch.
    #[error("HEAD names `{0}`, which is not a branch: switch to one first")]
    OddHead(String),
    /// HEAD, or its branch, is not what it was when the run began.
    #[error("the repository moved on during the run: HEAD was {before} and is {now}. Nothing was committed")]
    HeadMoved {
        /// At the check.
        before: String,
        /// Now.
        now: String,
    },
    /// There is nothing in the change.
    #[error("the change is empty: there is nothing to commit")]
    NothingToCommit,
    /// A path that git does not take.
    #[error("`{path}` cannot be committed: {why}")]
    BadPath {
        /// From the top of the working tree.
        path: String,
        /// The reason.
        why: String,
    },
    /// A path stands in a repository, or submodule, of its own.
    #[error("`{path}` stands in `{repository}`, which is a repository of its own: it cannot be committed to this one")]
    OtherRepository {
        /// From the top of the working tree.
        path: String,
        /// The folder.
        repository: String,
    },
    /// HEAD does not have the file as the run found it.
    #[error(
        "`{path}` {how}: the commit would take along what is not of this change. Commit or stash it first, or run without `--commit`"
    )]
    DiffersFromHead {
        /// From the top of the working tree.
        path: String,
        /// In which way.
        how: &'static str,
    },
    /// The commit would do something to a path that the change does not name.
    #[error(
        "with this change, the commit would also change `{path}`, which is in HEAD and not of this change. Commit or stash it first, or run without `--commit`"
    )]
    WouldChangeMore {
        /// From the top of the working tree.
        path: String,
    },
    /// A path of the change is in conflict, or the index has something where the file would have to go.
    #[error("`{path}` {how} in the index: settle that first, or run without `--commit`")]
    IndexInTheWay {
        /// From the top of the working tree.
        path: String,
        /// What it is there.
        how: &'static str,
    },
    /// The commit was made, and the branch moved, but the index could not be put in place.
    #[error(
        "the commit {id} was made, but the index still has the old state of its paths ({error}): `git reset -- <paths>` puts it right"
    )]
    IndexLeft {
        /// The commit.
        id: String,
        /// The system's reason.
        error: io::Error,
    },
    /// The branch could not be moved.
    #[error("{name} could not be updated: {why}. Nothing was committed")]
    Reference {
        /// The branch, or HEAD.
        name: String,
        /// The reason.
        why: String,
    },
    /// An object could not be written or read.
    #[error("the repository's objects: {0}")]
    Objects(String),
    /// The system would not.
    #[error("`{}`: {error}", .at.display())]
    Io {
        /// What was being read or written.
        at: PathBuf,
        /// Its reason.
        error: io::Error,
    },
}

/// For `map_err`: what the system said about `at`.
pub(crate) fn io_at(at: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> CommitError {
    let at = at.into();
    move |error| CommitError::Io { at, error }
}

/// What gix says, in one line.
pub(crate) fn said(error: &gix_error::Error) -> String {
    let mut text = error.to_string();
    let cause = error.probable_cause().to_string();
    if !text.contains(&cause) {
        text = format!("{text}: {cause}");
    }
    snodo_workspace::escape::escaped(&text).into_owned()
}

/// A path of the repository, for people.
pub(crate) fn shown(path: &[u8]) -> String {
    snodo_workspace::escape::escaped(&String::from_utf8_lossy(path)).into_owned()
}
