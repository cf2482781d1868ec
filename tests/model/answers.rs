//! What a provider answers and what is none: cases E04, E05, E06 and E12, in every place where a model is asked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use snodo_provider::{Answer, Arguments, Call, Finish, Id, Reply, Seen, Wire};

use crate::support::finished::said;
use crate::world::{Switch, World, call, ended, judges, not_judged};

/// A verdict in a thought. The mark is looked for where no thought may come.
const VERDICT: &str = "{\"severity\":\"pass\",\"justification\":\"fine THOUGHT-0123456789\"}";

/// What is no answer: the case, the reply, what the call is recorded as, and words that are said of it.
fn no_answers() -> Vec<(&'static str, Reply, &'static str, &'static str)> {
    let cut = || Reply::calls(vec![Call::raw("submit_verdict", "{\"severity\":\"pa")]);
    let whole = || Reply::verdict("pass", "fine");
    let text = |status, kind: &str, body: &str| Reply::verbatim(status, kind, body);
    let json = "application/json";
    vec![
        (
            "E04 cut at the ceiling",
            cut().finish(Finish::Length),
            "truncated",
            "ceiling",
        ),
        (
            "E04 whole at the ceiling",
            whole().finish(Finish::Length),
            "truncated",
            "ceiling",
        ),
        ("E04 cut arguments", cut(), "malformed", "arguments"),
        ("E04 filtered", whole().finish(Finish::Filtered), "filtered", "filtered"),
        (
            "E04 an unknown reason",
            whole().finish(Finish::Word("because".into())),
            "malformed",
            "because",
        ),
        (
            "E04 no reason",
            whole().finish(Finish::Missing),
            "malformed",
            "why it ended",
        ),
        (
            "E04 a null reason",
            whole().finish(Finish::Null),
            "malformed",
            "why it ended",
        ),
        ("E05 no choice", Reply::no_choices(), "malformed", ""),
        ("E05 no message", Reply::null_message(), "malformed", ""),
        (
            "E05 an error",
            Reply::error_at_200("server_error", "it fell over"),
            "refused",
            "it fell over",
        ),
        ("E05 a page", Reply::html(200), "malformed", "page"),
        ("E05 nothing", Reply::empty(), "malformed", "empty"),
        ("E05 half of it", Reply::bad_json(), "malformed", "JSON"),
        ("E05 events", Reply::events("pass"), "malformed", "event stream"),
        (
            "E05 words",
            text(200, "text/plain", "verdict: pass"),
            "malformed",
            "verdict: pass",
        ),
        ("E05 a word", text(200, json, "\"pass\""), "malformed", "JSON"),
        ("E05 a list", text(200, json, "[]"), "malformed", ""),
        ("E05 two hundred megabytes", Reply::huge(200 << 20), "malformed", ""),
        ("E05 as many, compressed", Reply::gzip_bomb(200 << 20), "malformed", ""),
        (
            "E06 a list as arguments",
            Reply::calls(vec![Call::raw("submit_verdict", "[1]")]),
            "malformed",
            "arguments",
        ),
        (
            "E06 a word as arguments",
            Reply::calls(vec![Call::raw("submit_verdict", "pass")]),
            "malformed",
            "arguments",
        ),
        (
            "E12 only a thought",
            Reply::only_reasoning(VERDICT),
            "malformed",
            "only reasoning",
        ),
        (
            "E12 a thought in words",
            Reply::text(format!("<think>{VERDICT}</think>")),
            "malformed",
            "only reasoning",
        ),
        (
            "E12 an unfinished thought",
            Reply::text(format!("<think>{VERDICT}")),
            "malformed",
            "only reasoning",
        ),
        (
            "E12 a thought to the ceiling",
            Reply::only_reasoning(VERDICT).finish(Finish::Length),
            "truncated",
            "",
        ),
    ]
}

fn switch() -> Switch {
    Arc::new(Mutex::new(Reply::empty()))
}

fn set(switch: &Switch, reply: Reply) {
    *switch.lock().unwrap() = reply;
}

/// One megabyte of an answer is read at most; nothing is waited for that long.
const SMALL: &str = "[model]\nanswer_mib = 1\nidle_seconds = 5\ntotal_seconds = 10\n";

fn no_verdict(wire: Wire) {
    let switch = switch();
    let world = World::impatient(wire, judges(&switch));
    world.host_toml(SMALL);
    for (case, reply, kind, words) in no_answers() {
        set(&switch, reply);
        let before = world.provider.bytes_sent();
        let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
        let why = not_judged(&report, "pre_execute", "plan");
        assert!(why.contains("no verdict") && why.contains(words), "{case}: {why}");
        assert_eq!(ended(&report, "validator"), kind, "{case}: {report:#}");
        assert_eq!(report["coder"], Value::Null, "{case}");
        let whole = report.to_string() + &world.sandbox.read(".snodo/audit.log");
        assert!(!whole.contains("THOUGHT-0123456789"), "{case}: {whole}");
        // What is announced as two hundred megabytes is not taken.
        assert!(world.provider.bytes_sent() - before < 64 << 20, "{case}");
    }
}

#[test]
fn what_is_no_answer_is_no_verdict_in_openais_format() {
    no_verdict(Wire::OpenAi);
}

#[test]
fn what_is_no_answer_is_no_verdict_in_anthropics_format() {
    no_verdict(Wire::Anthropic);
}

#[test]
fn what_is_no_answer_is_no_verdict_in_geminis_format() {
    no_verdict(Wire::Gemini);
}

#[test]
fn what_is_no_answer_lets_no_change_through() {
    let switch = switch();
    let shared = Arc::clone(&switch);
    let world = World::impatient(Wire::OpenAi, move |seen: &Seen| {
        match (seen.offers("submit_verdict"), seen.mentions("Nothing else is changed.")) {
            (true, true) => shared.lock().unwrap().clone(),
            (true, false) => Reply::verdict("pass", "clear"),
            _ => Reply::classify("feature"),
        }
    });
    world.host_toml(SMALL);
    for (case, reply, kind, words) in no_answers() {
        set(&switch, reply);
        let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
        let why = not_judged(&report, "post_execute", "review");
        assert!(why.contains(words), "{case}: {why}");
        assert_eq!(ended(&report, "validator"), kind, "{case}");
        assert_eq!(said(&report, "pre_execute", "plan")["severity"], "pass");
    }
}

#[test]
fn what_is_no_answer_is_no_work_of_a_coder() {
    let switch = switch();
    let shared = Arc::clone(&switch);
    let world = World::impatient(Wire::OpenAi, move |seen: &Seen| {
        match (seen.offers("submit_verdict"), seen.offers("submit_files")) {
            (true, _) => Reply::verdict("pass", "good"),
            (false, true) => shared.lock().unwrap().clone(),
            (false, false) => Reply::classify("feature"),
        }
    });
    world.host_toml(SMALL);
    let submission = || Reply::submit_files(&[("README.md", "# The project\n")]);
    let mut rows = no_answers();
    rows.push((
        "E04 files at the ceiling",
        submission().finish(Finish::Length),
        "truncated",
        "ceiling",
    ));
    for (case, reply, kind, words) in rows {
        set(&switch, reply);
        let report = world.run(&["--coder", "agent", "Call it the project"]).ended(
            4,
            "environment_error",
            Some("execution_error"),
        );
        assert_eq!(report["applied"], false, "{case}");
        assert!(report["reason"].as_str().unwrap().contains(words), "{case}: {report:#}");
        assert_eq!(ended(&report, "coder"), kind, "{case}");
        assert!(!report.to_string().contains("THOUGHT-0123456789"), "{case}: {report:#}");
    }
}

#[test]
fn what_is_no_answer_of_the_classifier_stops_nothing() {
    let switch = switch();
    let shared = Arc::clone(&switch);
    let world = World::impatient(Wire::OpenAi, move |seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::verdict("pass", "good"),
        false => shared.lock().unwrap().clone(),
    });
    world.host_toml(SMALL);
    for (case, reply, kind, _) in no_answers() {
        set(&switch, reply);
        let report = world
            .run(&["--coder", "patch", "--dry-run", crate::world::PATCH])
            .completed();
        let said = &report["classification"];
        assert_eq!(said["flow_type"], Value::Null, "{case}");
        assert!(!said["reason"].as_str().unwrap().is_empty(), "{case}");
        if case.starts_with("E06") {
            // Answers it could read; that they name no kind is the classifier's own finding.
            continue;
        }
        assert_eq!(ended(&report, "classifier"), kind, "{case}");
    }
}

#[test]
fn what_is_unusual_and_no_fault_is_an_answer() {
    let switch = switch();
    let world = World::impatient(Wire::OpenAi, judges(&switch));
    let verdict = json!({ "severity": "pass", "justification": "good" });
    let twice = json!(verdict.to_string()).to_string();
    let with = |arguments| Reply::calls(vec![Call::with("submit_verdict", arguments)]);
    let id = |id| Reply::calls(vec![Call::new("submit_verdict", &verdict).id(id)]);
    for reply in [
        Reply::verdict("pass", "good").gzip(),
        Reply::verdict("pass", "good").content_type("text/plain"),
        Reply::verdict("pass", "good").usage(None),
        with(Arguments::Bare(verdict.clone())),
        with(Arguments::Text(twice)),
        id(Id::Missing),
        id(Id::Null),
        id(Id::Given(String::new())),
        Reply::answer(Answer {
            reasoning: Some("hm".to_owned()),
            ..Answer::calls(vec![Call::new("submit_verdict", &verdict)])
        }),
    ] {
        set(&switch, reply.clone());
        let report = world
            .run(&["--coder", "patch", "--dry-run", crate::world::PATCH])
            .completed();
        assert_eq!(said(&report, "post_execute", "review")["severity"], "pass", "{reply:?}");
        assert_eq!(call(&report, "validator")["ended"], "answered");
    }
}

/// E06: a tool without arguments and one with them, in every form in which models call them, all in one turn; each is answered.
#[test]
fn calls_in_every_form_are_each_answered() {
    for wire in Wire::ALL {
        let path = json!({ "path": "README.md" });
        let calls = vec![
            Call::with("list_files", Arguments::Null),
            Call::with("list_files", Arguments::Text(String::new())),
            Call::with("list_files", Arguments::Text("{}".to_owned())).id(Id::Missing),
            Call::with("list_files", Arguments::Missing).id(Id::Null),
            Call::with("read_file", Arguments::Bare(path.clone())),
            Call::with("read_file", Arguments::Text(json!(path.to_string()).to_string())),
            Call::with("read_file", Arguments::Null).id(Id::Given("same".to_owned())),
            Call::new("format_disk", &json!({})).id(Id::Given("same".to_owned())),
        ];
        let count = calls.len();
        let world = World::over(wire, move |seen: &Seen| {
            match (seen.offers("submit_verdict"), seen.offers("submit_files"), seen.turn()) {
                (true, ..) => Reply::verdict("pass", "good"),
                (false, true, 0) => Reply::calls(calls.clone()),
                (false, true, 1) => Reply::submit_files(&[("README.md", "# The project\n")]),
                (false, true, _) => Reply::text("done"),
                (false, false, _) => Reply::classify("feature"),
            }
        });
        world.run(&["--coder", "agent", "Call it the project"]).completed();
        let asked = world.provider.requests();
        let second = asked
            .iter()
            .find(|seen| seen.offers("submit_files") && seen.turn() == 1)
            .unwrap();
        let results = second.tool_results();
        assert_eq!(results.len(), count, "{wire:?} {results:#?}");
        assert!(results[0].contains("docs/"), "{results:#?}");
        assert!(results[4].contains("two lines of prose"), "{results:#?}");
        assert!(results[6].contains("path"), "{results:#?}");
        assert!(results[7].contains("format_disk"), "{results:#?}");
    }
}
