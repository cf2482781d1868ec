//! YAML 1.1 as snodo reads it, and what is refused because readers disagree about it.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use common::{SMALL, faults, load, refused};
use snodo_config::protocol::load_protocol;
use snodo_config::{FaultKind, Value, WarningKind};

/// The value of `metadata.k`.
fn value(yaml: &str) -> Value {
    load(&format!("{SMALL}metadata:\n  k: {yaml}\n"))
        .protocol
        .metadata
        .get("k")
        .unwrap()
        .value
        .clone()
}

fn as_json(yaml: &str) -> String {
    serde_json::to_string(&load(&format!("{SMALL}metadata:\n{yaml}")).protocol.metadata).unwrap()
}

#[test]
fn plain_scalars_have_the_types_of_yaml_1_1() {
    assert_eq!(value("yes"), Value::Bool(true));
    assert_eq!(value("off"), Value::Bool(false));
    assert_eq!(value("010"), Value::Int(8));
    assert_eq!(value("1:30"), Value::Int(90));
    assert_eq!(value("1e3"), Value::Text("1e3".to_owned()));
    assert_eq!(value("1.0e+3"), Value::Float(1000.0));
    assert_eq!(value("~"), Value::Null);
    assert_eq!(value("2026-01-31"), Value::Timestamp("2026-01-31".to_owned()));
    for quoted in ["'yes'", "\"010\"", "!!str 1:30", "|\n    yes", ">-\n    yes"] {
        assert!(matches!(value(quoted), Value::Text(_)), "{quoted}");
    }
}

#[test]
fn tags_of_the_plain_types_are_served_and_others_refused() {
    assert_eq!(value("!!int '3'"), Value::Int(3));
    assert_eq!(value("!!float 3"), Value::Float(3.0));
    assert_eq!(value("!!bool 'on'"), Value::Bool(true));
    assert_eq!(value("!!null ''"), Value::Null);
    assert_eq!(value("!!map {a: !!seq [1]}").kind(), "a map");
    assert_eq!(value("! 12"), Value::Int(12));
    for bad in [
        "!mine x",
        "!!python/object:os.system x",
        "!!set {a}",
        "!!omap [a: 1]",
        "!!binary aGk=",
        "!<tag:x,1:y> z",
        "!!map [a]",
        "!!seq {a: b}",
    ] {
        let kinds = faults(&format!("{SMALL}metadata:\n  k: {bad}\n"));
        assert!(matches!(&kinds[..], [FaultKind::Tag { .. }]), "{bad}: {kinds:?}");
    }
    for bad in ["!!int x", "!!bool maybe", "!!float y", "!!timestamp soon", "!!null x"] {
        let kinds = faults(&format!("{SMALL}metadata:\n  k: {bad}\n"));
        assert!(matches!(&kinds[..], [FaultKind::BadScalar { .. }]), "{bad}: {kinds:?}");
    }
}

#[test]
fn the_last_of_two_equal_keys_counts_and_is_warned_of() {
    let loaded = load(&format!("{SMALL}version: '1'\nversion: '2'\n"));
    assert_eq!(loaded.protocol.version, "2");
    let warning = loaded
        .warnings
        .iter()
        .find(|w| matches!(w.kind, WarningKind::DuplicateKey { .. }))
        .unwrap();
    assert!(
        matches!(&warning.kind, WarningKind::DuplicateKey { key, first: 18 } if key == "version"),
        "{warning:?}"
    );
    assert_eq!(warning.place.line, 19);
    // A key that widens what was narrowed is the attack that the warning is for.
    let loaded = load(&format!("{SMALL}protected_paths: [secret]\nprotected_paths: []\n"));
    assert!(loaded.protocol.protected_paths.is_empty() && !loaded.warnings.is_empty());
}

#[test]
fn anchors_aliases_and_merge_keys() {
    assert_eq!(
        as_json("  a: &x {p: 1, q: 2}\n  b: *x\n"),
        r#"{"a":{"p":1,"q":2},"b":{"p":1,"q":2}}"#
    );
    assert_eq!(
        as_json("  a: &x {p: 1, q: 2}\n  b: {q: 3, <<: *x}\n"),
        r#"{"a":{"p":1,"q":2},"b":{"p":1,"q":3}}"#
    );
    assert_eq!(
        as_json("  a: &x {p: 1}\n  b: &y {p: 2, q: 2}\n  c: {<<: [*x, *y]}\n"),
        r#"{"a":{"p":1},"b":{"p":2,"q":2},"c":{"p":1,"q":2}}"#
    );
    // Overriding a merged key is no duplicate; a quoted `<<` is a key like any other.
    let loaded = load(&format!(
        "{SMALL}metadata:\n  a: &x {{p: 1}}\n  b: {{<<: *x, p: 2}}\n  c: {{'<<': 3}}\n"
    ));
    assert!(
        !loaded
            .warnings
            .iter()
            .any(|w| matches!(w.kind, WarningKind::DuplicateKey { .. }))
    );
    // An alias of a key.
    assert_eq!(as_json("  a: &x word\n  *x : 1\n"), r#"{"a":"word","word":1}"#);
}

#[test]
fn misuse_of_anchors_and_merge_keys_is_refused() {
    let one = |yaml: &str| faults(&format!("{SMALL}metadata:\n{yaml}")).remove(0);
    assert!(matches!(one("  a: &x 1\n  b: &x 2\n"), FaultKind::DuplicateAnchor { name } if name == "x"));
    assert!(matches!(one("  a: !!str &x 1\n  b: !!str &x 2\n"), FaultKind::DuplicateAnchor { name } if name == "x"));
    assert!(matches!(one("  a: {&c: d}\n"), FaultKind::AnchorName { name } if name == "c:"));
    assert!(matches!(one("  a: *nowhere\n"), FaultKind::Syntax { .. }));
    assert!(matches!(one("  a: &x [*x]\n"), FaultKind::AliasLoop));
    assert!(matches!(
        one("  a: &x {p: 1}\n  b: {<<: *x, <<: *x}\n"),
        FaultKind::SeveralMerges
    ));
    assert!(matches!(one("  b: {<<: 1}\n"), FaultKind::MergeOf { .. }));
    assert!(matches!(one("  b: {<<: [1]}\n"), FaultKind::MergeOf { .. }));
    assert!(matches!(one("  b: [<<]\n"), FaultKind::BareSign { sign: "<<" }));
    assert!(matches!(one("  b: =\n"), FaultKind::BareSign { sign: "=" }));
    assert!(matches!(one("  [a]: 1\n"), FaultKind::KeyNotScalar { .. }));
    assert!(matches!(one("  : 1\n"), FaultKind::EmptyKey));
    assert!(matches!(one("  b: [>x]\n"), FaultKind::BeginsWithSign { .. }));
}

#[test]
fn a_tab_is_refused_where_only_yaml_1_2_allows_it() {
    for (yaml, line) in [
        ("metadata:\n\tk: v\n", 19),
        ("metadata:\n  k:\tv\n", 19),
        ("metadata:\n  k: v\t\n", 19),
        ("metadata:\n  k: 'v'\t# why\n", 19),
        ("metadata:\n  k: v\tw\n", 19),
        ("metadata: {k:\tv}\n", 18),
        ("metadata:\n  k: v\n\t\n", 20),
        ("metadata:\n  k: \t|\n    x\n", 19),
    ] {
        let error = refused(&format!("{SMALL}{yaml}"));
        let fault = &error.faults()[0];
        assert!(matches!(fault.kind, FaultKind::Tab), "{yaml:?}: {fault:?}");
        assert_eq!(fault.place.line, line, "{yaml:?}");
    }
    for yaml in [
        "metadata: {k: 'a\tb'}\n",
        "metadata: {} #\tx\n",
        "#\tx\n",
        "metadata:\n  k: |\n    a\tb\n    \tc\n",
        "metadata:\n  k: \"a\n    \tb\"\n",
    ] {
        load(&format!("{SMALL}{yaml}"));
    }
}

#[test]
fn one_document() {
    load(&format!("---\n{SMALL}"));
    load(&format!("%YAML 1.1\n---\n{SMALL}...\n"));
    for directive in [
        "%TAG ! tag:x,2026:",
        "%TAG !e! tag:x,2026:",
        "%FOO bar",
        "%YAML 2.0",
        "%",
    ] {
        let kinds = faults(&format!("# first\n{directive}\n---\n{SMALL}"));
        assert!(matches!(&kinds[..], [FaultKind::Directive]), "{directive}: {kinds:?}");
    }
    for yaml in ["---\na: 1\n", "---\n", "...\n---\nb: 1\n"] {
        let kinds = faults(&format!("{SMALL}{yaml}"));
        assert!(
            matches!(&kinds[..], [FaultKind::SeveralDocuments]),
            "{yaml:?}: {kinds:?}"
        );
    }
}

#[test]
fn the_root_is_a_map() {
    for (yaml, what) in [
        ("", "nothing"),
        ("# only this\n", "nothing"),
        ("---\n", "nothing"),
        ("- a\n", "a list"),
        ("hello\n", "a text"),
        ("3\n", "a whole number"),
    ] {
        let kinds = faults(yaml);
        assert!(
            matches!(&kinds[..], [FaultKind::RootNotAMap { found }] if *found == what),
            "{yaml:?}: {kinds:?}"
        );
    }
}

#[test]
fn encodings() {
    let bytes = |bytes: &[u8]| load_protocol("p.yml", bytes);
    assert!(bytes(format!("\u{feff}{SMALL}").as_bytes()).is_ok());
    assert!(bytes(SMALL.replace('\n', "\r\n").as_bytes()).is_ok());
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(SMALL.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    assert!(matches!(
        bytes(&utf16).unwrap_err().faults()[0].kind,
        FaultKind::OtherEncoding { encoding: "UTF-16" }
    ));
    let latin = SMALL
        .replace("name: Bakery", "name: B\u{e4}ckerei")
        .chars()
        .map(|c| u8::try_from(c).unwrap())
        .collect::<Vec<u8>>();
    let error = bytes(&latin).unwrap_err();
    assert!(matches!(error.faults()[0].kind, FaultKind::NotUtf8 { .. }));
    assert_eq!((error.faults()[0].place.line, error.faults()[0].place.column), (3, 8));
    for hidden in ["\u{85}", "\u{2028}", "\u{2029}", "\u{1b}", "\0"] {
        // For some readers the second half is a line of its own.
        let text = format!("{SMALL}metadata: {{}} #{hidden}protected_paths: []\n");
        assert!(
            matches!(
                bytes(text.as_bytes()).unwrap_err().faults()[0].kind,
                FaultKind::ForbiddenCharacter { .. }
            ),
            "{hidden:?}"
        );
    }
}

#[test]
fn places_are_right_behind_wide_characters() {
    let error = refused(
        "# žluťoučký kůň 🦀 日本\nprotocol_id: '日本🦀' \nname: {日本: 3}\nmodes: []\nvalidators: []\ninitial_mode: x\n",
    );
    let places: Vec<_> = error.faults().iter().map(|f| (f.place.line, f.place.column)).collect();
    assert_eq!(places, [(3, 7), (4, 8), (5, 13)]);
    let first = error.faults()[0].place;
    assert_eq!(
        first.offset as usize,
        "# žluťoučký kůň 🦀 日本\nprotocol_id: '日本🦀' \nname: ".len()
    );
}
