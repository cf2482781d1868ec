//! Which files a diff is about, from all that its head says.

use super::extended::{Extended, Mode};
use super::header::{Fault, Names};
use super::name::{self, Name};
use super::{Hunk, Target};
use crate::error::PatchError;
use crate::options::Strip;
use crate::show;
use crate::source::number;

/// All that tells which file a diff is about.
pub(super) struct Head<'h, 'a> {
    pub(super) at: usize,
    pub(super) names: Option<Names<'a>>,
    pub(super) hunks: &'h [Hunk<'a>],
    pub(super) strip: Strip,
}

/// The files, how many folders were taken off their names, and the executable bit before and after.
pub(super) type Resolved = (Target, u32, Option<bool>, Option<bool>);

impl Head<'_, '_> {
    /// Without a line of git: by the names alone.
    pub(super) fn plain(self) -> Result<Resolved, Fault> {
        let Some(names) = self.names else {
            return Err(Fault::new("a diff without the names of its files"));
        };
        let folders = match self.strip {
            Strip::Folders(folders) => folders,
            Strip::Automatic => u32::from(match (names.old.path(), names.new.path()) {
                (Some(old), Some(new)) => name::prefixed(old, new, false),
                (Some(one), None) => one.starts_with("a/"),
                (None, Some(one)) => one.starts_with("b/"),
                (None, None) => false,
            }),
        };
        let old_is_missing = |hunk: &Hunk<'_>| hunk.old_start == 0;
        let new_is_missing = |hunk: &Hunk<'_>| hunk.new_start == 0;
        let only = |is: fn(&Hunk<'_>) -> bool| matches!(self.hunks, [hunk] if is(hunk));
        let target = match (&names.old, &names.new) {
            (Name::Nothing, Name::Path(new)) => Target::Create(stripped(new, folders)?),
            (Name::Path(old), Name::Nothing) => Target::Delete(stripped(old, folders)?),
            (Name::Path(old), Name::Path(new)) => {
                let (old, new) = (stripped(old, folders)?, stripped(new, folders)?);
                if name::is_epoch(names.old_time) && only(old_is_missing) {
                    Target::Create(new)
                } else if name::is_epoch(names.new_time) && only(new_is_missing) {
                    Target::Delete(old)
                } else if old == new {
                    Target::Modify(new)
                } else {
                    Target::OneOf { old, new }
                }
            }
            (Name::Nothing, Name::Nothing) => {
                return Err(Fault::new("both names of the diff are /dev/null"));
            }
        };
        Ok((target, folders, None, None))
    }

    /// With what git says.
    pub(super) fn git(self, line: Option<&(String, String)>, extended: &Extended) -> Result<Resolved, PatchError> {
        let at = self.at;
        let (target, folders) = self.git_target(line, extended).map_err(|fault| fault.at(at))?;
        let path = target.path();
        let unsupported = |at: usize, reason: String| PatchError::Unsupported {
            line: number(at),
            path: Some(path.to_owned()),
            reason,
        };
        if let Some(at) = extended.binary {
            return Err(unsupported(
                at,
                "a binary patch: only changes of text are taken, as `git diff` prints them without `--binary`"
                    .to_owned(),
            ));
        }
        for mode in [extended.old_mode, extended.new_mode].into_iter().flatten() {
            if let Some(what) = mode.unsupported() {
                return Err(unsupported(at, format!("mode {:06o} makes it {what}", mode.0)));
            }
        }
        self.check_content(&target, extended).map_err(|fault| fault.at(at))?;
        Ok((
            target,
            folders,
            extended.old_mode.map(Mode::executable),
            extended.new_mode.map(Mode::executable),
        ))
    }

    fn git_target(&self, line: Option<&(String, String)>, extended: &Extended) -> Result<(Target, u32), Fault> {
        for (pair, verb) in [(&extended.rename, "rename"), (&extended.copy, "copy")] {
            let (Some(from), Some(to)) = (&pair.from, &pair.to) else {
                if pair.from.is_some() || pair.to.is_some() {
                    return Err(Fault::new(format!(
                        "`{verb} from` and `{verb} to` go together, and one is missing"
                    )));
                }
                continue;
            };
            self.check_moved(from, to)?;
            // These two are written without the prefix that `strip` counts.
            let folders = match self.strip {
                Strip::Automatic => 0,
                Strip::Folders(folders) => folders.saturating_sub(1),
            };
            let (from, to) = (stripped(from, folders)?, stripped(to, folders)?);
            let target = match verb {
                "rename" => Target::Rename { from, to },
                _ => Target::Copy { from, to },
            };
            return Ok((target, folders.saturating_add(1)));
        }
        let (old, new) = if let Some(names) = &self.names {
            (names.old.path(), names.new.path())
        } else {
            let (old, new) = line.ok_or_else(|| {
                Fault::new(
                    "the line does not tell which file it is about: its two names differ, and no other line names them",
                )
            })?;
            (
                Some(old.as_str()).filter(|_| !extended.created),
                Some(new.as_str()).filter(|_| !extended.deleted),
            )
        };
        if (extended.created && old.is_some()) || (extended.deleted && new.is_some()) {
            return Err(Fault::new("a new or deleted file whose other name is not /dev/null"));
        }
        let folders = match self.strip {
            Strip::Folders(folders) => folders,
            Strip::Automatic => u32::from(match (line, old, new) {
                (_, Some(old), Some(new)) => name::prefixed(old, new, true),
                (Some((old, new)), _, _) => name::prefixed(old, new, true),
                (None, Some(one), None) => one.starts_with("a/"),
                (None, None, Some(one)) => one.starts_with("b/"),
                (None, None, None) => false,
            }),
        };
        let strip = |path: Option<&str>| path.map(|path| stripped(path, folders)).transpose();
        let target = match (strip(old)?, strip(new)?) {
            (None, Some(path)) => Target::Create(path),
            (Some(path), None) => Target::Delete(path),
            (Some(old), Some(new)) if old == new => Target::Modify(new),
            (Some(old), Some(new)) => {
                return Err(Fault::new(format!(
                    "the diff names {} before and {} after, and says neither rename nor copy; if these are prefixes, set `strip`",
                    show::quote(&old),
                    show::quote(&new)
                )));
            }
            (None, None) => return Err(Fault::new("a file that is both new and deleted")),
        };
        Ok((target, folders))
    }

    /// The `---` and `+++` lines of a rename or copy must name the same files, behind whatever prefix.
    fn check_moved(&self, from: &str, to: &str) -> Result<(), Fault> {
        let Some(names) = &self.names else { return Ok(()) };
        for (name, path) in [(&names.old, from), (&names.new, to)] {
            let agrees = name.path().is_some_and(|name| {
                name.strip_suffix(path)
                    .is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('/'))
            });
            if !agrees {
                return Err(Fault::new(format!(
                    "the lines `rename` or `copy` name {}, the line `---` or `+++` names {}",
                    show::quote(path),
                    show::quote(name.path().unwrap_or("/dev/null"))
                )));
            }
        }
        Ok(())
    }

    /// A head without hunks is whole when it needs none: else the content was cut off, and the file must not be taken for empty.
    fn check_content(&self, target: &Target, extended: &Extended) -> Result<(), Fault> {
        if !self.hunks.is_empty() {
            return Ok(());
        }
        let Some((before, after)) = &extended.index else {
            return Ok(());
        };
        let missing = match target {
            Target::Create(_) => !Extended::blob_is_empty(after),
            Target::Delete(_) => !Extended::blob_is_empty(before),
            Target::Modify(_) | Target::OneOf { .. } | Target::Rename { .. } | Target::Copy { .. } => before != after,
        };
        if missing {
            return Err(Fault::new(
                "the diff says by its `index` line that the content of the file changes, but no hunk follows: the patch is cut off",
            ));
        }
        Ok(())
    }
}

fn stripped(path: &str, folders: u32) -> Result<String, Fault> {
    name::strip(path, folders).map(str::to_owned).ok_or_else(|| {
        Fault::new(format!(
            "nothing is left of the name {} without its first {}: see the setting `strip`",
            show::quote(path),
            show::counted(usize::try_from(folders).unwrap_or(usize::MAX), "folder")
        ))
    })
}
