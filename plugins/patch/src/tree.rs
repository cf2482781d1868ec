//! The workspace as it stands after the parts of the patch so far: reads on demand, keeps what changes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::mem;
use std::rc::Rc;

use crate::edit::Edit;
use crate::error::PatchError;
use crate::files::{Content, Files};

/// A file, on its way through the patch.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) content: Rc<Content>,
    pub(crate) executable: bool,
    /// The path of the workspace that this file was moved from.
    pub(crate) moved_from: Option<String>,
}

impl Node {
    /// A file of text that did not come from anywhere.
    pub(crate) fn text(text: String, executable: bool) -> Self {
        // In the contract, text is what holds no NUL.
        let content = if text.contains('\0') {
            Content::Bytes(text.into_bytes())
        } else {
            Content::Text(text)
        };
        Self {
            content: Rc::new(content),
            executable,
            moved_from: None,
        }
    }

    /// The same content and executable bit.
    fn is_like(&self, other: &Self) -> bool {
        self.executable == other.executable && self.content == other.content
    }

    /// The text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &*self.content {
            Content::Text(text) => Some(text),
            Content::Bytes(_) => None,
        }
    }
}

/// Paths and what stands there now. One *group* is what one `diff` printed: within it, moves and copies start from the files as
/// they stood before the group, as git means them; groups follow upon each other.
pub(crate) struct Tree<'f> {
    files: &'f dyn Files,
    /// One map for all that is known of a path: a component is small when it holds one kind of map.
    paths: BTreeMap<String, Path>,
    group: usize,
    part: usize,
}

/// All that is known of a path.
#[derive(Default)]
struct Path {
    /// Whether the file was read, so that `base` and `now` hold.
    is_read: bool,
    /// The file as it was read.
    base: Option<Node>,
    now: Option<Node>,
    /// What stood here before a group changed it, and which group.
    before: Option<(usize, Option<Node>)>,
    /// A file that had to make room before its group moves or deletes it (two files that swap names), and which group.
    displaced: Option<(usize, Node)>,
    /// The last part that moves or deletes what stands here, as far as was told.
    left_at: Option<usize>,
    /// How many blocks of the task have been about the path.
    blocks: u32,
    /// Set while edits are made: the file as it was read moves to another path.
    is_renamed: Cell<bool>,
}

impl<'f> Tree<'f> {
    pub(crate) fn new(files: &'f dyn Files) -> Self {
        Self {
            files,
            paths: BTreeMap::new(),
            group: 0,
            part: 0,
        }
    }

    /// A group begins; what was put before is what its moves start from.
    pub(crate) fn start_group(&mut self) {
        self.group += 1;
    }

    /// This part comes next.
    pub(crate) fn start_part(&mut self, part: usize) {
        self.part = part;
    }

    /// A part of the group will move or delete what stands at the path.
    pub(crate) fn announce_leaving(&mut self, path: &str, part: usize) {
        self.path(path).left_at = Some(part);
    }

    /// Whether a later part of the group moves or deletes what stands at the path.
    pub(crate) fn is_left_later(&mut self, path: &str) -> bool {
        let part = self.part;
        self.path(path).left_at.is_some_and(|later| later > part)
    }

    /// The number of the next block about the path, from 1.
    pub(crate) fn next_block(&mut self, path: &str) -> u32 {
        let path = self.path(path);
        path.blocks = path.blocks.saturating_add(1);
        path.blocks
    }

    /// What stands at the path now.
    pub(crate) fn get(&mut self, path: &str) -> Result<Option<Node>, PatchError> {
        if !self.path(path).is_read {
            let node = self.files.read(path)?.map(|file| Node {
                content: Rc::new(file.content),
                executable: file.executable,
                moved_from: None,
            });
            let known = self.path(path);
            known.is_read = true;
            known.base.clone_from(&node);
            known.now = node;
        }
        Ok(self.path(path).now.clone())
    }

    /// What stood at the path before the group.
    pub(crate) fn get_before_group(&mut self, path: &str) -> Result<Option<Node>, PatchError> {
        let group = self.group;
        match &self.path(path).before {
            Some((changed_by, node)) if *changed_by == group => Ok(node.clone()),
            _ => self.get(path),
        }
    }

    /// The file that the group moves away from this path, or deletes: the one that made room for another, or what stands there.
    pub(crate) fn leaving(&mut self, path: &str) -> Result<Option<Node>, PatchError> {
        let group = self.group;
        match &self.path(path).displaced {
            Some((displaced_by, node)) if *displaced_by == group => Ok(Some(node.clone())),
            _ => self.get(path),
        }
    }

    /// The file of [`leaving`](Self::leaving) has left.
    pub(crate) fn remove(&mut self, path: &str) {
        let group = self.group;
        match self.path(path).displaced.take() {
            Some((displaced_by, _)) if displaced_by == group => {}
            _ => self.put(path, None),
        }
    }

    /// What stands at the path makes room: a later part of the group moves or deletes it.
    pub(crate) fn displace(&mut self, path: &str, node: Node) {
        self.path(path).displaced = Some((self.group, node));
    }

    /// Now this stands at the path, which was asked for by [`get`](Self::get) before.
    pub(crate) fn put(&mut self, path: &str, node: Option<Node>) {
        let group = self.group;
        let known = self.path(path);
        let before = mem::replace(&mut known.now, node);
        if known.before.as_ref().is_none_or(|(changed_by, _)| *changed_by != group) {
            known.before = Some((group, before));
        }
    }

    fn path(&mut self, path: &str) -> &mut Path {
        self.paths.entry(path.to_owned()).or_default()
    }

    /// What differs from the files as they were read.
    pub(crate) fn into_edits(self) -> Vec<Edit> {
        let mut renames = Vec::new();
        let mut writes = Vec::new();
        let mut bits = Vec::new();
        for (path, known) in &self.paths {
            let Some(node) = &known.now else { continue };
            let Some(base) = &known.base else {
                // A move is told as one, so that the change keeps the file's history: what it gets of other content is written
                // to where it moved.
                let source = node.moved_from.as_deref().and_then(|from| {
                    let source = self.paths.get(from)?;
                    let base = source.base.as_ref()?;
                    (source.now.is_none() && !source.is_renamed.get()).then_some((from, source, base))
                });
                if let Some((from, source, base)) = source {
                    source.is_renamed.set(true);
                    renames.push(Edit::Rename {
                        from: from.to_owned(),
                        to: path.clone(),
                    });
                    if !base.is_like(node) {
                        writes.push(Edit::Write {
                            path: path.clone(),
                            content: Content::clone(&node.content),
                            executable: (base.executable != node.executable).then_some(node.executable),
                            new: false,
                        });
                    }
                } else {
                    writes.push(Edit::Write {
                        path: path.clone(),
                        content: Content::clone(&node.content),
                        executable: node.executable.then_some(true),
                        new: true,
                    });
                }
                continue;
            };
            let other_bit = base.executable != node.executable;
            if base.content != node.content {
                writes.push(Edit::Write {
                    path: path.clone(),
                    content: Content::clone(&node.content),
                    executable: other_bit.then_some(node.executable),
                    new: false,
                });
            } else if other_bit {
                bits.push(Edit::SetExecutable {
                    path: path.clone(),
                    executable: node.executable,
                });
            }
        }
        let mut edits = Vec::new();
        for (path, known) in &self.paths {
            if known.base.is_some() && known.now.is_none() && !known.is_renamed.get() {
                edits.push(Edit::Delete { path: path.clone() });
            }
        }
        edits.append(&mut renames);
        edits.append(&mut writes);
        edits.append(&mut bits);
        edits
    }
}
