//! A path that the user opens for programs.

use std::fmt;
use std::path::{Path, PathBuf};

use snodo_workspace::path::WorkspacePath;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};

/// A file or a folder that the user opens for programs: without `.`, `..` and empty components, and never the whole of
/// anything. It is literal: no character is a wildcard, no variable is filled in.
///
/// This is its text only. Whether it is there, and what it leads to, is seen where programs are started.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UserPath {
    /// From the machine's root: `/srv/cache`.
    Absolute(String),
    /// From the user's home folder, given as `~/.cache/pip`: `.cache/pip`.
    Home(String),
    /// From the workspace's root: `target`. Of folders that may be written only.
    Workspace(WorkspacePath),
}

impl UserPath {
    /// Something to be read: absolute or below `~/`. The workspace needs no opening, programs see all of it that they may.
    pub fn readable(given: &str) -> Result<Self, &'static str> {
        match Self::parse(given)? {
            Self::Workspace(_) => Err("give an absolute path, or one that begins with `~/`"),
            path => Ok(path),
        }
    }

    /// A folder to be written: absolute, below `~/`, or in the workspace.
    pub fn writable(given: &str) -> Result<Self, &'static str> {
        let path = Self::parse(given)?;
        // A hook in `.git` and a protocol in `.snodo` act outside the sandbox later.
        if names_hosts_own(path.as_text()) {
            return Err("`.git` and `.snodo` are never opened for writing");
        }
        Ok(path)
    }

    fn parse(given: &str) -> Result<Self, &'static str> {
        if given.trim().is_empty() {
            return Err("it is blank");
        }
        if given.contains(char::is_control) {
            return Err("it holds a control character");
        }
        if given.starts_with('$') {
            return Err("variables are not filled in: write the path out, or begin it with `~/`");
        }
        if given.contains(['*', '?']) {
            return Err("paths are literal, without wildcards: name the folder itself");
        }
        if given.split('/').any(|part| part == "..") {
            return Err("`..` is not resolved: write the path out");
        }
        if let Some(below) = given.strip_prefix('/') {
            let below = plain(below);
            return match below.split('/').next() {
                None | Some("") => Err("it would open the whole machine: name what is needed"),
                Some("proc") => Err("the machine's `/proc` shows other programs' secrets: a program has its own"),
                Some(_) => Ok(Self::Absolute(format!("/{below}"))),
            };
        }
        if given == "~" || given.starts_with("~/") {
            let below = plain(given.get(1..).unwrap_or_default());
            return if below.is_empty() {
                Err("it would open the whole home folder, with its keys: name what is needed")
            } else {
                Ok(Self::Home(below))
            };
        }
        if given.starts_with('~') {
            return Err("only `~/` is known, your own home folder");
        }
        match WorkspacePath::parse_folder(given) {
            Ok(Some(path)) => Ok(Self::Workspace(path)),
            Ok(None) => Err("it would open the whole workspace: name a folder in it"),
            Err(bad) => Err(bad.rule.explain()),
        }
    }

    /// Where it is if it is not in the workspace, given the user's home folder.
    pub fn outside_workspace(&self, home: &Path) -> Option<PathBuf> {
        match self {
            Self::Absolute(path) => Some(PathBuf::from(path)),
            Self::Home(below) => Some(home.join(below)),
            Self::Workspace(_) => None,
        }
    }

    fn as_text(&self) -> &str {
        match self {
            Self::Absolute(path) | Self::Home(path) => path,
            Self::Workspace(path) => path.as_str(),
        }
    }
}

impl fmt::Display for UserPath {
    /// As the user would write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self, Self::Home(_)) {
            f.write_str("~/")?;
        }
        f.write_str(self.as_text())
    }
}

/// Without `.` and empty components.
fn plain(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    parts.join("/")
}

/// Whether a component of a path is `.git` or `.snodo`, or another name for one of them on some system. The rules are the
/// workspace's own, so that no spelling is known there and unknown here.
fn names_hosts_own(path: &str) -> bool {
    let rules = DenyList::new(&[], "nothing").and_then(|deny| AccessRules::new(&[], deny, IgnoredReads::refuse_all()));
    let Ok(rules) = rules else {
        return true;
    };
    // What cannot be a name in a workspace is no name of these folders either.
    path.split('/')
        .filter_map(|component| WorkspacePath::parse(component).ok())
        .any(|component| rules.check_write(&component).is_err())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use super::*;

    #[test]
    fn spellings_come_to_one() {
        for (given, shown) in [
            ("/srv/cache", "/srv/cache"),
            ("//srv/./cache/", "/srv/cache"),
            ("~/.cargo/registry", "~/.cargo/registry"),
            ("~//.cargo/registry/.", "~/.cargo/registry"),
            ("target", "target"),
            ("./target//debug/", "target/debug"),
            ("/with blank/ü:x", "/with blank/ü:x"),
        ] {
            assert_eq!(UserPath::writable(given).unwrap().to_string(), shown, "{given}");
        }
    }

    #[test]
    fn where_it_is() {
        let at = |given| {
            UserPath::writable(given)
                .unwrap()
                .outside_workspace(Path::new("/home/x"))
        };
        assert_eq!(at("/a/b/"), Some(PathBuf::from("/a/b")));
        assert_eq!(at("~/b"), Some(PathBuf::from("/home/x/b")));
        assert_eq!(at("b"), None);
    }

    #[test]
    fn what_is_no_path_of_a_user() {
        for (given, why) in [
            ("", "blank"),
            ("  ", "blank"),
            ("/a\u{0}b", "control character"),
            ("~/a\nb", "control character"),
            ("$HOME/x", "variables"),
            ("/srv/*", "wildcards"),
            ("/srv/a?", "wildcards"),
            ("/srv/../etc", "`..`"),
            ("~/..", "`..`"),
            ("target/..", "`..`"),
            ("/", "whole machine"),
            ("/.//", "whole machine"),
            ("/proc", "/proc"),
            ("//./proc/1/environ", "/proc"),
            ("~", "whole home folder"),
            ("~/.", "whole home folder"),
            ("~root/x", "your own home folder"),
        ] {
            for refusal in [
                UserPath::readable(given).unwrap_err(),
                UserPath::writable(given).unwrap_err(),
            ] {
                assert!(refusal.contains(why), "{given:?}: {refusal}");
            }
        }
        for (given, why) in [
            (".", "whole workspace"),
            ("./", "whole workspace"),
            ("a:b", "holds `:`"),
            ("nul", "device name"),
            (".git", "never opened for writing"),
            ("sub/.GIT/hooks", "never opened for writing"),
            (".snodo", "never opened for writing"),
            (".g\u{200c}it", "never opened for writing"),
            ("/srv/repository/.git", "never opened for writing"),
            ("~/w:x/.snodo/x", "never opened for writing"),
        ] {
            let refusal = UserPath::writable(given).unwrap_err();
            assert!(refusal.contains(why), "{given:?}: {refusal}");
        }
    }

    #[test]
    fn reading_is_of_what_lies_outside() {
        assert!(UserPath::readable("target").unwrap_err().contains("absolute"));
        assert!(UserPath::readable("/srv/mirror/.git").is_ok());
        assert!(UserPath::readable("~/.m2").is_ok());
    }
}
