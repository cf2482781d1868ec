//! A native coder gets every field of the declared interface, each with a value of its own: as a component and a program do
//! (`tests/run/echo.rs`, `tests/run/external`).

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use async_trait::async_trait;
use serde_json::{Value, json};
use snodo_host::delivery::Delivery;
use snodo_host::engine::{Assignment, Attempt, Coder, Directories, Host, RunRequest, Stop, run as run_engine};
use snodo_host::events::Unobserved;
use snodo_host::plugin::{Compiler, PluginLog, Usage};
use snodo_workspace::capability::{Content, Operation, ProgressEvent};
use snodo_workspace::role::{Implementation, SettingDeclaration, SettingType, SettingValue};

use crate::support::Sandbox;

const PROTOCOL: &str = "\
protocol_id: echo
name: Echo
initial_mode: echoing
protected_paths: [locked/file.txt, vault/]
modes:
  - mode_id: echoing
    name: Echoing
    description: Say everything back.
    validators: [tests]
    coder: native
    coder_config: { text: from the protocol, integer: 41 }
validators:
  - validator_id: tests
    validator_type: quality
    evaluation_phase: post_execute
    tooling: { timeout: 77, test_command: 'sh check.sh --fast' }
";

/// Takes down what it was told, and uses each of its capabilities.
struct Native {
    settings: Vec<SettingDeclaration>,
    told: Arc<Mutex<Option<Value>>>,
}

#[async_trait]
impl Coder for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn delivery(&self) -> Delivery {
        Delivery::Submits
    }

    fn observes_tests(&self) -> bool {
        true
    }

    fn availability_requirements(&self) -> Vec<String> {
        vec!["sh".to_owned()]
    }

    fn honoured_settings(&self) -> &[SettingDeclaration] {
        &self.settings
    }

    async fn implement(&self, assignment: Assignment) -> Attempt {
        let Assignment {
            task, context, given, ..
        } = assignment;
        given.submit.progress(ProgressEvent {
            message: "at work".to_owned(),
            done: None,
            total: None,
        });
        let write = Operation::Write {
            path: "NOTES.md".to_owned(),
            content: Content::Text("x\n".to_owned()),
            executable: None,
        };
        given.submit.submit_files(vec![write]).unwrap();
        let observed = given.runner.run_tests(None).await;
        *self.told.lock().unwrap() = Some(json!({
            "task": task,
            "context": context,
            "read": given.read.read_file("NOTES.md").is_ok(),
            "tests": observed.is_ok(),
            "completion": given.completion.is_some(),
        }));
        Attempt {
            outcome: Ok(Implementation::default()),
            usage: Usage::default(),
            log: PluginLog::default(),
            execution: None,
        }
    }
}

fn setting(name: &str, default: SettingValue, value_type: SettingType) -> SettingDeclaration {
    SettingDeclaration {
        name: name.to_owned(),
        value_type,
        default: Some(default),
        meaning: "Echoed.".to_owned(),
    }
}

#[test]
fn a_native_coder_gets_every_field_of_task_and_context() {
    let sandbox = Sandbox::new()
        .with(".snodo/protocol.yml", PROTOCOL)
        .with("pyproject.toml", "[project]\nname = \"echo\"\n")
        .with("check.sh", "exit 0\n")
        .host_toml("[limits]\nmemory_mib = 101\ncompute_seconds = 11\ntotal_seconds = 103\nhost_calls = 1009\ncall_mib = 2\nread_mib = 107\nsubmit_mib = 5\n[runner]\ncalls = 13\ntimeout_seconds = 200\n");
    let mut environment = snodo_host::cli::ambient::environment().unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_snodo-host"));
    environment.directories = Directories {
        config: sandbox.path().join("config/snodo-host"),
        state: sandbox.state(),
        cache: sandbox.compiled().parent().unwrap().to_owned(),
        snodo: sandbox.path().join("home/.snodo"),
    };
    environment.compiler = Compiler::Child(program.clone());
    environment.helper.program = program;
    environment.now = SystemTime::now;
    environment.variable = |_| None;
    let told = Arc::new(Mutex::new(None));
    let mut host = Host::open(environment).unwrap();
    host.register(Arc::new(Native {
        settings: vec![
            setting("text", SettingValue::Text("default".to_owned()), SettingType::Text),
            setting("integer", SettingValue::Integer(1), SettingType::Integer),
            setting(
                "list",
                SettingValue::TextList(vec!["a".to_owned()]),
                SettingType::TextList,
            ),
        ],
        told: Arc::clone(&told),
    }))
    .unwrap();
    let request = RunRequest {
        validators: vec![crate::support::guest("guest_judge")],
        model: Some("some/model".to_owned()),
        settings: vec!["native.integer=42".to_owned()],
        ..RunRequest::new("Say it back", sandbox.workspace())
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let report = runtime
        .block_on(run_engine(&host, request, &Unobserved, &Stop::default()))
        .unwrap();
    let report = serde_json::to_value(&report).unwrap();
    let told = told
        .lock()
        .unwrap()
        .take()
        .unwrap_or_else(|| panic!("not called: {report:#}"));
    let (task, context) = (&told["task"], &told["context"]);
    assert_eq!(
        (&told["read"], &told["tests"], &told["completion"]),
        (&json!(true), &json!(true), &json!(false)),
        "{report:#}"
    );
    for (found, wanted) in [
        (&task["id"], &report["task"]["id"]),
        (&task["spec"], &json!("Say it back")),
        (&task["expects"], &json!("change")),
        (&task["project"]["language"], &json!("python")),
        (&context["job_id"], &report["run_id"]),
        (&context["task_id"], &report["task"]["id"]),
        (&context["mode"], &json!("echoing")),
        (&context["depth"], &json!(0)),
        (&context["attempt"], &json!(1)),
        (&context["model"], &json!("some/model")),
        (&context["runner"]["argv"], &json!(["sh", "check.sh", "--fast"])),
        (&context["runner"]["calls"], &json!(13)),
        (&context["runner"]["timeout_ms"], &json!(200_000)),
        (&context["protected_paths"], &json!(["locked/file.txt", "vault"])),
        (&context["protocol_guidance"], &json!("Say everything back.")),
        (&context["limits"]["memory_bytes"], &json!(101_u64 << 20)),
        (&context["limits"]["host_calls"], &json!(1009)),
        (&context["limits"]["submit_bytes"], &json!(5 << 20)),
    ] {
        assert_eq!(found, wanted, "{told:#}");
    }
    assert_eq!(context["tools"].as_array().unwrap().len(), 10);
    let settings: Vec<&Value> = context["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| &s["value"])
        .collect();
    assert_eq!(
        settings,
        [&json!("from the protocol"), &json!(42), &json!(["a"])],
        "{told:#}"
    );
}
