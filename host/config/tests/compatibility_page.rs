//! `docs/compatibility.md` says what the code does: every field has its row, every row its test.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)] // a test fails by panicking, and looks for other tests

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::{load, refused};
use snodo_config::check::check_protocol;
use snodo_config::resolve::EffectKind;
use snodo_config::{FaultKind, WarningKind};

const PAGE: &str = include_str!("../../../docs/compatibility.md");
/// Every field of every section.
const FULL: &str = include_str!("protocols/full.yml");

/// The rows of a section's table, without its head, cut into cells.
fn rows(section: &str) -> Vec<Vec<&'static str>> {
    let (_, from) = PAGE.split_once(&format!("\n## {section}\n")).unwrap();
    let text = from.split("\n## ").next().unwrap();
    let table = text.lines().filter(|line| line.starts_with('|')).skip(2);
    table
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn fields() -> BTreeMap<&'static str, &'static str> {
    let mut fields = BTreeMap::new();
    for row in rows("Fields of a protocol") {
        let [field, here, _] = row[..] else { panic!("{row:?}") };
        assert_eq!(
            fields.insert(field.trim_matches('`'), here),
            None,
            "{field} stands twice"
        );
    }
    fields
}

/// What the loader knows of each record: it says so of a key that it does not know.
fn known() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for (record, at, unknown) in [
        ("", "protocol_id: orchard", "xyzzy: 1\nprotocol_id: orchard"),
        ("modes[].", "  - mode_id: graft", "  - xyzzy: 1\n    mode_id: graft"),
        (
            "validators[].",
            "  - validator_id: pips",
            "  - xyzzy: 1\n    validator_id: pips",
        ),
        (
            "validators[].validator_tools[].",
            "      - name: basket",
            "      - xyzzy: 1\n        name: basket",
        ),
        (
            "constraints[].",
            "  - constraint_id: no_thorns",
            "  - xyzzy: 1\n    constraint_id: no_thorns",
        ),
        (
            "roles[].",
            "  - role_id: gardener",
            "  - xyzzy: 1\n    role_id: gardener",
        ),
        ("modules[].", "  - module_id: rows", "  - xyzzy: 1\n    module_id: rows"),
        ("execution.", "execution:\n", "execution:\n  xyzzy: 1\n"),
        ("queue.", "queue:\n", "queue:\n  xyzzy: 1\n"),
    ] {
        assert!(FULL.contains(at), "{at}");
        let text = FULL.replacen(at, unknown, 1);
        let closed = matches!(record, "modes[]." | "queue." | "validators[].validator_tools[].");
        let names: Vec<&str> = if closed {
            let error = refused(&text);
            error
                .faults()
                .iter()
                .find_map(|fault| match &fault.kind {
                    FaultKind::UnknownKey { key, known, .. } if key == "xyzzy" => Some(known.clone()),
                    _ => None,
                })
                .unwrap()
        } else {
            let loaded = load(&text);
            loaded
                .warnings
                .iter()
                .find_map(|warning| match &warning.kind {
                    WarningKind::UnknownKey { key, known, .. } if key == "xyzzy" => Some(known.clone()),
                    _ => None,
                })
                .unwrap()
        };
        known.extend(names.into_iter().map(|name| format!("{record}{name}")));
    }
    known
}

#[test]
fn every_field_that_the_loader_knows_has_a_row_and_no_other() {
    let page: BTreeSet<String> = fields().into_keys().map(str::to_owned).collect();
    assert_eq!(page, known());
    for (field, here) in fields() {
        assert!(
            matches!(here, "in force" | "checked" | "no effect" | "refused"),
            "{field}: {here}"
        );
    }
}

/// `modes.graft.delivery` is `modes[].delivery`.
fn row_of(field: &str) -> Option<String> {
    match field.split('.').collect::<Vec<_>>()[..] {
        ["modes", _, field] => Some(format!("modes[].{field}")),
        ["validators", _, field] => Some(format!("validators[].{field}")),
        [_] | ["execution", _] => Some(field.to_owned()),
        _ => None,
    }
}

#[test]
fn what_the_page_says_of_a_field_is_what_a_check_says() {
    // Either of the two ways to deliver.
    let other = FULL
        .replace("delivery: push_branch", "auto_merge: true")
        .replace("delivery: change_request", "auto_merge: true");
    let mut found: BTreeMap<String, EffectKind> = BTreeMap::new();
    for text in [FULL, &other] {
        let report = check_protocol("full.yml", text.as_bytes(), &["quality", "secrets", "scope"]);
        assert!(report.is_ok());
        for effect in report.effects {
            // What is said of a mode as a whole is no field's; and a model is for whoever asks one.
            if !["wf3", "ask no language model"]
                .iter()
                .any(|why| effect.why.contains(why))
            {
                found.extend(row_of(&effect.field).map(|row| (row, effect.effect)));
            }
        }
    }
    // As a whole it is said field by field.
    found.insert("execution".to_owned(), EffectKind::None);
    let page: BTreeMap<String, EffectKind> = fields()
        .into_iter()
        .filter_map(|(field, here)| match here {
            "no effect" => Some((field.to_owned(), EffectKind::None)),
            "refused" => Some((field.to_owned(), EffectKind::Refused)),
            _ => None,
        })
        // Of what stands within them the whole section speaks.
        .filter(|(field, _)| {
            !["roles[].", "queue.", "validators[].validator_tools[]."]
                .iter()
                .any(|p| field.starts_with(p))
        })
        .collect();
    assert_eq!(found, page);
}

#[test]
fn every_known_defect_has_a_row() {
    let rows = rows("Known defects of snodo 0.26.0");
    let numbers: Vec<usize> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
    assert_eq!(numbers, (1..=18).collect::<Vec<_>>());
    for row in rows {
        assert!(
            matches!(row[2], "same" | "stricter" | "right" | "not offered"),
            "{row:?}"
        );
        assert!(row[1..].iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
}

/// Every `path::name` on the page is a test of that file.
#[test]
fn every_test_that_the_page_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = PAGE
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.split_once("::"));
    let mut count = 0;
    for (file, name) in named.filter(|(file, _)| Path::new(file).extension().is_some_and(|e| e == "rs")) {
        let Ok(source) = std::fs::read_to_string(root.join(file)) else {
            panic!("{file} is not there");
        };
        let inside = source.contains(&format!("fn {name}("));
        assert!(inside, "{file} has no test {name}");
        count += 1;
    }
    assert!(count > 40, "{count}");
    for section in [
        "Known defects of snodo 0.26.0",
        "Constraints",
        "Policy",
        "Files",
        "How a run ends",
        "Audit log",
    ] {
        for row in rows(section) {
            let test = row.last().unwrap();
            assert!(test.contains("::") || *test == "–", "{row:?}");
        }
    }
}
