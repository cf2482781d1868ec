//! Propose a change, and tell how it goes: the import `submit`, given to coders only.
//!
//! One-way: nothing here touches the workspace. The host lays the operations over the base, judges the whole, and applies all of it
//! or none.

use std::fmt;

use crate::bindings::imports::snodo::plugin::submit as raw;
use crate::imports;
use crate::types::Content;

pub use raw::{
    Conflict, Duplicate, Operation, ProgressEvent, Rejected, Rename, SetExecutable, Submission, SubmitError,
    SubmitRefusal, Write,
};

mod draft;

pub use draft::{Draft, DraftError};

/// Hands over operations: all of them are taken, or none. They accumulate over calls; a later call wins over an earlier one for
/// a path.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # let workspace = snodo_plugin::testing::Workspace::new().file("src/old.py", "").file("a.txt", "a");
/// # workspace.with_coder_imports(|| {
/// let taken = submit::files(vec![
///     submit::write("src/hello.py", "def hello():\n    return \"world\"\n"),
///     submit::delete("src/old.py"),
///     submit::rename("a.txt", "b.txt"),
/// ])?;
/// assert_eq!(taken.accepted, 3);
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// [`SubmitError::Rejected`] with the index of the operation that was refused, and why.
#[doc(alias = "submit-files")]
#[expect(
    clippy::needless_pass_by_value,
    reason = "operations are handed over; keeping them would suggest that they can be changed"
)]
pub fn files(operations: Vec<Operation>) -> Result<Submission, SubmitError> {
    imports::submit_files(&operations)
}

/// Takes back what was submitted for these paths. Answers the paths for which there was something.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().with_coder_imports(|| {
/// submit::files(vec![submit::write("a", "…")])?;
/// assert_eq!(submit::withdraw(&["a".to_owned(), "b".to_owned()])?, ["a"]);
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// A bound of the invocation.
pub fn withdraw(paths: &[String]) -> Result<Vec<String>, SubmitError> {
    imports::withdraw(paths)
}

/// Tells the person who watches what is going on, in one line of at most 200 characters. It never fails, and may be dropped.
///
/// ```
/// # use snodo_plugin::submit;
/// # snodo_plugin::testing::Workspace::new().with_coder_imports(|| {
/// submit::progress("reading the changelog");
/// # });
/// ```
pub fn progress(message: impl Into<String>) {
    imports::progress(&ProgressEvent {
        message: message.into(),
        done: None,
        total: None,
    });
}

/// As [`progress`], with how many steps are done, of how many.
///
/// ```
/// # use snodo_plugin::submit;
/// # snodo_plugin::testing::Workspace::new().with_coder_imports(|| {
/// submit::step("src/a.rs", 1, 12);
/// # });
/// ```
pub fn step(message: impl Into<String>, done: u32, total: u32) {
    imports::progress(&ProgressEvent {
        message: message.into(),
        done: Some(done),
        total: Some(total),
    });
}

/// Put this content at this path, whole. The executable bit stays as it is; a new file has none.
///
/// ```
/// # use snodo_plugin::submit;
/// assert_eq!(submit::write("a.txt", "text").path(), "a.txt");
/// assert_eq!(submit::write("a.bin", vec![0, 1]).path(), "a.bin");
/// ```
pub fn write(path: impl Into<String>, content: impl Into<Content>) -> Operation {
    Operation::Write(Write {
        path: path.into(),
        content: content.into(),
        executable: None,
    })
}

/// Put this content at this path, whole, with the executable bit set or cleared.
///
/// ```
/// # use snodo_plugin::submit;
/// let operation = submit::write_with_mode("run.sh", "#!/bin/sh\n", true);
/// # assert_eq!(operation.path(), "run.sh");
/// ```
pub fn write_with_mode(path: impl Into<String>, content: impl Into<Content>, executable: bool) -> Operation {
    Operation::Write(Write {
        path: path.into(),
        content: content.into(),
        executable: Some(executable),
    })
}

/// Delete a file.
///
/// ```
/// # use snodo_plugin::submit;
/// assert_eq!(submit::delete("a").to_string(), "delete `a`");
/// ```
pub fn delete(path: impl Into<String>) -> Operation {
    Operation::Delete(path.into())
}

/// Move a file.
///
/// ```
/// # use snodo_plugin::submit;
/// assert_eq!(submit::rename("a", "b").path(), "a");
/// ```
pub fn rename(from: impl Into<String>, to: impl Into<String>) -> Operation {
    Operation::Rename(Rename {
        from: from.into(),
        to: to.into(),
    })
}

/// Set or clear the executable bit of a file.
///
/// ```
/// # use snodo_plugin::submit;
/// assert_eq!(submit::set_executable("run.sh", true).to_string(), "make `run.sh` executable");
/// ```
pub fn set_executable(path: impl Into<String>, executable: bool) -> Operation {
    Operation::SetExecutable(SetExecutable {
        path: path.into(),
        executable,
    })
}

/// What is to be done, in a few words: "write `a`", "rename `a` to `b`".
///
/// ```
/// # use snodo_plugin::submit;
/// assert_eq!(submit::rename("a", "b").to_string(), "rename `a` to `b`");
/// ```
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(write) => write!(f, "write `{}`", write.path),
            Self::Delete(path) => write!(f, "delete `{path}`"),
            Self::Rename(rename) => write!(f, "rename `{}` to `{}`", rename.from, rename.to),
            Self::SetExecutable(set) if set.executable => write!(f, "make `{}` executable", set.path),
            Self::SetExecutable(set) => write!(f, "make `{}` not executable", set.path),
        }
    }
}

impl Operation {
    /// The path that the operation is about; of a rename, where it comes from.
    ///
    /// ```
    /// # use snodo_plugin::submit;
    /// assert_eq!(submit::rename("from", "to").path(), "from");
    /// ```
    pub fn path(&self) -> &str {
        match self {
            Self::Write(write) => &write.path,
            Self::Delete(path) => path,
            Self::Rename(rename) => &rename.from,
            Self::SetExecutable(set) => &set.path,
        }
    }
}
