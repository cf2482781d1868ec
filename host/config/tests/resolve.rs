//! From a protocol to what one run is made of: what is honoured, refused by name, and said to have no effect.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use common::{SMALL, load, with};
use snodo_config::policy::Policy;
use snodo_config::protocol::JudgeTool;
use snodo_config::resolve::{Refusal, ResolveError, ResolvedRun, in_one_line, resolve};
use snodo_config::settings::{GivenValue, Origin};
use snodo_workspace::role::{Phase, SettingValue, Severity};

const KNOWN: [&str; 3] = ["quality", "secrets", "scope"];

fn run(text: &str, mode: Option<&str>) -> Result<ResolvedRun, ResolveError> {
    resolve(&load(text).protocol, mode, &KNOWN)
}

fn refusals(text: &str) -> Vec<Refusal> {
    run(text, None).unwrap_err().refusals().to_vec()
}

/// A protocol with everything that a run here honours.
const HONOURED: &str = r"
protocol_id: p
name: P
initial_mode: make
disagreement_policy: majority
protected_paths: [/docs/adr/, 'keys/**', ./docs/adr]
modes:
  - mode_id: make
    name: Make
    description: Make things
    tools: [edit, dispatch]
    validators: [after, before, tests]
    coder: patch
    coder_config: {fuzz: 3, names: [a, b], max_tokens: 9, concurrency: 2}
  - mode_id: look
    name: Look
    validators: [before]
  - mode_id: own
    name: Own
    validators: [before]
    coder: other
validators:
  - validator_id: before
    validator_type: scope
    criteria: [stay, within]
    severity_cap: warn
    tools: [read_file]
    tooling: {allow: ['src/**'], strict: yes}
  - validator_id: after
    validator_type: secrets
    evaluation_phase: post_execute
  - validator_id: tests
    validator_type: quality
    evaluation_phase: post_execute
    tooling: {test_command: make check, timeout: 90, quiet: true}
  - validator_id: never
    validator_type: nobody
";

#[test]
fn a_run_is_what_the_mode_says() {
    let run = run(HONOURED, None).unwrap();
    assert_eq!(
        (
            run.mode.id.as_str(),
            run.mode.name.as_str(),
            run.mode.description.as_str()
        ),
        ("make", "Make", "Make things")
    );
    assert_eq!(run.mode.tools, ["edit", "dispatch"]);
    assert_eq!(run.policy, Policy::Majority);
    assert_eq!(run.coder.as_deref(), Some("patch"));
    assert_eq!(run.protected_paths, ["docs/adr", "keys"]);
    assert_eq!(run.test_command.as_deref(), Some("make check"));
    assert_eq!(run.test_timeout_seconds(), Some(90));

    let ids = |phase| run.gate(phase).map(|v| v.id.as_str()).collect::<Vec<_>>();
    assert_eq!(ids(Phase::PreExecute), ["before"]);
    // In the order of the mode, not of the declarations.
    assert_eq!(ids(Phase::PostExecute), ["after", "tests"]);

    let before = run.gate(Phase::PreExecute).next().unwrap();
    assert_eq!((before.validator_type.as_str(), before.line), ("scope", 23));
    assert_eq!(before.criteria, ["stay", "within"]);
    assert_eq!(
        (before.severity_cap, &before.tools[..]),
        (Some(Severity::Warn), &[JudgeTool::ReadFile][..])
    );
    assert_eq!(
        (before.tooling.test_command.as_deref(), before.tooling.timeout_seconds),
        (None, None)
    );
    let settings: Vec<_> = before
        .tooling
        .settings
        .iter()
        .map(|s| (s.plugin.as_str(), s.key.as_str(), s.origin))
        .collect();
    let origin = Origin::Tooling { line: 28 };
    assert_eq!(settings, [("scope", "allow", origin), ("scope", "strict", origin)]);

    let tests = run.gate(Phase::PostExecute).nth(1).unwrap();
    assert_eq!(
        (tests.tooling.test_command.as_deref(), tests.tooling.timeout_seconds),
        (Some("make check"), Some(90))
    );
    // What is not the host's is a setting of the plugin.
    assert_eq!(tests.tooling.settings.len(), 1);
    assert_eq!(
        tests.tooling.settings[0].value,
        GivenValue::Typed(SettingValue::Boolean(true))
    );
}

#[test]
fn coder_settings_bear_the_name_of_whoever_is_chosen() {
    let run = run(HONOURED, None).unwrap();
    let settings = run.coder_settings("patch");
    let names: Vec<_> = settings.iter().map(|s| (s.plugin.as_str(), s.key.as_str())).collect();
    assert_eq!(names, [("patch", "fuzz"), ("patch", "names"), ("patch", "max_tokens")]);
    assert_eq!(
        settings[1].value,
        GivenValue::Typed(SettingValue::TextList(vec!["a".to_owned(), "b".to_owned()]))
    );
    assert!(matches!(settings[0].origin, Origin::CoderConfig { line: 14 }));
    let notices: Vec<_> = run.notices.iter().map(|n| n.field.as_str()).collect();
    assert_eq!(
        notices,
        [
            "modes.make.coder_config.max_tokens",
            "modes.make.coder_config.concurrency"
        ]
    );
}

#[test]
fn a_mode_without_a_word_on_coders_takes_the_initial_modes() {
    assert_eq!(run(HONOURED, Some("look")).unwrap().coder.as_deref(), Some("patch"));
    let own = run(HONOURED, Some("own")).unwrap();
    assert_eq!(own.coder.as_deref(), Some("other"));
    // A coder's configuration is not given to another coder.
    assert!(own.coder_config.is_empty());
    assert_eq!(run(SMALL, None).unwrap().coder, None);
}

#[test]
fn what_other_modes_hold_is_no_matter() {
    // `never` is of an unknown type and in no mode; `look` has no test command.
    let run = run(HONOURED, Some("look")).unwrap();
    assert_eq!((run.validators.len(), run.test_command), (1, None));
}

#[test]
fn an_unknown_mode_names_those_that_exist() {
    let error = run(HONOURED, Some("mke")).unwrap_err();
    insta::assert_snapshot!(error, @"the protocol cannot be run here: the protocol has no mode `mke`");
    assert_eq!(error.refusals()[0].help(), "did you mean `make`?");
    let error = run(HONOURED, Some("fly")).unwrap_err();
    assert_eq!(error.refusals()[0].help(), "it has `make`, `look`, `own`");
}

#[test]
fn two_test_commands_cannot_both_be_the_declared_one() {
    let second = "    validator_type: secrets\n";
    let quality = |command: &str| {
        with(
            second,
            &format!("    validator_type: quality\n    tooling: {{test_command: {command}}}\n"),
        )
    };
    assert_eq!(
        run(&quality("make check"), None).unwrap().test_command.as_deref(),
        Some("make check")
    );
    let found = refusals(&quality("make lint"));
    assert!(
        matches!(&found[..], [Refusal::TwoTestCommands { one, other, .. }] if one == "keys" && other == "tests"),
        "{found:?}"
    );
}

#[test]
fn everything_that_would_gate_and_is_not_served_is_refused_by_name() {
    let error = run(include_str!("protocols/full.yml"), None).unwrap_err();
    let told: Vec<String> = error.refusals().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @"`validators.pips.scope` (line 43) is not served: a wave is a matter of snodo's plans, and there are none here");
}

#[test]
fn validator_types_must_be_answered_for() {
    let found = refusals(&with("validator_type: secrets", "validator_type: architecture"));
    assert!(
        matches!(&found[..], [Refusal::UnknownType { validator, line: 12, .. }] if validator == "keys"),
        "nobody judges by criteria here: {found:?}"
    );
    let found = refusals(&with("validator_type: secrets", "validator_type: secret"));
    assert!(
        matches!(&found[..], [Refusal::UnknownType { nearest: Some(n), .. }] if n == "secrets"),
        "{found:?}"
    );
    // Case counts: snodo's types are words.
    let found = refusals(&with("validator_type: secrets", "validator_type: Secrets"));
    assert!(matches!(&found[..], [Refusal::UnknownType { .. }]), "{found:?}");
    // snodo's names for a judge by criteria mean the first-party one, whatever else is installed under such a name.
    let protocol = load(&with("validator_type: secrets", "validator_type: architecture")).protocol;
    let resolved = resolve(&protocol, None, &["quality", "judge", "architecture"]).unwrap();
    let judged = &resolved.validators[0];
    assert_eq!(
        (judged.validator_type.as_str(), judged.plugin.as_str()),
        ("architecture", "judge")
    );
}

#[test]
fn what_would_gate_and_is_served_is_not_refused() {
    let constraint = "[{constraint_id: c, description: d, expression: e}]";
    for text in [
        format!("{SMALL}global_constraints: {constraint}\n"),
        format!("{SMALL}modules: [{{module_id: m, paths: [x]}}]\n"),
        with(
            "    name: Bake",
            &format!("    name: Bake\n    max_recovery_depth: 2\n    constraints: {constraint}"),
        ),
        with(
            "validator_type: secrets",
            "validator_type: secrets\n    check_tool_access: true",
        ),
        format!("{SMALL}execution: {{max_recovery_depth: 1, max_total_fix_attempts: 2}}\n"),
    ] {
        // And nothing says of it that it has no effect.
        assert_eq!(run(&text, None).unwrap().notices, [], "{text}");
    }
    let wave = with("validator_type: secrets", "validator_type: secrets\n    scope: wave");
    let found = refusals(&wave);
    assert!(
        matches!(&found[..], [Refusal::NotServed { field, line: 13, .. }] if field == "validators.keys.scope"),
        "{found:?}"
    );
    run(&wave.replace("scope: wave", "scope: task"), None).unwrap();
}

const MODULES: &str = r"
modules:
  - {module_id: oven, paths: [src/oven, 'lib/*'], tooling: {test_command: ' tox ', timeout: 3}}
  - {module_id: bowl, paths: [bowl], tooling: {test_command: REPLACE_ME}}
";

#[test]
fn a_module_brings_its_paths_and_its_test_command() {
    let protocol = load(&format!("{SMALL}{MODULES}")).protocol;
    let module = |id: &str| resolve(&protocol, None, &KNOWN).unwrap().for_module(&protocol, id);
    let run = module("oven").unwrap();
    let oven = run.module.unwrap();
    assert_eq!(
        (oven.id.as_str(), &oven.paths[..], oven.test_command.as_deref()),
        ("oven", &["src/oven".to_owned(), "lib/*".to_owned()][..], Some(" tox "))
    );
    let notices: Vec<&str> = run.notices.iter().map(|n| n.field.as_str()).collect();
    assert_eq!(notices, ["modules.oven.tooling.timeout"]);
    let bowl = module("bowl").unwrap().module.unwrap();
    assert_eq!((bowl.id.as_str(), bowl.test_command), ("bowl", None));
    // Without `--module` they bring nothing.
    assert_eq!(resolve(&protocol, None, &KNOWN).unwrap().module, None);

    let error = module("owen").unwrap_err();
    insta::assert_snapshot!(error, @"the protocol cannot be run here: the protocol has no module `owen`");
    assert_eq!(error.refusals()[0].help(), "did you mean `oven`?");
    assert_eq!(
        module("fridge").unwrap_err().refusals()[0].help(),
        "it has `oven`, `bowl`"
    );
    let none = load(SMALL).protocol;
    let error = resolve(&none, None, &KNOWN)
        .unwrap()
        .for_module(&none, "oven")
        .unwrap_err();
    assert_eq!(error.refusals()[0].help(), "it declares none");
    let list = load(&format!(
        "{SMALL}modules: [{{module_id: m, paths: [x], tooling: {{test_command: [tox]}}}}]\n"
    ))
    .protocol;
    let error = resolve(&list, None, &KNOWN)
        .unwrap()
        .for_module(&list, "m")
        .unwrap_err();
    assert!(matches!(error.refusals(), [Refusal::BadTooling { .. }]), "{error}");
}

#[test]
fn values_that_no_setting_can_be() {
    for value in [
        "{a: 1}",
        "1.5",
        "null",
        "2026-01-01",
        "[1]",
        "123456789012345678901234567890",
    ] {
        let found = refusals(&with(
            "validator_type: secrets",
            &format!("validator_type: secrets\n    tooling: {{k: {value}}}"),
        ));
        assert!(matches!(&found[..], [Refusal::BadSetting { .. }]), "{value}: {found:?}");
        let found = refusals(&with(
            "    name: Bake",
            &format!("    name: Bake\n    coder_config: {{k: {value}}}"),
        ));
        assert!(matches!(&found[..], [Refusal::BadSetting { .. }]), "{value}: {found:?}");
    }
    for (tooling, ok) in [
        ("timeout: 1", true),
        ("timeout: 0", false),
        ("timeout: '90'", false),
        ("timeout: 90.5", false),
        ("timeout: 999999", false),
        ("timeout: null", true),
        ("test_command: [make]", false),
        ("test_command: 1", false),
        ("test_command: null", true),
    ] {
        let text = with("test_command: make check", tooling);
        let result = run(&text, None);
        assert_eq!(result.is_ok(), ok, "{tooling}: {result:?}");
    }
    let found = refusals(&with(
        "    name: Bake",
        "    name: Bake\n    coder_config: {model: big}",
    ));
    assert!(matches!(&found[..], [Refusal::CoderModel { line: 8 }]), "{found:?}");
}

#[test]
fn protected_paths_that_cannot_be_honoured_stop_the_run() {
    let found = refusals(&format!("{SMALL}protected_paths: ['*.lock', ../x, ., docs/*/y]\n"));
    let paths: Vec<_> = found
        .iter()
        .map(|r| match r {
            Refusal::ProtectedPath { path, .. } => path.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(paths, ["*.lock", "../x", ".", "docs/*/y"]);
}

#[test]
fn a_validator_counts_once() {
    let found = refusals(&with("[keys, tests]", "[keys, tests, keys]"));
    assert!(
        matches!(&found[..], [Refusal::ListedTwice { validator, .. }] if validator == "keys"),
        "{found:?}"
    );
}

#[test]
fn what_has_no_effect_is_said_in_one_line() {
    let text = include_str!("protocols/full.yml").replace("scope: wave", "scope: task");
    let run = run(&text, None).unwrap();
    let line = in_one_line(&run.notices).unwrap();
    assert_eq!(line.lines().count(), 1);
    insta::assert_snapshot!(line.replace(", `", ",\n`"), @r#"
    no effect here: `roles` (line 7: for readers only),
    `modes.graft.transitions` (line 17: transitions are never executed, as in snodo),
    `modes.graft.delivery` (line 28: the change is applied to the workspace and delivered nowhere),
    `modes.graft.concurrency` (line 30: one task runs at a time),
    `validators.pips.constraints` (line 38: a validator's constraints are never evaluated, as in snodo),
    `validators.pips.judges_spec` (line 47: tasks are not rewritten),
    `validators.pips.model` (line 49: validators of this type ask no language model),
    `validators.pips.max_tool_turns` (line 50: validators of this type ask no language model),
    `validators.pips.validator_tools` (line 51: tools of snodo's plugins are not offered),
    `write_allowed_prefixes` (line 68: it is of snodo's own write tool),
    `execution.max_retries` (line 70: there is no retry command),
    `execution.branch_ttl_days` (line 71: no branches are made),
    `execution.branch_prefix` (line 72: no branches are made),
    `execution.delivery` (line 75: the change is applied to the workspace and delivered nowhere),
    `execution.delivery_remote` (line 76: the change is applied to the workspace and delivered nowhere),
    `execution.prepare_command` (line 77: nothing is prepared; tests run in a copy of the workspace),
    `queue` (line 78: plans are snodo's),
    `metadata` (line 81: for readers only)
    "#);
    assert_eq!(in_one_line(&run_small().notices), None);
}

fn run_small() -> ResolvedRun {
    run(SMALL, None).unwrap()
}

#[test]
fn defaults_that_are_written_out_are_no_news() {
    let text = format!(
        "{SMALL}queue: {{non_blocking: false, parallel_runs: 1}}\nwrite_allowed_prefixes: ['.snodo/']\nroles: []\nmetadata: {{}}\nexecution: {{prepare_command: none}}\n"
    );
    assert_eq!(in_one_line(&run(&text, None).unwrap().notices), None);
}

#[test]
fn tools_without_a_counterpart_are_named() {
    let tools = |list: &str| {
        let text = with(
            "validator_type: secrets",
            &format!("validator_type: secrets\n    tools: [{list}]"),
        );
        run(&text, None)
            .unwrap()
            .notices
            .iter()
            .map(|n| n.field.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(tools("read_file, git_log"), ["validators.keys.tools"]);
    assert!(tools("read_file, read_file_lines, list_files, read_diff_between_refs").is_empty());
}

#[test]
fn a_gate_of_mode_transitions_is_empty_and_said() {
    let text = SMALL.replace("[edit, dispatch]", "[edit]").replace(
        "validator_type: secrets",
        "validator_type: secrets\n    evaluation_phase: mode_transition",
    );
    let run = run(&text, None).unwrap();
    assert_eq!(run.gate(Phase::PreExecute).count(), 0);
    assert_eq!(
        run.notices.iter().map(|n| n.field.as_str()).collect::<Vec<_>>(),
        ["validators.keys"]
    );
}
