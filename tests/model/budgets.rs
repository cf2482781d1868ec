//! What a run may spend, and what it spent.

use serde_json::{Value, json};
use snodo_provider::{Reply, Seen, Wire, script};

use crate::support::finished::said;
use crate::support::guest;
use crate::world::{PATCH, World, calls, not_judged};

#[test]
fn a_budget_that_is_spent_is_no_verdict_and_is_named() {
    for (budget, named) in [
        (
            "calls = 0",
            "calls of the run (0 allowed by `[model] calls` of host.toml)",
        ),
        (
            "calls_per_plugin = 0",
            "calls of `judge` (0 allowed by `[model] calls_per_plugin` of host.toml)",
        ),
        (
            "tokens = 600",
            "tokens of the run (600 allowed by `[model] tokens` of host.toml",
        ),
        (
            "tokens_per_plugin = 600",
            "tokens of `judge` (600 allowed by `[model] tokens_per_plugin` of host.toml",
        ),
        (
            "money = 0.000001\n[model.prices.\"stub/m\"]\ninput = 3\noutput = 15",
            "money of the run (0.000001 USD allowed by `[model] money` of host.toml",
        ),
        (
            "money = 5\n[model.prices.\"other\"]\ninput = 3\noutput = 15",
            "no price is configured for `stub/m`",
        ),
    ] {
        let world = World::new(script::run("pass", &[]));
        world.host_toml(&format!("[model]\n{budget}\n"));
        let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
        let why = not_judged(&report, "pre_execute", "plan");
        assert!(why.contains(named), "{budget}: {why}");
        let judged = world.provider.requests();
        assert!(judged.iter().all(|seen| !seen.offers("submit_verdict")), "{budget}");
        assert_eq!(report["coder"], Value::Null, "{budget}");
    }
}

#[test]
fn a_coder_whose_budget_is_spent_stops_where_it_is_and_what_it_delivered_is_judged() {
    let endless = |seen: &Seen| match (seen.offers("submit_verdict"), seen.offers("submit_files"), seen.turn()) {
        (true, ..) => Reply::verdict("pass", "good"),
        (false, true, 0) => Reply::submit_files(&[("README.md", "# The project\n")]),
        (false, true, _) => Reply::call("list_files", &json!({})),
        (false, false, _) => Reply::classify("feature"),
    };
    let world = World::new(endless);
    // The classifier, the plan, three turns, and one more judge.
    world.host_toml("[model]\ncalls_per_plugin = 3\n");
    let report = world.run(&["--coder", "agent", "Call it the project"]).completed();
    let turns = calls(&report).into_iter().filter(|(role, ..)| role == "coder").count();
    assert_eq!(turns, 3, "{report:#}");
    assert_eq!(report["coder"]["cut_short"], true);
    assert!(
        report["coder"]["error"].as_str().unwrap().contains("calls of `agent`"),
        "{report:#}"
    );
    // With nothing delivered it is the coder's failure.
    let world = World::new(move |seen: &Seen| match seen.offers("submit_files") {
        true => Reply::call("list_files", &json!({})),
        false => endless(seen),
    });
    world.host_toml("[model]\ncalls_per_plugin = 3\n");
    let report =
        world
            .run(&["--coder", "agent", "Call it the project"])
            .ended(4, "environment_error", Some("execution_error"));
    assert!(
        report["reason"].as_str().unwrap().contains("calls of `agent`"),
        "{report:#}"
    );
}

#[test]
fn a_classifier_without_a_budget_stops_nothing() {
    let world = World::new(script::run("pass", &[]));
    world.host_toml("[model]\ncalls_per_plugin = 2\n");
    world.run_patch().completed();
    let world = World::new(|seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::verdict("pass", "good"),
        false => Reply::classify("feature").delay(std::time::Duration::from_millis(1)),
    });
    // A classifier's answer may have 500 tokens, a judge's 20.
    world.config_with("llm: { validator: { max_tokens: 20 } }\n", Wire::OpenAi);
    world.host_toml("[model]\nmoney = 0.0001\n[model.prices.\"stub/m\"]\ninput = 0\noutput = 1\n");
    let report = world.run_patch().completed();
    let said = &report["classification"];
    assert_eq!(said["flow_type"], Value::Null, "{said:#}");
    assert!(
        said["reason"].as_str().unwrap().contains("money of the run"),
        "{said:#}"
    );
}

#[test]
fn every_call_is_in_the_report_and_its_cost() {
    let world = World::new(
        |seen: &Seen| match (seen.offers("submit_verdict"), seen.offers("submit_files")) {
            (true, _) => Reply::verdict("pass", "good")
                .model("judge-2026-11-30")
                .usage(Some((1_000, 20))),
            (false, true) if seen.turn() == 0 => {
                Reply::submit_files(&[("README.md", "# The project\n")]).usage(Some((2_000, 40)))
            }
            (false, true) => Reply::text("done").usage(Some((3_000, 5))),
            (false, false) => Reply::classify("feature"),
        },
    );
    world.config_with(
        "llm: { classifier: { model: stub/small }, coder: { model: stub/large } }\n",
        Wire::OpenAi,
    );
    world.host_toml(
        "[model]\ncurrency = \"EUR\"\nmoney = 5\n[model.prices]\n\"stub/m\" = { input = 3, output = 15 }\n\
         \"stub/large\" = { input = 10, output = 30 }\n\"stub/small\" = { input = 0, output = 0 }\n",
    );
    let report = world.run(&["--coder", "agent", "Call it the project"]).completed();
    let calls = report["models"]["calls"].as_array().unwrap();
    let rows: Vec<Value> = calls
        .iter()
        .map(|call| {
            json!([
                call["role"],
                call["plugin"],
                call["validator_id"],
                call["requested"],
                call["served"],
                call["input_tokens"],
                call["output_tokens"],
                call["attempts"],
                call["cost_micros"],
                call["ended"]
            ])
        })
        .collect();
    assert_eq!(
        rows,
        [
            json!([
                "classifier",
                "host",
                null,
                "stub/small",
                "small",
                11,
                7,
                1,
                0,
                "answered"
            ]),
            json!([
                "validator",
                "judge",
                "plan",
                "stub/m",
                "judge-2026-11-30",
                1000,
                20,
                1,
                3300,
                "answered"
            ]),
            json!([
                "coder",
                "agent",
                null,
                "stub/large",
                "large",
                2000,
                40,
                1,
                21_200,
                "answered"
            ]),
            json!([
                "coder",
                "agent",
                null,
                "stub/large",
                "large",
                3000,
                5,
                1,
                30_150,
                "answered"
            ]),
            json!([
                "validator",
                "judge",
                "review",
                "stub/m",
                "judge-2026-11-30",
                1000,
                20,
                1,
                3300,
                "answered"
            ]),
        ],
        "{report:#}"
    );
    assert!(
        calls
            .iter()
            .all(|call| call["duration_ms"].is_u64() && call["mock"] == false)
    );
    let totals = &report["models"]["totals"];
    assert_eq!(
        totals,
        &json!({ "calls": 5, "input_tokens": 7011, "output_tokens": 92, "cost_micros": 57_950 })
    );
    assert_eq!(report["models"]["currency"], "EUR");
    assert_eq!(report["coder"]["report"]["tokens_used"], 5045, "{report:#}");
}

#[test]
fn a_person_sees_what_was_asked_and_what_it_cost() {
    let world = World::new(script::run("pass", &[]));
    world.host_toml("[model]\n[model.prices]\n\"stub/m\" = { input = 1000, output = 1000 }\n");
    let mut command = world.sandbox.command(&["run", "--coder", "patch", PATCH]);
    command.env("STUB_KEY", crate::world::KEY);
    let shown = crate::support::Finished::of(&command.output().unwrap());
    assert_eq!(shown.code, 0, "{shown:#?}");
    let line = shown
        .stdout
        .lines()
        .find(|line| line.contains("calls"))
        .unwrap_or_else(|| panic!("{}", shown.stdout));
    assert!(line.contains('3') && line.contains("USD"), "{line}");
}

#[test]
fn where_nobody_says_what_it_took_it_is_estimated_for_the_budget_and_not_told_as_known() {
    let world = World::new(|seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::verdict("pass", "good").usage(None),
        false => Reply::classify("feature"),
    });
    let report = world.run_patch().completed();
    let calls = report["models"]["calls"].as_array().unwrap();
    let judge = calls.iter().find(|call| call["role"] == "validator").unwrap();
    assert_eq!(
        (&judge["input_tokens"], &judge["output_tokens"]),
        (&Value::Null, &Value::Null)
    );
    assert!(judge["charged_tokens"].as_u64().unwrap() > 0, "{judge:#}");
    assert_eq!(judge["cost_micros"], Value::Null);
}

#[test]
fn a_validator_of_somebody_else_is_told_which_budget_it_spent() {
    let world = World::new(script::run("pass", &[]));
    world.host_toml("[model]\ncalls_per_plugin = 2\n");
    let judge = guest("guest_asking_judge");
    let report = world
        .run(&[
            "--coder",
            "patch",
            "--validator",
            &judge,
            "--grant",
            "guest_asking_judge:model",
            "--set",
            "guest_asking_judge.times=3",
            PATCH,
        ])
        .completed();
    let words = said(&report, "pre_execute", "guest_asking_judge")["justification"]
        .as_str()
        .unwrap();
    let lines: Vec<&str> = words.lines().collect();
    assert_eq!(lines.len(), 4, "{words}");
    assert!(lines[1].starts_with("m: ") && lines[2].starts_with("m: "), "{words}");
    assert!(
        lines[3].contains("BudgetSpent") && lines[3].contains("calls of `guest_asking_judge`"),
        "{words}"
    );
}
