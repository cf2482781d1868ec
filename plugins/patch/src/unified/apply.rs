//! One file's diff on the workspace.

use std::fmt::Write as _;

use super::explain::explain;
use super::placed::{Piece, place};
use super::{FilePatch, Hunk, Target};
use crate::error::{Misfit, PatchError};
use crate::lines;
use crate::options::Options;
use crate::show;
use crate::source::number;
use crate::tree::{Node, Tree};

/// Carries the diff out, and answers a line about it.
pub(crate) fn apply(tree: &mut Tree<'_>, patch: &FilePatch<'_>, options: &Options) -> Result<String, PatchError> {
    let work = Work { patch, options };
    match &patch.target {
        Target::Create(path) => work.create(tree, path),
        Target::Delete(path) => work.delete(tree, path),
        Target::Modify(path) => work.modify(tree, path),
        Target::OneOf { old, new } => {
            let path = match (tree.get(old)?.is_some(), tree.get(new)?.is_some()) {
                (true, false) => old,
                (false, true) => new,
                (true, true) => {
                    return Err(PatchError::DoesNotApply(Misfit::of_file(
                        new,
                        format!(
                            "the diff names {} before and {} after, and both are in the workspace: name the file to change in both lines",
                            show::quote(old),
                            show::quote(new)
                        ),
                    )));
                }
                (false, false) => {
                    let hint = work.hint(tree, new);
                    return Err(PatchError::DoesNotApply(Misfit::of_file(
                        new,
                        format!(
                            "the diff names {} before and {} after, and neither is in the workspace{hint}",
                            show::quote(old),
                            show::quote(new)
                        ),
                    )));
                }
            };
            work.modify(tree, path)
        }
        Target::Rename { from, to } => {
            let Some(source) = tree.leaving(from)? else {
                let hint = match tree.get(to)? {
                    Some(_) => format!("; {} is there: the rename seems to be done already", show::quote(to)),
                    None => work.hint(tree, from),
                };
                return Err(PatchError::DoesNotApply(Misfit::of_file(
                    from,
                    format!("there is no such file to rename{hint}"),
                )));
            };
            let (mut node, remarks) = work.changed(from, &source)?;
            node.moved_from = Some(source.moved_from.clone().unwrap_or_else(|| from.clone()));
            tree.remove(from);
            make_room(tree, to)?;
            tree.put(to, Some(node));
            Ok(format!("{} renamed to {}{remarks}", show::quote(from), show::quote(to)))
        }
        Target::Copy { from, to } => {
            let Some(source) = tree.get_before_group(from)? else {
                let hint = work.hint(tree, from);
                return Err(PatchError::DoesNotApply(Misfit::of_file(
                    from,
                    format!("there is no such file to copy{hint}"),
                )));
            };
            let (mut node, remarks) = work.changed(from, &source)?;
            node.moved_from = None;
            make_room(tree, to)?;
            tree.put(to, Some(node));
            Ok(format!("{} copied to {}{remarks}", show::quote(from), show::quote(to)))
        }
    }
}

/// Sees to it that nothing stands at the path.
fn make_room(tree: &mut Tree<'_>, path: &str) -> Result<(), PatchError> {
    match tree.get(path)? {
        None => Ok(()),
        Some(node) if tree.is_left_later(path) => {
            tree.displace(path, node);
            Ok(())
        }
        Some(_) => Err(PatchError::DoesNotApply(Misfit::of_file(
            path,
            "a file stands there already, and the patch does not remove it",
        ))),
    }
}

struct Work<'w, 'a> {
    patch: &'w FilePatch<'a>,
    options: &'w Options,
}

impl Work<'_, '_> {
    fn create(&self, tree: &mut Tree<'_>, path: &str) -> Result<String, PatchError> {
        let content = match self.patch.hunks.as_slice() {
            [] => String::new(),
            [hunk] if hunk.old_start == 0 => lines::join(&hunk.after()),
            _ => {
                return Err(PatchError::Malformed {
                    line: number(self.patch.at),
                    reason: format!(
                        "{} is a new file, but the hunks change lines that were there before",
                        show::quote(path)
                    ),
                });
            }
        };
        let node = Node::text(content, self.patch.new_executable == Some(true));
        if let Some(there) = tree.get(path)?
            && !tree.is_left_later(path)
        {
            return Err(if there.content == node.content {
                PatchError::AlreadyApplied(Misfit::of_file(
                    path,
                    "already applied: the new file is there, with the content of the patch",
                ))
            } else {
                PatchError::DoesNotApply(Misfit::of_file(
                    path,
                    "the patch makes a new file, but one stands there, with other content",
                ))
            });
        }
        make_room(tree, path)?;
        let remark = if node.executable { ", executable" } else { "" };
        tree.put(path, Some(node));
        Ok(format!("{} added{remark}", show::quote(path)))
    }

    fn delete(&self, tree: &mut Tree<'_>, path: &str) -> Result<String, PatchError> {
        let Some(node) = tree.leaving(path)? else {
            let hint = self.hint(tree, path);
            return Err(PatchError::DoesNotApply(Misfit::of_file(
                path,
                format!("there is no such file to delete: it may be deleted already{hint}"),
            )));
        };
        let text = Self::text(path, &node)?;
        let rest = match self.patch.hunks.as_slice() {
            [] => text.to_owned(),
            _ => self.hunks(path, text)?.0,
        };
        if !rest.is_empty() {
            let lines = lines::split(&rest);
            return Err(PatchError::DoesNotApply(Misfit::of_file(
                path,
                format!(
                    "the patch deletes the file, but {} of it would be left, the first being {}",
                    show::counted(lines.len(), "line"),
                    show::quote(lines[0].text)
                ),
            )));
        }
        tree.remove(path);
        Ok(format!("{} deleted", show::quote(path)))
    }

    fn modify(&self, tree: &mut Tree<'_>, path: &str) -> Result<String, PatchError> {
        let Some(before) = tree.get(path)? else {
            // A plain diff does not always say that the file is new: one hunk on nothing does.
            if let [hunk] = self.patch.hunks.as_slice()
                && hunk.old_start == 0
            {
                return self.create(tree, path);
            }
            let hint = self.hint(tree, path);
            return Err(PatchError::DoesNotApply(Misfit::of_file(
                path,
                format!("there is no such file in the workspace{hint}"),
            )));
        };
        let (after, remarks) = self.changed(path, &before)?;
        let same_bit = before.executable == after.executable;
        if self.patch.hunks.is_empty() && same_bit && self.patch.old_executable != self.patch.new_executable {
            return Err(PatchError::AlreadyApplied(Misfit::of_file(
                path,
                format!(
                    "already applied: the file is {}executable",
                    if after.executable { "" } else { "not " }
                ),
            )));
        }
        let verb = if before.content == after.content && same_bit {
            "left as it is"
        } else {
            "changed"
        };
        tree.put(path, Some(after));
        Ok(format!("{} {verb}{remarks}", show::quote(path)))
    }

    /// The file with the hunks and the executable bit of the diff, and what there is to remark.
    fn changed(&self, path: &str, before: &Node) -> Result<(Node, String), PatchError> {
        let mut after = before.clone();
        let mut remarks = String::new();
        if !self.patch.hunks.is_empty() {
            let (text, remark) = self.hunks(path, Self::text(path, before)?)?;
            after = Node {
                moved_from: after.moved_from,
                ..Node::text(text, before.executable)
            };
            remarks = remark;
        }
        if let (Some(old), Some(new)) = (self.patch.old_executable, self.patch.new_executable)
            && old != new
        {
            remarks.push_str(if new {
                ", made executable"
            } else {
                ", made not executable"
            });
            after.executable = new;
        }
        Ok((after, remarks))
    }

    fn text<'n>(path: &str, node: &'n Node) -> Result<&'n str, PatchError> {
        node.as_text()
            .ok_or_else(|| PatchError::NotText { path: path.to_owned() })
    }

    /// The text with all hunks in place, and where those stand that are not where they say.
    fn hunks(&self, path: &str, text: &str) -> Result<(String, String), PatchError> {
        let file = lines::split(text);
        let pieces: Vec<Piece<'_>> = self.patch.hunks.iter().map(Piece::of).collect();
        let placed = match place(&file, &pieces, self.options.max_offset) {
            Ok(placed) => placed,
            Err(unplaced) => {
                if self.is_applied(&file) {
                    return Err(PatchError::AlreadyApplied(Misfit {
                        path: path.to_owned(),
                        hunk: 0,
                        nearest_line: 0,
                        reason: format!(
                            "already applied: what the {} of the patch would make of the file stands in it",
                            show::counted(pieces.len(), "hunk")
                        ),
                    }));
                }
                let (line, reason) = explain(&file, &unplaced);
                return Err(PatchError::DoesNotApply(Misfit {
                    path: path.to_owned(),
                    hunk: u32::try_from(unplaced.index + 1).unwrap_or(u32::MAX),
                    nearest_line: lines::count(line),
                    reason: format!(
                        "the hunk of line {} of the task: {reason}",
                        number(self.patch.hunks[unplaced.index].at)
                    ),
                }));
            }
        };
        let mut remarks = format!(", {}", show::counted(pieces.len(), "hunk"));
        for (index, (piece, at)) in pieces.iter().zip(&placed.places).enumerate() {
            let away = at.abs_diff(piece.stated);
            if away > 0 && !piece.before.is_empty() {
                let direction = if *at > piece.stated { "below" } else { "above" };
                // Writing to a string cannot fail.
                let _ = write!(
                    remarks,
                    "; hunk {} stands at line {}, {} {direction} where it says",
                    index + 1,
                    at + 1,
                    show::counted(away, "line"),
                );
            }
        }
        Ok((lines::join(&placed.lines), remarks))
    }

    /// Whether every hunk could be undone: then it was all done before.
    fn is_applied(&self, file: &[lines::Line<'_>]) -> bool {
        let pieces: Vec<Piece<'_>> = self.patch.hunks.iter().map(Piece::undone).collect();
        let adds = |hunk: &Hunk<'_>| {
            hunk.lines
                .iter()
                .any(|line| !line.origin.in_old() || !line.origin.in_new())
        };
        self.patch.hunks.iter().any(adds) && place(file, &pieces, self.options.max_offset).is_ok()
    }

    /// What may help when a file is not there: the same path without its first folders.
    fn hint(&self, tree: &mut Tree<'_>, path: &str) -> String {
        let mut rest = path;
        for further in 1..=3 {
            match rest.split_once('/') {
                Some((_, behind)) if !behind.is_empty() => rest = behind,
                _ => break,
            }
            // A hint must not turn into another error.
            if let Ok(Some(_)) = tree.get(rest) {
                return format!(
                    "; {} is: set `strip` to {} if that is meant",
                    show::quote(rest),
                    self.patch.stripped.saturating_add(further)
                );
            }
        }
        String::new()
    }
}
