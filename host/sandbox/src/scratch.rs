//! The scratch of one execution: what a program sees in place of the workspace, and what it wrote there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use cap_std::fs::Dir;
use snodo_workspace::capability::Cancel;
use snodo_workspace::escape::one_line;
use snodo_workspace::limits::{ScratchLimits, SubmitLimits};
use snodo_workspace::scratch::{
    self, Difference, Hidden, HiddenReason, ScratchError, ScratchReport, Snapshot, Written,
};
use snodo_workspace::view::View;

use crate::OwnFolder;
use crate::owner::give;
use crate::plan::Source;
use crate::policy::Permissions;

/// Where scratches are made.
#[derive(Debug, Clone)]
pub struct ScratchPlace {
    /// A folder of the host's own, outside any workspace.
    pub folder: PathBuf,
    /// Told apart from other runs by this.
    pub run: String,
    /// How large one may become.
    pub limits: ScratchLimits,
    /// Folders of the host's own that no program is shown, whatever they lie in.
    pub private: Vec<PathBuf>,
}

/// Why there is no scratch.
#[derive(Debug, thiserror::Error)]
pub enum ScratchFault {
    /// The folder.
    #[error("no folder for it: {0}")]
    Folder(std::io::Error),
    /// What was to be put there.
    #[error(transparent)]
    Content(#[from] ScratchError),
}

/// How a scratch is to show the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// At its own path, through an overlay, or a copy where the file system takes none.
    Overlay,
    /// At its own path, a copy.
    CopyInView,
    /// A copy in another folder.
    CopyElsewhere {
        /// Of the user of this number, where that is not the host's own.
        owner: Option<u32>,
    },
}

/// How a scratch holds what it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As an upper layer over the workspace.
    Overlay,
    /// As a copy.
    Copy,
}

/// What a copy in another folder cannot keep.
const ELSEWHERE: &str = "it ran on a copy in another folder: absolute paths in files (a virtual environment's) lead to the workspace itself, \
     which is closed; what your host.toml names in `[sandbox] read` is open";

/// A scratch; it goes when this goes, which may take a while.
pub(crate) struct Scratch {
    folder: OwnFolder,
    kind: Kind,
    hidden: Hidden,
    before: Snapshot,
    notes: Vec<String>,
    mounts: AtomicU32,
}

/// The folders within a scratch.
const UPPER: &str = "upper";
const WORK: &str = "work";
const ROOT: &str = "root";
const COPY: &str = "copy";
const HOME: &str = "home";
const TEMPORARY: &str = "tmp";
const BRIEF: &str = "brief";

impl Scratch {
    /// Makes one for what `view` shows. Long work: call it where blocking is allowed.
    pub(crate) fn make(
        place: &ScratchPlace,
        serial: u32,
        view: &View,
        show: Show,
        permissions: &Permissions,
        cancel: &Cancel,
    ) -> Result<Self, ScratchFault> {
        let folder =
            OwnFolder::make(&place.folder, &format!("{}-{serial}", place.run)).map_err(ScratchFault::Folder)?;
        let dir = |name: &str| {
            folder.dir().create_dir(name)?;
            folder.dir().open_dir(name)
        };
        for name in [ROOT, HOME, TEMPORARY] {
            dir(name).map_err(ScratchFault::Folder)?;
        }
        let mut hidden = scratch::hidden(view.base(), cancel)?;
        // Elsewhere a link leads to it, or nothing.
        if permissions.git && show == Show::Overlay {
            hidden = hidden.with_repository_shown();
        }
        let mut notes: Vec<String> = hidden_notes(&hidden).into_iter().collect();
        let own = view.base().root().resolved();
        if show == Show::Overlay {
            match upper(&dir, view, &hidden, place.limits, cancel) {
                Ok(before) => {
                    return Ok(Self {
                        folder,
                        kind: Kind::Overlay,
                        hidden,
                        before,
                        notes,
                        mounts: AtomicU32::new(0),
                    });
                }
                Err(ScratchFault::Content(ScratchError::NoWhiteout { .. })) => {
                    notes.push("the file system of the state folder takes no overlay: a copy was made".to_owned());
                }
                Err(other) => return Err(other),
            }
        }
        let copy = dir(COPY).map_err(ScratchFault::Folder)?;
        let report = scratch::materialise(view, &hidden, &copy, place.limits, cancel)?;
        notes.extend(copy_notes(&report));
        if let Show::CopyElsewhere { owner } = show {
            notes.push(ELSEWHERE.to_owned());
            let shown = permissions.git.then(|| PathBuf::from(".git"));
            for path in permissions.write_in_workspace.iter().chain(&shown) {
                lead_to(&copy, path, &own.join(path)).map_err(ScratchFault::Folder)?;
            }
            // Before the snapshot, in which a change of owner would be seen.
            if let Some(owner) = owner {
                for name in [COPY, HOME, TEMPORARY] {
                    let given = folder.dir().open_dir(name).map_err(ScratchFault::Folder)?;
                    give(&given, owner).map_err(ScratchFault::Folder)?;
                }
            }
        }
        Ok(Self {
            before: Snapshot::of_copy(&copy, cancel)?,
            folder,
            kind: Kind::Copy,
            hidden,
            notes,
            mounts: AtomicU32::new(0),
        })
    }

    /// How the workspace is shown in it.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Every path that it does not show, from the workspace's root.
    pub(crate) fn hidden(&self) -> Vec<PathBuf> {
        self.hidden.entries().iter().map(|entry| entry.path.clone()).collect()
    }

    /// What it leaves out or cannot keep, for the report.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program's home.
    pub(crate) fn home(&self) -> PathBuf {
        self.path(HOME)
    }

    /// The program's folder for temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.path(TEMPORARY)
    }

    /// What the program is told in files: to be read only.
    pub(crate) fn brief(&self) -> PathBuf {
        self.path(BRIEF)
    }

    /// Writes a file into the program's home.
    pub(crate) fn write_home(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.folder.dir().open_dir(HOME)?.write(name, bytes)
    }

    /// Adds to what the report says of it.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Writes one of those files.
    pub(crate) fn write_brief(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        let folder = self.folder.dir();
        // Few programs are told anything by files.
        if !folder.is_dir(BRIEF) {
            folder.create_dir(BRIEF)?;
        }
        folder.open_dir(BRIEF)?.write(name, bytes)
    }

    /// What is mounted at the workspace's own path, where there is a view for that. Good for one program.
    pub(crate) fn source(&self) -> std::io::Result<Source> {
        match self.kind {
            Kind::Overlay => {
                // An overlay that did not have to reach the disk marks its folder, and is not mounted with that again.
                let work = format!("{WORK}-{}", self.mounts.fetch_add(1, Ordering::Relaxed));
                self.folder.dir().create_dir(&work)?;
                Ok(Source::Overlay {
                    upper: self.path(UPPER),
                    work: self.path(&work),
                })
            }
            Kind::Copy => Ok(Source::Copy(self.copy())),
        }
    }

    /// The copy's folder, where there is one.
    pub(crate) fn copy(&self) -> PathBuf {
        self.path(COPY)
    }

    /// The empty folder for a root that is built anew.
    pub(crate) fn root(&self) -> PathBuf {
        self.path(ROOT)
    }

    /// The folder that holds what was written: the upper layer, or the copy.
    fn taken(&self) -> std::io::Result<Dir> {
        self.folder.dir().open_dir(match self.kind {
            Kind::Overlay => UPPER,
            Kind::Copy => COPY,
        })
    }

    /// What was written since it was made.
    pub(crate) fn written(&self, view: &View, cancel: &Cancel) -> Result<Written, ScratchFault> {
        let taken = self.taken().map_err(ScratchFault::Folder)?;
        let before = &self.before;
        Ok(scratch::written(
            view.base(),
            &self.hidden,
            self.lent(&taken),
            before,
            cancel,
        )?)
    }

    /// What it proposes, read as operations.
    pub(crate) fn difference(
        &self,
        view: &View,
        limits: SubmitLimits,
        cancel: &Cancel,
    ) -> Result<Difference, ScratchFault> {
        let taken = self.taken().map_err(ScratchFault::Folder)?;
        let taken = self.lent(&taken);
        Ok(scratch::difference(
            view,
            &self.hidden,
            taken,
            &self.before,
            &limits,
            cancel,
        )?)
    }

    fn lent<'a>(&self, taken: &'a Dir) -> scratch::Scratch<'a> {
        match self.kind {
            Kind::Overlay => scratch::Scratch::Upper(taken),
            Kind::Copy => scratch::Scratch::Copy(taken),
        }
    }
}

fn upper(
    dir: &impl Fn(&str) -> std::io::Result<Dir>,
    view: &View,
    hidden: &Hidden,
    limits: ScratchLimits,
    cancel: &Cancel,
) -> Result<Snapshot, ScratchFault> {
    let upper = dir(UPPER).map_err(ScratchFault::Folder)?;
    scratch::prepare_upper(view, hidden, &upper, limits, cancel)?;
    Ok(Snapshot::of_upper(&upper, cancel)?)
}

/// Puts a link to the real thing in the place of what was copied. What is not really there is left as it is.
fn lead_to(copy: &Dir, path: &Path, real: &Path) -> std::io::Result<()> {
    if real.symlink_metadata().is_err() {
        return Ok(());
    }
    let (parent, Some(name)) = (
        path.parent().unwrap_or(Path::new("")),
        path.file_name().and_then(OsStr::to_str),
    ) else {
        return Ok(());
    };
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    copy.create_dir_all(parent)?;
    let parent = copy.open_dir(parent)?;
    if parent.symlink_metadata(name).is_ok() {
        scratch::remove_tree(&parent, name)?;
    }
    parent.symlink_contents(real, name)
}

/// Which denied files are not in it; the repository's own folders are left out of every scratch.
fn hidden_notes(hidden: &Hidden) -> Option<String> {
    const NAMED: usize = 5;
    let kept_out: Vec<_> = hidden
        .entries()
        .iter()
        .filter(|entry| !matches!(entry.reason, HiddenReason::Repository | HiddenReason::OwnState))
        .collect();
    let named: Vec<String> = kept_out
        .iter()
        .take(NAMED)
        .map(|entry| format!("`{}`", one_line(&entry.path.to_string_lossy(), 200)))
        .collect();
    match kept_out.len().checked_sub(NAMED) {
        _ if kept_out.is_empty() => None,
        None | Some(0) => Some(format!("not shown to programs: {}", named.join(", "))),
        Some(more) => Some(format!("not shown to programs: {}, and {more} more", named.join(", "))),
    }
}

/// What a copy is not.
fn copy_notes(report: &ScratchReport) -> Vec<String> {
    let left_out = [
        (report.special, "pipes, sockets and devices were left out"),
        (
            report.unreadable,
            "files and folders could not be read and were left out",
        ),
        (report.too_deep, "folders lie too deep and were left out"),
    ];
    let counted = left_out
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"));
    counted.collect()
}
