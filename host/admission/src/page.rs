//! The page on capabilities says what the code does: its tables are held against the policy, the contract and the library.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    reason = "a failed unwrap is a failed test"
)]

use std::collections::BTreeSet;

use wit_parser::TypeDefKind;

use crate::contract::contract;
use crate::role::{Interface, Right, Role};
use crate::wasi;

const PAGE: &str = include_str!("../../../docs/capabilities.md");
/// A source of the repository beside this crate.
fn source(path: &str) -> String {
    std::fs::read_to_string(format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The rows of a section's tables, cell by cell.
fn rows(section: &str) -> Vec<Vec<String>> {
    let (_, rest) = PAGE.split_once(&format!("## {section}\n")).unwrap();
    let text = rest.split("\n## ").next().unwrap();
    let rows = text
        .lines()
        .filter(|l| l.starts_with("| `") || l.starts_with("| toolset"));
    rows.map(|l| l.trim_matches('|').split(" | ").map(|c| c.trim().to_owned()).collect())
        .collect()
}

fn name(cell: &str) -> &str {
    cell.trim_matches('`')
}

#[test]
fn the_import_tables_are_the_policy() {
    for (section, role) in [
        ("What a coder may import", Role::Coder),
        ("What a validator may import", Role::Validator),
    ] {
        let told: Vec<(String, String)> = rows(section)
            .into_iter()
            .map(|r| (name(&r[0]).to_owned(), r[1].clone()))
            .collect();
        let given = Interface::ALL.into_iter().filter(|i| match role.right_to(*i) {
            Right::Base => true,
            // The coder's page shows its one world with a grant; the validator's names its two in the text below.
            Right::WithGrant(_) => role == Role::Coder,
            Right::Never => false,
        });
        let given: Vec<(String, String)> = given.map(|i| (i.name().to_owned(), i.sentence().to_owned())).collect();
        assert_eq!(told, given);
    }
}

#[test]
fn the_wasi_table_is_the_inert_set() {
    let told: BTreeSet<(String, String)> = rows("WASI")
        .into_iter()
        .map(|r| (name(&r[0]).to_owned(), r[1].clone()))
        .collect();
    let inert: BTreeSet<(String, String)> = wasi::all()
        .iter()
        .map(|i| (i.name.to_owned(), i.sentence.to_owned()))
        .collect();
    assert_eq!(told, inert);
}

#[test]
fn the_declared_interface_is_in_the_contract_and_in_the_library() {
    let rows = rows("The declared interface of a coder");
    assert_eq!(rows.len(), 17);
    for row in rows {
        for word in ticked(&row[1]) {
            assert!(in_contract(&word), "`{word}` is not in the contract");
        }
        for word in ticked(&row[2]) {
            assert!(in_library(&word), "`{word}` is not in the library");
        }
    }
    assert!(
        !in_contract("context.no-such") && !in_library("Context.no_such") && !in_library("Coder::no_such"),
        "the control"
    );
}

fn ticked(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}

/// `interface`, `interface.function`, or `record.field` of any interface.
fn in_contract(word: &str) -> bool {
    let contract = contract();
    let Some((owner, item)) = word.split_once('.') else {
        return contract.interface(word).is_some();
    };
    if contract
        .interface(owner)
        .is_some_and(|i| i.functions.contains_key(item))
    {
        return true;
    }
    contract.resolve().types.iter().any(|(_, ty)| match &ty.kind {
        TypeDefKind::Record(record) => {
            ty.name.as_deref() == Some(owner) && record.fields.iter().any(|f| f.name == item)
        }
        _ => false,
    })
}

/// `Coder::method`, or `Struct.field` of what a coder is given and answers.
fn in_library(word: &str) -> bool {
    let coder = "src/engine/coder.rs";
    let (file, owner, item) = if let Some((owner, method)) = word.split_once("::") {
        (coder, format!("pub trait {owner}"), format!("fn {method}("))
    } else {
        let Some((owner, field)) = word.split_once('.') else {
            return false;
        };
        let file = match owner {
            "Context" => "workspace/src/role/context.rs",
            "Implementation" => "workspace/src/role/coding.rs",
            _ => coder,
        };
        (file, format!("pub struct {owner}"), format!("pub {field}: "))
    };
    let text = source(file);
    let body = text.split_once(&owner).and_then(|(_, rest)| rest.split("\n}").next());
    body.is_some_and(|body| body.contains(&item))
}
