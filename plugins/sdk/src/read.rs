//! Read files of the workspace: the import `read`.
//!
//! A coder sees the base with its own pending submission on top; a validator sees what its phase judges. Paths are relative to the
//! root, `/`-separated and literal. Links are never followed.

use crate::bindings::imports::snodo::plugin::read as raw;
use crate::imports;
use crate::types::Content;

mod walk;

pub use walk::{Walk, walk};

pub use raw::{Entry, File, Lines, ListQuery, Listing, ReadAnswer, ReadError};

/// A whole file.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().executable("run.sh", "#!/bin/sh\n").with_coder_imports(|| {
/// let file = read::file("run.sh")?;
/// assert_eq!(file.text(), Some("#!/bin/sh\n"));
/// assert!(file.executable);
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why it could not be read; [`ReadError::TooLarge`] names the limit, under which [`lines`] may still work.
#[doc(alias = "read-file")]
pub fn file(path: &str) -> Result<File, ReadError> {
    imports::read_file(path)
}

/// The text of a file.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().file("a.txt", "one\n").file("b.bin", vec![0]).with_coder_imports(|| {
/// assert_eq!(read::text("a.txt")?, "one\n");
/// assert!(matches!(read::text("b.bin"), Err(read::TextError::NotText(_))));
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why it could not be read; also that it holds no text.
pub fn text(path: &str) -> Result<String, TextError> {
    match file(path)?.content {
        Content::Text(text) => Ok(text),
        Content::Bytes(_) => Err(TextError::NotText(path.to_owned())),
    }
}

/// The text of a file, where there is one: none where nothing stands at the path.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().with_coder_imports(|| {
/// let changelog = read::optional_text("CHANGELOG.md")?.unwrap_or_else(|| "# Changelog\n".to_owned());
/// # assert_eq!(changelog, "# Changelog\n");
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why what stands there could not be read; also that it holds no text.
pub fn optional_text(path: &str) -> Result<Option<String>, TextError> {
    match text(path) {
        Ok(text) => Ok(Some(text)),
        Err(TextError::Read(ReadError::NotFound(_))) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The bytes of a file, whatever it holds.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().file("logo.png", vec![0x89, b'P', b'N', b'G']).with_coder_imports(|| {
/// assert!(read::bytes("logo.png")?.starts_with(b"\x89PNG"));
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why it could not be read.
pub fn bytes(path: &str) -> Result<Vec<u8>, ReadError> {
    Ok(match file(path)?.content {
        Content::Text(text) => text.into_bytes(),
        Content::Bytes(bytes) => bytes,
    })
}

/// Whether a file stands at a path. A folder is none. Its content is not read, so that its size does not matter.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().file("src/lib.rs", "").with_coder_imports(|| {
/// assert!(read::is_file("src/lib.rs")?);
/// assert!(!read::is_file("src")? && !read::is_file("src/main.rs")?);
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why it cannot be said: the path is none, or a rule keeps it from plugins.
#[doc(alias = "exists")]
pub fn is_file(path: &str) -> Result<bool, ReadError> {
    match lines(path, 1, 1) {
        Ok(_) => Ok(true),
        Err(ReadError::NotFound(_) | ReadError::WrongKind(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Why there is no text.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// let error = read::TextError::NotText("logo.png".to_owned());
/// assert_eq!(error.explain(), "`logo.png` is not text");
/// assert!(matches!(CoderError::from(error), CoderError::Unreadable(refused) if refused.path == "logo.png"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextError {
    /// The file could not be read.
    Read(ReadError),
    /// What the file at this path holds is not text: not UTF-8, or with a NUL in it.
    NotText(String),
}

impl From<ReadError> for TextError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

/// Lines `first` to `last` of a file, both included and counted from 1. A file too large to be read whole can be read so.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().file("a.txt", "one\ntwo\nthree\n").with_coder_imports(|| {
/// let lines = read::lines("a.txt", 2, 9)?;
/// assert_eq!(lines.content.text(), Some("two\nthree\n"));
/// assert_eq!((lines.first, lines.last), (2, 3));
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why it could not be read.
#[doc(alias = "read-lines")]
pub fn lines(path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
    imports::read_lines(path, first, last)
}

/// Several whole files in one call; each path has its own answer, in the order asked.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().file("a", "").with_coder_imports(|| {
/// let answers = read::files(&["a".to_owned(), "b".to_owned()])?;
/// assert!(answers[0].outcome.is_ok());
/// assert_eq!(answers[1].outcome, Err(read::ReadError::NotFound("b".to_owned())));
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why the call as a whole was not carried out.
#[doc(alias = "read-files")]
pub fn files(paths: &[String]) -> Result<Vec<ReadAnswer>, ReadError> {
    imports::read_files(paths)
}

/// What stands in a folder. For files by patterns there is [`walk`].
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # snodo_plugin::testing::Workspace::new().file("src/a/b.rs", "").file("src/c", "").with_coder_imports(|| {
/// let listing = read::list(&read::ListQuery::under("src").depth(1))?;
/// let paths: Vec<&str> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
/// assert_eq!(paths, ["src/a", "src/c"]);
/// # Ok::<(), CoderError>(()) }).unwrap();
/// ```
///
/// # Errors
///
/// Why the folder could not be listed.
#[doc(alias = "list-files")]
pub fn list(query: &ListQuery) -> Result<Listing, ReadError> {
    imports::list_files(query)
}

impl File {
    /// The content, where it is text.
    ///
    /// ```
    /// # use snodo_plugin::prelude::*;
    /// # let workspace = snodo_plugin::testing::Workspace::new().file("logo.png", vec![0x89, 0]);
    /// # workspace.with_coder_imports(|| {
    /// assert_eq!(read::file("logo.png")?.text(), None);
    /// # Ok::<(), CoderError>(()) }).unwrap();
    /// ```
    pub fn text(&self) -> Option<&str> {
        self.content.text()
    }
}

impl Content {
    /// The text, or none where the content is bytes.
    ///
    /// ```
    /// # use snodo_plugin::Content;
    /// assert_eq!(Content::from("one").text(), Some("one"));
    /// assert_eq!(Content::from(vec![0xff]).text(), None);
    /// ```
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Bytes(_) => None,
        }
    }

    /// The bytes, of either kind.
    ///
    /// ```
    /// # use snodo_plugin::Content;
    /// assert_eq!(Content::from("one").as_bytes(), b"one");
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// The host's own ceiling of entries and of matches in one answer.
pub(crate) const CEILING: u32 = 10_000;

/// Which entries to list.
impl ListQuery {
    /// Everything below a folder (empty for the root) but hidden and ignored files, up to the host's ceiling of entries.
    ///
    /// ```
    /// # use snodo_plugin::read::ListQuery;
    /// let query = ListQuery::under("src").glob("**/*.rs").depth(3).hidden().ignored().limit(100);
    /// assert_eq!((query.depth, query.limit), (Some(3), 100));
    /// ```
    pub fn under(folder: impl Into<String>) -> Self {
        Self {
            under: folder.into(),
            depth: None,
            glob: None,
            hidden: false,
            ignored: false,
            limit: CEILING,
        }
    }

    /// Only down to this depth: 1 lists the folder's own entries.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Only paths that match this glob, taken from the folder.
    #[must_use]
    pub fn glob(mut self, glob: impl Into<String>) -> Self {
        self.glob = Some(glob.into());
        self
    }

    /// Dot files too.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// What ignore files name too.
    #[must_use]
    pub fn ignored(mut self) -> Self {
        self.ignored = true;
        self
    }

    /// At most this many entries.
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }
}
