//! The model of the suite's runs: it says what is written down for it, at once, and keeps what it was asked.
//!
//! It knows the tools of this product's own plugins: offered `submit_verdict` it judges, offered `submit_files` it submits a file and is
//! done. To anybody else it answers in words.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::json;
use snodo_model::{Asked, LanguageModel, Terms};
use snodo_workspace::capability::{
    Answer, Complete, CompletionError, Message, ProviderFailure, Request, Stop, ToolCall, Usage,
};
use snodo_workspace::role::Severity;

use crate::engine::{ModelSource, SCRIPTED_MODEL};

/// The file that a coder with a model is made to write, and what is in it.
pub(super) const WRITTEN: (&str, &str) = ("NOTES.md", "# Notes\n\nWritten by the conformance suite's model.\n");

/// How the model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It answers, and judges so before and after execution.
    Answers {
        /// Of a task.
        before: Severity,
        /// Of a change.
        after: Severity,
    },
    /// It answers with an error.
    Fails,
    /// It never answers.
    Silent,
    /// There is none.
    Missing,
}

impl Manner {
    /// It finds everything good.
    pub(super) const PASSES: Self = Self::Answers {
        before: Severity::Pass,
        after: Severity::Pass,
    };
}

/// The model, shared by whoever asks it in one run.
#[derive(Debug, Clone)]
pub(super) struct Script {
    manner: Manner,
    /// The tools that were offered, request by request.
    offered: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Script {
    pub(super) fn new(manner: Manner) -> Self {
        Self {
            manner,
            offered: Arc::default(),
        }
    }

    /// The tools that were offered, request by request.
    pub(super) fn requests(&self) -> Vec<Vec<String>> {
        self.offered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often it was asked for a verdict.
    pub(super) fn asked_to_judge(&self) -> usize {
        let offers = |tools: &&Vec<String>| tools.iter().any(|tool| tool == "submit_verdict");
        self.requests().iter().filter(offers).count()
    }

    async fn answer(&self, request: &Request) -> Result<Answer, CompletionError> {
        let offered: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        self.offered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(offered.clone());
        let offers = |name: &str| offered.iter().any(|tool| tool == name);
        let (before, after) = match self.manner {
            Manner::Answers { before, after } => (before, after),
            Manner::Fails => {
                return Err(CompletionError::Unavailable(ProviderFailure {
                    status: Some(503),
                    message: "the conformance suite's model fails".to_owned(),
                }));
            }
            Manner::Silent => std::future::pending().await,
            Manner::Missing => return Err(CompletionError::NoClient("the conformance suite gives none".to_owned())),
        };
        if offers("submit_verdict") {
            // Only a judge of a change is offered the difference.
            let severity = if self.judges_a_change(request) { after } else { before };
            let verdict =
                json!({ "severity": severity.as_str(), "justification": "the conformance suite's model says so" });
            return Ok(calls(request, "submit_verdict", &verdict.to_string()));
        }
        let submitted = request
            .messages
            .iter()
            .any(|message| matches!(message, Message::Assistant(turn) if !turn.tool_calls.is_empty()));
        if offers("submit_files") && !submitted {
            let (path, content) = WRITTEN;
            let files = json!({ "files": [{ "path": path, "content": content }] });
            return Ok(calls(request, "submit_files", &files.to_string()));
        }
        Ok(Answer {
            text: "done".to_owned(),
            tool_calls: Vec::new(),
            stop: Stop::EndOfTurn,
            model: SCRIPTED_MODEL.to_owned(),
            usage: USAGE,
        })
    }

    /// `read_diff` is offered to the judge of a change; in a turn for the verdict alone it is not, but then it was before.
    fn judges_a_change(&self, request: &Request) -> bool {
        let has = |tools: &[String]| tools.iter().any(|tool| tool == "read_diff");
        if request.tools.len() > 1 {
            return request.tools.iter().any(|tool| tool.name == "read_diff");
        }
        self.requests()
            .iter()
            .rev()
            .find(|tools| tools.len() > 1)
            .is_some_and(|tools| has(tools))
    }
}

const USAGE: Usage = Usage {
    input_tokens: Some(1),
    output_tokens: Some(1),
};

fn calls(request: &Request, name: &str, arguments: &str) -> Answer {
    Answer {
        text: String::new(),
        tool_calls: vec![ToolCall {
            id: format!("call_{}", request.messages.len()),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        }],
        stop: Stop::ToolCalls,
        model: SCRIPTED_MODEL.to_owned(),
        usage: USAGE,
    }
}

/// For a plugin that is called by itself.
#[async_trait]
impl Complete for Script {
    async fn complete(&self, request: Request) -> Result<Answer, CompletionError> {
        self.answer(&request).await
    }
}

#[async_trait]
impl LanguageModel for Script {
    fn model(&self) -> &str {
        SCRIPTED_MODEL
    }

    async fn ask(&self, request: &Request, _: &Terms) -> Asked {
        let result = self.answer(request).await;
        Asked {
            usage: USAGE,
            served: result.as_ref().ok().map(|answer| answer.model.clone()),
            attempts: 1,
            lost: 0,
            adaptations: Vec::new(),
            result,
        }
    }
}

impl ModelSource for Script {
    fn model(&self, _: &str) -> Result<Arc<dyn LanguageModel>, String> {
        match self.manner {
            Manner::Missing => Err("the conformance suite gives none".to_owned()),
            _ => Ok(Arc::new(self.clone())),
        }
    }
}
