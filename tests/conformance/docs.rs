//! The page for authors says what the code says.

use std::fmt::Write as _;

use snodo_host::conform::{Applies, CHECKS, FILES};

use crate::support::repository;

/// The table of the page, as the code has it.
fn table() -> String {
    let mut out = String::from("| id | of | holds where it passes | needs |\n|---|---|---|---|\n");
    for check in CHECKS {
        let of = match check.applies {
            Applies::Both => "both",
            Applies::Coders => "coders",
            Applies::Validators => "validators",
        };
        let needs = if check.needs.is_empty() { "–" } else { check.needs };
        writeln!(out, "| `{}` | {of} | {} | {needs} |", check.id, check.sentence).unwrap();
    }
    out
}

#[test]
fn the_page_has_the_table_and_the_workspace() {
    let page = std::fs::read_to_string(repository().join("docs/authors/conformance.md")).unwrap();
    let table = table();
    assert!(
        page.contains(&table),
        "docs/authors/conformance.md is to have this table:\n\n{table}"
    );
    for (path, text) in FILES {
        let shown = format!("`{path}`:\n\n```\n{text}```\n");
        assert!(
            page.contains(&shown),
            "docs/authors/conformance.md is to have:\n\n{shown}"
        );
    }
}

#[test]
fn an_id_is_of_one_check_and_says_its_group() {
    let mut ids: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
    let groups: Vec<&str> = CHECKS.iter().map(snodo_host::conform::Check::group).collect();
    assert!(
        groups
            .iter()
            .zip(&ids)
            .all(|(group, id)| id.starts_with(&format!("{group}.")))
    );
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CHECKS.len());
    for check in CHECKS {
        assert!(
            check.sentence.ends_with('.') && !check.sentence.contains('|'),
            "{check:?}"
        );
    }
}
