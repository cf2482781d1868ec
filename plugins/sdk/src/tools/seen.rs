//! What a model was shown already, so that it is not shown again.

use std::collections::BTreeMap;

/// The last line of a file, whichever that is.
pub(super) const END: u64 = u64::MAX;

/// What was shown, and in which turn. Only what really stood in an answer is recorded, never what failed or was cut off.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    turn: u32,
    /// Lines by path, in its normal spelling.
    lines: BTreeMap<String, Vec<Shown>>,
    /// Listings and searches, by their arguments in their normal spelling.
    calls: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Copy)]
struct Shown {
    first: u64,
    last: u64,
    /// The file ends with the last line.
    to_end: bool,
    turn: u32,
}

impl Seen {
    pub(super) fn begin_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// Where all of these lines were shown, if they were.
    pub(super) fn lines(&self, path: &str, first: u64, last: u64) -> Option<Place> {
        let shown = self.lines.get(&normal_path(path))?;
        shown
            .iter()
            .find(|shown| {
                // Behind the end of a file there is nothing that could be missing; a range that begins there is another question.
                let reaches = last <= shown.last || (shown.to_end && first <= shown.last);
                shown.first <= first && reaches
            })
            .map(|shown| Place(shown.turn))
    }

    /// Lines were shown; whether the file ends with the last of them.
    pub(super) fn show_lines(&mut self, path: &str, first: u64, last: u64, to_end: bool) {
        let shown = Shown {
            first,
            last,
            to_end,
            turn: self.turn,
        };
        self.lines.entry(normal_path(path)).or_default().push(shown);
    }

    /// Where this call was answered, if it was.
    pub(super) fn call(&self, key: &str) -> Option<Place> {
        self.calls.get(key).copied().map(Place)
    }

    pub(super) fn show_call(&mut self, key: String) {
        self.calls.insert(key, self.turn);
    }

    /// A path has another content now, or is gone: what was read of it no longer holds, nor does any listing or search.
    pub(super) fn changed(&mut self, path: &str) {
        let path = normal_path(path);
        let below = format!("{path}/");
        self.lines.retain(|read, _| *read != path && !read.starts_with(&below));
        self.calls.clear();
    }
}

/// A turn, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u32);

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => f.write_str("in the first message"),
            turn => write!(f, "in turn {turn}"),
        }
    }
}

/// One spelling for a path: `./a//b/../c` is `a/c`, and the root is empty.
///
/// For comparing what a model wrote. What is handed to the host stays as it was written: a path that leads above the root, or starts at
/// another, keeps saying so here, and is refused there.
///
/// ```
/// use snodo_plugin::tools::normal_path;
///
/// assert_eq!(normal_path("./src//b/../a.rs"), "src/a.rs");
/// assert_eq!(normal_path("."), "");
/// assert_eq!(normal_path("../a.rs"), "../a.rs");
/// ```
pub fn normal_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}
