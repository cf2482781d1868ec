//! Gates under every kind of coder: whoever works, the same judges ask the same models.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Value, json};
use snodo_host::delivery::Delivery;
use snodo_host::engine::{
    Assignment, Attempt, Coder, Directories, Host, ModelSource, RunRequest, Stop, run as run_engine,
};
use snodo_host::events::Unobserved;
use snodo_host::plugin::{Compiler, PluginLog, Usage};
use snodo_model::{Asked, LanguageModel, Terms};
use snodo_provider::{Provider, Reply, Seen, Wire};
use snodo_workspace::capability::{self, Content, Operation, Request, Stop as Stopped, ToolCall};
use snodo_workspace::role::{Implementation, SettingDeclaration};

use crate::support::finished::said;
use crate::support::guest;
use crate::support::script::{steps, write};
use crate::world::{KEY, PATCH, World};

/// What the judges say; nothing where they are not to be asked.
const PASS: &str = "pass";

/// Each role has a model of its own, and so has the judge after the coder.
fn configure(world: &World) {
    world.config_with(
        "llm:\n  num_retries: 0\n  coder: { model: stub/codes }\n  validator: { model: stub/judges }\n  classifier: { model: stub/sorts }\n",
        Wire::OpenAi,
    );
    let protocol = crate::world::JUDGED.replace(
        "    validator_type: llm\n",
        "    validator_type: llm\n    model: stub/reviews\n",
    );
    world.sandbox.put(".snodo/protocol.yml", protocol);
}

/// A world whose judges before and after the coder say so.
fn world(before: &'static str, after: &'static str) -> World {
    let world = World::new(move |seen: &Seen| match seen.offers("submit_verdict") {
        true if seen.mentions("Nothing else is changed.") => Reply::verdict(after, "after"),
        true => Reply::verdict(before, "before"),
        false if seen.offers("submit_files") && seen.turn() == 0 => {
            Reply::submit_files(&[("README.md", "# The project\n")])
        }
        false if seen.offers("submit_files") => Reply::text("done"),
        false => Reply::classify("feature"),
    });
    configure(&world);
    world
}

/// The models that were asked, in order.
fn models(provider: &Provider) -> Vec<String> {
    provider.requests().into_iter().map(|seen| seen.model).collect()
}

/// A coder: what it is called in a failure, its flags, its task, and how often its own model is asked.
type Row = (&'static str, Vec<String>, usize);

fn coders(world: &World) -> Vec<Row> {
    let flags = |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect();
    let program = world.sandbox.path().join("mine.sh");
    std::fs::write(&program, "printf '# The project\\n' > README.md\n").unwrap();
    let external = format!("mine=sh {}", program.display());
    let task = steps(json!([write("README.md", "# The project\n")]));
    let asker = guest("guest_asker");
    vec![
        ("patch", flags(&["--coder", "patch", PATCH]), 0),
        ("agent", flags(&["--coder", "agent", "Call it the project"]), 2),
        ("a component", flags(&["--coder", &guest("guest_probe"), &task]), 0),
        (
            "a component that asks",
            flags(&["--coder", &asker, "--grant", "guest_asker:model", "Say something"]),
            1,
        ),
        ("a program", flags(&["--external", &external, "Call it the project"]), 0),
    ]
}

fn run(world: &World, flags: &[String]) -> crate::support::Finished {
    world.run(&flags.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_gates_ask_the_configured_models_whoever_works() {
    for (name, _, asks) in coders(&world(PASS, PASS)) {
        let world = world(PASS, PASS);
        let flags = coders(&world).into_iter().find(|row| row.0 == name).unwrap().1;
        let report = run(&world, &flags).completed();
        assert_eq!(report["applied"], true, "{name}");
        let mut expected = vec!["sorts", "judges"];
        expected.extend(std::iter::repeat_n("codes", asks));
        expected.push("reviews");
        assert_eq!(models(&world.provider), expected, "{name}");
        let plan = said(&report, "pre_execute", "plan");
        let review = said(&report, "post_execute", "review");
        assert_eq!(
            (&plan["model"], &review["model"], &plan["mock"], &review["mock"]),
            (
                &json!("stub/judges"),
                &json!("stub/reviews"),
                &json!(false),
                &json!(false)
            ),
            "{name}"
        );
        assert_eq!(report["classification"]["model"], "stub/sorts", "{name}");
        let calls = report["models"]["calls"].as_array().unwrap();
        assert_eq!(calls.len(), expected.len(), "{name}: {report:#}");
    }
}

#[test]
fn a_blocker_before_the_coder_stops_whoever_would_work() {
    for (name, _, _) in coders(&world(PASS, PASS)) {
        let world = world("blocker", PASS);
        let flags = coders(&world).into_iter().find(|row| row.0 == name).unwrap().1;
        let report = run(&world, &flags).ended(1, "blocker", Some("blocked"));
        assert_eq!(report["coder"], Value::Null, "{name}");
        assert_eq!(models(&world.provider), ["sorts", "judges"], "{name}");
    }
}

#[test]
fn a_blocker_after_the_coder_keeps_out_what_anybody_did() {
    for (name, _, _) in coders(&world(PASS, PASS)) {
        let world = world(PASS, "blocker");
        let flags = coders(&world).into_iter().find(|row| row.0 == name).unwrap().1;
        let report = run(&world, &flags).ended(1, "blocker", Some("blocked"));
        assert_eq!(report["applied"], false, "{name}");
        assert_eq!(models(&world.provider).last().unwrap(), "reviews", "{name}");
        assert!(world.sandbox.read("README.md").starts_with("# A project"), "{name}");
    }
}

#[test]
fn the_mock_is_judged_by_the_mock_and_that_is_evidence_of_nothing() {
    for flags in [&["--mock"][..], &["--coder", "mock"]] {
        // Whoever asked would be told to stop.
        let world = world("blocker", "blocker");
        let report = world.run(&[flags, &["Greet"]].concat()).completed();
        assert_eq!(world.provider.connections(), 0);
        for (phase, id) in [("pre_execute", "plan"), ("post_execute", "review")] {
            let result = said(&report, phase, id);
            assert_eq!(
                (&result["severity"], &result["mock"], &result["model"]),
                (&json!("pass"), &json!(true), &json!("mock")),
                "{report:#}"
            );
        }
        assert_eq!(report["classification"]["mock"], true);
        let calls = report["models"]["calls"].as_array().unwrap();
        assert!(
            calls.iter().all(|call| call["mock"] == true && call["attempts"] == 0),
            "{report:#}"
        );
        assert_eq!(report["models"]["totals"]["input_tokens"], 0);
    }
    // A person sees it too.
    let world = world("blocker", "blocker");
    let shown = world.sandbox.run_for_people(&["--mock", "Greet"]);
    assert!(shown.stdout.contains("mock"), "{}", shown.stdout);
}

/// A coder of whoever embeds the library. It asks nobody.
struct Native;

#[async_trait::async_trait]
impl Coder for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn delivery(&self) -> Delivery {
        Delivery::Submits
    }

    fn observes_tests(&self) -> bool {
        false
    }

    fn availability_requirements(&self) -> Vec<String> {
        Vec::new()
    }

    fn honoured_settings(&self) -> &[SettingDeclaration] {
        &[]
    }

    async fn implement(&self, assignment: Assignment) -> Attempt {
        // The gates' model is not handed to it, wherever it comes from.
        assert!(assignment.given.completion.is_none());
        let operation = Operation::Write {
            path: "README.md".to_owned(),
            content: Content::Text("# The project\n".to_owned()),
            executable: None,
        };
        assignment.given.submit.submit_files(vec![operation]).unwrap();
        Attempt {
            outcome: Ok(Implementation::default()),
            usage: Usage::default(),
            log: PluginLog::default(),
            execution: None,
        }
    }
}

/// Models of whoever embeds the library: any name, always the same verdict. What was asked of them is kept.
#[derive(Clone)]
struct Embedded {
    severity: &'static str,
    asked: Arc<std::sync::Mutex<Vec<String>>>,
}

struct EmbeddedModel {
    name: String,
    of: Embedded,
}

impl ModelSource for Embedded {
    fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, String> {
        if name == "stub/unknown" {
            return Err("the embedder does not know it".to_owned());
        }
        Ok(Arc::new(EmbeddedModel {
            name: name.to_owned(),
            of: self.clone(),
        }))
    }
}

#[async_trait::async_trait]
impl LanguageModel for EmbeddedModel {
    fn model(&self) -> &str {
        &self.name
    }

    fn is_mock(&self) -> bool {
        false
    }

    async fn ask(&self, request: &Request, _: &Terms) -> Asked {
        self.of.asked.lock().unwrap().push(self.name.clone());
        let tool = &request.tools.last().expect("a tool to answer with").name;
        let arguments = match tool.as_str() {
            "submit_verdict" => json!({ "severity": self.of.severity, "justification": "the embedder's model" }),
            _ => json!({ "flow_type": "debt", "task_summary": "it" }),
        };
        let usage = capability::Usage {
            input_tokens: Some(3),
            output_tokens: Some(2),
        };
        Asked {
            result: Ok(capability::Answer {
                text: String::new(),
                stop: Stopped::ToolCalls,
                tool_calls: vec![ToolCall {
                    id: "1".to_owned(),
                    name: tool.clone(),
                    arguments: arguments.to_string(),
                }],
                model: "embedded".to_owned(),
                usage,
            }),
            usage,
            served: Some("embedded".to_owned()),
            attempts: 1,
            lost: 0,
            adaptations: Vec::new(),
        }
    }
}

/// In this process, with what a process of its own would have been given.
fn in_process(world: &World, models: Option<Embedded>, coder: &str) -> Value {
    let mut environment = snodo_host::cli::ambient::environment().unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_snodo-host"));
    environment.directories = Directories {
        config: world.sandbox.path().join("config/snodo-host"),
        state: world.sandbox.state(),
        cache: world.sandbox.compiled().parent().unwrap().to_owned(),
        snodo: world.sandbox.path().join("home/.snodo"),
    };
    environment.compiler = Compiler::Child(program.clone());
    environment.helper.program = program;
    environment.now = SystemTime::now;
    environment.variable = |name| (name == "STUB_KEY").then(|| KEY.into());
    let mut host = Host::open(environment).unwrap();
    match models {
        Some(models) => host.register_with_models(Arc::new(Native), Arc::new(models)).unwrap(),
        None => host.register(Arc::new(Native)).unwrap(),
    }
    let task = steps(json!([write("README.md", "# The project\n")]));
    let request = RunRequest {
        coder: Some(coder.to_owned()),
        ..RunRequest::new(task, world.sandbox.workspace())
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let report = runtime
        .block_on(run_engine(&host, request, &Unobserved, &Stop::default()))
        .unwrap();
    serde_json::to_value(&report).unwrap()
}

fn embedded(severity: &'static str) -> Embedded {
    Embedded {
        severity,
        asked: Arc::default(),
    }
}

#[test]
fn a_native_coder_without_a_client_is_judged_by_what_the_user_configured() {
    for (before, after, outcome) in [
        (PASS, PASS, "completed"),
        ("blocker", PASS, "blocker"),
        (PASS, "blocker", "blocker"),
    ] {
        let world = world(before, after);
        let report = in_process(&world, None, "native");
        assert_eq!(report["outcome"], outcome, "{report:#}");
        assert_eq!(report["applied"], outcome == "completed");
        let asked = models(&world.provider);
        assert_eq!(asked[..2], ["sorts", "judges"]);
        assert_eq!(asked.len(), if before == PASS { 3 } else { 2 });
    }
}

#[test]
fn a_client_that_came_with_a_native_coder_is_the_gates_base() {
    for (severity, outcome) in [(PASS, "completed"), ("blocker", "blocker")] {
        // The configured provider would say the opposite.
        let world = world(if severity == PASS { "blocker" } else { PASS }, "blocker");
        let models = embedded(severity);
        let report = in_process(&world, Some(models.clone()), "native");
        assert_eq!(report["outcome"], outcome, "{report:#}");
        assert_eq!(world.provider.connections(), 0);
        let asked = models.asked.lock().unwrap().clone();
        let all = ["stub/sorts", "stub/judges", "stub/reviews"];
        assert_eq!(asked, all[..if severity == PASS { 3 } else { 2 }]);
        assert_eq!(said(&report, "pre_execute", "plan")["mock"], false);
        assert_eq!(report["classification"]["flow_type"], "debt");
        assert_eq!(report["models"]["calls"][0]["served"], "embedded");
    }
}

#[test]
fn a_client_that_does_not_know_a_model_is_no_client_for_it() {
    let world = world(PASS, PASS);
    let protocol = world.sandbox.read(".snodo/protocol.yml");
    world
        .sandbox
        .put(".snodo/protocol.yml", protocol.replace("stub/reviews", "stub/unknown"));
    let report = in_process(&world, Some(embedded(PASS)), "native");
    assert_eq!(report["outcome"], "validator_error", "{report:#}");
    assert_eq!(report["coder"], Value::Null);
    let why = said(&report, "post_execute", "review")["justification"]
        .as_str()
        .unwrap();
    assert!(why.contains("the embedder does not know it"), "{why}");
    assert_eq!(world.provider.connections(), 0);
}

#[test]
fn a_client_of_another_coder_is_nobody_elses() {
    // A component in the same host is judged by what the user configured, and the mock by the mock.
    let world = world(PASS, PASS);
    let models = embedded("blocker");
    let report = in_process(&world, Some(models.clone()), &guest("guest_probe"));
    assert_eq!(report["outcome"], "completed", "{report:#}");
    assert_eq!(self::models(&world.provider), ["sorts", "judges", "reviews"]);
    let report = in_process(&world, Some(models.clone()), "mock");
    assert_eq!(report["outcome"], "completed", "{report:#}");
    assert_eq!(said(&report, "pre_execute", "plan")["mock"], true);
    assert_eq!(world.provider.requests().len(), 3);
    assert!(models.asked.lock().unwrap().is_empty());
}
