//! What `docs/protocol.md` shows as a protocol to begin with is one.

use serde_json::json;

use crate::support::{Sandbox, repository};

fn shown() -> String {
    let page = std::fs::read_to_string(repository().join("docs/protocol.md")).unwrap();
    let (_, rest) = page.split_once("```yaml\n").expect("the page shows a protocol");
    rest.split_once("```").unwrap().0.to_owned()
}

fn world() -> Sandbox {
    Sandbox::new()
        .with(".snodo/protocol.yml", shown())
        .with("tests/run.sh", "test -f src/hello.py\n")
}

#[test]
fn it_can_be_used_and_nothing_of_it_is_warned_of() {
    let checked = world().call(&["protocol", "check", "--json"]);
    assert_eq!(checked.code, 0, "{checked:#?}");
    let value = checked.json();
    assert_eq!((&value["ok"], &value["protocol_id"]), (&json!(true), &json!("team")));
    assert_eq!(value["warnings"], json!([]), "{value:#}");
}

#[test]
fn a_run_of_the_mock_goes_through_all_of_it() {
    let report = world().run(&["--mock", "Say hello"]).completed();
    let said: Vec<(&str, &str)> = report["gates"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|gate| gate["results"].as_array().unwrap())
        .map(|result| {
            assert_eq!(result["skipped"], false, "{result:#}");
            let text = |name: &str| result[name].as_str().unwrap();
            (text("validator_id"), text("severity"))
        })
        .collect();
    let all = ["security", "scope-of-task", "credentials", "tests", "acceptance"];
    assert_eq!(said, all.map(|id| (id, "pass")), "{report:#}");
    assert_eq!(report["applied"], true);
    assert!(
        report["constraints"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one["id"] == "where-work-happens")),
        "{:#}",
        report["constraints"]
    );
}

/// What was skipped and what the mock said is no evidence, wherever it is read.
#[test]
fn a_person_sees_what_the_mock_said_as_the_mocks() {
    let sandbox = world();
    let run = sandbox.run_for_people(&["--mock", "Say hello"]);
    let headline = run.stdout.lines().next().unwrap();
    assert!(headline.contains("judged by the mock"), "{headline}");
    let kept = sandbox.call(&["runs", "show", "last"]);
    let gates = |text: &str| -> Vec<String> {
        text.lines()
            .skip_while(|line| !line.starts_with("gate "))
            .take_while(|line| !line.starts_with("coder ") && !line.starts_with("change"))
            .map(ToOwned::to_owned)
            .collect()
    };
    assert_eq!(gates(&run.stdout), gates(&kept.stdout));
    for words in [
        "gate before execution  proceed (unanimous: 2 of 2 pass; 2 by the mock)",
        "gate after execution  proceed (unanimous: 3 of 3 pass; 1 by the mock)",
        "- security       mock ",
        "✓ credentials",
    ] {
        assert!(kept.stdout.contains(words), "no `{words}` in\n{}", kept.stdout);
    }
    assert!(kept.stdout.contains("judged by the mock"), "{}", kept.stdout);
}
