//! A project whose models are a provider of the test's own.

use std::fs;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use snodo_provider::{Provider, Reply, Seen, Wire};

use crate::support::finished::said;
use crate::support::process::Running;
use crate::support::{Finished, Sandbox};

/// A key that is nobody's, and that is looked for wherever it must not be.
pub(crate) const KEY: &str = "sk-sentinel-0123456789abcdefKEY";

/// A protocol with a judge in each gate; the tests of no project are run.
pub(crate) const JUDGED: &str = "\
protocol_id: judged
name: Judged
initial_mode: work
modes:
  - mode_id: work
    name: Work
    tools: [edit, dispatch]
    validators: [plan, review]
validators:
  - validator_id: plan
    validator_type: architecture
    criteria: [The task can be understood.]
  - validator_id: review
    validator_type: llm
    evaluation_phase: post_execute
    criteria: [The change does what the task says., Nothing else is changed.]
";

/// A patch that `patch` applies to the README of a [`Sandbox`].
pub(crate) const PATCH: &str = "Call it the project.\n\n--- a/README.md\n+++ b/README.md\n@@ -1,4 +1,4 @@\n-# A project\n+# The project\n \n It has two lines of prose,\n and they end here.\n";

/// A sandbox and the provider that it asks.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) provider: Provider,
}

impl World {
    /// A project under [`JUDGED`], with every role served by `stub/m` over the wire format of `openai`.
    pub(crate) fn new(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::over(Wire::OpenAi, script)
    }

    /// The same over a wire format.
    pub(crate) fn over(wire: Wire, script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let world = Self {
            sandbox: Sandbox::new().with(".snodo/protocol.yml", JUDGED),
            provider: Provider::start(script),
        };
        world.config(&format!("model: stub/m\n{}", world.provider_block("stub", wire)));
        world
    }

    /// The same, where nothing is sent a second time.
    pub(crate) fn impatient(wire: Wire, script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let world = Self::over(wire, script);
        world.config_with("llm: { num_retries: 0 }\n", wire);
        world
    }

    /// Everything over `stub/m`, and these lines.
    pub(crate) fn config_with(&self, lines: &str, wire: Wire) {
        self.config(&format!("model: stub/m\n{lines}{}", self.provider_block("stub", wire)));
    }

    /// Settings of the user, as `host.toml`.
    pub(crate) fn host_toml(&self, text: &str) {
        fs::write(self.sandbox.path().join("config/snodo-host/host.toml"), text).unwrap();
    }

    /// Without a protocol, and so without a gate before the coder and without a classifier.
    #[must_use]
    pub(crate) fn without_a_protocol(self) -> Self {
        fs::remove_file(self.sandbox.workspace().join(".snodo/protocol.yml")).unwrap();
        self
    }

    /// A `providers` block of one provider, which is this one.
    pub(crate) fn provider_block(&self, name: &str, wire: Wire) -> String {
        let route = match wire {
            Wire::OpenAi => "openai",
            Wire::Anthropic => "anthropic",
            Wire::Gemini => "gemini",
        };
        let base = self.provider.base_url(wire);
        format!(
            "providers:\n  {name}:\n    base_url: {base}\n    litellm_provider: {route}\n    api_key_env: STUB_KEY\n"
        )
    }

    /// Writes snodo's `config.yml`.
    pub(crate) fn config(&self, text: &str) {
        let folder = self.sandbox.path().join("home/.snodo");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.yml"), text).unwrap();
    }

    /// `run --json`, with the key in the environment.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        self.run_with(arguments, &[("STUB_KEY", KEY)])
    }

    /// `run --json` with these variables; a run that applied nothing has left the workspace as it was.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
        let mut command = self.sandbox.command(&[&["run", "--json"], arguments].concat());
        command.envs(variables.iter().copied());
        self.finish(command)
    }

    /// Waits for a `run --json` that was made elsewhere.
    pub(crate) fn finish(&self, mut command: Command) -> Finished {
        let before = self.sandbox.tree();
        let finished = Finished::of(&command.output().unwrap());
        finished.check_against_the_schema();
        if finished.json()["applied"] != true {
            assert_eq!(
                before.differences(&self.sandbox.tree()),
                [] as [&str; 0],
                "{finished:#?}"
            );
        }
        finished
    }

    /// Any command, with the key in the environment.
    pub(crate) fn call(&self, arguments: &[&str]) -> Finished {
        let mut command = self.sandbox.command(arguments);
        command.env("STUB_KEY", KEY);
        Finished::of(&command.output().unwrap())
    }

    /// `run --json`, started and not waited for.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.sandbox.command(&[&["run", "--json"], arguments].concat());
        command.env("STUB_KEY", KEY);
        Running::of(command.spawn().unwrap())
    }

    /// A run of `patch` with [`PATCH`].
    pub(crate) fn run_patch(&self) -> Finished {
        self.run(&["--coder", "patch", PATCH])
    }
}

/// The calls of a report: role, who asked, how it ended.
pub(crate) fn calls(report: &Value) -> Vec<(String, String, String)> {
    let calls = report["models"]["calls"].as_array().unwrap();
    let text = |call: &Value, key: &str| call[key].as_str().unwrap_or("-").to_owned();
    calls
        .iter()
        .map(|call| (text(call, "role"), text(call, "validator_id"), text(call, "ended")))
        .collect()
}

/// What a test changes the answers by, while the provider runs.
pub(crate) type Switch = Arc<Mutex<Reply>>;

/// Judges are answered as the switch says; the classifier and the coder as they should be.
pub(crate) fn judges(switch: &Switch) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    let switch = Arc::clone(switch);
    move |seen| match seen.offers("submit_verdict") {
        true => switch.lock().unwrap().clone(),
        false if seen.offers("submit_files") => Reply::submit_files(&[("README.md", "# The project\n")]),
        false => Reply::classify("feature"),
    }
}

/// A validator that could not judge: a blocker with `error`. Nothing was applied. Answers what it said.
#[track_caller]
pub(crate) fn not_judged(report: &Value, phase: &str, id: &str) -> String {
    let result = said(report, phase, id);
    assert_eq!(
        (&result["severity"], &result["error"], &result["skipped"]),
        (&"blocker".into(), &true.into(), &false.into()),
        "{report:#}"
    );
    assert_eq!(report["applied"], false, "{report:#}");
    result["justification"].as_str().unwrap().to_owned()
}

/// How the last call of a role ended.
#[track_caller]
pub(crate) fn ended(report: &Value, role: &str) -> String {
    let calls = calls(report);
    let last = calls.iter().rev().find(|(of, ..)| of == role);
    last.unwrap_or_else(|| panic!("{role} did not ask: {report:#}"))
        .2
        .clone()
}

/// One call of a role, the last.
#[track_caller]
pub(crate) fn call<'a>(report: &'a Value, role: &str) -> &'a Value {
    let calls = report["models"]["calls"].as_array().unwrap();
    let last = calls.iter().rev().find(|call| call["role"] == role);
    last.unwrap_or_else(|| panic!("{role} did not ask: {report:#}"))
}
