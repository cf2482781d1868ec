//! What the validator sees, says, and keeps to itself.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use serde_json::Value;
use snodo_plugin::change::{ChangedFile, DiffAnswer, DiffLine, FileDiff, Hunk, LineOrigin};
use snodo_plugin::read::Lines;
use snodo_plugin::types::{Count, Limit};

use super::*;
use crate::rules::RULES;

fn table() -> Value {
    serde_json::from_str(include_str!("../../../host/data/secrets.json")).unwrap()
}

/// The texts that a rule of the table names under a key, joined from their parts.
fn joined(rule: &Value, key: &str) -> Vec<String> {
    let parts = |example: &Value| {
        example
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part.as_str().unwrap())
            .collect()
    };
    rule[key].as_array().unwrap().iter().map(parts).collect()
}

/// A key that is none, put together here so that this file holds no text that looks like one.
fn key() -> String {
    ["AKIA", "IOSFODNN7EXAMPLE"].concat()
}

// The table.

#[test]
fn every_example_is_found_by_its_rule_and_no_counter_example_is() {
    let scanner = Scanner::new();
    for rule in table()["rules"].as_array().unwrap() {
        let name = rule["name"].as_str().unwrap();
        let examples = joined(rule, "examples");
        assert!(!examples.is_empty(), "{name} has no example");
        for example in examples {
            let hits = scanner.line(&example);
            assert!(
                hits.iter().any(|hit| RULES[hit.rule].name == name),
                "{name} does not find its example"
            );
        }
        for example in joined(rule, "counter_examples") {
            assert!(scanner.line(&example).is_empty(), "{name}: `{example}` is found");
        }
    }
}

#[test]
fn the_table_reads_alike_on_both_engines_and_a_match_has_one_value() {
    for rule in table()["rules"].as_array().unwrap() {
        let pattern = rule["pattern"].as_str().unwrap();
        let full = regex::Regex::new(pattern).unwrap();
        let lite = regex_lite::Regex::new(pattern).unwrap();
        for text in joined(rule, "examples")
            .into_iter()
            .chain(joined(rule, "counter_examples"))
        {
            let of_full: Vec<Vec<&str>> = full
                .captures_iter(&text)
                .map(|c| c.iter().skip(1).flatten().map(|group| group.as_str()).collect())
                .collect();
            let of_lite: Vec<Vec<&str>> = lite
                .captures_iter(&text)
                .map(|c| c.iter().skip(1).flatten().map(|group| group.as_str()).collect())
                .collect();
            assert_eq!(of_full, of_lite, "{pattern}");
            assert!(of_full.iter().all(|values| values.len() == 1), "{pattern}");
        }
    }
}

#[test]
fn keywords_let_every_example_through_in_any_letter_case_of_the_text() {
    for rule in table()["rules"].as_array().unwrap() {
        let keywords: Vec<&str> = rule["keywords"]
            .as_array()
            .unwrap()
            .iter()
            .map(|k| k.as_str().unwrap())
            .collect();
        assert!(!keywords.is_empty());
        for keyword in &keywords {
            assert!(
                keyword.len() >= 2 && keyword.to_ascii_lowercase() == *keyword && keyword.is_ascii(),
                "{keyword}"
            );
        }
        for example in joined(rule, "examples") {
            let lower = example.to_ascii_lowercase();
            assert!(
                keywords.iter().any(|keyword| lower.contains(keyword)),
                "{}",
                rule["name"]
            );
        }
    }
}

#[test]
fn names_are_unique_and_the_built_in_table_is_the_file() {
    let table = table();
    let names: Vec<&str> = table["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, RULES.iter().map(|rule| rule.name).collect::<Vec<_>>());
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    assert!(
        RULES.iter().map(|rule| rule.keywords.len()).sum::<usize>() < 256,
        "groups are counted in a byte"
    );
}

#[test]
fn neither_the_table_nor_these_tests_hold_what_looks_like_a_credential() {
    let scanner = Scanner::new();
    for text in [
        include_str!("../../../host/data/secrets.json"),
        include_str!("tests.rs"),
    ] {
        for (number, line) in (1..).zip(text.lines()) {
            let names: Vec<&str> = scanner.line(line).iter().map(|hit| RULES[hit.rule].name).collect();
            assert!(names.is_empty(), "line {number}: {names:?}");
        }
    }
}

#[test]
fn one_stretch_of_text_is_named_once_by_the_rule_that_says_most() {
    let line = ["api_key = \"sk-ant-", "api03-aB3dE6gH9jK2mN5pQ8sT1vW4\""].concat();
    let names: Vec<&str> = Scanner::new()
        .line(&line)
        .iter()
        .map(|hit| RULES[hit.rule].name)
        .collect();
    assert_eq!(names, ["anthropic-key"]);
}

#[test]
fn two_keys_in_one_line_are_two_findings() {
    assert_eq!(Scanner::new().line(&format!("{} {}", key(), key())).len(), 2);
}

#[test]
fn a_key_is_found_once_wherever_it_stands_in_a_long_line() {
    let scanner = Scanner::new();
    for before in [0, 12_000, 16 * 1024 - 10, 16 * 1024, 30_000, 100_001] {
        let line = format!("{}{}{}", "ü".repeat(before / 2), key(), "x".repeat(50_000));
        let hits = scanner.line(&line);
        assert_eq!(hits.len(), 1, "after {before} bytes");
        assert_eq!(
            (hits[0].value.as_str(), hits[0].start),
            (key().as_str(), before / 2 * 2)
        );
    }
}

// The value stays inside.

#[test]
fn at_most_four_characters_and_a_quarter_of_a_value_are_shown() {
    assert_eq!(mask::value(&key()), "AKIA…");
    assert_eq!(mask::value("hunter22"), "hu…");
    assert_eq!(mask::value("abcd"), "a…");
    assert_eq!(mask::value("ab"), "…");
    assert_eq!(mask::value("ünïcödé-ünïcödé-"), "ünïc…");
}

#[test]
fn values_are_taken_out_of_names_too() {
    let scanner = Scanner::new();
    let text = mask::text(&scanner, &format!("a/{}/b-{}.txt", key(), key()));
    assert_eq!(text, "a/AKIA…/b-AKIA….txt");
    let Fault::IncompleteView(words) = mask::fault(&scanner, Fault::IncompleteView(format!("`{}` is gone", key())))
    else {
        unreachable!()
    };
    assert_eq!(words, "`AKIA…` is gone");
}

// The view.

#[derive(Default)]
struct Fake {
    changed: Vec<ChangedFile>,
    differences: BTreeMap<String, FileDiff>,
    omitted: Vec<String>,
    after: BTreeMap<String, Vec<u8>>,
    before: BTreeMap<String, Vec<u8>>,
    /// Bytes that one answer of `lines` holds.
    room: usize,
}

impl Fake {
    fn new() -> Self {
        Self {
            room: usize::MAX,
            ..Self::default()
        }
    }

    fn changed(mut self, path: &str, kind: ChangeKind, added: u64, binary: bool) -> Self {
        self.changed.push(ChangedFile {
            path: path.to_owned(),
            kind,
            old_path: None,
            added,
            deleted: 0,
            binary,
            test_governing: None,
            size_before: None,
            size_after: None,
            executable_before: false,
            executable_after: false,
        });
        self
    }

    fn text(mut self, path: &str, kind: ChangeKind, lines: &[(LineOrigin, &str)]) -> Self {
        let added = lines.iter().filter(|(origin, _)| *origin == LineOrigin::Added).count() as u64;
        let lines = lines
            .iter()
            .map(|(origin, text)| DiffLine {
                origin: *origin,
                text: (*text).to_owned(),
                no_newline: false,
            })
            .collect();
        let hunk = Hunk {
            old_start: 9,
            old_count: 0,
            new_start: 10,
            new_count: added,
            lines,
        };
        let difference = FileDiff {
            path: path.to_owned(),
            kind,
            binary: false,
            hunks: vec![hunk],
        };
        self.differences.insert(path.to_owned(), difference);
        self.changed(path, kind, added, false)
    }

    fn after(mut self, path: &str, bytes: &[u8]) -> Self {
        self.after.insert(path.to_owned(), bytes.to_vec());
        self
    }

    fn before(mut self, path: &str, bytes: &[u8]) -> Self {
        self.before.insert(path.to_owned(), bytes.to_vec());
        self
    }
}

impl View for Fake {
    fn changed(&self) -> Result<Vec<ChangedFile>, Fault> {
        Ok(self.changed.clone())
    }

    fn differences(&self, paths: Vec<String>) -> Result<DiffAnswer, Fault> {
        let files = paths
            .iter()
            .filter_map(|path| self.differences.get(path).cloned())
            .collect();
        Ok(DiffAnswer {
            files,
            omitted: self.omitted.clone(),
        })
    }

    fn lines(&self, path: &str, first: u64) -> Result<Lines, Fault> {
        let bytes = self
            .after
            .get(path)
            .ok_or_else(|| Fault::IncompleteView(format!("`{path}` is not there")))?;
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let (mut content, mut last) = (Vec::new(), first - 1);
        for line in lines.iter().skip(usize::try_from(first).unwrap() - 1) {
            if content.len() + line.len() > self.room {
                break;
            }
            content.extend_from_slice(line);
            last += 1;
        }
        let total = lines.len() as u64;
        Ok(Lines {
            path: path.to_owned(),
            first,
            last,
            content: Content::Bytes(content),
            total: Count::Exact(total),
            truncated: last < total,
        })
    }

    fn before(&self, path: &str) -> Result<Option<Content>, Limit> {
        Ok(self.before.get(path).map(|bytes| Content::Bytes(bytes.clone())))
    }
}

fn blocked(view: &Fake) -> String {
    let verdict = judge(view).unwrap();
    assert_eq!(verdict.severity, Severity::Blocker, "{}", verdict.justification);
    let words = format!("{} {}", verdict.justification, verdict.examined.join(" "));
    assert!(!words.contains(&key()), "the value is put out");
    verdict.justification
}

#[test]
fn an_added_key_blocks_with_rule_and_line_and_without_the_value() {
    let line = format!("key = \"{}\"", key());
    let view = Fake::new().text(
        "src/a.py",
        ChangeKind::Modified,
        &[(LineOrigin::Added, "x"), (LineOrigin::Added, &line)],
    );
    assert_eq!(
        blocked(&view),
        "1 credential in 2 added lines of 1 file:\n- src/a.py:11, aws-access-key-id (an AWS access key id): AKIA…"
    );
}

#[test]
fn a_line_that_looks_like_a_header_of_a_diff_is_a_line_like_any_other() {
    let line = format!("++ key = \"{}\"", key());
    assert!(blocked(&Fake::new().text("a", ChangeKind::Modified, &[(LineOrigin::Added, &line)])).contains("a:10"));
}

#[test]
fn what_was_there_before_or_is_taken_out_is_not_held_against_the_change() {
    let view = Fake::new().text(
        "a",
        ChangeKind::Modified,
        &[(LineOrigin::Removed, &key()), (LineOrigin::Context, &key())],
    );
    let verdict = judge(&view).unwrap();
    assert_eq!(verdict.severity, Severity::Pass);
    assert_eq!(verdict.justification, "No credentials in 0 added lines of 1 file.");
    assert_eq!(verdict.examined, ["a: added lines"]);
}

#[test]
fn a_nul_byte_does_not_hide_a_key() {
    let bytes = [b"\0\n", key().as_bytes(), b"\n"].concat();
    let view = Fake::new()
        .changed("a.bin", ChangeKind::Added, 0, true)
        .after("a.bin", &bytes);
    assert!(blocked(&view).contains("a.bin:2"));
    assert_eq!(
        judge(&view).unwrap().examined,
        ["a.bin: the whole file (binary, or too large to be compared)"]
    );
}

#[test]
fn utf_16_does_not_hide_a_key() {
    for bytes in [
        key().encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
        key().encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ] {
        let view = Fake::new().changed("a", ChangeKind::Added, 0, true).after("a", &bytes);
        assert!(blocked(&view).contains("a:1"));
    }
}

#[test]
fn a_binary_file_answers_only_for_what_is_new_in_it() {
    let old = [b"\0", key().as_bytes()].concat();
    let new = [b"\0\0", key().as_bytes()].concat();
    let view = Fake::new()
        .changed("a", ChangeKind::Modified, 0, true)
        .after("a", &new)
        .before("a", &old);
    assert_eq!(judge(&view).unwrap().severity, Severity::Pass);
    // Control: the same file without a past.
    let view = Fake::new().changed("a", ChangeKind::Modified, 0, true).after("a", &new);
    assert!(blocked(&view).contains("a:1"));
}

#[test]
fn a_file_too_large_to_be_compared_is_read_to_its_end() {
    let text = format!("{}{}\n", "x\n".repeat(1000), key());
    let mut view = Fake::new()
        .changed("big", ChangeKind::Added, 1001, false)
        .after("big", text.as_bytes());
    view.omitted = vec!["big".to_owned()];
    view.room = 64;
    assert!(blocked(&view).contains("big:1001"));
}

#[test]
fn what_cannot_be_seen_is_a_fault() {
    // Neither a difference nor a file that can be read.
    let view = Fake::new().changed("gone", ChangeKind::Added, 3, false);
    assert_eq!(
        judge(&view).unwrap_err(),
        Fault::IncompleteView("`gone` is not there".to_owned())
    );

    // A line over what one answer holds.
    let mut view = Fake::new()
        .changed("long", ChangeKind::Added, 1, true)
        .after("long", &[b'x'; 100]);
    view.room = 10;
    assert!(matches!(judge(&view).unwrap_err(), Fault::IncompleteView(words) if words.contains("line 1 of `long`")));

    // A difference with fewer lines than the summary counts.
    let mut view = Fake::new().text("a", ChangeKind::Added, &[(LineOrigin::Added, "x")]);
    view.changed[0].added = 2;
    assert!(matches!(judge(&view).unwrap_err(), Fault::IncompleteView(words) if words.contains("2 added lines")));
}

#[test]
fn deleted_files_and_mode_changes_add_nothing() {
    let view =
        Fake::new()
            .changed("gone", ChangeKind::Deleted, 0, false)
            .changed("run.bin", ChangeKind::ModeChanged, 0, true);
    assert_eq!(judge(&view).unwrap().severity, Severity::Pass);
}

#[test]
fn a_key_in_a_path_is_found_and_masked() {
    let view = Fake::new().text(&format!("k/{}", key()), ChangeKind::Added, &[(LineOrigin::Added, "x")]);
    assert!(blocked(&view).contains("the path k/AKIA…"));
}

#[test]
fn many_findings_are_counted_and_the_first_twenty_shown() {
    let line = key();
    let lines = vec![(LineOrigin::Added, line.as_str()); 30];
    let words = blocked(&Fake::new().text("a", ChangeKind::Added, &lines));
    assert!(words.starts_with("30 credentials in"));
    assert!(words.ends_with("- and 10 more"));
}

mod called;
