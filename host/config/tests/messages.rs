//! What a person and a program are told. The words are part of the product.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use common::{SMALL, load, refused, with};
use snodo_config::{FileError, plain_warnings};

fn graphical(error: FileError) -> String {
    let mut out = String::new();
    let report = miette::Report::from(error);
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor()).with_width(100);
    handler.render_report(&mut out, report.as_ref()).unwrap();
    out
}

#[test]
fn a_fault_with_its_excerpt() {
    insta::assert_snapshot!(graphical(refused(&with("evaluation_phase: post_execute", "evaluation_phase: post"))), @r#"
      × the protocol `protocol.yml` cannot be used: 1 fault

    Error: SCHEMA

      × `validators[1].evaluation_phase` cannot be `post`
        ╭─[protocol.yml:15:23]
     14 │     validator_type: quality
     15 │     evaluation_phase: post
        ·                       ────
     16 │     tooling:
        ╰────
      help: one of `pre_execute`, `post_execute`, `mode_transition`
    "#);
}

#[test]
fn several_faults_with_their_excerpts() {
    let text = with("validators: [keys, tests]", "validators: [kees, tests]")
        .replace("initial_mode: bake", "initial_mode: boil");
    insta::assert_snapshot!(graphical(refused(&text)), @r#"
      × the protocol `protocol.yml` cannot be used: 3 faults

    Error: WF3

      × `initial_mode` names a mode `boil` that is not declared
       ╭─[protocol.yml:4:1]
     3 │ name: Bakery
     4 │ initial_mode: boil
       · ────────────
     5 │ modes:
       ╰────
      help: the protocol declares `bake`

    Error: WF3

      × the mode `bake` may dispatch (its tools hold `dispatch`) but has no pre_execute validator
       ╭─[protocol.yml:8:19]
     7 │     name: Bake
     8 │     tools: [edit, dispatch]
       ·                   ────────
     9 │     validators: [kees, tests]
       ╰────
      help: add a validator with `evaluation_phase: pre_execute` to the mode, or take `dispatch` from
            its tools

    Error: WF3

      × the mode `bake` names a validator `kees` that is not declared
        ╭─[protocol.yml:9:18]
      8 │     tools: [edit, dispatch]
      9 │     validators: [kees, tests]
        ·                  ────
     10 │ validators:
        ╰────
      help: did you mean `keys`?
    "#);
}

#[test]
fn a_long_line_is_shown_in_part() {
    let text = format!(
        "{SMALL}metadata: {{a: {}, 'b': [c, d}}, e: {}}}\n",
        "x".repeat(5000),
        "y".repeat(5000)
    );
    insta::assert_snapshot!(graphical(refused(&text)), @r#"
      × the protocol `protocol.yml` cannot be used: 1 fault

    Error: SYNTAX

      × not readable as YAML: while parsing a flow sequence, expected ',' or ']'
        ╭─[protocol.yml:18:5027]
     18 │ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, 'b': [c, d}, e: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
        ·                                                             ▲
        ╰────
      help: correct the syntax around this place
    "#);
}

#[test]
fn the_schema_in_plain_lines() {
    insta::assert_snapshot!(refused(include_str!("protocols/faulty.yml")).plain(), @r#"
    protocol.yml:2:14: error[SCHEMA]: `protocol_id` is blank
      help: give it a value, or remove the entry
    protocol.yml:3:7: error[SCHEMA]: `name` must be a text, not a whole number (`7`)
      help: put it in quotes if it is meant as a text
    protocol.yml:7:5: error[SCHEMA]: the mode (`modes[0]`) has no field `tols`
      help: did you mean `tools`?
    protocol.yml:8:15: error[SCHEMA]: `modes[0].delivery` cannot be `leave_unmerged`
      help: one of `local_merge`, `push_branch`, `change_request`
    protocol.yml:9:25: error[SCHEMA]: `modes[0].max_recovery_depth` must be a whole number from 0 to 20, not 21
      help: choose a value within these bounds
    protocol.yml:10:14: error[SCHEMA]: the mode `mend` is declared twice (first on line 5)
      help: rename or remove one of the two
    protocol.yml:13:5: error[SCHEMA]: `modes[1].delivery` and `modes[1].auto_merge` cannot both be set
      help: keep `delivery` and remove `auto_merge`
    protocol.yml:15:5: error[SCHEMA]: the field `validator_id` is missing in the validator (`validators[0]`)
      help: add `validator_id`
    protocol.yml:16:19: error[SCHEMA]: `validators[0].severity_cap` cannot be `Warn`
      help: did you mean `warn`?
    protocol.yml:17:24: error[SCHEMA]: `validators[0].tools[1]` cannot be `reed_file`
      help: did you mean `read_file`?
    protocol.yml:20:5: error[SCHEMA]: `scope: wave` is for pre_execute validators; `late` judges in post_execute
      help: remove `scope`, or judge in pre_execute
    protocol.yml:23:24: error[SCHEMA]: `protected_paths[1]` is blank
      help: give it a value, or remove the entry
    protocol.yml:24:10: error[SCHEMA]: `execution` must be a map of fields, not nothing
      help: give it a value, or remove the key
    protocol.yml:25:24: error[SCHEMA]: `queue.parallel_runs` must be a whole number, not a text (`2`)
      help: write a number, without quotes or fraction
    protocol.yml:27:16: error[SCHEMA]: `modules[0].module_id` may hold letters, digits, `-` and `_`, at least one letter or digit; `a/b` does not fit
      help: choose another id
    protocol.yml:28:12: error[SCHEMA]: `modules[0].paths` needs at least one item
      help: add one
    "#);
}

#[test]
fn well_formedness_in_plain_lines() {
    insta::assert_snapshot!(refused(include_str!("protocols/ill_formed.yml")).plain(), @r#"
    protocol.yml:4:1: error[WF3]: `initial_mode` names a mode `dock` that is not declared
      help: the protocol declares `load`, `cross`
    protocol.yml:5:1: error[WF4]: the policy `majority` needs at least 2 validators; the protocol declares 1
      help: declare another validator, or choose another `disagreement_policy`
    protocol.yml:8:6: error[WF2]: the role `pilot` is declared twice (first on line 7)
      help: rename or remove one of the two
    protocol.yml:12:19: error[WF3]: the mode `load` may dispatch (its tools hold `dispatch`) but has no pre_execute validator
      help: add a validator with `evaluation_phase: pre_execute` to the mode, or take `dispatch` from its tools
    protocol.yml:13:18: error[WF3]: the mode `load` names a validator `ballst` that is not declared
      help: did you mean `ballast`?
    protocol.yml:16:13: error[WF1]: the exclusive tool `merge` is held more than once: by `load`, `cross`
      help: leave it in one mode (see `exclusive_tools`; `approve` and `merge` are always exclusive)
    protocol.yml:18:53: error[WF5]: the constraint `dry` names a predicate `file_in_scope` that does not exist
      help: did you mean `files_in_scope`?
    protocol.yml:24:6: error[WF5]: the constraint `dry` is declared twice (first on line 18)
      help: rename or remove one of the two
    protocol.yml:25:6: error[WF5]: the constraint `mute` has neither a predicate nor an expression
      help: name a `predicate`, or say in `expression` what it means
    protocol.yml:27:51: error[MODULES]: the module `hull` names a validator `keel` that is not declared
      help: declare it under `validators`, or remove it here
    protocol.yml:28:6: error[MODULES]: the module `hull` is declared twice (first on line 27)
      help: rename or remove one of the two
    "#);
}

#[test]
fn syntax_in_plain_lines() {
    let cases = [
        "modes: [a, b\n",
        "a: b: c\n",
        "a: 1\n\tb: 2\n",
        "a: @x\n",
        "a: \"x\nb\"\n",
        "a: &x [*x]\n",
        "a: !secret x\n",
        "a: 1\n---\nb: 2\n",
        "- a\n",
        "",
        "a: \u{1}\n",
    ];
    let told: String = cases.iter().map(|text| refused(text).plain()).collect();
    insta::assert_snapshot!(told, @r#"
    protocol.yml:1:13: error[SYNTAX]: not readable as YAML: while parsing a flow sequence, expected ',' or ']'
      help: correct the syntax around this place
    protocol.yml:1:5: error[SYNTAX]: not readable as YAML: mapping values are not allowed in this context
      help: correct the syntax around this place
    protocol.yml:2:1: error[SYNTAX]: a tab stands where only spaces may
      help: indent and separate with spaces; within quotes a tab may be written as `\t`
    protocol.yml:1:4: error[SYNTAX]: not readable as YAML: unexpected character: `@'
      help: correct the syntax around this place
    protocol.yml:1:4: error[SYNTAX]: not readable as YAML: invalid indentation in quoted scalar
      help: indent every line of a value further than its key, within quotes and brackets too
    protocol.yml:1:8: error[SYNTAX]: an alias stands within the value that it repeats
      help: write the value out; it cannot contain itself
    protocol.yml:1:4: error[SYNTAX]: the tag `!secret` is not served
      help: leave the tag out; plain values have the type that they look like, quoted ones are texts
    protocol.yml:2:1: error[SYNTAX]: a second document begins here; the file may hold one
      help: keep one document; put others into files of their own
    protocol.yml:1:1: error[ROOT]: the file must be a map of fields, not a list
      help: begin with `field: value` lines at the left margin
    protocol.yml:1:1: error[ROOT]: the file must be a map of fields, not nothing
      help: begin with `field: value` lines at the left margin
    protocol.yml:1:4: error[FILE]: the character U+0001 is not allowed in the file
      help: remove it, or write it within double quotes as `\u0001`
    "#);
}

#[test]
fn warnings_in_plain_lines() {
    let text = format!(
        "{}colour: blue\nprotected_path: [x]\nname: Bakery\nprotected_paths: [docs/**]\n",
        with("[edit, dispatch]", "[edit, dispatch, tset]")
    );
    insta::assert_snapshot!(plain_warnings("protocol.yml", &load(&text).warnings), @r#"
    protocol.yml:8:29: warning[SCHEMA]: the mode `bake` holds a tool `tset` that has no meaning
      help: did you mean `test`?
    protocol.yml:13:5: warning[WF4]: `tests` is the only post_execute validator under the policy `unanimous`: every warning of it stops the run
      help: add a second post_execute validator, or choose another policy
    protocol.yml:18:1: warning[SCHEMA]: the protocol has no field `colour`; it is ignored
      help: it has `protocol_id`, `name`, `version`, `modes`, `roles`, `validators`, `disagreement_policy`, `initial_mode`, `global_constraints`, `protected_paths`, `write_allowed_prefixes`, `execution`, …
    protocol.yml:19:1: warning[SCHEMA]: the protocol has no field `protected_path`; it is ignored
      help: did you mean `protected_paths`?
    protocol.yml:20:1: warning[SYNTAX]: the key `name` stands twice (first on line 3); the last one counts
      help: remove one of the two
    protocol.yml:21:19: warning[PROTECTED]: the protected path `docs/**` looks like a pattern; snodo takes it for a name and so protects nothing
      help: name the folder or the file; a folder protects everything below it
    "#);
}

#[test]
fn faults_and_warnings_for_a_program() {
    let error = refused(&format!("{SMALL}disagreement_policy: most\nqueue: {{parallel: 2}}\n"));
    insta::assert_snapshot!(serde_json::to_string_pretty(&error).unwrap(), @r#"
    {
      "file": "protocol.yml",
      "message": "the protocol `protocol.yml` cannot be used: 2 faults",
      "faults": [
        {
          "line": 18,
          "column": 22,
          "rule": "SCHEMA",
          "message": "`disagreement_policy` cannot be `most`",
          "help": "one of `unanimous`, `majority`, `quorum`, `any`"
        },
        {
          "line": 19,
          "column": 9,
          "rule": "SCHEMA",
          "message": "the section (`queue`) has no field `parallel`",
          "help": "it has `non_blocking`, `parallel_runs`"
        }
      ]
    }
    "#);
    let warnings = load(SMALL).warnings;
    insta::assert_snapshot!(serde_json::to_string(&warnings).unwrap(), @r#"[{"line":13,"column":5,"rule":"WF4","message":"`tests` is the only post_execute validator under the policy `unanimous`: every warning of it stops the run","help":"add a second post_execute validator, or choose another policy"}]"#);
}
