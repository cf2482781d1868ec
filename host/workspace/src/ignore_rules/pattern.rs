//! One line of a `.gitignore` file, put into the dialect that the matcher of the `ignore` crate reads.
//!
//! The two differ where a line uses what only one of them knows: braces are letters to git and alternatives to the
//! matcher; git reads a backslash inside a class as an escape and takes a class that is not closed for a pattern that
//! never matches; a run of three stars is two to git. `tests/finding/like_git.rs` compares the result with git itself.

/// The line as the matcher should read it; `None` when git takes no pattern from it, or one that matches nothing.
///
/// `line` comes without its line feed and, on the first line, without a byte-order mark.
pub(super) fn translate(line: &str) -> Option<String> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let line = trim_trailing_spaces(line);
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (negated, body) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
    // One slash is taken off each end, with no regard to a backslash before it (which then escapes nothing).
    let (folders_only, body) = body.strip_suffix('/').map_or((false, body), |rest| (true, rest));
    let (from_here, body) = body.strip_prefix('/').map_or((false, body), |rest| (true, rest));
    if body.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(line.len() + 8);
    out.extend(negated.then_some('!'));
    out.extend(from_here.then_some('/'));
    out.push_str(&glob(body, true)?);
    out.extend(folders_only.then_some('/'));
    Some(out)
}

/// What stands between the slashes at the ends. `literal`: nothing yet but letters that stand for themselves.
fn glob(body: &str, mut literal: bool) -> Option<String> {
    let mut out = String::with_capacity(body.len() + 8);
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' => slash(&mut out)?,
            // A slash is one with an escape, too.
            '\\' if chars.next_if_eq(&'/').is_some() => {
                // Before it, `**` stands for one folder or more, and not for none as before a plain one.
                if out.ends_with("/**") || out == "**" {
                    out.push_str("/*");
                }
                slash(&mut out)?;
            }
            '\\' => match chars.next()? {
                // As a class, since the matcher takes a backslash before the last slash for an escape.
                '\\' => out.push_str("[\\]"),
                escaped => out.extend(['\\', escaped]),
            },
            '{' | '}' => out.extend(['\\', c]),
            '*' if chars.next_if_eq(&'*').is_some() => {
                while chars.next_if_eq(&'*').is_some() {}
                let rest: String = chars.clone().collect();
                if literal && !out.is_empty() && !out.ends_with('/') && rest.starts_with(['/', '\\']) {
                    // git compares the letters first, and then the rest as a pattern of its own. So this `**` is at a beginning,
                    // where it reaches across folders: `out**/x` is also `outside/a/x`, and `outx`.
                    if let Some(rest) = rest.strip_prefix('/') {
                        let rest = glob(rest, false)?;
                        return Some(format!("{out}{{{rest},*/**/{rest}}}"));
                    }
                    if let Some(rest) = rest.strip_prefix("\\/") {
                        return Some(format!("{out}*/**/{}", glob(rest, false)?));
                    }
                }
                out.push_str("**");
            }
            '[' => Class::read(&mut chars)?.write(&mut out),
            _ => out.push(c),
        }
        literal &= !matches!(c, '*' | '?' | '[' | '\\');
    }
    // No path ends with a slash.
    (!out.is_empty() && !out.ends_with('/')).then_some(out)
}

/// No path has two slashes in a row, nor one at its beginning.
fn slash(out: &mut String) -> Option<()> {
    let possible = !out.is_empty() && !out.ends_with('/');
    out.push('/');
    possible.then_some(())
}

/// Spaces at the end do not count unless escaped; tabs do.
fn trim_trailing_spaces(line: &str) -> &str {
    let mut end = 0;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => end = chars.next().map_or(line.len(), |(i, escaped)| i + escaped.len_utf8()),
            ' ' => {}
            _ => end = at + c.len_utf8(),
        }
    }
    &line[..end]
}

/// A bracket expression, as git reads it.
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
    /// POSIX classes by name, which both dialects know.
    named: Vec<String>,
}

impl Class {
    const NAMES: [&str; 12] = [
        "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit",
    ];

    /// Reads up to the closing bracket; the opening one is read already. `None`: the pattern matches nothing.
    fn read(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Self> {
        let negated = chars.next_if(|c| *c == '!' || *c == '^').is_some();
        let mut class = Self {
            negated,
            ranges: Vec::new(),
            named: Vec::new(),
        };
        // What a `-` would make a range from.
        let mut previous = None;
        let mut first = true;
        loop {
            let c = chars.next()?;
            match c {
                ']' if !first => return Some(class),
                '\\' => {
                    let escaped = chars.next()?;
                    class.ranges.push((escaped, escaped));
                    previous = Some(escaped);
                }
                '-' if previous.is_some() && chars.peek().is_some_and(|next| *next != ']') => {
                    let mut end = chars.next()?;
                    if end == '\\' {
                        end = chars.next()?;
                    }
                    if let Some(start) = previous.take()
                        && start <= end
                    {
                        class.ranges.push((start, end));
                    }
                }
                '[' if chars.peek() == Some(&':') => {
                    // Up to the next bracket; only `:]` ends a name.
                    let ahead: String = chars.clone().skip(1).take_while(|c| *c != ']').collect();
                    if let Some(name) = ahead.strip_suffix(':') {
                        if !Self::NAMES.contains(&name) {
                            return None;
                        }
                        class.named.push(name.to_owned());
                        for _ in 0..ahead.chars().count() + 2 {
                            chars.next();
                        }
                        previous = None;
                    } else {
                        class.ranges.push(('[', '['));
                        previous = Some('[');
                    }
                }
                _ => {
                    class.ranges.push((c, c));
                    previous = Some(c);
                }
            }
            first = false;
        }
    }

    /// Writes the class so that no character of it can be taken for syntax. The matcher knows no escape inside a
    /// class, only places: `]` first and `-` last are letters, `!` and `^` are unless first, `[` is unless before `:`.
    fn write(&self, out: &mut String) {
        const SYNTAX: [char; 6] = [':', '!', '^', '[', ']', '-'];
        let mut plain = String::new();
        let mut special = Vec::new();
        for &(mut start, mut end) in &self.ranges {
            while start < end && SYNTAX.contains(&start) {
                special.push(start);
                start = next(start);
            }
            while start < end && SYNTAX.contains(&end) {
                special.push(end);
                end = before(end);
            }
            if start < end {
                plain.extend([start, '-', end]);
            } else if SYNTAX.contains(&start) {
                special.push(start);
            } else {
                plain.push(start);
            }
        }
        for name in &self.named {
            plain.push_str("[:");
            plain.push_str(name);
            plain.push_str(":]");
        }
        let has = |c: &char| special.contains(c);
        let safe_first = !plain.is_empty() || self.negated || [':', '[', ']', '-'].iter().any(has);
        match (safe_first, special.is_empty()) {
            // Ranges that run backwards hold nothing: `[!…]` of nothing is anything, `[…]` of nothing is nothing.
            (_, true) if plain.is_empty() => out.push_str(if self.negated { "?" } else { "[/]" }),
            // Only `!` or `^` or both: as alternatives, since neither may stand first.
            (false, _) => out.push_str(match (has(&'!'), has(&'^')) {
                (true, true) => "{\\!,^}",
                (true, false) => "\\!",
                (false, _) => "^",
            }),
            (true, _) => {
                out.push('[');
                if self.negated {
                    out.push('!');
                }
                if has(&']') {
                    out.push(']');
                }
                out.push_str(&plain);
                let dash_first = !self.negated && plain.is_empty() && ![':', '[', ']'].iter().any(has) && has(&'-');
                if dash_first {
                    out.push('-');
                }
                out.extend([':', '[', '!', '^'].iter().filter(|c| has(c)));
                if has(&'-') && !dash_first {
                    out.push('-');
                }
                out.push(']');
            }
        }
    }
}

fn next(c: char) -> char {
    char::from_u32(u32::from(c) + 1).unwrap_or(c)
}

fn before(c: char) -> char {
    char::from_u32(u32::from(c) - 1).unwrap_or(c)
}
