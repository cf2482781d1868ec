//! Which models a `model_routes` rule is for.

use crate::model_config::ModelRoute;

impl ModelRoute {
    /// Whether it is for a model: a pattern if it holds `*`, `?` or `[`, else the beginning of the name.
    pub fn is_for(&self, model: &str) -> bool {
        if self.matching.contains(['*', '?', '[']) {
            let pattern: Vec<char> = self.matching.chars().collect();
            let name: Vec<char> = model.chars().collect();
            fits(&pattern, &name)
        } else {
            model.starts_with(&self.matching)
        }
    }
}

/// `*` is any text, also with `/`; `?` one character; `[a-z]` and `[!a-z]` one of a set; a `[` without its `]` stands for itself.
///
/// Only the last `*` is ever gone back to, so the time is bounded by the product of the two lengths.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if pattern.get(p) == Some(&'*') {
            p += 1;
            star = Some((p, n));
            continue;
        }
        let step = match name.get(n) {
            None if p == pattern.len() => return true,
            None => return false,
            Some(c) => one(&pattern[p..], *c),
        };
        if let Some(length) = step {
            p += length;
            n += 1;
        } else if let Some((behind, at)) = star {
            (p, n) = (behind, at + 1);
            star = Some((behind, at + 1));
        } else {
            return false;
        }
    }
}

/// How many characters of the pattern one character takes, if it fits.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => match set(pattern) {
            Some((length, negated, members)) => (holds(members, c) != negated).then_some(length),
            None => (c == '[').then_some(1),
        },
        literal => (*literal == c).then_some(1),
    }
}

/// A set at the pattern's beginning: its length, whether it is negated, and what it holds.
fn set(pattern: &[char]) -> Option<(usize, bool, &[char])> {
    let negated = pattern.get(1) == Some(&'!');
    let from = if negated { 2 } else { 1 };
    // A `]` right at the beginning is a member.
    let end = (from + 1..pattern.len()).find(|at| pattern[*at] == ']')?;
    Some((end + 1, negated, &pattern[from..end]))
}

fn holds(members: &[char], c: char) -> bool {
    let mut at = 0;
    while at < members.len() {
        if members.get(at + 1) == Some(&'-') && at + 2 < members.len() {
            if (members[at]..=members[at + 2]).contains(&c) {
                return true;
            }
            at += 3;
        } else {
            if members[at] == c {
                return true;
            }
            at += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_beginnings() {
        for (matching, model, expected) in [
            ("claude-", "claude-x", true),
            ("claude-", "x-claude-", false),
            ("claude-*", "claude-x/y", true),
            ("*", "", true),
            ("*-mini", "gpt-4o-mini", true),
            ("*-mini", "gpt-4o-mini-2", false),
            ("gpt-?o", "gpt-4o", true),
            ("gpt-?o", "gpt-o", false),
            ("o[13]*", "o3-mini", true),
            ("o[!13]*", "o3-mini", false),
            ("o[1-3]", "o2", true),
            ("[]]", "]", true),
            ("a[b", "a[b", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
        ] {
            let route = ModelRoute {
                matching: matching.to_owned(),
                litellm_provider: "openai".to_owned(),
            };
            assert_eq!(route.is_for(model), expected, "{matching} {model}");
        }
    }

    #[test]
    fn a_hostile_pattern_ends() {
        let pattern: Vec<char> = "*a".repeat(128).chars().collect();
        assert!(!fits(&pattern, &vec!['a'; 100]));
        let name: Vec<char> = "b".repeat(256).chars().collect();
        assert!(!fits(&pattern, &name));
    }
}
