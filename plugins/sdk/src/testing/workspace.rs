//! The workspace of a test, as it is written down.

use std::collections::BTreeMap;
use std::sync::Arc;

use snodo_workspace::overlay::Overlay;

use super::coder::CoderCall;
use super::given::Given;
use super::ground::Ground;
use super::role::Role;
use super::validator::ValidatorCall;
use super::world::{World, submit_limits};
use crate::submit::Operation;
use crate::{Coder, Content, Validator};

/// What stands at a path.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    File { bytes: Vec<u8>, executable: bool },
    Folder,
    Link { target: String },
}

/// The workspace that a plugin is tested on: files, and the rules over them.
///
/// It is made anew, in a temporary folder, for each call that is tested; what a plugin submits never changes it. The host's own rules
/// hold: `.git`, most of `.snodo` and files that hold secrets by convention are refused, ignored files are passed over, links are not
/// followed.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::Workspace;
///
/// let workspace = Workspace::new()
///     .file("src/main.rs", "fn main() {}\n")
///     .file(".env", "TOKEN=…\n")
///     .protect("docs");
/// workspace.with_coder_imports(|| {
///     assert_eq!(read::file("src/main.rs").unwrap().text(), Some("fn main() {}\n"));
///     assert!(matches!(read::file(".env"), Err(read::ReadError::Refused(_))));
///     assert!(submit::files(vec![submit::write("docs/a.md", "…")]).is_err());
/// });
/// ```
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    pub(super) entries: BTreeMap<String, Entry>,
    pub(super) protected: Vec<String>,
    pub(super) read_ignored: Vec<String>,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a file: text, or bytes.
    ///
    /// ```
    /// # use snodo_plugin::testing::Workspace;
    /// let workspace = Workspace::new().file("a.txt", "text\n").file("logo.png", vec![0x89, b'P']);
    /// ```
    #[must_use]
    pub fn file(self, path: impl Into<String>, content: impl Into<Content>) -> Self {
        self.entry(path, file(content, false))
    }

    /// With a file that may be run.
    ///
    /// ```
    /// # use snodo_plugin::testing::Workspace;
    /// let workspace = Workspace::new().executable("run.sh", "#!/bin/sh\n");
    /// assert!(workspace.with_coder_imports(|| snodo_plugin::read::file("run.sh")).unwrap().executable);
    /// ```
    #[must_use]
    pub fn executable(self, path: impl Into<String>, content: impl Into<Content>) -> Self {
        self.entry(path, file(content, true))
    }

    /// With a folder in which nothing needs to stand.
    ///
    /// ```
    /// # use snodo_plugin::{read, testing::Workspace};
    /// let entries = Workspace::new().folder("empty").with_coder_imports(|| read::list(&read::ListQuery::under("")));
    /// assert_eq!(entries.unwrap().entries[0].path, "empty");
    /// ```
    #[must_use]
    pub fn folder(self, path: impl Into<String>) -> Self {
        self.entry(path, Entry::Folder)
    }

    /// With a symbolic link. Nothing follows it.
    ///
    /// ```
    /// # use snodo_plugin::{read, testing::Workspace};
    /// let workspace = Workspace::new().link("here", "/etc/hostname");
    /// let read = workspace.with_coder_imports(|| read::file("here"));
    /// assert!(matches!(read, Err(read::ReadError::Symlink(_))));
    /// ```
    #[must_use]
    pub fn link(self, path: impl Into<String>, target: impl Into<String>) -> Self {
        self.entry(path, Entry::Link { target: target.into() })
    }

    /// With one more line in `.gitignore`: what it names is passed over, and not read.
    ///
    /// ```
    /// # use snodo_plugin::{read, testing::Workspace};
    /// let workspace = Workspace::new().file("target/a", "…").ignore("target/");
    /// assert!(workspace.with_coder_imports(|| read::file("target/a")).is_err());
    /// ```
    #[must_use]
    pub fn ignore(mut self, pattern: &str) -> Self {
        let entry = self.entries.entry(".gitignore".to_owned()).or_insert(Entry::File {
            bytes: Vec::new(),
            executable: false,
        });
        if let Entry::File { bytes, .. } = entry {
            bytes.extend_from_slice(pattern.as_bytes());
            bytes.push(b'\n');
        }
        self
    }

    /// With ignored files that may be read all the same, as by `--read-ignored`.
    ///
    /// ```
    /// # use snodo_plugin::{read, testing::Workspace};
    /// let workspace = Workspace::new().file("gen/a", "…").ignore("gen/").read_ignored("gen/*");
    /// assert!(workspace.with_coder_imports(|| read::file("gen/a")).is_ok());
    /// ```
    #[must_use]
    pub fn read_ignored(mut self, pattern: impl Into<String>) -> Self {
        self.read_ignored.push(pattern.into());
        self
    }

    /// With a path that the protocol protects, and everything below it: no coder may change it.
    ///
    /// ```
    /// # use snodo_plugin::{submit, testing::Workspace};
    /// let workspace = Workspace::new().file("LICENSE", "…").protect("LICENSE");
    /// let taken = workspace.with_coder_imports(|| submit::files(vec![submit::delete("LICENSE")]));
    /// assert!(taken.is_err());
    /// ```
    #[must_use]
    pub fn protect(mut self, path: impl Into<String>) -> Self {
        self.protected.push(path.into());
        self
    }

    fn entry(mut self, path: impl Into<String>, entry: Entry) -> Self {
        self.entries.insert(path.into(), entry);
        self
    }

    /// A call of a coder, in this workspace.
    ///
    /// # Panics
    ///
    /// Where the files cannot be made.
    #[track_caller]
    pub fn coder<C: Coder>(&self) -> CoderCall<C> {
        CoderCall::new(Ground::of(self), Given::new(Role::Coder, self))
    }

    /// A call of a validator: this is the base, and [`ValidatorCall::changed`] says what a coder changed.
    ///
    /// # Panics
    ///
    /// Where the files cannot be made.
    #[track_caller]
    pub fn validator<V: Validator>(&self) -> ValidatorCall<V> {
        ValidatorCall::new(Ground::of(self), Given::new(Role::Validator, self))
    }

    /// Does some work with the imports of a coder: for what is less than a plugin.
    ///
    /// ```
    /// # use snodo_plugin::{read, submit, testing::Workspace};
    /// Workspace::new().with_coder_imports(|| {
    ///     submit::files(vec![submit::write("a", "new")]).unwrap();
    ///     assert_eq!(read::file("a").unwrap().text(), Some("new"));
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// Where the host would end a plugin that does this.
    #[track_caller]
    pub fn with_coder_imports<R>(&self, work: impl FnOnce() -> R) -> R {
        let ground = Ground::of(self);
        let overlay = Arc::new(Overlay::new(Arc::clone(&ground.base), submit_limits()));
        let mut given = Given::new(Role::Coder, self);
        let world = World::of_coder(&ground, &overlay, given.capabilities());
        world.run(work).0
    }

    /// Does some work with the imports of a validator, after these operations of a coder.
    ///
    /// ```
    /// # use snodo_plugin::{change, submit, testing::Workspace};
    /// let workspace = Workspace::new().file("a", "old\n");
    /// workspace.with_validator_imports([submit::write("a", "new\n")], || {
    ///     assert_eq!(change::summary().unwrap().added, 1);
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// Where an operation is refused, or the host would end a plugin that does this.
    #[track_caller]
    pub fn with_validator_imports<R>(
        &self,
        operations: impl IntoIterator<Item = Operation>,
        work: impl FnOnce() -> R,
    ) -> R {
        let ground = Ground::of(self);
        let overlay = Overlay::new(Arc::clone(&ground.base), submit_limits());
        super::validator::take(&overlay, operations);
        let mut given = Given::new(Role::Validator, self);
        let change = super::account::Account::of(&ground, overlay.entries());
        let world = World::of_validator(&ground, Some(&change), given.capabilities());
        world.run(work).0
    }
}

fn file(content: impl Into<Content>, executable: bool) -> Entry {
    let content: Content = content.into();
    Entry::File {
        bytes: content.as_bytes().to_vec(),
        executable,
    }
}
