//! The host as a library: a coder that is plain Rust, and a model client of one's own that judges what it did.
//!
//! ```console
//! $ cargo run -p snodo-host --example embed
//! ```
//!
//! The coder is trusted like the program that registers it, and gets what every coder gets: the same handles, the same gates. The client that is
//! registered with it is the gates' base; the coder never sees it.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use snodo_host::delivery::Delivery;
use snodo_host::engine::{
    Assignment, Attempt, Coder, Directories, Environment, Host, ModelSource, RunRequest, Stop, run,
};
use snodo_host::events::Unobserved;
use snodo_host::model::{Asked, LanguageModel, Terms};
use snodo_host::plugin::{Compiler, PluginLog, Usage};
use snodo_host::record::RunReport;
use snodo_host::workspace::capability::{
    Answer, Content, Message, Operation, Request, Stop as Stopped, Submission, ToolCall, Usage as Tokens,
};
use snodo_host::workspace::role::{Implementation, SettingDeclaration};

/// Writes the task into a file.
struct Notes;

#[async_trait]
impl Coder for Notes {
    fn name(&self) -> &'static str {
        "notes"
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
        let note = Operation::Write {
            path: "NOTES.md".to_owned(),
            content: Content::Text(format!("* {}\n", assignment.task.spec)),
            executable: None,
        };
        let submitted = assignment.given.submit.submit_files(vec![note]);
        Attempt {
            outcome: submitted
                .map(|_: Submission| Implementation::default())
                .map_err(|error| snodo_host::workspace::role::CoderError::Internal(error.to_string()).into()),
            usage: Usage::default(),
            log: PluginLog::default(),
            execution: None,
        }
    }
}

/// A model client of one's own. This one judges by a rule; a real one would ask somebody.
struct Strict;

#[async_trait]
impl LanguageModel for Strict {
    fn model(&self) -> &'static str {
        "strict"
    }

    async fn ask(&self, request: &Request, _: &Terms) -> Asked {
        let usage = Tokens {
            input_tokens: Some(0),
            output_tokens: Some(0),
        };
        let answered = |calls: Vec<ToolCall>| Asked {
            result: Ok(Answer {
                text: String::new(),
                stop: if calls.is_empty() {
                    Stopped::EndOfTurn
                } else {
                    Stopped::ToolCalls
                },
                tool_calls: calls,
                model: "strict".to_owned(),
                usage,
            }),
            usage,
            served: Some("strict".to_owned()),
            attempts: 1,
            lost: 0,
            adaptations: Vec::new(),
        };
        // Whoever is offered no verdict to give is the classifier, whose answer decides nothing.
        if !request.tools.iter().any(|tool| tool.name == "submit_verdict") {
            return answered(Vec::new());
        }
        let shouts = request
            .messages
            .iter()
            .any(|message| matches!(message, Message::User(text) if text.contains("!!!")));
        let (severity, why) = if shouts {
            ("blocker", "it shouts")
        } else {
            ("pass", "it is calm")
        };
        answered(vec![ToolCall {
            id: "verdict".to_owned(),
            name: "submit_verdict".to_owned(),
            arguments: format!("{{\"severity\": \"{severity}\", \"justification\": \"{why}\"}}"),
        }])
    }
}

/// One client, whatever model a role is configured with.
struct OneForAll;

impl ModelSource for OneForAll {
    fn model(&self, _: &str) -> Result<Arc<dyn LanguageModel>, String> {
        Ok(Arc::new(Strict))
    }
}

/// Runs a task in a workspace, with everything that the host keeps below `own`.
///
/// # Errors
/// The host could not work, or the run could not begin. A run that was stopped is no error: it is a report.
pub fn embedded(task: &str, workspace: &Path, own: &Path) -> Result<RunReport, Box<dyn Error>> {
    let mut environment: Environment = snodo_host::cli::ambient::environment()?;
    environment.directories = Directories {
        config: own.join("config"),
        state: own.join("state"),
        cache: own.join("cache"),
        snodo: own.join("snodo"),
    };
    // The binary compiles plugins in a child process of itself, which this program is not.
    environment.compiler = Compiler::InProcess;
    let mut host = Host::open(environment)?;
    host.register_with_models(Arc::new(Notes), Arc::new(OneForAll))?;
    let request = RunRequest {
        coder: Some("notes".to_owned()),
        validators: vec!["acceptance".to_owned()],
        ..RunRequest::new(task, workspace)
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(run(&host, request, &Unobserved, &Stop::default()))?)
}

#[allow(
    dead_code,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program of its own, of which a test calls what is above"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let workspace = place.path().join("workspace");
    std::fs::create_dir(&workspace)?;
    for task in ["Water the plants", "WATER THE PLANTS!!!"] {
        let report = embedded(task, &workspace, place.path())?;
        println!("{task}: {}", report.reason);
    }
    Ok(())
}
