//! Committing exactly a change set to the repository that the workspace is in; and reading the one that is in the working tree.
//!
//! | file | what |
//! |---|---|
//! | [`mod@check`] | whether a commit can be made at all: asked before a run |
//! | [`mod@commit`] | the commit: what is written in which order |
//! | [`error`] | everything that can be wrong, by name |
//! | [`message`] | the commit message, from the task |
//! | [`identity`] | who the author is |
//! | `place`, `layout`, `config` | where the repository is, and whether it is one that can be written to |
//! | `head`, `objects`, `plan` | what HEAD is, and the trees and blobs to be written |
//! | [`revision`], `tree`, [`mod@difference`] | the other way round: what the working tree changes of a commit's tree |
//! | `index` | the file `index`: only the entries of the changed paths are made anew |
//!
//! # What a commit is here
//!
//! * **Its difference to its parent is the change set, no more and no less.** The trees to be written are compared with those of HEAD before
//!   anything is; whatever else is modified, staged, in conflict or untracked stays so.
//! * A file that the change touches has to be in HEAD as the run found it. If it was not (it was edited or staged before the run), the
//!   commit would take that edit along: [`check_change`] refuses it, before the change is applied.
//! * A changed path that is staged with other content gets the change's content in the index too, like any file that is committed.
//! * Bytes are committed as they are in the change: no clean filter, no line ending conversion, whatever `.gitattributes` and
//!   `core.autocrlf` say. A file that a filter changes on its way (as Git LFS does) differs from HEAD by its bytes, and is refused.
//! * A path that an ignore file names is committed like any other: the change set is what was judged.
//! * A detached HEAD is committed on, and an unborn branch is born: [`Head`] says which, so that it can be said to the user.
//! * Timestamps are in UTC.
//!
//! # What is not run, and not believed
//!
//! Nothing is started: no git, no hook, filter, file system monitor, signing program or pager. The crates of gix used here contain no code
//! that a commit could reach and that starts a program. Of the repository's configuration these are read and nothing else:
//! `core.repositoryFormatVersion`, `extensions.*`, `core.bare`, `core.worktree`, and the names and addresses of `user`, `author` and
//! `committer`, which are text. Its `include`s are not followed; those of the user's own configuration are. The environment
//! (`GIT_DIR` and its like) is not looked at. `refs/replace` is not, either.
//!
//! A repository whose folders belong to somebody else is refused, and so is one in which something that would be read or written
//! is a link or not a file. What is read from it is bounded.
//!
//! # When the process dies
//!
//! Objects are written first, then the branch moves, then the index is put in place. Until the branch moves, nothing refers to the
//! new objects and git removes them in time. If the process dies between the branch's move and the index's, `git status` shows the
//! changed paths as staged for being taken back, and `git reset -- <paths>` puts the index right. A lock file that is left (`index.lock`,
//! `HEAD.lock`, a branch's) is named by git when it is in its way, and is never removed here.

pub mod check;
pub mod commit;
mod config;
pub mod difference;
pub mod error;
mod files;
mod head;
pub mod identity;
mod index;
mod layout;
pub mod message;
mod objects;
mod place;
mod plan;
pub mod remote;
pub mod revision;
mod tree;
mod watch;

#[cfg(test)]
mod tests;

pub use check::{Committable, check, check_change};
pub use commit::{Committed, commit};
pub use difference::{Difference, DifferenceError, NotLookedAt, difference};
pub use error::CommitError;
pub use head::Head;
pub use identity::UserConfig;
pub use message::Message;
pub use remote::remote;
pub use revision::{BadRevision, Revision};
