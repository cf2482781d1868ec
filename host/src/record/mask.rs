//! Credentials taken out of everything that is printed or kept for reading, by the one table of patterns of the product
//! (`host/data/secrets.json`, which the validator `secrets` judges by).
//!
//! A task may hold a patch that adds a key, a test may print one: neither belongs on a screen, in a log of a build, or in a folder of the
//! repository. The change itself, kept in the state folder for the owner alone, is left as it is.

use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use serde::Deserialize;

use crate::sandbox::Execution;

use super::{CoderSection, GateResult, RunReport};

/// At most this many characters of a value are shown, and at most a quarter of it: enough to tell two keys apart.
const SHOWN: usize = 4;

#[derive(Deserialize)]
struct Table {
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
struct Rule {
    pattern: String,
    keywords: Vec<String>,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

impl Rule {
    /// Compiled when a text first needs it: most need none.
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(&self.pattern).ok()).as_ref()
    }
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // The table is part of the build; a test reads it.
    serde_json::from_str::<Table>(include_str!("../../data/secrets.json"))
        .map(|table| table.rules)
        .unwrap_or_default()
});

/// The text with every value that looks like a credential shown as its first characters and `…`.
pub(crate) fn mask(text: &str) -> String {
    let lower = text.to_lowercase();
    let mut values: Vec<(usize, usize)> = Vec::new();
    for rule in RULES
        .iter()
        .filter(|rule| rule.keywords.iter().any(|keyword| lower.contains(keyword.as_str())))
    {
        let Some(regex) = rule.regex() else { continue };
        for captures in regex.captures_iter(text) {
            values.extend(
                captures
                    .iter()
                    .skip(1)
                    .flatten()
                    .next()
                    .map(|value| (value.start(), value.end())),
            );
        }
    }
    if values.is_empty() {
        return text.to_owned();
    }
    values.sort_unstable();
    let (mut masked, mut from) = (String::with_capacity(text.len()), 0);
    for (start, end) in values {
        if start < from {
            // Two rules found the same text; what the second sees beyond the first is hidden, too.
            from = from.max(end);
            continue;
        }
        masked.push_str(&text[from..start]);
        let value = &text[start..end];
        masked.extend(value.chars().take(SHOWN.min(value.chars().count() / 4)));
        masked.push('…');
        from = end;
    }
    masked.push_str(&text[from..]);
    masked
}

fn mask_in_place(text: &mut String) {
    *text = mask(text);
}

/// Masks every text of a report that somebody else has a hand in.
pub(super) fn mask_report(report: &mut RunReport) {
    mask_in_place(&mut report.task.spec);
    mask_in_place(&mut report.reason);
    report.warnings.iter_mut().for_each(mask_in_place);
    report.recovered.iter_mut().for_each(mask_in_place);
    report.protocol.test_command.iter_mut().for_each(mask_in_place);
    report.coder.iter_mut().for_each(mask_coder);
    report
        .gates
        .iter_mut()
        .flat_map(|gate| &mut gate.results)
        .for_each(mask_result);
    for change in &mut report.changes {
        mask_in_place(&mut change.path);
        change.old_path.iter_mut().for_each(mask_in_place);
    }
    for plugin in &mut report.plugins {
        mask_in_place(&mut plugin.log.stdout);
        mask_in_place(&mut plugin.log.stderr);
    }
    report.runner.iter_mut().for_each(mask_execution);
}

fn mask_execution(execution: &mut Execution) {
    mask_in_place(&mut execution.output_tail);
    execution
        .argv
        .iter_mut()
        .chain(&mut execution.notes)
        .chain(execution.written.iter_mut().map(|written| &mut written.path))
        .for_each(mask_in_place);
}

fn mask_coder(coder: &mut CoderSection) {
    coder.error.iter_mut().for_each(mask_in_place);
    coder.execution.iter_mut().for_each(mask_execution);
    for finding in &mut coder.findings {
        mask_in_place(&mut finding.title);
        mask_in_place(&mut finding.detail);
        finding.path.iter_mut().for_each(mask_in_place);
    }
    if let Some(report) = &mut coder.report {
        mask_in_place(&mut report.notes);
        report.files.iter_mut().for_each(|file| mask_in_place(&mut file.path));
    }
    coder
        .claimed_but_missing
        .iter_mut()
        .chain(&mut coder.unclaimed_but_present)
        .for_each(mask_in_place);
}

fn mask_result(result: &mut GateResult) {
    mask_in_place(&mut result.justification);
    result.examined.iter_mut().for_each(mask_in_place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_hidden_and_the_rest_stays() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let text = format!("+key = \"{key}\" # and\n+more");
        assert_eq!(mask(&text), "+key = \"AKIA…\" # and\n+more");
        assert_eq!(mask("nothing here"), "nothing here");
    }

    #[test]
    fn every_example_of_the_table_is_hidden() {
        #[derive(Deserialize)]
        struct Examples {
            rules: Vec<Example>,
        }
        #[derive(Deserialize)]
        struct Example {
            name: String,
            examples: Vec<Vec<String>>,
        }
        let table: Result<Examples, _> = serde_json::from_str(include_str!("../../data/secrets.json"));
        let rules = table.map(|table| table.rules).unwrap_or_default();
        assert_eq!(rules.len(), RULES.len());
        assert!(rules.len() >= 20, "the table was read");
        for rule in rules {
            for example in rule.examples {
                let text = example.concat();
                assert_ne!(mask(&text), text, "{}", rule.name);
            }
        }
    }
}
