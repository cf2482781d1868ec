//! F03: a plugin built against another contract is told which item of which interface differs.

use crate::build::{answer, component, look, of_world, plugin};

const CODER: &str = "import snodo:plugin/read@0.1.0; import snodo:plugin/search@0.1.0; import snodo:plugin/submit@0.1.0; export snodo:plugin/coding@0.1.0;";

/// The lines of a refusal of a coder that was built against the contract with one text replaced.
#[track_caller]
fn lines(file: &str, from: &str, to: &str) -> Vec<String> {
    let bytes = component(CODER, |name, text| {
        if name == file {
            assert!(text.contains(from), "{from:?} is not in {file}");
            text.replacen(from, to, 1)
        } else {
            text.to_owned()
        }
    });
    answer(&bytes)
        .lines()
        .map(|l| l.trim().trim_start_matches("plugin `guest` is refused: ").to_owned())
        .collect()
}

#[track_caller]
fn differs(file: &str, from: &str, to: &str, subject: &str, what: &str) {
    let lines = lines(file, from, to);
    let line = format!(
        "`snodo:plugin/{subject}@0.1.0`: differs from this host's in {what}; rebuild it against `snodo:plugin@0.1.0`"
    );
    assert!(lines.contains(&line), "{lines:#?}\nshould hold\n{line}");
}

#[test]
fn f03_another_version_of_the_contract_names_both() {
    for (theirs, wanted) in [("0.2.0", "0.2.0"), ("1.0.0", "1.0.0"), ("0.1.0-rc.1", "0.1.0-rc.1")] {
        let bytes = component(&CODER.replace("@0.1.0", &format!("@{theirs}")), |_, text| {
            text.replace("@0.1.0", &format!("@{theirs}"))
        });
        let answer = answer(&bytes);
        for interface in ["types", "read", "search", "submit", "coding"] {
            let line = format!(
                "\n  `snodo:plugin/{interface}@{theirs}`: the plugin was built against version {wanted}, this host offers 0.1.0 (and takes 0.1.x); \
                 rebuild it against `snodo:plugin@0.1.0`"
            );
            assert!(answer.contains(&line), "{answer}\nshould hold{line}");
        }
        assert_eq!(look(&bytes).built_against.as_deref(), Some(wanted));
    }
}

#[test]
fn a_later_version_of_the_same_line_meets_this_host_if_its_items_are_equal() {
    let later = |text: &str| text.replace("@0.1.0", "@0.1.9");
    assert_eq!(answer(&component(&later(CODER), |_, text| later(text))), "admitted");
}

#[test]
fn a_version_that_is_not_named_is_refused() {
    let bytes = component(&CODER.replace("@0.1.0", ""), |_, text| text.replace("@0.1.0", ""));
    let answer = answer(&bytes);
    assert!(
        answer.contains("\n  `snodo:plugin/read`: the plugin was built against no version, this host offers 0.1.0 (and takes 0.1.x); "),
        "{answer}"
    );
}

#[test]
fn an_interface_that_the_contract_does_not_have() {
    let bytes = component(
        "import snodo:plugin/shell@0.1.0; export snodo:plugin/coding@0.1.0;",
        |name, text| {
            if name == "read.wit" {
                format!("{text}\ninterface shell {{ run: func(command: string); }}")
            } else {
                text.to_owned()
            }
        },
    );
    assert_eq!(
        answer(&bytes),
        "plugin `guest` is refused: `snodo:plugin/shell@0.1.0`: `snodo:plugin@0.1.0` has no such interface; \
         leave the import out, or use a host that has it"
    );
}

#[test]
fn a_plugin_that_wraps_another_one() {
    let answer = answer(&plugin(
        "import snodo:plugin/judging@0.1.0; export snodo:plugin/coding@0.1.0;",
    ));
    assert_eq!(
        answer,
        "plugin `guest` is refused: `snodo:plugin/judging@0.1.0`: a plugin exports this interface; the host offers it to none; \
         a plugin cannot wrap another one: leave the import out"
    );
}

#[test]
fn f03_a_function_that_is_not_there() {
    differs(
        "read.wit",
        "list-files: func",
        "walk-files: func(path: string); list-files: func",
        "read",
        "function `walk-files`: the plugin has a function, the host nothing",
    );
}

#[test]
fn f03_a_field_of_another_type() {
    differs(
        "read.wit",
        "size: u64,",
        "size: u32,",
        "read",
        "record `file`, field `size`: the plugin has u32, the host u64",
    );
}

#[test]
fn f03_a_field_more_less_or_renamed() {
    differs(
        "read.wit",
        "bom: bool,",
        "bom: bool, encoding: string,",
        "read",
        "record `file`, field 6: the plugin has `encoding`, the host nothing",
    );
    differs(
        "submit.wit",
        "unchanged: list<string>,",
        "",
        "submit",
        "record `submission`, field 3: the plugin has `pending`, the host `unchanged`",
    );
    differs(
        "read.wit",
        "executable: bool,",
        "runnable: bool,",
        "read",
        "record `file`, field 4: the plugin has `runnable`, the host `executable`",
    );
}

#[test]
fn f03_a_case_more() {
    let lines = lines("types.wit", "enum expectation {", "enum expectation { nothing,");
    let line = "`snodo:plugin/coding@0.1.0`: differs from this host's in record `task`, field `expects`, \
                enum `expectation`, case 1: the plugin has `nothing`, the host `change`; rebuild it against `snodo:plugin@0.1.0`";
    assert!(lines.iter().any(|l| l == line), "{lines:#?}");
    // The interface that the type comes from says it first, and shortest.
    let first = "`snodo:plugin/types@0.1.0`: differs from this host's in enum `expectation`, case 1: the plugin has `nothing`, the host `change`; \
                 rebuild it against `snodo:plugin@0.1.0`";
    assert!(lines.iter().any(|l| l == first), "{lines:#?}");
}

#[test]
fn f03_parameters_and_results() {
    differs(
        "read.wit",
        "read-lines: func(path: string, first: u64, last: u64)",
        "read-lines: func(path: string, first: u64)",
        "read",
        "function `read-lines`: the plugin has parameters (path, first), the host parameters (path, first, last)",
    );
    differs(
        "read.wit",
        "read-file: func(path: string) -> result<file, read-error>",
        "read-file: func(path: string) -> file",
        "read",
        "function `read-file`, result: the plugin has a record, the host a result",
    );
    differs(
        "read.wit",
        "read-files: func(paths: list<string>)",
        "read-files: func(paths: list<u8>)",
        "read",
        "function `read-files`, parameter `paths`, element: the plugin has u8, the host string",
    );
    differs(
        "submit.wit",
        "progress: func(event: progress-event);",
        "progress: func(event: progress-event) -> bool;",
        "submit",
        "function `progress`, result: the plugin has bool, the host nothing",
    );
}

#[test]
fn f03_what_the_host_calls_has_to_be_there_and_equal() {
    differs(
        "coding.wit",
        "describe: func() -> description;",
        "",
        "coding",
        "function `describe`: the plugin has nothing, the host a function",
    );
    differs(
        "coding.wit",
        "turn-budget(u32),",
        "turn-budget(u64),",
        "coding",
        "variant `coder-error`, case `turn-budget`: the plugin has u64, the host u32",
    );
    // More than is called is tolerated.
    assert_eq!(
        lines("coding.wit", "describe: func()", "extra: func(); describe: func()"),
        ["admitted"]
    );
}

#[test]
fn what_a_plugin_does_not_use_is_not_held_against_it() {
    // Built against a contract in which an interface that it does not import is another one.
    let bytes = component(
        "import snodo:plugin/read@0.1.0; export snodo:plugin/coding@0.1.0;",
        |name, text| {
            if name == "runner.wit" {
                text.replace("duration-ms: u64,", "seconds: u32,")
            } else {
                text.to_owned()
            }
        },
    );
    assert_eq!(answer(&bytes), "admitted");
    assert_eq!(answer(&of_world("coder")), "admitted");
}
