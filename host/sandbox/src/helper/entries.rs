//! What a new root holds, worked out from the plan: which paths, in which order, and which links lead to them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::layer::Layer;
use crate::plan::{NewRoot, Plan, Source};

/// Links followed in one path.
const LINKS: u32 = 40;

/// What is mounted at one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Read-only, as it is.
    Read,
    /// The scratch's folder for temporary files.
    Temporary,
    /// The workspace: an overlay, or a copy.
    Workspace,
    /// To be written, as it is.
    Write,
    /// A part of the workspace, as it really is, read-only.
    Shown,
    /// A part of the workspace, as it really is, to be written.
    Passed,
}

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where it stands in the new root: a path without links.
    pub(super) at: PathBuf,
    /// What the machine has it as.
    pub(super) source: PathBuf,
    /// How.
    pub(super) what: What,
}

/// All of a new root but `/proc` and `/dev`.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// In the order in which they are mounted.
    pub(super) entries: Vec<Entry>,
    /// Links, by where they stand, and what they say.
    pub(super) links: BTreeSet<(PathBuf, PathBuf)>,
    /// The workspace's path without links.
    pub(super) workspace: PathBuf,
    /// What was left out.
    pub(super) notes: Vec<String>,
}

/// Works it out.
pub(super) fn layout(plan: &Plan, root: &NewRoot) -> io::Result<Layout> {
    let mut layout = Layout::default();
    let workspace = layout.resolve(&root.workspace)?;
    if workspace == Path::new("/") {
        return Err(io::Error::other("the workspace is the root of the machine"));
    }
    layout.workspace.clone_from(&workspace);
    let source = match &root.source {
        Source::Overlay { .. } => workspace.clone(),
        Source::Copy(copy) => copy.clone(),
    };
    layout.entries.push(Entry {
        at: workspace.clone(),
        source,
        what: What::Workspace,
    });
    let temporary = layout.resolve(&root.temporary)?;
    for at in ["/tmp", "/var/tmp"] {
        layout.entries.push(Entry {
            at: at.into(),
            source: temporary.clone(),
            what: What::Temporary,
        });
    }
    for path in plan.write.iter().chain([&root.temporary]) {
        // It would be the real one, over the scratch.
        if layout.resolve(path).is_ok_and(|real| real.starts_with(&workspace)) {
            return Err(io::Error::other(format!(
                "`{}` is of the workspace, which is not written but through its scratch",
                path.display()
            )));
        }
        layout.add(path, What::Write);
    }
    for (paths, what) in [(&root.shown, What::Shown), (&root.passed, What::Passed)] {
        for path in paths {
            layout.entries.push(Entry {
                at: workspace.join(path),
                source: workspace.join(path),
                what,
            });
        }
    }
    let real_proc = !plan.layers.has(Layer::PrivateProc);
    for path in &plan.read {
        if path == Path::new("/") {
            // A root cannot be mounted on a root: everything in it is.
            for entry in std::fs::read_dir("/")?.flatten() {
                layout.read(&entry.path(), real_proc);
            }
        } else {
            layout.read(path, real_proc);
        }
    }
    layout.order();
    Ok(layout)
}

impl Layout {
    fn read(&mut self, path: &Path, real_proc: bool) {
        // Both are made anew.
        if (path.starts_with("/dev") && !is_in_memory(path)) || (path.starts_with("/proc") && !real_proc) {
            return;
        }
        self.add(path, What::Read);
    }

    fn add(&mut self, path: &Path, what: What) {
        match self.resolve(path) {
            Ok(real) => self.entries.push(Entry {
                source: real.clone(),
                at: real,
                what,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.notes.push(format!("`{}` was left out: {error}", path.display())),
        }
    }

    /// The path without links; those on the way are kept.
    fn resolve(&mut self, path: &Path) -> io::Result<PathBuf> {
        if !path.is_absolute() {
            return Err(io::Error::other("the path is not absolute"));
        }
        let mut todo: Vec<OsString> = names(path);
        let (mut real, mut links, mut found) = (PathBuf::from("/"), 0, Vec::new());
        while let Some(name) = todo.pop() {
            if name == ".." {
                real.pop();
                continue;
            }
            real.push(&name);
            if !real.symlink_metadata()?.is_symlink() {
                continue;
            }
            links += 1;
            if links > LINKS {
                return Err(io::Error::other("too many links lead to each other"));
            }
            let target = std::fs::read_link(&real)?;
            found.push((real.clone(), target.clone()));
            if target.is_absolute() {
                real = PathBuf::from("/");
            } else {
                real.pop();
            }
            todo.extend(names(&target));
        }
        self.links.extend(found);
        Ok(real)
    }

    /// Leaves out what is seen already, and puts each after what it lies in.
    fn order(&mut self) {
        let all = self.entries.clone();
        let mut index = 0;
        self.entries.retain(|entry| {
            index += 1;
            !covered(entry, index - 1, &all)
        });
        self.entries
            .sort_by_key(|entry| (entry.at.components().count(), entry.what));
        // A link of the workspace's is in the workspace.
        let workspace = self.workspace.clone();
        self.links.retain(|(at, _)| !at.starts_with(&workspace));
    }
}

/// Whether an entry shows nothing that is not seen through others.
fn covered(entry: &Entry, index: usize, all: &[Entry]) -> bool {
    let above = |other: &Entry| entry.at.starts_with(&other.at);
    match entry.what {
        What::Read => all.iter().enumerate().any(|(i, other)| {
            above(other)
                && match other.what {
                    // To be written is more than to be read; and in the workspace only the workspace's own is seen.
                    What::Write | What::Workspace => true,
                    What::Temporary => entry.at == other.at,
                    What::Read => {
                        (entry.at != other.at || i < index) && !interrupted(entry, other, all, &[What::Temporary])
                    }
                    What::Shown | What::Passed => false,
                }
        }),
        What::Write => all.iter().enumerate().any(|(i, other)| {
            // Never over the workspace, whatever a plan names.
            (other.what == What::Workspace && above(other))
                || (other.what == What::Write
                    && above(other)
                    && (entry.at != other.at || i < index)
                    && !interrupted(entry, other, all, &[What::Temporary]))
        }),
        _ => false,
    }
}

/// Whether something of those kinds stands between the two, and hides the outer one's content.
fn interrupted(inner: &Entry, outer: &Entry, all: &[Entry], by: &[What]) -> bool {
    all.iter().any(|between| {
        by.contains(&between.what) && inner.at.starts_with(&between.at) && between.at.starts_with(&outer.at)
    })
}

/// Whether a path is below the folder of shared memory, which is one of the program's own: what is mounted in it has to come after it.
pub(super) fn is_in_memory(path: &Path) -> bool {
    path.starts_with("/dev/shm") && path != Path::new("/dev/shm")
}

/// Names of a path, last first.
fn names(path: &Path) -> Vec<OsString> {
    let name = |component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    };
    path.components().rev().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(at: &str, what: What) -> Entry {
        Entry {
            at: at.into(),
            source: at.into(),
            what,
        }
    }

    #[test]
    fn what_is_seen_through_others_is_left_out_and_the_rest_is_ordered_by_depth() {
        let mut layout = Layout {
            entries: vec![
                entry("/home/u/ws", What::Workspace),
                entry("/tmp", What::Temporary),
                entry("/state/tmp", What::Write),
                entry("/state/tmp/a", What::Write),
                entry("/home/u/ws/.venv/bin", What::Read),
                entry("/usr", What::Read),
                entry("/usr/local/bin", What::Read),
                entry("/usr", What::Read),
                entry("/home/u", What::Read),
                entry("/tmp", What::Read),
                entry("/tmp/tool", What::Read),
                entry("/home/u/cache", What::Write),
                entry("/home/u/ws", What::Write),
                entry("/home/u/ws/cache", What::Write),
                entry("/home/u/ws/target", What::Passed),
            ],
            workspace: "/home/u/ws".into(),
            ..Layout::default()
        };
        layout.order();
        let left: Vec<_> = layout
            .entries
            .iter()
            .map(|e| (e.at.to_str().unwrap_or_default(), e.what))
            .collect();
        assert_eq!(
            left,
            [
                ("/usr", What::Read),
                ("/tmp", What::Temporary),
                ("/home/u", What::Read),
                ("/tmp/tool", What::Read),
                ("/state/tmp", What::Write),
                ("/home/u/ws", What::Workspace),
                ("/home/u/cache", What::Write),
                ("/home/u/ws/target", What::Passed),
            ]
        );
    }
}
