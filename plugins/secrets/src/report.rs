//! The verdict in words.

use std::fmt::Write as _;

use snodo_plugin::prelude::*;

use crate::rules::RULES;
use crate::scan::Scanner;
use crate::{Findings, Found, mask};

/// So many findings are written out: enough to act on, and a change with more needs another look anyway.
const SHOWN: usize = 20;
/// So many paths are listed as examined.
const EXAMINED: usize = 100;

pub(crate) fn verdict(scanner: &Scanner, findings: &Findings) -> Verdict {
    let scope = scope(findings);
    let verdict = if findings.found.is_empty() {
        Verdict::pass(format!("No credentials in {scope}."))
    } else {
        let count = findings.found.len();
        let mut words = format!("{count} credential{} in {scope}:", if count == 1 { "" } else { "s" });
        for found in findings.found.iter().take(SHOWN) {
            let _ = write!(words, "\n- {}", describe(scanner, found));
        }
        if count > SHOWN {
            let _ = write!(words, "\n- and {} more", count - SHOWN);
        }
        Verdict::blocker(words)
    };
    verdict.examined(examined(scanner, findings))
}

fn scope(findings: &Findings) -> String {
    let plural = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let lines = if findings.lines == 1 {
        "1 added line".to_owned()
    } else {
        format!("{} added lines", findings.lines)
    };
    let mut scope = format!("{lines} of {}", plural(findings.by_lines.len(), "file", "files"));
    if !findings.whole.is_empty() {
        let _ = write!(
            scope,
            " and {} seen whole",
            plural(findings.whole.len(), "file", "files")
        );
    }
    scope
}

fn describe(scanner: &Scanner, found: &Found) -> String {
    let rule = &RULES[found.hit.rule];
    let path = mask::text(scanner, &found.path);
    let place = match found.line {
        Some(line) => format!("{path}:{line}"),
        None => format!("the path {path}"),
    };
    format!(
        "{}, {} ({}): {}",
        place,
        rule.name,
        rule.meaning,
        mask::value(&found.hit.value)
    )
}

fn examined(scanner: &Scanner, findings: &Findings) -> Vec<String> {
    let by_lines = findings
        .by_lines
        .iter()
        .map(|path| format!("{}: added lines", mask::text(scanner, path)));
    let whole = findings.whole.iter().map(|path| {
        format!(
            "{}: the whole file (binary, or too large to be compared)",
            mask::text(scanner, path)
        )
    });
    // What was seen otherwise than by its lines comes first: it is the less usual.
    let mut all: Vec<String> = whole.chain(by_lines).collect();
    if all.len() > EXAMINED {
        let more = all.len() - EXAMINED;
        all.truncate(EXAMINED);
        all.push(format!("and {more} more files"));
    }
    all
}
