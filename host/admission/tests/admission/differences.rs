//! F03: everything in which a plugin's side of the contract differs, for whoever puts it right.

use snodo_admission::{ItemKind, Limits, WitReport, differences};

use crate::build::{component, name, of_world, plugin, text};

const CODER: &str = "import snodo:plugin/read@0.1.0; import snodo:plugin/search@0.1.0; import snodo:plugin/submit@0.1.0; export snodo:plugin/coding@0.1.0;";

fn report(bytes: &[u8]) -> WitReport {
    differences(bytes, &name(), &Limits::standard()).unwrap()
}

/// Of a plugin that was built against the contract with texts replaced in files of it.
#[track_caller]
fn edited(world: &str, edits: &[(&str, &str, &str)]) -> WitReport {
    let bytes = component(world, |file, text| {
        edits
            .iter()
            .filter(|(of, _, _)| *of == file)
            .fold(text.to_owned(), |text, (of, from, to)| {
                assert!(text.contains(from), "{from:?} is not in {of}");
                text.replacen(from, to, 1)
            })
    });
    report(&bytes)
}

fn lines(report: &WitReport) -> Vec<String> {
    report.differences.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_built_against_this_contract_fits() {
    for world in [
        "coder",
        "model-coder",
        "validator",
        "model-validator",
        "runner-validator",
    ] {
        let report = report(&of_world(world));
        assert!(report.fits() && report.advice.is_empty(), "{report:?}");
        assert_eq!(report.built_against.len(), 1);
        assert_eq!(report.built_against[0].version.as_deref(), Some("0.1.0"));
    }
    let report = report(&of_world("coder"));
    assert_eq!(
        report.built_against[0].interfaces,
        ["coding", "read", "runner", "search", "submit", "types"]
    );
    assert_eq!((report.host.as_str(), report.takes.as_str()), ("0.1.0", "0.1.x"));
}

#[test]
fn f03_every_difference_is_told_once_and_where_it_belongs() {
    let report = edited(
        CODER,
        &[
            ("read.wit", "size: u64,", "size: u32,"),
            ("read.wit", "bom: bool,", "encoding: string,"),
            (
                "read.wit",
                "list-files: func",
                "walk-files: func(path: string); list-files: func",
            ),
            (
                "read.wit",
                "read-lines: func(path: string, first: u64, last: u64)",
                "read-lines: func(path: string, first: u64)",
            ),
            ("types.wit", "enum expectation {", "enum expectation { nothing,"),
            (
                "submit.wit",
                "progress: func(event: progress-event);",
                "progress: func(event: progress-event) -> bool;",
            ),
            ("coding.wit", "describe: func() -> description;", ""),
        ],
    );
    assert_eq!(
        lines(&report),
        [
            "`snodo:plugin/types`: enum `expectation`, case `nothing`: the plugin has a case, the host nothing",
            "`snodo:plugin/read`: record `file`, field `size`: the plugin has u32, the host u64",
            "`snodo:plugin/read`: record `file`, field `encoding`: the plugin has a field, the host nothing",
            "`snodo:plugin/read`: record `file`, field `bom`: the plugin has nothing, the host a field",
            "`snodo:plugin/read`: function `read-lines`: the plugin has parameters (path, first), the host parameters (path, first, last)",
            "`snodo:plugin/read`: function `walk-files`: the plugin has a function, the host nothing",
            "`snodo:plugin/submit`: function `progress`, result: the plugin has bool, the host nothing",
            "`snodo:plugin/coding`: function `describe`: the plugin has nothing, the host a function",
        ]
    );
    let kinds: Vec<ItemKind> = report.differences.iter().map(|d| d.kind).collect();
    assert_eq!(
        kinds,
        [
            ItemKind::Case,
            ItemKind::Mismatch,
            ItemKind::Field,
            ItemKind::Field,
            ItemKind::Parameters,
            ItemKind::Function,
            ItemKind::Mismatch,
            ItemKind::Function,
        ]
    );
    assert!(report.compatible && !report.fits());
    assert!(
        report
            .differences
            .iter()
            .all(|d| d.plugin_version.as_deref() == Some("0.1.0"))
    );
    assert_eq!(
        report.advice,
        [
            "it names a version that this host takes, but was built against other text: rebuild it against `snodo:plugin@0.1.0` (`snodo-host wit` writes it)",
            "what this host does not have cannot be used here: leave it out, or use a host that has it",
        ]
    );
}

#[test]
fn f03_cases_of_a_variant_and_their_order() {
    let report = edited(
        CODER,
        &[("coding.wit", "turn-budget(u32),", "turn-budget(u64), tired,")],
    );
    assert_eq!(
        lines(&report),
        [
            "`snodo:plugin/coding`: variant `coder-error`, case `turn-budget`: the plugin has u64, the host u32",
            "`snodo:plugin/coding`: variant `coder-error`, case `tired`: the plugin has a case, the host nothing",
        ]
    );
    let report = edited(
        CODER,
        &[
            ("read.wit", "    bom: bool,\n", ""),
            ("read.wit", "record file {", "record file { bom: bool,"),
        ],
    );
    assert_eq!(report.differences.len(), 1, "{:#?}", lines(&report));
    assert_eq!(report.differences[0].kind, ItemKind::Order);
    assert!(
        lines(&report)[0].starts_with("`snodo:plugin/read`: record `file`, order of fields: the plugin has `bom`, "),
        "{:?}",
        lines(&report)
    );
}

#[test]
fn f03_another_type_in_one_place_is_told_there() {
    let report = edited(
        CODER,
        &[(
            "read.wit",
            "read-file: func(path: string) -> result<file, read-error>",
            "read-file: func(path: string) -> result<string, read-error>",
        )],
    );
    assert_eq!(
        lines(&report),
        ["`snodo:plugin/read`: function `read-file`, result, success: the plugin has string, the host a record"]
    );
}

#[test]
fn f03_another_version_says_which_and_what_a_rebuild_meets() {
    for (theirs, host) in [("0.2.0", "0.2.0"), ("1.0.0", "1.0.0")] {
        let versioned = |text: &str| text.replace("@0.1.0", &format!("@{theirs}"));
        let same = report(&component(&versioned(CODER), |_, text| versioned(text)));
        assert!(!same.compatible && same.differences.is_empty(), "{same:?}");
        assert_eq!(same.built_against.len(), 1);
        assert_eq!(same.built_against[0].version.as_deref(), Some(theirs));
        assert!(!same.built_against[0].taken);
        assert_eq!(
            same.advice,
            [
                format!(
                    "it was built against `snodo:plugin@{theirs}`, and this host takes 0.1.x: rebuild it against `snodo:plugin@0.1.0` (`snodo-host wit` writes it), or use a host that takes {host}"
                ),
                "no item that it uses differs: a rebuild needs no change of its code".to_owned(),
            ]
        );
        let other = report(&component(&versioned(CODER), |file, text| {
            let text = versioned(text);
            if file == "read.wit" {
                text.replacen("size: u64,", "size: u32,", 1)
            } else {
                text
            }
        }));
        assert_eq!(
            lines(&other),
            ["`snodo:plugin/read`: record `file`, field `size`: the plugin has u32, the host u64"]
        );
        assert_eq!(other.differences[0].plugin_version.as_deref(), Some(theirs));
        assert_eq!(other.advice.len(), 1);
    }
    let without = report(&component(&CODER.replace("@0.1.0", ""), |_, text| {
        text.replace("@0.1.0", "")
    }));
    assert_eq!(without.built_against[0].version, None);
    assert!(without.advice[0].starts_with("it names no version of the contract, and this host takes 0.1.x: "));
}

#[test]
fn an_interface_that_is_not_there_or_for_export_only() {
    let bytes = component(
        "import snodo:plugin/shell@0.1.0; import snodo:plugin/judging@0.1.0; export snodo:plugin/coding@0.1.0;",
        |name, text| {
            if name == "read.wit" {
                format!("{text}\ninterface shell {{ run: func(command: string); }}")
            } else {
                text.to_owned()
            }
        },
    );
    assert_eq!(
        lines(&report(&bytes)),
        [
            "`snodo:plugin/judging`: the interface: the plugin has an import of it, the host it for export only",
            "`snodo:plugin/shell`: the interface: the plugin has an interface, the host nothing",
        ]
    );
}

#[test]
fn both_roles_are_compared_and_what_is_outside_the_contract_is_not() {
    let report = edited(
        "export snodo:plugin/coding@0.1.0; export snodo:plugin/judging@0.1.0; import acme:tools/extra; import wasi:sockets/tcp@0.2.6;",
        &[
            ("coding.wit", "describe: func() -> description;", ""),
            ("judging.wit", "describe: func() -> description;", ""),
        ],
    );
    assert_eq!(
        lines(&report),
        [
            "`snodo:plugin/coding`: function `describe`: the plugin has nothing, the host a function",
            "`snodo:plugin/judging`: function `describe`: the plugin has nothing, the host a function",
        ]
    );
    let nothing = crate::differences::report(&plugin("import acme:tools/extra;"));
    assert!(nothing.built_against.is_empty() && nothing.differences.is_empty());
}

#[test]
fn what_is_no_component_is_refused_as_ever() {
    let refused = |bytes: &[u8]| {
        differences(bytes, &name(), &Limits::standard())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(b"").starts_with("plugin `guest` is refused: "));
    assert!(refused(&text("(module)")).contains("refused"));
    let whole = of_world("coder");
    assert!(refused(&whole[..whole.len() / 2]).contains("refused"));
    let small = Limits {
        max_imports: 1,
        ..Limits::standard()
    };
    let refusal = differences(&whole, &name(), &small).unwrap_err().to_string();
    assert!(refusal.contains("the limit is 1"), "{refusal}");
}

#[test]
fn a_hostile_interface_does_not_make_it_long_and_cannot_write_to_a_terminal() {
    let fields: String = (0..900).fold(String::new(), |all, i| format!("{all} x{i}: u8,"));
    let functions: String = (0..900).fold(String::new(), |all, i| format!("{all} y{i}: func();"));
    let report = edited(
        CODER,
        &[
            ("read.wit", "record file {", &format!("record file {{ {fields}")),
            ("read.wit", "list-files: func", &format!("{functions} list-files: func")),
        ],
    );
    assert!(report.differences.len() <= 400, "{}", report.differences.len());
    // A component written by hand may name its items as it likes, as far as WIT's letters go.
    let bytes = text(
        r#"(component (import "snodo:plugin/read@0.1.0" (instance (export "a-very-long-name-that-the-contract-does-not-have" (func)))))"#,
    );
    assert_eq!(
        lines(&crate::differences::report(&bytes)),
        [
            "`snodo:plugin/read`: function `a-very-long-name-that-the-contract-does-not-have`: the plugin has a function, the host nothing"
        ]
    );
}

#[test]
fn programs_are_told_by_field() {
    let report = edited(CODER, &[("read.wit", "size: u64,", "size: u32,")]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        json["differences"][0],
        serde_json::json!({
            "interface": "snodo:plugin/read", "item": "record `file`, field `size`", "kind": "mismatch",
            "plugin_has": "u32", "host_has": "u64", "plugin_version": "0.1.0",
        })
    );
    assert_eq!(json["compatible"], true);
}
