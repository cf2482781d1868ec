//! Path patterns, for settings that name paths.
//!
//! ```
//! use snodo_plugin::pattern::Pattern;
//!
//! let images = Pattern::parse("assets/**/*.png")?;
//! assert!(images.matches("assets/logo.png") && images.matches("assets/a/b/c.png"));
//! assert!(!images.matches("logo.png") && !images.matches("assets/logo.png/x"));
//! # Ok::<(), snodo_plugin::pattern::BadPattern>(())
//! ```
//!
//! What one means:
//!
//! * A path is compared component by component, from the workspace's root; letter case counts.
//! * `*` stands for any characters of one component, none included, and `?` for one character. Neither ever stands for `/`.
//! * `**`, alone between slashes, stands for any number of components; at the end for at least one.
//! * A pattern without any of these is a plain path. It means what stands there and everything below: `docs` holds `docs/a/b`,
//!   and not `docsx/y`.
//! * `.` components, doubled slashes and a slash at the end mean nothing: `./docs/` is `docs`.
//! * Every other character stands for itself, `[`, `{` and `!` inside of a name too.

use std::fmt;

/// A pattern that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    components: Vec<Component>,
    /// As it was written, for people.
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Component {
    /// `**`
    AnyDepth,
    /// With or without `*` and `?`.
    Name(String),
}

/// Why a text is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPattern {
    /// There is nothing in it but blanks.
    Empty,
    /// It begins with `/`.
    Absolute,
    /// A component is `..`.
    Parent,
    /// It names the root, and nothing in it.
    Root,
    /// It holds `\\`.
    Backslash,
    /// It holds a NUL character.
    Nul,
    /// A component holds `**` and more.
    DoubleStar,
    /// It begins with `!`.
    Negated,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::Absolute => "it is absolute; patterns start at the workspace's root, without `/`",
            Self::Parent => "it holds `..`",
            Self::Root => "it names the workspace's root; write `**` for everything",
            Self::Backslash => "it holds `\\`; write `/` between folders",
            Self::Nul => "it holds a NUL character",
            Self::DoubleStar => "`**` has to stand alone between slashes",
            Self::Negated => "a pattern names what is meant; `!` to take something out is not served",
        })
    }
}

impl std::error::Error for BadPattern {}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// Understands a pattern.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        if text.trim().is_empty() {
            return Err(BadPattern::Empty);
        }
        if text.contains('\0') {
            return Err(BadPattern::Nul);
        }
        if text.contains('\\') {
            return Err(BadPattern::Backslash);
        }
        if text.starts_with('/') {
            return Err(BadPattern::Absolute);
        }
        if text.starts_with('!') {
            return Err(BadPattern::Negated);
        }
        let mut components = Vec::new();
        for component in text.split('/').filter(|component| !matches!(*component, "" | ".")) {
            components.push(match component {
                ".." => return Err(BadPattern::Parent),
                "**" => Component::AnyDepth,
                name if name.contains("**") => return Err(BadPattern::DoubleStar),
                name => Component::Name(name.to_owned()),
            });
        }
        let plain = components
            .iter()
            .all(|component| matches!(component, Component::Name(name) if !name.contains(['*', '?'])));
        match components.last() {
            None => return Err(BadPattern::Root),
            // `docs/**` is what is below `docs`: any depth, then a name.
            Some(Component::AnyDepth) => components.push(Component::Name("*".to_owned())),
            Some(Component::Name(_)) if plain => components.push(Component::AnyDepth),
            Some(Component::Name(_)) => {}
        }
        Ok(Self {
            components,
            text: text.to_owned(),
        })
    }

    /// Whether a path of the workspace is meant. A path that is not in its normal form is never meant: it would have to be
    /// understood first, and what it is then is not what was written.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        if names.iter().any(|name| matches!(*name, "" | "." | "..")) {
            return false;
        }
        // `reached[i]`: the names so far can be what the first `i` components stand for. One row for each name, so that
        // no pattern takes more than components times names.
        let mut reached = vec![false; self.components.len() + 1];
        reached[0] = true;
        self.skip_any_depth(&mut reached);
        for name in names {
            let mut next = vec![false; reached.len()];
            for (at, component) in self.components.iter().enumerate() {
                if !reached[at] {
                    continue;
                }
                match component {
                    Component::AnyDepth => next[at] = true,
                    Component::Name(wild) => next[at + 1] |= name_matches(wild, name),
                }
            }
            self.skip_any_depth(&mut next);
            reached = next;
        }
        reached[self.components.len()]
    }

    /// `**` may stand for nothing.
    fn skip_any_depth(&self, reached: &mut [bool]) {
        for (at, component) in self.components.iter().enumerate() {
            if reached[at] && *component == Component::AnyDepth {
                reached[at + 1] = true;
            }
        }
    }
}

/// Whether one name is what a component with `*` and `?` stands for.
fn name_matches(wild: &str, name: &str) -> bool {
    let (wild, name): (Vec<char>, Vec<char>) = (wild.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    // Where to go on when a later part does not fit: the last `*`, standing for one character more.
    let mut retry: Option<(usize, usize)> = None;
    while read < name.len() {
        match wild.get(at) {
            Some('*') => {
                retry = Some((at, read));
                at += 1;
            }
            Some(&expected) if expected == '?' || expected == name[read] => {
                at += 1;
                read += 1;
            }
            _ => match retry {
                Some((star, from)) => {
                    retry = Some((star, from + 1));
                    at = star + 1;
                    read = from + 1;
                }
                None => return false,
            },
        }
    }
    wild[at..].iter().all(|&rest| rest == '*')
}
