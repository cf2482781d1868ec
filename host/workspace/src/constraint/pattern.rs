//! Path patterns with the meaning that snodo's protocols rely on: Python's `fnmatch`.
//!
//! * `*` stands for any characters, `/` and leading dots included; `**` is the same.
//! * `?` stands for one character, any.
//! * `[…]` stands for one character of a set: single ones and ranges; `[!…]` for one that is not in it. A `]` right behind the opening
//!   counts as a member, a `-` that has no character on either side too. A range whose ends are turned round is empty, an empty
//!   set matches nothing, its negation any character. A `[` that is never closed is that character.
//! * Everything else stands for itself; letter case counts. There are no alternatives (`{a,b}`) and no escapes.
//!
//! A pattern is held against the whole path, from the workspace's root. One departure: `./` at the start means nothing, since
//! the paths of a change set are normalised (in snodo such a pattern matches nothing at all).

/// A pattern, ready to be held against paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// `*`
    Any,
    /// `?`
    One,
    /// A character.
    Exactly(char),
    /// A set.
    Set { negated: bool, ranges: Vec<(char, char)> },
}

/// How much matching may still be done, in steps of one character against one part.
#[derive(Debug)]
pub(super) struct Budget(u64);

/// The budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

impl Budget {
    /// For one evaluation: a fraction of a second. Ten thousand paths against a hundred ordinary patterns take a part of it.
    pub(super) const STANDARD: u64 = 100_000_000;

    pub(super) fn new(steps: u64) -> Self {
        Self(steps)
    }

    fn spend(&mut self) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(1).ok_or(Exhausted)?;
        Ok(())
    }
}

impl Pattern {
    /// Every text is a pattern.
    pub(super) fn new(text: &str) -> Self {
        let mut text = text;
        while let Some(rest) = text.strip_prefix("./") {
            text = rest.trim_start_matches('/');
        }
        let chars: Vec<char> = text.chars().collect();
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            at += 1;
            match c {
                // Two in a row say no more than one, and cost more.
                '*' if parts.last() == Some(&Part::Any) => {}
                '*' => parts.push(Part::Any),
                '?' => parts.push(Part::One),
                '[' => match closing(&chars, at) {
                    Some(end) => {
                        parts.push(set(&chars[at..end]));
                        at = end + 1;
                    }
                    None => parts.push(Part::Exactly('[')),
                },
                other => parts.push(Part::Exactly(other)),
            }
        }
        Self { parts }
    }

    /// Whether the whole path is what the pattern stands for.
    pub(super) fn matches(&self, path: &[char], budget: &mut Budget) -> Result<bool, Exhausted> {
        let (mut at, mut read) = (0, 0);
        // Where to go on when a later part does not fit: the last `*`, standing for one character more.
        let mut retry: Option<(usize, usize)> = None;
        while let Some(&c) = path.get(read) {
            budget.spend()?;
            match self.parts.get(at) {
                Some(Part::Any) => {
                    retry = Some((at, read));
                    at += 1;
                }
                Some(part) if part.stands_for(c) => {
                    at += 1;
                    read += 1;
                }
                _ => match retry {
                    Some((star, from)) => {
                        retry = Some((star, from + 1));
                        at = star + 1;
                        read = from + 1;
                    }
                    None => return Ok(false),
                },
            }
        }
        Ok(self.parts[at..].iter().all(|rest| *rest == Part::Any))
    }
}

impl Part {
    fn stands_for(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Exactly(own) => *own == c,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *negated
            }
        }
    }
}

/// Where the set that begins at `start` is closed.
fn closing(chars: &[char], start: usize) -> Option<usize> {
    let mut from = start;
    if chars.get(from) == Some(&'!') {
        from += 1;
    }
    if chars.get(from) == Some(&']') {
        from += 1;
    }
    (from..chars.len()).find(|at| chars[*at] == ']')
}

/// What stands between the brackets.
fn set(content: &[char]) -> Part {
    let negated = content.first() == Some(&'!');
    let members = if negated { &content[1..] } else { content };
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(&first) = members.get(at) {
        if let (Some('-'), Some(&last)) = (members.get(at + 1), members.get(at + 2)) {
            if first <= last {
                ranges.push((first, last));
            }
            at += 3;
        } else {
            ranges.push((first, first));
            at += 1;
        }
    }
    Part::Set { negated, ranges }
}

#[cfg(test)]
mod tests;
