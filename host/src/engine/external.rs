//! A coder that is a program, run contained on a scratch: what differs there afterwards is submitted, through the same rules as a
//! plugin's work. It can never reach the workspace itself.

use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use snodo_workspace::capability::{Captured, Refusal, SubmitError};
use snodo_workspace::limits::SubmitLimits;
use snodo_workspace::role::{Context, Expectation, Finding, Implementation, SettingDeclaration, Task};
use snodo_workspace::scratch::Difference;

use super::coder::{Assignment, Attempt, Coder};
use crate::delivery::Delivery;
use crate::plugin::{PluginLog, Usage};
use crate::sandbox::{Assigned, Ending, External, LaunchError, Sandbox, SandboxError, Worked};

/// Why an external coder did not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExternalFault {
    /// It was not run: its program or a layer of the sandbox is missing, or there is no scratch.
    #[error("could not be run: {0}")]
    NotRun(String),
    /// It ended with an exit code other than 0.
    #[error("exited with {0}")]
    Exited(i32),
    /// A signal ended it.
    #[error("was ended by signal {0}")]
    Signal(i32),
    /// It took too long.
    #[error("did not come to an end within {0} s, and was stopped")]
    TimedOut(u64),
    /// It printed nothing for too long.
    #[error("printed nothing for {0} s, and was stopped")]
    Silent(u64),
    /// The run was interrupted.
    #[error("was interrupted")]
    Interrupted,
    /// What it changed in its scratch cannot be part of a change; nothing of it is taken.
    #[error("changed what no coder may change: {}", in_words(.0))]
    Refused(Vec<Refusal>),
    /// What it changed cannot be established; nothing of it is taken.
    #[error("left a scratch that cannot be read, so that nothing of it is taken: {0}")]
    Unknown(String),
}

/// A few by name, each with its rule, and how many more there are.
fn in_words(refused: &[Refusal]) -> String {
    const NAMED: usize = 10;
    let named: Vec<String> = refused
        .iter()
        .take(NAMED)
        .map(|refusal| format!("`{}` ({})", crate::text::one_line(&refusal.path, 200), refusal.rule))
        .collect();
    let more = refused.len().saturating_sub(NAMED);
    match more {
        0 => named.join(", "),
        more => format!("{}, and {more} more", named.join(", ")),
    }
}

/// A coder that is a program.
pub struct ExternalCoder {
    external: External,
    sandbox: Arc<Sandbox>,
    limits: SubmitLimits,
}

impl ExternalCoder {
    /// `limits` are those of what it may propose.
    pub fn new(external: External, sandbox: Arc<Sandbox>, limits: SubmitLimits) -> Self {
        Self {
            external,
            sandbox,
            limits,
        }
    }
}

/// All that a coder is told, as the program finds it in the file that `SNODO_CONTEXT_FILE` names.
#[derive(Serialize)]
struct Brief<'a> {
    schema: &'static str,
    task: &'a Task,
    context: &'a Context,
}

#[async_trait]
impl Coder for ExternalCoder {
    fn name(&self) -> &str {
        &self.external.name
    }

    fn delivery(&self) -> Delivery {
        Delivery::EditsScratch
    }

    fn observes_tests(&self) -> bool {
        false
    }

    fn availability_requirements(&self) -> Vec<String> {
        self.external.argv.first().cloned().into_iter().collect()
    }

    fn honoured_settings(&self) -> &[SettingDeclaration] {
        &[]
    }

    async fn implement(&self, assignment: Assignment) -> Attempt {
        let Assignment {
            task,
            mut context,
            given,
            view,
            ..
        } = assignment;
        // The functions of a component's world are none of a program's.
        context.tools.clear();
        let brief = Brief {
            schema: "snodo.external.v1",
            task: &task,
            context: &context,
        };
        let mut attempt = Attempt {
            outcome: Ok(Implementation::default()),
            usage: Usage::default(),
            log: PluginLog::default(),
            execution: None,
        };
        let told = match serde_json::to_vec(&brief) {
            Ok(told) => told,
            Err(error) => {
                attempt.outcome = Err(ExternalFault::NotRun(error.to_string()).into());
                return attempt;
            }
        };
        let assigned = Assigned {
            view,
            task: task.spec.clone(),
            context: told,
            limits: self.limits,
        };
        let Worked {
            execution,
            ending,
            stdout,
            difference,
        } = match self.external.work(&self.sandbox, assigned).await {
            Ok(worked) => worked,
            Err(error) => {
                attempt.outcome = Err(ExternalFault::NotRun(not_run(&error)).into());
                return attempt;
            }
        };
        attempt.execution = Some(execution);
        let submitted = match difference {
            Ok(difference) => submit(&*given.submit, &difference, self.limits.call_operations),
            Err(error) => Err(ExternalFault::Unknown(error.to_string())),
        };
        // What it was not to touch is named before how it ended.
        attempt.outcome = submitted
            .and_then(|()| self.ended(ending))
            .map(|()| Implementation {
                findings: answer(&self.external.name, task.expects, &stdout),
                ..Implementation::default()
            })
            .map_err(Into::into);
        attempt
    }
}

impl ExternalCoder {
    fn ended(&self, ending: Ending) -> Result<(), ExternalFault> {
        let bounds = self.external.bounds;
        match ending {
            Ending::Code(0) => Ok(()),
            Ending::Code(code) => Err(ExternalFault::Exited(code)),
            Ending::Signal(signal) => Err(ExternalFault::Signal(signal)),
            Ending::WallClock => Err(ExternalFault::TimedOut(bounds.wall.as_secs())),
            Ending::Silence => Err(ExternalFault::Silent(bounds.silence.unwrap_or_default().as_secs())),
            Ending::Interrupted => Err(ExternalFault::Interrupted),
        }
    }
}

/// All of it, or nothing, in as many calls as it takes.
fn submit(
    submit: &dyn snodo_workspace::capability::Submit,
    difference: &Difference,
    most_in_one_call: usize,
) -> Result<(), ExternalFault> {
    if difference.truncated {
        return Err(ExternalFault::Unknown(
            "there is more in it than the host looks at (two million entries, or folders deeper than a path may be)"
                .to_owned(),
        ));
    }
    if !difference.refused.is_empty() {
        return Err(ExternalFault::Refused(difference.refused.clone()));
    }
    let mut taken: Vec<String> = Vec::new();
    for chunk in difference.operations.chunks(most_in_one_call.max(1)) {
        let paths: Vec<String> = chunk.iter().map(|operation| operation.path().to_owned()).collect();
        if let Err(error) = submit.submit_files(chunk.to_vec()) {
            // All of it, or nothing.
            let _ = submit.withdraw(&taken);
            return Err(match error {
                SubmitError::Rejected(rejected) => ExternalFault::Refused(vec![Refusal {
                    path: paths.get(rejected.index as usize).cloned().unwrap_or_default(),
                    rule: rejected.reason.to_string(),
                }]),
                SubmitError::Limit(_) => ExternalFault::Unknown(error.to_string()),
            });
        }
        taken.extend(paths);
    }
    Ok(())
}

/// Where an answer in words is asked for, what a program printed is its answer.
fn answer(name: &str, expects: Expectation, stdout: &Captured) -> Vec<Finding> {
    let said = [stdout.head.as_str(), stdout.tail.as_str()].concat();
    let said = said.trim();
    if expects != Expectation::Findings || said.is_empty() {
        return Vec::new();
    }
    vec![Finding {
        title: format!("what `{name}` answered"),
        detail: said.to_owned(),
        path: None,
        line: None,
    }]
}

fn not_run(error: &SandboxError) -> String {
    match error {
        SandboxError::Launch(LaunchError::NotStarted { program, reason, .. }) => format!("`{program}`: {reason}"),
        error => error.to_string(),
    }
}
