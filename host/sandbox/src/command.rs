//! The declared test command.

use serde::Serialize;
use snodo_config::resolve::CommandSource;

/// What is executed when tests are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeclaredCommand {
    /// As it was declared.
    pub text: String,
    /// What is executed.
    pub argv: Vec<String>,
    /// Whether a path can be added as one more argument: not when a shell reads the command.
    pub takes_path: bool,
    /// Who declared it.
    pub origin: CommandSource,
}

/// Words that a shell answers to by itself, so that there is no program of that name (POSIX, "Special Built-In Utilities" and "Reserved Words").
const SHELLS_OWN: [&str; 24] = [
    "!", ".", ":", "break", "case", "cd", "continue", "eval", "exec", "exit", "export", "for", "if", "readonly",
    "return", "set", "shift", "source", "times", "trap", "ulimit", "unset", "until", "while",
];

impl DeclaredCommand {
    /// Plain words are the argument list itself; anything that a shell would read differently runs as `sh -c`. None for a
    /// command of nothing but blanks.
    pub fn parse(text: &str, origin: CommandSource) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(ToOwned::to_owned).collect();
        let first = words.first()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
        let takes_path = !first.contains('=')
            && !text.trim().contains('\n')
            && !SHELLS_OWN.contains(&first.as_str())
            && words.iter().all(|w| w.chars().all(plain));
        let argv = if takes_path {
            words
        } else {
            vec!["sh".to_owned(), "-c".to_owned(), text.trim().to_owned()]
        };
        Some(Self {
            text: text.trim().to_owned(),
            argv,
            takes_path,
            origin,
        })
    }

    /// Names exactly what is executed, in hexadecimal: the `blake3` of the arguments, each ended by a zero byte.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for argument in &self.argv {
            hasher.update(argument.as_bytes());
            hasher.update(&[0]);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The program.
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use super::*;

    fn parse(text: &str) -> DeclaredCommand {
        DeclaredCommand::parse(text, CommandSource::Flag).unwrap()
    }

    #[test]
    fn plain_words_are_the_argument_list() {
        let command = parse("  cargo test  --offline ");
        assert_eq!(command.argv, ["cargo", "test", "--offline"]);
        assert!(command.takes_path);
    }

    #[test]
    fn shell_syntax_goes_to_a_shell_and_takes_no_path() {
        for text in [
            "a && b",
            "X=1 pytest",
            "echo \"a b\"",
            "a | b",
            "a\nb",
            "ls *.rs",
            "echo $HOME",
            "exit 1;",
            "exit 1",
            "cd sub",
        ] {
            let command = parse(text);
            assert_eq!(command.argv[..2], ["sh", "-c"], "{text}");
            assert!(!command.takes_path);
        }
    }

    #[test]
    fn blanks_are_no_command() {
        assert_eq!(DeclaredCommand::parse(" \n\t", CommandSource::Flag), None);
    }
}
