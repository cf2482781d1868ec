//! Differences that lead from one text to the other.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

/// A generator of its own, so that a failure can be repeated.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn text(&mut self) -> String {
        let mut text: String = (0..self.below(12))
            .map(|_| ["0\n", "1\n", "2\n", "3\n"][usize::try_from(self.below(4)).unwrap()])
            .collect();
        if self.below(4) == 0 {
            text.pop();
        }
        text
    }
}

/// Lays the hunks over the old text.
fn applied(old: &str, hunks: &[Hunk]) -> String {
    let old = lines(old);
    let mut out = String::new();
    let mut at = 0;
    for hunk in hunks {
        let start = usize::try_from(hunk.old_start).unwrap() - usize::from(hunk.old_count > 0);
        out.extend(old[at..start].iter().copied());
        at = start;
        for line in &hunk.lines {
            let text = format!("{}{}", line.text, if line.no_newline { "" } else { "\n" });
            if line.origin != LineOrigin::Added {
                assert_eq!(old[at], text);
                at += 1;
            }
            if line.origin != LineOrigin::Removed {
                out.push_str(&text);
            }
        }
    }
    out.extend(old[at..].iter().copied());
    out
}

/// How many lines are in both, at the most.
fn most_in_common(old: &[&str], new: &[&str]) -> usize {
    let mut row = vec![0; new.len() + 1];
    for a in old {
        let mut before = 0;
        for (at, b) in new.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if a == b { before + 1 } else { above.max(row[at]) };
            before = above;
        }
    }
    row[new.len()]
}

#[test]
fn hunks_lead_from_the_old_text_to_the_new_one_by_the_shortest_way() {
    let mut chance = Chance(7);
    for _ in 0..20_000 {
        let (old, new) = (chance.text(), chance.text());
        for context in [0, 1, 3] {
            let hunks = hunks(&old, &new, context);
            assert_eq!(applied(&old, &hunks), new, "{old:?} {new:?} {context}");
            assert_eq!(hunks.is_empty(), old == new);
        }
        let kept = script(&lines(&old), &lines(&new))
            .iter()
            .filter(|origin| **origin == LineOrigin::Context)
            .count();
        assert_eq!(kept, most_in_common(&lines(&old), &lines(&new)), "{old:?} {new:?}");
    }
}

#[test]
fn texts_that_have_little_in_common_are_replaced() {
    let numbered = |word: &str| {
        (0..5_000)
            .map(|number| format!("{word} {number}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let (old, new) = (numbered("old"), numbered("new"));
    let hunks = hunks(&old, &new, 3);
    assert_eq!(applied(&old, &hunks), new);
}

#[test]
fn hunks_are_those_of_the_host() {
    let mut chance = Chance(11);
    for _ in 0..60 {
        let (old, new) = (chance.text(), chance.text());
        if old == new {
            continue;
        }
        let workspace = crate::testing::Workspace::new().file("f", old.as_str());
        let shown = workspace.with_validator_imports([crate::submit::write("f", new.as_str())], || {
            crate::change::whole_diff(vec!["f".to_owned()], 3).unwrap()
        });
        let count = |hunks: &[Hunk]| {
            let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
            lines.filter(|line| line.origin != LineOrigin::Context).count()
        };
        // Which of several shortest ways is taken is each one's own business.
        assert_eq!(applied(&old, &shown[0].hunks), new);
        assert!(count(&hunks(&old, &new, 3)) <= count(&shown[0].hunks));
    }
}

#[test]
fn names_that_would_break_a_line_are_quoted() {
    assert_eq!(quoted("a/", "x y"), "a/x y");
    assert_eq!(quoted("a/", "x\n\"\u{1b}ü"), "\"a/x\\n\\\"\\033ü\"");
}

#[test]
fn what_has_no_lines_is_said_in_words() {
    let file = FileDiff {
        path: "run.sh".to_owned(),
        kind: ChangeKind::ModeChanged,
        binary: false,
        hunks: Vec::new(),
    };
    assert_eq!(file.to_string(), "run.sh: executable bit changed\n");
    let file = FileDiff {
        kind: ChangeKind::Modified,
        binary: true,
        ..file
    };
    assert_eq!(file.to_string(), "run.sh: modified, not text\n");
}
