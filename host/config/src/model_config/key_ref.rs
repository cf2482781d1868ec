//! `api_key_ref`: where a key is fetched from.

/// Where a key is fetched from.
pub(super) enum KeyRef {
    /// `env:NAME`.
    Environment(String),
    /// `command:program argument …`.
    Command(Vec<String>),
}

/// The most words of a command.
const WORDS: usize = 64;

impl KeyRef {
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if let Some(name) = text.strip_prefix("env:") {
            return variable(name.trim()).map(Self::Environment);
        }
        if let Some(command) = text.strip_prefix("command:") {
            let argv = words(command)?;
            return match argv.first() {
                None => Err("`command:` is followed by a program and its arguments"),
                Some(program) if program.is_empty() => Err("the program's name is empty"),
                Some(_) if argv.len() > WORDS => Err("a command may have 64 words"),
                Some(_) => Ok(Self::Command(argv)),
            };
        }
        Err("it is `env:NAME` or `command:PROGRAM ARGUMENTS`; a key itself goes to `api_key`")
    }
}

/// The name of an environment variable.
pub(super) fn variable(name: &str) -> Result<String, &'static str> {
    let fits = name.len() <= 256
        && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
        && name.bytes().next().is_some_and(|b| !b.is_ascii_digit());
    if fits {
        Ok(name.to_owned())
    } else {
        Err("a variable's name is of letters, digits and `_`")
    }
}

/// A command's words, quoted as in a POSIX shell and read by none: nothing is expanded (snodo splits them so too).
fn words(text: &str) -> Result<Vec<String>, &'static str> {
    const OPEN: &str = "a quote is not closed";
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\0' => return Err("it holds a NUL character"),
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or(OPEN)? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or(OPEN)? {
                        '"' => break,
                        '\\' => match chars.next().ok_or(OPEN)? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => {
                let next = chars.next().ok_or("it ends in `\\`")?;
                word.get_or_insert_default().push(next);
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test fails by panicking

    use super::words;

    #[test]
    fn words_are_split_as_a_shell_does_and_nothing_is_expanded() {
        for (text, expected) in [
            ("pass show a/b", &["pass", "show", "a/b"][..]),
            ("  x  ", &["x"]),
            ("x 'a b' \"c d\"", &["x", "a b", "c d"]),
            ("x ''", &["x", ""]),
            ("x a\\ b", &["x", "a b"]),
            ("x \"a\\\"b\\n\"", &["x", "a\"b\\n"]),
            ("x $HOME `id` ~ *", &["x", "$HOME", "`id`", "~", "*"]),
            ("", &[]),
        ] {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
        for open in ["x 'a", "x \"a", "x \\", "x \"a\\"] {
            assert!(words(open).is_err(), "{open}");
        }
    }
}
