//! The guests of these tests are built from what the product itself is built from.

use std::collections::BTreeSet;

/// Name, version and checksum of every package that comes from a registry.
fn packages(lock: &str) -> BTreeSet<Vec<String>> {
    let text = std::fs::read_to_string(crate::support::repository().join(lock)).unwrap();
    text.split("[[package]]")
        .filter(|package| package.contains("checksum = "))
        .map(|package| {
            let line = |key: &str| package.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
            vec![line("name ="), line("version ="), line("checksum =")]
        })
        .collect()
}

#[test]
fn they_need_no_package_that_the_product_does_not_have() {
    let (theirs, ours) = (packages("tests/guests/Cargo.lock"), packages("Cargo.lock"));
    assert!(theirs.len() > 5, "{theirs:?}");
    let further: Vec<&Vec<String>> = theirs.difference(&ours).collect();
    assert!(
        further.is_empty(),
        "not in the main lock file: {further:?}; copy the versions over"
    );
}
