//! Which files the workspace's own `.gitignore` files name.
//!
//! Only `.gitignore` files *inside the root* have effect, in every folder, as git reads them: the deepest file that says
//! something decides, within a file the last line; `!` keeps again; below an ignored folder nothing is kept. What lies outside the
//! root has none: a `.gitignore` of a folder above (also when the workspace is a folder within a repository), the user's global
//! excludes file, and, since nothing of `.git` is used here, `.git/info/exclude`. Nor has `.ignore`.
//!
//! The files of the *base* count: a submission that rewrites `.gitignore` does not change what its author may read. Each is read
//! once in a run and then remembered, as far as memory is bounded. An ignore file that cannot be used (unreadable, too large)
//! hides its whole folder, since what it would have hidden is unknown.

mod file;
mod pattern;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use cap_fs_ext::DirExt as _;
use cap_std::fs::Dir;

use self::file::{Decision, IgnoreFile};
use crate::escape::escaped;
use crate::path::WorkspacePath;
use crate::root::Root;

/// Folders that are remembered, and patterns of their ignore files together (some 100 MB at most). Beyond it, an ignore file is read again
/// each time its folder is looked at: that is slower, but a tree of millions of folders does not take memory without end.
const MAX_FOLDERS: usize = 65_536;
const MAX_PATTERNS: usize = 10_000;

/// The line that ignores a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreHit {
    /// The ignore file, from the root of the workspace.
    pub file: String,
    /// Its line, from 1; 0 when the file as a whole cannot be used.
    pub line: u32,
    /// The line as it stands there; or why the file cannot be used.
    pub pattern: String,
}

impl fmt::Display for IgnoreHit {
    /// As refusals name a rule: ".gitignore:3 `target/`". Escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = escaped(&self.file);
        if self.line == 0 {
            write!(
                f,
                "{file}: {}, so everything in its folder counts as ignored",
                escaped(&self.pattern)
            )
        } else {
            write!(f, "{file}:{} `{}`", self.line, escaped(&self.pattern))
        }
    }
}

/// The ignore files of a workspace.
#[derive(Debug)]
pub struct IgnoreRules {
    root: Arc<Root>,
    known: RwLock<Known>,
}

/// What is remembered.
#[derive(Debug, Default)]
struct Known {
    folders: HashMap<String, Arc<Folder>>,
    patterns: usize,
}

/// What holds for the entries of one folder.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Empty for the root.
    path: String,
    file: Option<IgnoreFile>,
    /// The nearest folder above that has an ignore file.
    above: Option<Arc<Self>>,
    /// The folder itself is ignored, and with it all below.
    ignored: Option<IgnoreHit>,
    /// May be remembered: what it holds on to above is remembered too.
    lasting: bool,
}

impl IgnoreRules {
    /// Of an open root. Nothing is read yet.
    pub fn new(root: Arc<Root>) -> Self {
        Self {
            root,
            known: RwLock::default(),
        }
    }

    /// The line that ignores this path, or a folder above it. `None` for what is not ignored, and for what is not there.
    pub fn why_ignored(&self, path: &WorkspacePath, is_dir: bool) -> Option<IgnoreHit> {
        let (parent, _) = path.as_str().rsplit_once('/').unwrap_or(("", ""));
        self.folder(parent)
            .why_ignored(path.as_str(), is_dir)
            .map(Hit::into_owned)
    }

    /// What holds in a folder, by its path.
    pub(crate) fn folder(&self, path: &str) -> Arc<Folder> {
        if let Some(known) = self.remembered(path) {
            return known;
        }
        let mut folder = self
            .remembered("")
            .unwrap_or_else(|| self.read_in(None, "", Some(self.root.dir())));
        let mut dir: Option<Dir> = None;
        for (end, _) in path
            .match_indices('/')
            .chain((!path.is_empty()).then_some((path.len(), "")))
        {
            let step = &path[..end];
            let name = step.rsplit_once('/').map_or(step, |(_, name)| name);
            // What is not there, or behind a link, has no ignore files.
            let opened = if folder.path.is_empty() {
                self.root.dir().open_dir_nofollow(name).ok()
            } else {
                dir.as_ref().and_then(|d| d.open_dir_nofollow(name).ok())
            };
            folder = self
                .remembered(step)
                .unwrap_or_else(|| self.read_in(Some(&folder), step, opened.as_ref()));
            dir = opened;
        }
        folder
    }

    /// What holds in a folder that lies in `above`. `dir` is the folder, opened; `None` when the base has no such folder.
    pub(crate) fn enter(&self, above: &Arc<Folder>, path: &str, dir: Option<&Dir>) -> Arc<Folder> {
        self.remembered(path)
            .unwrap_or_else(|| self.read_in(Some(above), path, dir))
    }

    fn remembered(&self, path: &str) -> Option<Arc<Folder>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.folders.get(path).cloned()
    }

    fn read_in(&self, above: Option<&Arc<Folder>>, path: &str, dir: Option<&Dir>) -> Arc<Folder> {
        let ignored = above.and_then(|above| above.why_ignored(path, true).map(Hit::into_owned));
        // git does not look into an ignored folder either.
        let file = if ignored.is_some() {
            None
        } else {
            dir.and_then(IgnoreFile::of)
        };
        let patterns = file.as_ref().map_or(0, IgnoreFile::patterns);
        let nearest = above.and_then(|above| {
            if above.file.is_some() {
                Some(above)
            } else {
                above.above.as_ref()
            }
        });
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = known.folders.get(path) {
            return Arc::clone(first);
        }
        let lasting = dir.is_some()
            && nearest.is_none_or(|nearest| nearest.lasting)
            && known.folders.len() < MAX_FOLDERS
            && known.patterns + patterns <= MAX_PATTERNS;
        let folder = Arc::new(Folder {
            path: path.to_owned(),
            file,
            above: nearest.cloned(),
            ignored,
            lasting,
        });
        if lasting {
            known.patterns += patterns;
            known.folders.insert(folder.path.clone(), Arc::clone(&folder));
        }
        folder
    }
}

/// A hit that is not yet copied: a walk asks for every entry and needs the words of none.
pub(crate) enum Hit<'a> {
    Line {
        folder: &'a str,
        line: u32,
        pattern: &'a str,
    },
    Above(&'a IgnoreHit),
}

impl Hit<'_> {
    fn into_owned(self) -> IgnoreHit {
        match self {
            Self::Above(hit) => hit.clone(),
            Self::Line { folder, line, pattern } => IgnoreHit {
                file: if folder.is_empty() {
                    file::NAME.to_owned()
                } else {
                    format!("{folder}/{}", file::NAME)
                },
                line,
                pattern: pattern.to_owned(),
            },
        }
    }
}

impl Folder {
    /// The line that ignores an entry of this folder; `path` is the entry's, from the root.
    pub(crate) fn why_ignored<'a>(&'a self, path: &str, is_dir: bool) -> Option<Hit<'a>> {
        if let Some(hit) = &self.ignored {
            return Some(Hit::Above(hit));
        }
        let mut at = Some(self);
        while let Some(folder) = at {
            if let Some(file) = &folder.file {
                let start = if folder.path.is_empty() {
                    0
                } else {
                    folder.path.len() + 1
                };
                match path.get(start..).and_then(|relative| file.decide(relative, is_dir)) {
                    Some(Decision::Kept) => return None,
                    Some(Decision::Ignored { line, pattern }) => {
                        return Some(Hit::Line {
                            folder: &folder.path,
                            line,
                            pattern,
                        });
                    }
                    None => {}
                }
            }
            at = folder.above.as_deref();
        }
        None
    }
}
