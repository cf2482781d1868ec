#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::format_push_string,
    clippy::print_stderr
)] // a test fails by panicking, and asks Python when it is there

use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use regex::RegexBuilder;

use super::{Budget, Exhausted, Pattern};

fn matches(pattern: &str, path: &str) -> bool {
    let path: Vec<char> = path.chars().collect();
    Pattern::new(pattern)
        .matches(&path, &mut Budget::new(Budget::STANDARD))
        .unwrap()
}

#[test]
fn what_the_signs_mean() {
    for (pattern, path, expected) in [
        ("src/*", "src/a.py", true),
        ("src/*", "src/a/b/c.py", true),
        ("src/*", "src/", true),
        ("src/*", "src", false),
        ("src/*", "srcx/a", false),
        ("src/*", "SRC/a.py", false),
        ("src/**", "src/a.py", true),
        ("**", "anything/at/.all", true),
        ("*.py", "deep/down/a.py", true),
        ("*", ".hidden", true),
        ("docs", "docs", true),
        ("docs", "docs/a", false),
        ("docs", "docsx", false),
        ("src/?.py", "src/a.py", true),
        ("src/?.py", "src/ab.py", false),
        ("src?a.py", "src/a.py", true),
        ("src/[!a].py", "src/a.py", false),
        ("src/[!a].py", "src/b.py", true),
        ("[a-c]x", "bx", true),
        ("[a-c]x", "dx", false),
        ("[]]", "]", true),
        ("[!]]", "]", false),
        ("[a-]", "-", true),
        ("[-a]", "-", true),
        ("[c-a]", "b", false),
        ("[!c-a]", "b", true),
        ("[a", "[a", true),
        ("[]", "[]", true),
        ("[!]", "[!]", true),
        ("{a,b}", "a", false),
        ("{a,b}", "{a,b}", true),
        ("a\\*", "a\\b", true),
        ("[\\]", "\\", true),
        ("", "", true),
        ("", "a", false),
        ("é?", "é日", true),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
    assert!(matches("./src/*", "src/a") && matches(".//./src/*", "src/a"));
    assert!(!matches("../*", "a") && !matches("/src/*", "src/a"));
}

#[test]
fn a_pattern_made_to_be_slow_uses_up_its_budget() {
    let path: Vec<char> = "a".repeat(4096).chars().collect();
    let slow = Pattern::new(&format!("*{}b", "a".repeat(1000)));
    assert_eq!(slow.matches(&path, &mut Budget::new(100_000)), Err(Exhausted));
    // And with enough of it, ends: the work grows with the product of the lengths, not beyond.
    assert_eq!(slow.matches(&path, &mut Budget::new(20_000_000)), Ok(false));
}

/// The same meaning by another way: a regular expression, as Python makes one of a pattern.
fn reference(pattern: &str) -> Option<regex::Regex> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut expression = String::from(r"\A");
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        at += 1;
        match c {
            '*' => expression.push_str(".*"),
            '?' => expression.push('.'),
            '[' => {
                let rest: String = chars[at..].iter().collect();
                // Behind a `!` and a first `]`, up to the next `]`.
                let skip = rest.strip_prefix('!').map_or(0, |_| 1);
                let skip = skip + usize::from(rest[skip..].starts_with(']'));
                let Some(end) = rest
                    .char_indices()
                    .find(|(i, c)| *i >= skip && *c == ']')
                    .map(|(i, _)| i)
                else {
                    expression.push_str(r"\[");
                    continue;
                };
                let content = &rest[..end];
                at += content.chars().count() + 1;
                let (sign, members) = content.strip_prefix('!').map_or(("", content), |m| ("^", m));
                let members: Vec<char> = members.chars().collect();
                let mut inner = String::new();
                let mut i = 0;
                while i < members.len() {
                    if i + 2 < members.len() && members[i + 1] == '-' {
                        if members[i] <= members[i + 2] {
                            inner += &format!(r"\x{{{:x}}}-\x{{{:x}}}", members[i] as u32, members[i + 2] as u32);
                        }
                        i += 3;
                    } else {
                        inner += &format!(r"\x{{{:x}}}", members[i] as u32);
                        i += 1;
                    }
                }
                match (inner.is_empty(), sign) {
                    (true, "") => return None,
                    (true, _) => expression.push('.'),
                    (false, _) => expression += &format!("[{sign}{inner}]"),
                }
            }
            other => expression += &regex::escape(&other.to_string()),
        }
    }
    expression.push_str(r"\z");
    Some(
        RegexBuilder::new(&expression)
            .dot_matches_new_line(true)
            .build()
            .unwrap(),
    )
}

fn a_pattern() -> impl Strategy<Value = String> {
    let pieces = &[
        "*", "*", "?", "[ab]", "[!a]", "[a-b]", "[", "]", "[!", "a", "b", "c", "!", "-", "^", "/", ".", "&&", "~~",
        "||", "\\", "\n",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..10).prop_map(|pieces| pieces.concat())
}

/// A pattern, and a path that is likely to be one that it stands for, or any other.
fn a_pair() -> impl Strategy<Value = (String, String)> {
    let any_path = "[]ab!\\[\\-^/.&~|\\\\\n]{0,5}";
    (a_pattern(), any_path, any::<bool>()).prop_map(|(pattern, path, likely)| {
        let path = if likely {
            let filled = pattern.replace("[ab]", "a").replace("[!a]", "-").replace("[a-b]", "b");
            filled.replace('*', &path).replace('?', "/")
        } else {
            path
        };
        (pattern, path)
    })
}

proptest! {
    #[test]
    fn the_reference_says_the_same((pattern, path) in a_pair()) {
        prop_assume!(!pattern.starts_with("./"));
        let expected = reference(&pattern).is_some_and(|regex| regex.is_match(&path));
        prop_assert_eq!(matches(&pattern, &path), expected);
    }
}

/// In Python's own translation an empty range at the start of a set disappears before the `!` is looked for, so that
/// `[b-a!c]` becomes a negation. Nobody means that.
fn is_a_slip_of_python(pattern: &str) -> bool {
    let chars: Vec<char> = pattern.chars().collect();
    chars.windows(4).any(|w| w[1] == '-' && w[3] == '!' && w[0] > w[2])
        || chars
            .windows(3)
            .any(|w| w[1] == '-' && w[0] > w[2] && (w[0] == '!' || w[2] == '!'))
}

#[test]
fn python_says_the_same() {
    let program = "import sys,json,fnmatch\nfor p,n in json.load(sys.stdin): print(int(fnmatch.fnmatchcase(n,p)))";
    let started = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut python) = started else {
        eprintln!("python3 is not there: not compared");
        return;
    };
    let mut runner = TestRunner::deterministic();
    let mut cases = Vec::new();
    while cases.len() < 20_000 {
        let (pattern, path) = a_pair().new_tree(&mut runner).unwrap().current();
        if !pattern.starts_with("./") && !is_a_slip_of_python(&pattern) {
            cases.push((pattern, path));
        }
    }
    let mut input = python.stdin.take().unwrap();
    input.write_all(&serde_json::to_vec(&cases).unwrap()).unwrap();
    drop(input);
    let answer = python.wait_with_output().unwrap();
    assert!(answer.status.success());
    let answer = String::from_utf8(answer.stdout).unwrap();
    let answers: Vec<&str> = answer.lines().collect();
    assert_eq!(answers.len(), cases.len());
    assert!(answers.iter().filter(|said| **said == "1").count() > 5_000);
    for ((pattern, path), said) in cases.iter().zip(answers) {
        assert_eq!(matches(pattern, path), said == "1", "{pattern:?} {path:?}");
    }
}
