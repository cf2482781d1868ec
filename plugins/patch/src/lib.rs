//! First-party coder `patch`: carries out the patch that a task holds.
//!
//! Real work with no model and no key. The task holds, anywhere and with prose around it, a unified diff as `git diff` or `diff -u`
//! print it, or SEARCH/REPLACE blocks; what comes out are operations on whole files, all of them or none.
//!
//! Every line of context and every removed line must stand in the file exactly as the patch has it. A hunk may stand some lines away from
//! where it says ([`Options::max_offset`]) when there is one nearest place; nothing else is forgiven, and nothing is guessed.
//!
//! [`apply_text`] is the whole of it, pure, over any [`Files`]; the plugin around it only reads and submits.

mod blocks;
mod detect;
mod edit;
mod error;
mod files;
mod find;
mod lines;
mod nearest;
mod options;
mod plan;
mod plugin;
mod show;
mod source;
mod tree;
mod unified;

pub use edit::{Edit, Plan};
pub use error::{Misfit, PatchError};
pub use files::{Content, File, Files, ReadFailure};
pub use options::{Options, Strip};
pub use plan::{Step, apply_text, plan};
