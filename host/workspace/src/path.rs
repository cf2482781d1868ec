//! The one path type of the workspace, made in one constructor.
//!
//! A path is text that a stranger wrote. It becomes a [`WorkspacePath`] here or nowhere; everything behind this
//! module takes the type and may rely on what it promises. Paths are *literal*: no character is a wildcard, and nothing
//! is case-folded or normalised on the way to the disk; only `.`, `..`, and empty components are resolved, since
//! they name no file of their own.

use std::fmt;

use serde::Serialize;

use crate::escape::escaped;

/// Bytes of a path in all: `PATH_MAX` of Linux, the smallest bound among the systems that matter.
pub const MAX_PATH_BYTES: usize = 4096;
/// Bytes of one component: `NAME_MAX` of every file system in common use.
pub const MAX_COMPONENT_BYTES: usize = 255;
/// Components of a path. Deeper trees exist only as attacks on recursive tools.
pub const MAX_COMPONENTS: usize = 128;

/// How much of a refused path is repeated in the refusal, in characters.
const SHOWN_CHARACTERS: usize = 200;

/// The rule that a path broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathRule {
    /// Empty where a name is needed.
    Empty,
    /// Holds a NUL character.
    Nul,
    /// Starts with `/`, `\` or a drive letter (`C:`).
    Absolute,
    /// A component holds `:` or `\`.
    ReservedCharacter,
    /// A component is a device name on some systems.
    ReservedName,
    /// `..` leads above the root.
    EscapesRoot,
    /// Over 4,096 bytes, or 255 in one component.
    TooLong,
    /// Over 128 components.
    TooDeep,
    /// A trailing `/` where a file is meant.
    TrailingSlash,
}

impl PathRule {
    /// What is wrong and what to do, as the end of a sentence that starts with the path.
    pub fn explain(self) -> &'static str {
        match self {
            Self::Empty => "is empty: name a file by its path from the root of the workspace",
            Self::Nul => "holds a NUL character, which no file name can: leave it out",
            Self::Absolute => {
                "is absolute: give the path from the root of the workspace, without a leading `/`, `\\` or drive letter"
            }
            Self::ReservedCharacter => {
                "holds `:` or `\\`, which separate streams or folders on some systems: separate folders by `/` and use another name"
            }
            Self::ReservedName => {
                "holds a device name (such as `nul`, `con.txt`, `COM1`), which some systems never treat as a file: use another name"
            }
            Self::EscapesRoot => "leads above the root of the workspace: nothing outside it can be named",
            Self::TooLong => "is too long: at most 4096 bytes in all and 255 in each component",
            Self::TooDeep => "is too deep: at most 128 components",
            Self::TrailingSlash => "ends in `/`, which names a folder, where a file is meant: leave the `/` out",
        }
    }
}

/// A path that is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadPath {
    /// As given (cut at 200 characters). Raw: whoever prints it by other means than `Display` escapes it.
    pub path: String,
    /// The rule it broke.
    pub rule: PathRule,
}

impl fmt::Display for BadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the path `{}` {}", escaped(&self.path), self.rule.explain())
    }
}

impl std::error::Error for BadPath {}

/// A path of the workspace: UTF-8, `/`-separated, relative to the root, never empty.
///
/// Holds by construction: at most [`MAX_PATH_BYTES`] bytes and [`MAX_COMPONENTS`] components of 1 to [`MAX_COMPONENT_BYTES`]
/// bytes; no component is `.`, `..` or a device name, and none holds NUL, `/`, `\` or `:`. Ordered by path bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// A file's path, as somebody spelled it. `./f`, `f//g` and `a/../f` are resolved by their text (there is no link to
    /// step through: links are never followed).
    pub fn parse(given: &str) -> Result<Self, BadPath> {
        match normalise(given, Meant::File) {
            Ok(Some(path)) => Ok(Self(path)),
            Ok(None) => Err(bad(given, PathRule::Empty)),
            Err(rule) => Err(bad(given, rule)),
        }
    }

    /// A folder's path: the empty path, `.` and whatever else comes to nothing is the root (`None`), and a trailing `/` is fine.
    pub fn parse_folder(given: &str) -> Result<Option<Self>, BadPath> {
        normalise(given, Meant::Folder)
            .map(|path| path.map(Self))
            .map_err(|rule| bad(given, rule))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// From the root down.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.0.split('/')
    }

    /// The folder it stands in; `None` is the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(folder, _)| Self(folder.to_owned()))
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.0.as_str(), |(_, name)| name)
    }

    /// Whether this is `other`, or stands below it. By component, literally.
    pub fn is_or_is_below(&self, other: &Self) -> bool {
        self.0
            .strip_prefix(&other.0)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The entry `name` of this folder. Every rule is checked again; `name` is one component.
    pub fn join(&self, name: &str) -> Result<Self, BadPath> {
        let joined = format!("{}/{name}", self.0);
        match single_component(name) {
            Ok(()) => Self::parse(&joined),
            Err(rule) => Err(bad(&joined, rule)),
        }
    }

    /// The entry `name` of a folder, where `None` is the root. Every rule is checked again; `name` is one component.
    pub fn in_folder(folder: Option<&Self>, name: &str) -> Result<Self, BadPath> {
        match folder {
            Some(folder) => folder.join(name),
            None => match single_component(name) {
                Ok(()) => Self::parse(name),
                Err(rule) => Err(bad(name, rule)),
            },
        }
    }

    /// The folders above it, from the topmost down to its parent; the root is not among them.
    pub fn ancestors(&self) -> impl DoubleEndedIterator<Item = Self> + '_ {
        self.0.match_indices('/').map(|(at, _)| Self(self.0[..at].to_owned()))
    }
}

impl fmt::Display for WorkspacePath {
    /// Escaped, so that it can be put into a message for people as it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&self.0))
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::borrow::Borrow<str> for WorkspacePath {
    /// Compares and hashes as its text does, so that a map of paths can be asked by text.
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<std::path::Path> for WorkspacePath {
    /// Relative to the root: for calls on the root's handle only.
    fn as_ref(&self) -> &std::path::Path {
        std::path::Path::new(&self.0)
    }
}

/// What the caller needs the path to name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meant {
    File,
    Folder,
}

fn bad(given: &str, rule: PathRule) -> BadPath {
    BadPath {
        path: given.chars().take(SHOWN_CHARACTERS).collect(),
        rule,
    }
}

/// The normal form, or `None` for what comes to the root itself.
fn normalise(given: &str, meant: Meant) -> Result<Option<String>, PathRule> {
    // Lengths before anything else: what follows copies.
    if given.len() > MAX_PATH_BYTES {
        return Err(PathRule::TooLong);
    }
    if given.contains('\0') {
        return Err(PathRule::Nul);
    }
    if given.starts_with(['/', '\\']) || has_drive_letter(given) {
        return Err(PathRule::Absolute);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in given.split('/') {
        match part {
            "" | "." => {}
            // Checked at each step, so that `a/../../b` is refused although a later name could hide it.
            ".." => {
                parts.pop().ok_or(PathRule::EscapesRoot)?;
            }
            name => {
                // Also a component that a later `..` takes back: what is refused by name is refused wherever it is spelled.
                check_component(name)?;
                parts.push(name);
                if parts.len() > MAX_COMPONENTS {
                    return Err(PathRule::TooDeep);
                }
            }
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    // `f/`, `f/.` and `f/g/..` all say "the folder f".
    if meant == Meant::File && matches!(given.rsplit('/').next(), Some("" | "." | "..")) {
        return Err(PathRule::TrailingSlash);
    }
    Ok(Some(parts.join("/")))
}

/// `C:`, `c:\x`, `C:x`: a drive of Windows.
fn has_drive_letter(given: &str) -> bool {
    let bytes = given.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && (bytes.len() == 2 || matches!(bytes[2], b'/' | b'\\'))
}

fn single_component(name: &str) -> Result<(), PathRule> {
    match name {
        "" | "." => Err(PathRule::Empty),
        ".." => Err(PathRule::EscapesRoot),
        _ if name.contains('/') => Err(PathRule::ReservedCharacter),
        _ => Ok(()),
    }
}

fn check_component(name: &str) -> Result<(), PathRule> {
    if name.len() > MAX_COMPONENT_BYTES {
        return Err(PathRule::TooLong);
    }
    if name.contains([':', '\\']) {
        return Err(PathRule::ReservedCharacter);
    }
    if is_device_name(name) {
        return Err(PathRule::ReservedName);
    }
    Ok(())
}

/// The device names of Windows, refused on every system, in reading and in writing, so that a tree written here can be
/// checked out there. Windows looks only at what stands before the first dot, without trailing spaces and whatever the
/// letter case, and takes superscript digits for digits.
fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    // The longest is `CONOUT$`; superscript digits have two bytes.
    if stem.len() > 8 {
        return false;
    }
    let upper = stem.to_ascii_uppercase();
    if matches!(upper.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    ["COM", "LPT"].iter().any(|port| {
        upper.strip_prefix(port).is_some_and(|rest| {
            let mut digits = rest.chars();
            matches!(digits.next(), Some('0'..='9' | '¹' | '²' | '³')) && digits.next().is_none()
        })
    })
}

#[cfg(test)]
mod tests;
