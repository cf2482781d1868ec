//! From a task to the operations that carry out its patch.

use crate::blocks;
use crate::detect::{self, Found, Kind, Part};
use crate::edit::{Edit, Plan};
use crate::error::PatchError;
use crate::files::Files;
use crate::options::Options;
use crate::source::Source;
use crate::tree::Tree;
use crate::unified;

/// The operations that carry out the patch a task holds: all of it, or an error and none.
///
/// Diffs are applied in the order of the task, each on what the ones before it left; a file may be changed several times. Within what one `diff`
/// printed (nothing but blank lines between the files), renames and copies start from the files as they stood before it, so that
/// two files may swap names.
pub fn apply_text(task: &str, files: &dyn Files, options: &Options) -> Result<Vec<Edit>, PatchError> {
    plan(task, files, options, &mut |_| ()).map(|plan| plan.edits)
}

/// A part of the patch was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'s> {
    /// What was done to which file, in one line.
    pub account: &'s str,
    /// Which part it was, from 1.
    pub done: usize,
    /// Of how many.
    pub total: usize,
}

/// The same, with an account of what was done; `watch` is told of each part as soon as it is.
pub fn plan(
    task: &str,
    files: &dyn Files,
    options: &Options,
    watch: &mut dyn FnMut(Step<'_>),
) -> Result<Plan, PatchError> {
    let source = Source::new(task);
    let Found { parts, remarks } = detect::detect(&source, options)?;
    let mut tree = Tree::new(files);
    let mut account = Vec::new();
    let mut group = None;
    for (index, part) in parts.iter().enumerate() {
        if group != Some(part.group) {
            group = Some(part.group);
            tree.start_group();
            announce(&mut tree, &parts, index);
        }
        tree.start_part(index);
        let done = match &part.kind {
            Kind::Unified(patch) => unified::apply(&mut tree, patch, options)?,
            Kind::Block(block) => blocks::apply(&mut tree, block)?,
        };
        watch(Step {
            account: &done,
            done: index + 1,
            total: parts.len(),
        });
        account.push(done);
    }
    account.extend(remarks);
    Ok(Plan {
        edits: tree.into_edits(),
        account,
    })
}

/// Tells which paths the group that begins here will leave, and by which part.
fn announce(tree: &mut Tree<'_>, parts: &[Part<'_>], first: usize) {
    for (index, part) in parts.iter().enumerate().skip(first) {
        if part.group != parts[first].group {
            break;
        }
        if let Kind::Unified(patch) = &part.kind
            && let Some(path) = patch.target.vacated()
        {
            tree.announce_leaving(path, index);
        }
    }
}
