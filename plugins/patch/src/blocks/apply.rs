//! One block on the workspace.

use super::Block;
use crate::error::{Misfit, PatchError};
use crate::find;
use crate::lines::{self, Line};
use crate::nearest;
use crate::show;
use crate::source::number;
use crate::tree::{Node, Tree};

/// Carries the block out, and answers a line about it.
pub(crate) fn apply(tree: &mut Tree<'_>, block: &Block<'_>) -> Result<String, PatchError> {
    let path = block.path.as_str();
    let which = tree.next_block(path);
    let misfit = |nearest_line: usize, reason: String| Misfit {
        path: path.to_owned(),
        hunk: which,
        nearest_line: lines::count(nearest_line),
        reason: format!("the block of line {} of the task: {reason}", number(block.at)),
    };
    let before = tree.get(path)?;
    if block.search.is_empty() {
        return match before {
            Some(node) if node.as_text() != Some("") => {
                let is_applied = node.as_text() == Some(&lines::join(&block.replace));
                Err(if is_applied {
                    PatchError::AlreadyApplied(misfit(
                        1,
                        "already applied: the new file is there, with the content of the block".to_owned(),
                    ))
                } else {
                    PatchError::DoesNotApply(misfit(
                        1,
                        "an empty SEARCH makes a new file, but a file with content stands there".to_owned(),
                    ))
                })
            }
            there => {
                let executable = there.is_some_and(|node| node.executable);
                tree.put(path, Some(Node::text(lines::join(&block.replace), executable)));
                Ok(format!("{} added", show::quote(path)))
            }
        };
    }
    let Some(node) = before else {
        return Err(PatchError::DoesNotApply(misfit(
            0,
            "there is no such file in the workspace (the line above a SEARCH block is taken as its path)".to_owned(),
        )));
    };
    let Some(text) = node.as_text() else {
        return Err(PatchError::NotText { path: path.to_owned() });
    };
    let file = lines::split(text);
    let places = find::positions(&block.search, &file, find::TEXT);
    let at = match places.as_slice() {
        [at] => *at,
        [] => return Err(not_found(block, &file, &misfit)),
        [first, ..] => {
            let numbers: Vec<usize> = places.iter().map(|at| at + 1).collect();
            return Err(PatchError::DoesNotApply(misfit(
                first + 1,
                format!(
                    "its SEARCH stands {} times, at lines {}: add lines around it until it stands once",
                    numbers.len(),
                    show::enumerated(&numbers)
                ),
            )));
        }
    };
    let end = at + block.search.len();
    let mut result = file[..at].to_vec();
    result.extend_from_slice(&block.replace);
    // A block cannot tell whether the file ends without a newline: what the file has there, it keeps.
    if end == file.len()
        && !block.replace.is_empty()
        && let (Some(last), Some(old)) = (result.last_mut(), file.last())
    {
        last.lf = old.lf;
    }
    result.extend_from_slice(&file[end..]);
    let after = Node {
        moved_from: node.moved_from.clone(),
        ..Node::text(lines::join(&result), node.executable)
    };
    tree.put(path, Some(after));
    Ok(format!(
        "{} changed, block {} at line {}",
        show::quote(path),
        which,
        at + 1
    ))
}

fn not_found(block: &Block<'_>, file: &[Line<'_>], misfit: &dyn Fn(usize, String) -> Misfit) -> PatchError {
    let applied: Vec<usize> = find::positions(&block.replace, file, find::TEXT)
        .iter()
        .map(|at| at + 1)
        .collect();
    if let [line, ..] = applied.as_slice() {
        return PatchError::AlreadyApplied(misfit(
            *line,
            format!(
                "already applied, it seems: its SEARCH does not stand in the file, and its REPLACE does, at line {}",
                show::enumerated(&applied)
            ),
        ));
    }
    let (line, mut reason) = match nearest::nearest(&block.search, file, 0, usize::MAX, 0, find::TEXT) {
        Some(best) => {
            let line = best.at + best.differing + 1;
            (
                line,
                format!(
                    "its SEARCH does not stand in the file; {} of its {} fit at line {}, and at line {line} it {}",
                    best.fitting,
                    show::counted(block.search.len(), "line"),
                    best.at + 1,
                    show::difference(
                        block.search[best.differing],
                        file.get(best.at + best.differing).copied()
                    )
                ),
            )
        }
        None => (
            0,
            format!(
                "its SEARCH does not stand in the file, which holds not one of its {}",
                show::counted(block.search.len(), "line")
            ),
        ),
    };
    if let Some(note) = nearest::white_space(&block.search, file) {
        reason = format!("{reason}; {note}");
    }
    PatchError::DoesNotApply(misfit(line, reason))
}
