//! What the judge by criteria asks of its model, and when it asks none.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use snodo_judging::testing::{Edits, Script, context, evaluation, submits};
use snodo_plugin::tools::Memory;

use super::*;

fn judge(evaluation: &Evaluation, script: &Script) -> Result<Verdict, Fault> {
    let mut memory = Memory::new();
    memory.put("a.rs", "fn a() {}\n");
    let world = World {
        model: script,
        changes: Edits::new().added("a.rs", "fn a() {}\n"),
        sight: memory,
    };
    snodo_judging::judge(&brief(evaluation), evaluation, &context(&Judge::describe()), world)
}

#[test]
fn without_criteria_it_warns_and_asks_nobody() {
    // Natively a call of an import ends the process: this shows that there is none.
    let nothing = evaluation(Phase::PostExecute, "Do it.", &[]);
    let verdict = Judge::evaluate(nothing, context(&Judge::describe())).unwrap();
    assert_eq!(verdict.severity, Severity::Warn);
    assert_eq!(verdict.justification, "no criteria are declared: nothing was judged");
}

#[test]
fn before_execution_it_judges_the_task_and_after_it_the_change() {
    for (phase, instructions, shows) in [(Phase::PreExecute, BEFORE, false), (Phase::PostExecute, AFTER, true)] {
        let script = Script::new([submits("pass", "fine")]);
        let verdict = judge(&evaluation(phase, "Write `a`.", &["It is short."]), &script).unwrap();
        assert_eq!(verdict.severity, Severity::Pass);
        let messages = script.last_messages();
        assert!(messages[0].starts_with(instructions.trim_end()));
        assert!(messages[1].contains("\nWrite `a`.\n") && messages[1].contains("\n1. It is short.\n"));
        assert_eq!(messages[1].contains("+fn a() {}"), shows);
        assert_eq!(messages[1].contains("# The change"), shows);
    }
}

#[test]
fn it_says_in_which_phases_it_judges_and_what_can_be_set() {
    let description = Judge::describe();
    assert_eq!(description.name, "judge");
    assert_eq!(description.phases, [Phase::PreExecute, Phase::PostExecute]);
    let settings: Vec<&str> = description
        .settings
        .iter()
        .map(|setting| setting.name.as_str())
        .collect();
    assert_eq!(settings, ["max-tool-turns", "change-budget", "allow-binary"]);
    assert!(description.settings.iter().all(|setting| setting.default.is_some()));
}
