//! Stand-ins for a model and a change, for the tests of judges. (Feature `testing`.)

use std::cell::RefCell;
use std::collections::VecDeque;

use snodo_plugin::change::{
    BeforeError, ChangeError, ChangeSummary, ChangedFile, DiffAnswer, DiffLine, DiffQuery, FileDiff, Hunk, LineOrigin,
};
use snodo_plugin::completion::{Answer, CompletionError, Message, Request, Stop, ToolCall, Usage};
use snodo_plugin::prelude::*;
use snodo_plugin::read::File;
use snodo_plugin::types::{Limits, ProjectContext, Setting as InForce};
use snodo_plugin::{Evaluation, ModeProfile};

use crate::{Changes, Model};

/// A model that says what was written down for it, turn by turn, and keeps what it was asked.
#[derive(Debug, Default)]
pub struct Script {
    answers: RefCell<VecDeque<Result<Answer, CompletionError>>>,
    /// When the answers are used up: the last one, again and again.
    forever: bool,
    asked: RefCell<Vec<Request>>,
}

impl Script {
    /// With these answers. Asked for one more, it has none.
    pub fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::ending(answers.into_iter().map(Ok))
    }

    /// With these answers or errors.
    pub fn ending(answers: impl IntoIterator<Item = Result<Answer, CompletionError>>) -> Self {
        Self {
            answers: RefCell::new(answers.into_iter().collect()),
            ..Self::default()
        }
    }

    /// With an answer that is given again and again.
    pub fn always(answer: Answer) -> Self {
        Self {
            forever: true,
            ..Self::new([answer])
        }
    }

    /// What it was asked, in order.
    pub fn asked(&self) -> Vec<Request> {
        self.asked.borrow().clone()
    }

    /// All text of the last request, message by message.
    pub fn last_messages(&self) -> Vec<String> {
        let asked = self.asked.borrow();
        let messages = asked
            .last()
            .map(|request| request.messages.as_slice())
            .unwrap_or_default();
        messages.iter().map(|message| text_of(message).to_owned()).collect()
    }
}

fn text_of(message: &Message) -> &str {
    match message {
        Message::System(text) | Message::User(text) => text,
        Message::Assistant(turn) => &turn.text,
        Message::Tool(result) => &result.text,
    }
}

impl Model for Script {
    fn complete(&self, request: &Request) -> Result<Answer, CompletionError> {
        self.asked.borrow_mut().push(request.clone());
        let mut answers = self.answers.borrow_mut();
        let next = if self.forever {
            answers.front().cloned()
        } else {
            answers.pop_front()
        };
        next.unwrap_or_else(|| Err(CompletionError::NoClient("the script has no more answers".to_owned())))
    }
}

/// A model that says back, in prose, all that it is told, calls nothing, and so decides nothing.
#[derive(Debug, Default)]
pub struct Echo;

impl Model for Echo {
    fn complete(&self, request: &Request) -> Result<Answer, CompletionError> {
        let all: Vec<&str> = request.messages.iter().map(text_of).collect();
        Ok(says(&all.join("\n")))
    }
}

/// An answer in prose.
pub fn says(text: &str) -> Answer {
    Answer {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        stop: Stop::EndOfTurn,
        model: "scripted".to_owned(),
        usage: Usage {
            input_tokens: None,
            output_tokens: None,
        },
    }
}

/// An answer that calls tools, by name and arguments.
pub fn calls(calls: &[(&str, &str)]) -> Answer {
    Answer {
        tool_calls: calls
            .iter()
            .enumerate()
            .map(|(index, (name, arguments))| ToolCall {
                id: format!("call_{index}"),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            })
            .collect(),
        stop: Stop::ToolCalls,
        ..says("")
    }
}

/// An answer that submits a verdict.
pub fn submits(severity: &str, justification: &str) -> Answer {
    let quoted = serde_json::Value::from(justification);
    calls(&[(
        "submit_verdict",
        &format!(r#"{{"severity":"{severity}","justification":{quoted}}}"#),
    )])
}

/// A change that a test made up. Its differences take out all old lines, then put in all new ones.
#[derive(Debug, Clone, Default)]
pub struct Edits {
    files: Vec<(ChangedFile, Vec<String>, Vec<String>)>,
    room: Option<u64>,
    /// Files of the base, by their paths there.
    base: Vec<(String, Vec<u8>)>,
}

impl Edits {
    /// No change.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a new file.
    #[must_use]
    pub fn added(self, path: &str, text: &str) -> Self {
        self.with(path, ChangeKind::Added, "", text)
    }

    /// With a changed file.
    #[must_use]
    pub fn modified(self, path: &str, before: &str, after: &str) -> Self {
        self.with(path, ChangeKind::Modified, before, after)
    }

    /// With a file that is gone.
    #[must_use]
    pub fn deleted(self, path: &str, text: &str) -> Self {
        self.with(path, ChangeKind::Deleted, text, "")
    }

    /// With a binary file.
    #[must_use]
    pub fn binary(self, path: &str, before: u64, after: u64) -> Self {
        self.binary_of(ChangeKind::Modified, path, before, after)
    }

    /// With a binary file to which something else happened.
    #[must_use]
    pub fn binary_of(mut self, kind: ChangeKind, path: &str, before: u64, after: u64) -> Self {
        self = self.with(path, kind, "", "");
        if let Some((file, ..)) = self.files.iter_mut().find(|(file, ..)| file.path == path) {
            file.binary = true;
            (file.size_before, file.size_after) = (Some(before), Some(after));
        }
        self
    }

    /// With a binary file that was moved. What is there now, the judge reads where it reads files.
    #[must_use]
    pub fn moved(mut self, old: &str, path: &str, before: &[u8], after: u64) -> Self {
        self = self.binary_of(ChangeKind::Renamed, path, before.len() as u64, after);
        if let Some((file, ..)) = self.files.iter_mut().find(|(file, ..)| file.path == path) {
            file.old_path = Some(old.to_owned());
        }
        self.base.push((old.to_owned(), before.to_vec()));
        self
    }

    /// Says of the file that it governs tests.
    #[must_use]
    pub fn governing(mut self, path: &str, reason: &str) -> Self {
        if let Some((file, ..)) = self.files.iter_mut().find(|(file, ..)| file.path == path) {
            file.test_governing = Some(reason.to_owned());
        }
        self
    }

    /// In which one answer holds at most so many bytes.
    #[must_use]
    pub fn room(mut self, bytes: u64) -> Self {
        self.room = Some(bytes);
        self
    }

    fn with(mut self, path: &str, kind: ChangeKind, before: &str, after: &str) -> Self {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let (old, new) = (lines(before), lines(after));
        let size = |there: bool, text: &str| there.then_some(text.len() as u64);
        let file = ChangedFile {
            path: path.to_owned(),
            kind,
            old_path: None,
            added: new.len() as u64,
            deleted: old.len() as u64,
            binary: false,
            test_governing: None,
            size_before: size(kind != ChangeKind::Added, before),
            size_after: size(kind != ChangeKind::Deleted, after),
            executable_before: false,
            executable_after: false,
        };
        self.files.push((file, old, new));
        self.files.sort_by(|(a, ..), (b, ..)| a.path.cmp(&b.path));
        self
    }
}

impl Changes for Edits {
    fn summary(&self) -> Result<ChangeSummary, ChangeError> {
        Ok(ChangeSummary {
            files: self.files.iter().map(|(file, ..)| file.clone()).collect(),
            added: self.files.iter().map(|(file, ..)| file.added).sum(),
            deleted: self.files.iter().map(|(file, ..)| file.deleted).sum(),
        })
    }

    fn diff(&self, query: &DiffQuery) -> Result<DiffAnswer, ChangeError> {
        let mut left = query.max_bytes.min(self.room.unwrap_or(u64::MAX));
        let mut answer = DiffAnswer {
            files: Vec::new(),
            omitted: Vec::new(),
        };
        for path in &query.paths {
            if !self.files.iter().any(|(file, ..)| file.path == *path) {
                return Err(ChangeError::NotInChange(path.clone()));
            }
        }
        for (file, old, new) in &self.files {
            if !query.paths.is_empty() && !query.paths.contains(&file.path) {
                continue;
            }
            let line = |origin, text: &String| DiffLine {
                origin,
                text: text.clone(),
                no_newline: false,
            };
            let removed = old.iter().map(|text| line(LineOrigin::Removed, text));
            let added = new.iter().map(|text| line(LineOrigin::Added, text));
            let mut lines = Vec::new();
            // As the host does: what fits is shown, and a file that is not shown whole is named.
            let mut whole = true;
            for line in removed.chain(added).filter(|_| !file.binary) {
                let size = line.text.len() as u64 + 1;
                whole &= size <= left;
                if !whole {
                    left = 0;
                    break;
                }
                left -= size;
                lines.push(line);
            }
            if !whole {
                answer.omitted.push(file.path.clone());
                if lines.is_empty() {
                    continue;
                }
            }
            let count = |origin| lines.iter().filter(|line: &&DiffLine| line.origin == origin).count() as u64;
            let (old_count, new_count) = (count(LineOrigin::Removed), count(LineOrigin::Added));
            let hunk = Hunk {
                old_start: old_count.min(1),
                old_count,
                new_start: new_count.min(1),
                new_count,
                lines,
            };
            answer.files.push(FileDiff {
                path: file.path.clone(),
                kind: file.kind,
                binary: file.binary,
                hunks: if hunk.lines.is_empty() { Vec::new() } else { vec![hunk] },
            });
        }
        Ok(answer)
    }

    fn before(&self, path: &str) -> Result<File, BeforeError> {
        let (path, bytes) = self
            .base
            .iter()
            .find(|(old, _)| old == path)
            .ok_or_else(|| BeforeError::NotInChange(path.to_owned()))?;
        Ok(File {
            path: path.clone(),
            size: bytes.len() as u64,
            executable: false,
            bom: false,
            content: bytes.clone().into(),
        })
    }
}

/// What to judge: a task in words, and criteria.
pub fn evaluation(phase: Phase, spec: &str, criteria: &[&str]) -> Evaluation {
    Evaluation {
        phase,
        task: Task {
            id: "task_0123456789ab".to_owned(),
            spec: spec.to_owned(),
            expects: Expectation::Change,
            constraints: Vec::new(),
            memory_summary: String::new(),
            project: ProjectContext {
                language: "rust".to_owned(),
                structure: String::new(),
                configuration: Vec::new(),
            },
            prior_failures: Vec::new(),
        },
        validator_id: "strict".to_owned(),
        criteria: criteria.iter().map(|&criterion| criterion.to_owned()).collect(),
        mode: ModeProfile {
            id: "producer".to_owned(),
            name: "Producer".to_owned(),
            description: "Writes code.".to_owned(),
            tools: vec!["edit".to_owned(), "dispatch".to_owned()],
        },
        evidence: Vec::new(),
        test_governing: Vec::new(),
    }
}

/// A context with a model, every tool of a validator, and the settings at their defaults.
pub fn context(description: &Description) -> Context {
    Context {
        job_id: "job".to_owned(),
        task_id: "task".to_owned(),
        mode: "producer".to_owned(),
        depth: 0,
        attempt: 1,
        model: Some("scripted".to_owned()),
        runner: None,
        protected_paths: Vec::new(),
        protocol_guidance: String::new(),
        tools: [
            "read-file",
            "read-lines",
            "read-files",
            "list-files",
            "search-text",
            "search-symbol",
            "summary",
            "diff",
            "before",
        ]
        .map(str::to_owned)
        .to_vec(),
        settings: description
            .settings
            .iter()
            .filter_map(|setting| {
                setting.default.clone().map(|value| InForce {
                    name: setting.name.clone(),
                    value,
                })
            })
            .collect(),
        limits: Limits {
            memory_bytes: 0,
            compute_ms: 0,
            total_ms: 0,
            host_calls: 0,
            call_bytes: 0,
            read_bytes: 0,
            submit_bytes: 0,
        },
    }
}

/// Puts a setting in force.
pub fn set(context: &mut Context, name: &str, value: impl Into<snodo_plugin::SettingValue>) {
    context.settings.retain(|setting| setting.name != name);
    context.settings.push(InForce {
        name: name.to_owned(),
        value: value.into(),
    });
}
