//! The file `index`. Only the entries of the changed paths are made anew; all others keep their bytes: what is staged, the stages of
//! a conflict, times, and every flag (skip-worktree, intent-to-add, assume-unchanged).
//!
//! gix's own index is not used for this: it is written back from what was understood of it, without the extensions and the version that
//! were there.
//!
//! What the index has besides entries:
//!
//! | extension | |
//! |---|---|
//! | `REUC` (how conflicts were resolved) | kept, byte for byte |
//! | `TREE`, `UNTR`, `FSMN`, `EOIE`, `IEOT` (what was known of trees, untracked files and changes; where entries are) | dropped: they would no longer be true. Git makes them again |
//! | unknown ones that may be ignored | dropped, as git does |
//! | `link` (split index), `sdir` (sparse index), unknown ones that may not be ignored | refused |
//!
//! The new file keeps the old one's modification time. Git takes an entry for certainly unchanged only when the file is older than the index;
//! an index that becomes younger would vouch for entries that nobody looked at again.

mod edit;
mod lock;
mod parse;
mod stat;

pub(crate) use edit::{Wanted, apply, check};
pub(crate) use lock::IndexLock;
pub(crate) use parse::{Index, parse};
pub(crate) use stat::of_file;
