//! Every fault in every place where it can happen: none of them is a pass. The page that says so is held against the tests that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use snodo_host::outcome::End;
use snodo_provider::{Finish, Reply, Seen, Wire};

use crate::support::finished::said;
use crate::support::script::{steps, write};
use crate::support::{Sandbox, guest, repository};
use crate::world::{PATCH, World, not_judged};

/// What a provider does, and what the call is recorded as.
fn faults() -> Vec<(&'static str, Reply, &'static str)> {
    vec![
        ("it refuses", Reply::error(401, "invalid_api_key", "no"), "refused"),
        (
            "it refuses",
            Reply::redirect(307, "http://127.0.0.1:9/v1/chat/completions"),
            "refused",
        ),
        (
            "it limits the rate",
            Reply::error(429, "rate_limit_exceeded", "later"),
            "rate_limited",
        ),
        ("it is out of reach", Reply::error(503, "x", "busy"), "unavailable"),
        ("it is out of reach", Reply::reset(), "unavailable"),
        ("it is silent", Reply::stall(), "timeout"),
        (
            "its answer is cut at the ceiling",
            Reply::verdict("pass", "x").finish(Finish::Length),
            "truncated",
        ),
        (
            "its answer is filtered",
            Reply::verdict("pass", "x").finish(Finish::Filtered),
            "filtered",
        ),
        ("its answer makes no sense", Reply::bad_json(), "malformed"),
        ("its answer makes no sense", Reply::only_reasoning("pass"), "malformed"),
        ("it answers in words only", Reply::text("verdict: pass"), "answered"),
    ]
}

/// A world in which a model is at fault in one place, and everything else is as it should be.
fn at_fault(place: &'static str, reply: Reply) -> World {
    let world = World::impatient(Wire::OpenAi, move |seen: &Seen| {
        let here = match place {
            "before" => seen.mentions("The task can be understood."),
            "after" => seen.mentions("Nothing else is changed."),
            "coder" => seen.offers("submit_files"),
            _ => seen.offers("classify_task"),
        };
        if here {
            reply.clone()
        } else if seen.offers("submit_verdict") {
            Reply::verdict("pass", "good")
        } else if seen.offers("submit_files") && seen.turn() == 0 {
            Reply::submit_files(&[("README.md", "# The project\n")])
        } else if seen.offers("submit_files") {
            Reply::text("done")
        } else {
            Reply::classify("feature")
        }
    });
    world.host_toml("[model]\nidle_seconds = 1\ntotal_seconds = 2\n");
    world
}

/// Runs each fault in a place, several at a time, since some of them wait.
fn each(place: &'static str, check: impl Fn(&str, &World, &Value) + Sync) {
    std::thread::scope(|scope| {
        for (name, reply, kind) in faults() {
            let check = &check;
            scope.spawn(move || {
                let world = at_fault(place, reply);
                let report = world.run(&["--coder", "agent", "Call it the project"]).json();
                let role = match place {
                    "before" | "after" => "validator",
                    other => other,
                };
                assert_eq!(crate::world::ended(&report, role), kind, "{name}: {report:#}");
                check(name, &world, &report);
            });
        }
    });
}

fn ends(name: &str, report: &Value, end: &End) {
    let (outcome, halt_type, code) = end.row();
    assert_eq!(
        (&report["outcome"], &report["halt_type"], &report["exit_code"]),
        (
            &serde_json::to_value(outcome).unwrap(),
            &serde_json::to_value(halt_type).unwrap(),
            &code.into()
        ),
        "{name}: {report:#}"
    );
    assert_eq!(report["applied"], *end == End::Completed, "{name}");
}

#[test]
fn a_model_at_fault_in_the_gate_before_the_coder() {
    each("before", |name, _, report| {
        ends(name, report, &End::ValidatorError);
        not_judged(report, "pre_execute", "plan");
        assert_eq!(report["coder"], Value::Null, "{name}");
    });
}

#[test]
fn a_model_at_fault_in_the_gate_after_the_coder() {
    each("after", |name, _, report| {
        ends(name, report, &End::ValidatorError);
        not_judged(report, "post_execute", "review");
    });
}

#[test]
fn a_model_at_fault_while_the_coder_works() {
    each("coder", |name, world, report| {
        ends(name, report, &End::CoderFailed);
        assert!(world.sandbox.read("README.md").starts_with("# A project"), "{name}");
    });
}

#[test]
fn a_model_at_fault_as_classifier() {
    each("classifier", |name, world, report| {
        ends(name, report, &End::Completed);
        assert_eq!(report["classification"]["flow_type"], Value::Null, "{name}");
        assert!(
            !report["classification"]["reason"].as_str().unwrap().is_empty(),
            "{name}"
        );
        assert!(
            !world.sandbox.read(".snodo/audit.log").contains("task_classified"),
            "{name}"
        );
    });
}

#[test]
fn no_classifier_stops_nothing() {
    let world = World::new(snodo_provider::script::run("pass", &[]));
    world.config_with("llm: { classifier: { model: nowhere/m } }\n", Wire::OpenAi);
    let report = world.run_patch().completed();
    let reason = report["classification"]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("no model client: ") && reason.contains("nowhere"),
        "{reason}"
    );
    assert!(!world.sandbox.read(".snodo/audit.log").contains("task_classified"));
}

#[test]
fn a_spent_budget_in_the_gate_after_the_coder() {
    let world = World::new(snodo_provider::script::run("pass", &[]));
    world.host_toml("[model]\ncalls_per_plugin = 1\n");
    let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
    assert!(not_judged(&report, "post_execute", "review").contains("calls of `judge`"));
}

/// Bounds that are reached quickly.
const TIGHT: &str = "[limits]\ncompute_seconds = 1\nmemory_mib = 64\n";

#[test]
fn a_validator_that_fails_in_either_gate_has_not_judged() {
    let judge = guest("guest_judge");
    for phase in ["pre-execute", "post-execute"] {
        for behaviour in [
            "panic",
            "exit",
            "loop",
            "allocate",
            "fault-model",
            "fault-runner",
            "fault-incomplete-view",
            "fault-setting",
            "fault-limit",
            "fault-internal",
        ] {
            let sandbox = Sandbox::new().host_toml(TIGHT);
            let behaviour = format!("guest_judge.behaviour={behaviour}");
            let phase_setting = format!("guest_judge.in={phase}");
            let report = sandbox
                .run(&[
                    "anything",
                    "--mock",
                    "--validator",
                    &judge,
                    "--set",
                    &behaviour,
                    "--set",
                    &phase_setting,
                ])
                .ended(3, "validator_error", Some("validator_error"));
            let result = said(&report, &phase.replace('-', "_"), "guest_judge");
            assert_eq!(
                (&result["error"], &result["severity"]),
                (&true.into(), &"blocker".into())
            );
            assert_eq!(report["applied"], false);
        }
    }
}

/// A repository, and a user who has a name.
fn named() -> Sandbox {
    let sandbox = Sandbox::git();
    let config = "[user]\n\tname = Ada\n\temail = ada@example.invalid\n";
    fs::write(sandbox.path().join("home/.gitconfig"), config).unwrap();
    sandbox
}

#[test]
fn a_commit_that_fails_after_the_apply_is_told_for_what_it_is() {
    let sandbox = named();
    // What can be seen before the apply is seen, and nothing is applied then. So somebody takes git's lock while the apply is under way, which
    // is made long enough for that.
    let writes = |folder: u32| {
        (0..200)
            .map(|n| write(&format!("{folder}/{n}"), "x\n"))
            .collect::<Vec<Value>>()
    };
    let operations = |folder| {
        writes(folder)
            .iter()
            .map(|step| step["operations"][0].clone())
            .collect::<Vec<Value>>()
    };
    let submits = (0..3).map(|folder| json!({ "do": "submit-files", "operations": operations(folder) }));
    let task = steps(submits.collect());
    let file = sandbox.path().join("task");
    fs::write(&file, task).unwrap();
    let running = sandbox.start(&[
        "--commit",
        "--coder",
        &guest("guest_probe"),
        "--task-file",
        file.to_str().unwrap(),
    ]);
    let first = sandbox.workspace().join("0/0");
    let until = Instant::now() + Duration::from_mins(1);
    while !first.exists() && Instant::now() < until {
        std::hint::spin_loop();
    }
    fs::write(sandbox.workspace().join(".git/index.lock"), "").unwrap();
    let (finished, _) = running.finish();
    finished.check_against_the_schema();
    let report = finished.ended(4, "environment_error", Some("commit_failed"));
    assert_eq!((&report["applied"], &report["commit"]), (&true.into(), &Value::Null));
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.contains("the change is applied, and could not be committed") && reason.contains("index.lock"),
        "{reason}"
    );
    assert!(sandbox.exists("2/199"));
}

#[test]
fn a_record_that_cannot_be_kept_is_a_change_that_is_not_applied() {
    let sandbox = Sandbox::git();
    let runs = sandbox.state().join("runs");
    let command = format!("rm -rf '{0}' && touch '{0}'", runs.display());
    let report = sandbox
        .run_beside_somebody_else(&[
            "--coder",
            "patch",
            "--sandbox",
            "off",
            "--test-command",
            &command,
            PATCH,
        ])
        .ended(4, "environment_error", Some("environment_error"));
    assert_eq!(report["applied"], false);
    assert!(
        report["reason"].as_str().unwrap().contains("nothing was applied"),
        "{report:#}"
    );
    assert!(sandbox.read("README.md").starts_with("# A project"));
}

/// One cell of the page.
#[derive(Debug)]
struct Cell {
    section: String,
    fault: String,
    place: String,
    outcome: String,
    halt_type: String,
    exit: String,
    tests: Vec<(String, String)>,
}

fn unquoted(cell: &str) -> String {
    cell.trim().trim_matches('`').to_owned()
}

fn cells(page: &str) -> Vec<Cell> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut section);
        }
        let Some(row) = line.strip_prefix("| ") else { continue };
        let columns: Vec<&str> = row.trim_end_matches('|').split('|').collect();
        if columns.len() != 6 || columns[0].trim() == "what fails" {
            continue;
        }
        let tests = columns[5].split("<br>").map(|test| {
            let test = unquoted(test);
            let (file, name) = test.split_once("::").unwrap_or_else(|| panic!("no test: {line}"));
            (file.to_owned(), name.to_owned())
        });
        found.push(Cell {
            section: section.clone(),
            fault: columns[0].trim().to_owned(),
            place: columns[1].trim().to_owned(),
            outcome: unquoted(columns[2]),
            halt_type: unquoted(columns[3]),
            exit: columns[4].trim().to_owned(),
            tests: tests.collect(),
        });
    }
    found
}

/// Every end that is no pass, with the words of the page.
fn known_ends() -> BTreeSet<(String, String, String)> {
    let all = [
        End::Blocked,
        End::Constraint,
        End::RecoveryExhausted,
        End::RecoveryStalled,
        End::NoPreExecuteValidators,
        End::Escalated,
        End::ValidatorError,
        End::ProducedNothing,
        End::CoderFailed,
        End::CoderLimit,
        End::CoderTurnBudget,
        End::CoderTimedOut,
        End::Stale,
        End::CommitFailed,
        End::Environment,
        End::Bug,
        End::Interrupted,
    ];
    let word = |value: Value| value.as_str().unwrap_or("–").to_owned();
    let row = |end: &End| {
        let (outcome, halt_type, code) = end.row();
        (
            word(serde_json::to_value(outcome).unwrap()),
            word(serde_json::to_value(halt_type).unwrap()),
            code.to_string(),
        )
    };
    let no_run = ("no run".to_owned(), "–".to_owned(), "64".to_owned());
    all.iter().map(row).chain([no_run]).collect()
}

#[test]
fn no_cell_of_the_page_is_a_pass_and_each_names_tests_that_are_there() {
    let page = fs::read_to_string(repository().join("docs/faults.md")).unwrap();
    let cells = cells(&page);
    assert!(cells.len() > 60, "{}", cells.len());
    let ends = known_ends();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for cell in &cells {
        let end = (cell.outcome.clone(), cell.halt_type.clone(), cell.exit.clone());
        if cell.place == "the classifier" {
            assert_eq!(
                end,
                ("completed".to_owned(), "–".to_owned(), "0".to_owned()),
                "{cell:?}"
            );
        } else {
            assert!(ends.contains(&end), "no end that is no pass: {cell:?}");
        }
        assert!(!cell.tests.is_empty(), "{cell:?}");
        for (file, name) in &cell.tests {
            let text = files.entry(file.clone()).or_insert_with(|| {
                fs::read_to_string(repository().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
            });
            let at = text
                .find(&format!("fn {name}()"))
                .unwrap_or_else(|| panic!("{file} has no {name}"));
            let attributes = text[..at].rsplit("\n\n").next().unwrap_or_default();
            assert!(attributes.contains("test]"), "{file}: {name} is no test");
        }
    }
}

/// The places of each kind of fault, by the page's headings: no fault is left without an answer in one of them.
const PLACES: [(&str, &[&str]); 2] = [
    (
        "Models",
        &["the gate before", "the coder", "the gate after", "the classifier"],
    ),
    ("Plugins", &["the gate before", "the coder", "the gate after"]),
];

#[test]
fn every_fault_of_a_kind_has_a_cell_in_each_of_its_places() {
    let page = fs::read_to_string(repository().join("docs/faults.md")).unwrap();
    let cells = cells(&page);
    for (section, places) in PLACES {
        let of = |cell: &&Cell| cell.section == section;
        let faults: BTreeSet<&str> = cells.iter().filter(of).map(|cell| cell.fault.as_str()).collect();
        assert!(faults.len() >= 5, "{section}: {faults:?}");
        for fault in &faults {
            for place in places {
                let count = cells
                    .iter()
                    .filter(of)
                    .filter(|cell| cell.fault == *fault && cell.place == *place)
                    .count();
                assert_eq!(count, 1, "{section}: {fault}, {place}");
            }
        }
        if section == "Models" {
            for (name, _, _) in self::faults() {
                assert!(faults.contains(name), "{name} is driven, and not on the page");
            }
        }
    }
    let sections: BTreeSet<&str> = cells.iter().map(|cell| cell.section.as_str()).collect();
    for kind in [
        "Models",
        "Plugins",
        "Programs",
        "Protocols",
        "Disks",
        "The log",
        "Interrupts",
    ] {
        assert!(sections.contains(kind), "nothing is said of: {kind}");
    }
}
