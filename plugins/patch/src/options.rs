//! How patches are read and placed.

/// What can be chosen. There is no way to ask for fuzz: a hunk fits exactly, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many lines away from where it says a hunk may stand.
    pub max_offset: u64,
    /// How many leading folders to take off the paths of a diff.
    pub strip: Strip,
}

/// How many leading folders are taken off the paths of a diff. Paths of SEARCH/REPLACE blocks are taken as they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strip {
    /// One when the two paths of the diff carry the prefixes `a/` and `b/` (or the others of git), else none.
    Automatic,
    /// This many.
    Folders(u32),
}

impl Options {
    /// The offset that is allowed where nothing else is said: wide enough for a file that has grown since the diff was made, and
    /// narrow enough that a message about it means something.
    pub const MAX_OFFSET: u64 = 200;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_offset: Self::MAX_OFFSET,
            strip: Strip::Automatic,
        }
    }
}
