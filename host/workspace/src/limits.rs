//! The numbers that bound this crate's work, each with its reason. Nothing here has a `Default`, and nothing in this crate takes
//! [`FileLimits::standard`] or its like by itself: whoever builds a base, an overlay or a copy says which limits it has.
//!
//! Any number may be given. What is allowed is at most the number, so with 0 nothing is; how a number has to stand to another is
//! said where it matters. None lifts a bound of the paths themselves ([`crate::path`]).

/// One mebibyte, in bytes.
const MIB: u64 = 1024 * 1024;

/// What reading may take. Given to [`crate::base::Base::new`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes of the largest file that is read whole; also of the largest that can be replaced, renamed or deleted, since its
    /// content is compared when the change is applied. A call holds it in memory up to three times; a search once for each thread.
    pub whole_bytes: u64,
    /// Bytes that one `read-lines` gives; the range is cut between lines, and a line that alone is longer is not given.
    pub lines_bytes: u64,
    /// Bytes that one `read-lines` looks through in a file too large to be read whole.
    pub scan_bytes: u64,
    /// Paths of one `read-files`; a call with more is refused as a whole.
    pub batch_paths: usize,
    /// Bytes that one `read-files` gives in all; a file that does not fit is answered with this limit. Of use from `whole_bytes` on.
    pub batch_bytes: u64,
}

impl FileLimits {
    /// What the host uses unless it is configured otherwise.
    pub const fn standard() -> Self {
        Self {
            // Sources, lock files and most test data are smaller. A file is held three times on its way into a plugin, which
            // keeps a call below 50 MiB.
            whole_bytes: 16 * MIB,
            // More lines than anybody reads at once; a larger range is asked for in parts.
            lines_bytes: 4 * MIB,
            // About a tenth of a second from memory: an answer about a 60 GB file has to come within one.
            scan_bytes: 64 * MIB,
            // More than a plugin can use at once, few enough to be answered without a pause.
            batch_paths: 1_000,
            // Four files of the largest size; the rest is asked for in a second call.
            batch_bytes: 64 * MIB,
        }
    }
}

/// What a coder may submit over all its calls. Given to [`crate::overlay::Overlay::new`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubmitLimits {
    /// Bytes of one file. At most [`FileLimits::whole_bytes`], or the coder could not read back what it wrote.
    pub file_bytes: u64,
    /// Bytes of all pending files together, what they keep from the base included: they are held in memory.
    pub total_bytes: u64,
    /// Operations of one call; a call with more is refused as a whole.
    pub call_operations: usize,
    /// Paths that differ from the base.
    pub pending_paths: usize,
}

impl SubmitLimits {
    /// What the host uses unless it is configured otherwise.
    pub const fn standard() -> Self {
        Self {
            // What can be submitted can be read back.
            file_bytes: 16 * MIB,
            // A change that a person or a model could still review is far smaller; vendored trees fit.
            total_bytes: 128 * MIB,
            // Ten times the largest change that was measured (10,000 files) would fit in ten calls.
            call_operations: 10_000,
            // Journal and report hold a record for each.
            pending_paths: 50_000,
        }
    }
}

/// What listing and searching may take and give. How large a file is searched is [`FileLimits::whole_bytes`]: what can be read
/// whole can be searched. Given to [`crate::base::Base::new`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// Results of one call, whatever the caller asks for. What is over it is still counted. At most the contract's 10,000.
    pub results: usize,
    /// Bytes of all results of one call together.
    pub answer_bytes: usize,
    /// Bytes of a line that are shown; a longer one is clipped around the match.
    pub line_bytes: usize,
    /// Lines of context on each side; a query for more is refused. At most the contract's 20.
    pub context_lines: u32,
    /// Bytes of a pattern, or of a symbol's name (of which never more than 512 are taken).
    pub pattern_bytes: usize,
}

impl SearchLimits {
    /// What the host uses unless it is configured otherwise.
    pub const fn standard() -> Self {
        Self {
            // The contract's number.
            results: 10_000,
            // Ten thousand results of ordinary lines and paths fit.
            answer_bytes: 4 * 1024 * 1024,
            // Three full lines on a wide screen: enough to see what the hit is, little enough for thousands of hits in minified files.
            line_bytes: 400,
            // The contract's number.
            context_lines: 20,
            // Longer than any line that a person would search for.
            pattern_bytes: 4096,
        }
    }
}

/// What a copy of the workspace for a program to run in may take; beyond it the copy is given up. Given where a copy is made
/// ([`crate::scratch`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScratchLimits {
    /// Bytes that are written; a hole in a sparse file is none.
    pub bytes: u64,
    /// Files, folders and links.
    pub entries: u64,
}

impl ScratchLimits {
    /// What the host uses unless it is configured otherwise.
    pub const fn standard() -> Self {
        Self {
            // A workspace with its build output and virtual environments; above it, a copy for each test run would fill a
            // laptop's disk.
            bytes: 8 * 1024 * MIB,
            // Copying that many takes more than a minute; large JavaScript projects have a third of it.
            entries: 1_000_000,
        }
    }
}

// What can be submitted can be read back, and replaced again.
const _: () = assert!(SubmitLimits::standard().file_bytes <= FileLimits::standard().whole_bytes);
