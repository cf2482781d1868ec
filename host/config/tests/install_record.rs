//! Install records.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use proptest::prelude::*;
use snodo_admission::{Digest, Grants, PluginName, Role};
use snodo_config::install_record::{INSTALL_RECORD_BYTES, InstallRecord, Moment, Source, load_install_record};

fn record() -> InstallRecord {
    InstallRecord {
        name: PluginName::parse("reviewer").unwrap(),
        role: Role::Validator,
        digest: Digest::of(b"abc"),
        size: 3,
        imports: vec![
            "snodo:plugin/completion@0.1.0".to_owned(),
            "snodo:plugin/read@0.1.0".to_owned(),
        ],
        grants: Grants {
            model: true,
            runner: false,
        },
        contract: "0.1.0".to_owned(),
        installed: Moment::parse("2026-11-29T21:20:00Z").unwrap(),
        source: Source::file("./reviewer.wasm"),
    }
}

fn load(text: &str) -> InstallRecord {
    match load_install_record("reviewer.toml", text.as_bytes()) {
        Ok(record) => record,
        Err(error) => panic!("{}\n{text}", error.plain()),
    }
}

fn refused(text: &str) -> String {
    load_install_record("reviewer.toml", text.as_bytes())
        .unwrap_err()
        .plain()
}

#[test]
fn a_record_is_text_for_a_person() {
    insta::assert_snapshot!(record().text(), @r#"
    # An installed plugin, and what it may do. Written by `snodo-host plugin add`; to change it, use `snodo-host plugin add` or `remove`.
    format = 1
    name = "reviewer"
    role = "validator"
    digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    size = 3
    imports = [
        "snodo:plugin/completion@0.1.0",
        "snodo:plugin/read@0.1.0",
    ]
    grants = ["model"]
    contract = "0.1.0"
    installed = 2026-11-29T21:20:00Z

    [source]
    kind = "file"
    text = "./reviewer.wasm"
    "#);
    assert_eq!(load(&record().text()), record());
}

#[test]
fn every_key_has_to_be_there_and_nothing_else() {
    let text = record().text();
    for key in [
        "format",
        "name",
        "role",
        "digest",
        "size",
        "imports",
        "grants",
        "contract",
        "installed",
    ] {
        let without = text.replace(&format!("{key} = "), &format!("# {key} = "));
        let without = if key == "imports" {
            text.replace(
                "imports = [\n    \"snodo:plugin/completion@0.1.0\",\n    \"snodo:plugin/read@0.1.0\",\n]\n",
                "",
            )
        } else {
            without
        };
        let error = refused(&without);
        assert!(
            error.contains(&format!("the field `{key}` is missing in the record")),
            "{error}"
        );
    }
    assert!(refused(&text.replace("[source]", "[other]")).contains("the field `source` is missing"));
    assert!(refused(&text.replace("format = 1", "format = 2")).contains("`format` must be a whole number from 1 to 1"));
    assert!(refused(&text.replace("size = 3", "size = 0")).contains("`size` must be a whole number from 1"));
    assert!(refused(&text.replace("size = 3", "size = 3\nsigned = true")).contains("the record has no field `signed`"));
    assert!(refused(&text.replace("\"model\"", "\"network\"")).contains("`grants[0]` cannot be `network`"));
    assert!(refused(&text.replace("\"model\"", "\"model\", \"model\"")).contains("it is there twice"));
    assert!(refused(&text.replace("2026-11-29T21:20:00Z", "\"yesterday\"")).contains("`installed` must be a time"));
    assert!(refused(&text.replace("T21:20:00Z", "")).contains("a time is written as"));
    assert!(refused(&text.replace("0.1.0\"\ninstalled", "0.1 0\"\ninstalled")).contains("a version is written as"));
    assert!(refused(&text.replace("\"file\"", "\"ftp\"")).contains("`source.kind` cannot be `ftp`"));
    assert_eq!(
        refused(&text[..text.len() / 2])
            .lines()
            .filter(|l| l.contains("error["))
            .count(),
        1,
        "a file that was cut is one fault, of its syntax"
    );
    assert!(refused("").contains("the field `name` is missing"));
}

#[test]
fn a_source_is_cut_and_never_empty() {
    let long = "é".repeat(4000);
    let source = Source::url(&long);
    assert!(source.text.len() <= 1024 && source.text.starts_with('é'));
    assert_eq!(Source::file("  ").text, "-");
}

#[test]
fn the_largest_record_can_be_read_back() {
    let mut record = record();
    record.imports = (0..256).map(|i| format!("{i:03}{}", "x".repeat(197))).collect();
    record.source = Source::file(&"\u{1b}".repeat(5000));
    assert!(record.text().len() <= INSTALL_RECORD_BYTES);
    assert_eq!(load(&record.text()), record);
}

proptest! {
    #[test]
    fn whatever_a_source_is_called_is_read_back(text in any::<String>(), url: bool) {
        let mut record = record();
        record.source = if url { Source::url(&text) } else { Source::file(&text) };
        prop_assert_eq!(load(&record.text()), record);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = load_install_record("x", &bytes);
    }
}
