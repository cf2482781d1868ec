//! A desk in memory: a workspace with submissions over it, and a model that says what a script says.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use snodo_plugin::completion::{Answer, CompletionError, Message, Request, Stop, ToolCall, Usage};
use snodo_plugin::read::{File, Lines, ListQuery, Listing, ReadError};
use snodo_plugin::runner::{Observation, RunnerError};
use snodo_plugin::search::{SearchError, SymbolQuery, Symbols, TextMatches, TextQuery};
use snodo_plugin::submit::{Operation, Rejected, Submission, SubmitError, SubmitRefusal};
use snodo_plugin::tools::{Memory, Sight};
use snodo_plugin::types::Refusal;

use crate::desk::Desk;

type Scripted = Result<Answer, CompletionError>;

#[derive(Default)]
pub(super) struct Desktop {
    base: Memory,
    now: RefCell<Memory>,
    protected: Vec<String>,
    script: RefCell<VecDeque<Scripted>>,
    requests: RefCell<Vec<Request>>,
    observations: RefCell<VecDeque<Result<Observation, RunnerError>>>,
    tested: RefCell<Vec<Option<String>>>,
    told: RefCell<Vec<String>>,
    superseded: RefCell<BTreeMap<String, u32>>,
}

impl Desktop {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let base = files
            .iter()
            .fold(Memory::new(), |memory, (path, text)| memory.with(path, *text));
        Self {
            now: RefCell::new(base.clone()),
            base,
            ..Self::default()
        }
    }

    pub(super) fn script(self, answers: impl IntoIterator<Item = Scripted>) -> Self {
        self.script.borrow_mut().extend(answers);
        self
    }

    pub(super) fn protecting(mut self, path: &str) -> Self {
        self.protected.push(path.to_owned());
        self
    }

    pub(super) fn observing(self, observation: Result<Observation, RunnerError>) -> Self {
        self.observations.borrow_mut().push_back(observation);
        self
    }

    /// What a file holds now.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.now
            .borrow()
            .get(path)
            .and_then(|content| content.text().map(str::to_owned))
    }

    pub(super) fn told(&self) -> Vec<String> {
        self.told.borrow().clone()
    }

    pub(super) fn tested(&self) -> Vec<Option<String>> {
        self.tested.borrow().clone()
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.borrow().clone()
    }

    /// The results of the tools, over the whole conversation.
    pub(super) fn results(&self) -> Vec<String> {
        let requests = self.requests.borrow();
        let messages = requests
            .last()
            .map(|request| request.messages.as_slice())
            .unwrap_or_default();
        messages
            .iter()
            .filter_map(|message| match message {
                Message::Tool(result) => Some(result.text.clone()),
                _ => None,
            })
            .collect()
    }

    /// What the user said, over the whole conversation.
    pub(super) fn user(&self) -> Vec<String> {
        let requests = self.requests.borrow();
        let messages = requests
            .last()
            .map(|request| request.messages.as_slice())
            .unwrap_or_default();
        messages
            .iter()
            .filter_map(|message| match message {
                Message::User(text) => Some(text.clone()),
                _ => None,
            })
            .collect()
    }

    /// What providers insist on: instructions first, and every call answered at once, in order.
    pub(super) fn conversation_is_well_formed(&self) {
        for request in self.requests.borrow().iter() {
            let mut messages = request.messages.iter();
            assert!(matches!(messages.next(), Some(Message::System(_))));
            let mut awaited: VecDeque<String> = VecDeque::new();
            for message in messages {
                match message {
                    Message::Tool(result) => assert_eq!(Some(&result.id), awaited.pop_front().as_ref()),
                    other => {
                        assert!(awaited.is_empty(), "{awaited:?} was not answered before {other:?}");
                        if let Message::Assistant(turn) = other {
                            awaited.extend(turn.tool_calls.iter().map(|call| call.id.clone()));
                        }
                    }
                }
            }
            assert!(awaited.is_empty());
        }
    }

    fn refused(&self, path: &str) -> Result<(), SubmitError> {
        let reason = if path.is_empty() || path.starts_with('/') {
            SubmitRefusal::BadPath(snodo_plugin::types::BadPath {
                path: path.to_owned(),
                rule: snodo_plugin::types::PathRule::Absolute,
            })
        } else if self.protected.iter().any(|protected| path == protected) {
            SubmitRefusal::Refused(Refusal {
                path: path.to_owned(),
                rule: format!("protocol.yml:4 `{path}`"),
            })
        } else {
            return Ok(());
        };
        Err(SubmitError::Rejected(Rejected { index: 0, reason }))
    }

    fn pending(&self) -> usize {
        let now = self.now.borrow();
        let paths: std::collections::BTreeSet<&str> = self.base.paths().chain(now.paths()).collect();
        paths
            .into_iter()
            .filter(|path| self.base.get(path) != now.get(path))
            .count()
    }
}

impl Desk for Desktop {
    fn ask(&self, request: &Request) -> Result<Answer, CompletionError> {
        self.requests.borrow_mut().push(request.clone());
        self.script.borrow_mut().pop_front().unwrap()
    }

    fn submit(&self, operation: Operation) -> Result<Submission, SubmitError> {
        self.refused(operation.path())?;
        let path = operation.path().to_owned();
        let missing = |path: &str| {
            SubmitError::Rejected(Rejected {
                index: 0,
                reason: SubmitRefusal::NotFound(path.to_owned()),
            })
        };
        match operation {
            Operation::Write(write) => self.now.borrow_mut().put(&path, write.content),
            Operation::Delete(_) => {
                self.now.borrow_mut().remove(&path).ok_or_else(|| missing(&path))?;
            }
            Operation::Rename(rename) => {
                self.refused(&rename.to)?;
                let content = self.now.borrow_mut().remove(&path).ok_or_else(|| missing(&path))?;
                self.now.borrow_mut().put(&rename.to, content);
            }
            Operation::SetExecutable(_) => {}
        }
        let times = *self
            .superseded
            .borrow_mut()
            .entry(path.clone())
            .and_modify(|times| *times += 1)
            .or_default();
        let same = self.base.get(&path) == self.now.borrow().get(&path);
        Ok(Submission {
            accepted: 1,
            superseded: Vec::from_iter((times > 0).then(|| path.clone())),
            unchanged: Vec::from_iter(same.then_some(path)),
            pending: u32::try_from(self.pending()).unwrap(),
        })
    }

    fn run_tests(&self, path: Option<&str>) -> Result<Observation, RunnerError> {
        self.tested.borrow_mut().push(path.map(str::to_owned));
        self.observations.borrow_mut().pop_front().unwrap()
    }

    fn tell(&self, message: String, _done: u32, _total: u32) {
        self.told.borrow_mut().push(message);
    }
}

impl Sight for Desktop {
    fn file(&self, path: &str) -> Result<File, ReadError> {
        self.now.borrow().file(path)
    }

    fn lines(&self, path: &str, first: u64, last: u64) -> Result<Lines, ReadError> {
        self.now.borrow().lines(path, first, last)
    }

    fn list(&self, query: &ListQuery) -> Result<Listing, ReadError> {
        self.now.borrow().list(query)
    }

    fn text(&self, query: &TextQuery) -> Result<TextMatches, SearchError> {
        Sight::text(&*self.now.borrow(), query)
    }

    fn symbol(&self, query: &SymbolQuery) -> Result<Symbols, SearchError> {
        self.now.borrow().symbol(query)
    }
}

/// A call; the answer that it stands in gives it its id.
pub(super) fn call(name: &str, arguments: &str) -> (String, String) {
    (name.to_owned(), arguments.to_owned())
}

/// An answer with calls.
pub(super) fn calls(calls: &[(String, String)]) -> Scripted {
    let tool_calls = calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| ToolCall {
            id: format!("call_{index}_{name}"),
            name: name.clone(),
            arguments: arguments.clone(),
        })
        .collect();
    Ok(answer("", tool_calls, Stop::ToolCalls))
}

/// An answer in words.
pub(super) fn prose(text: &str) -> Scripted {
    Ok(answer(text, Vec::new(), Stop::EndOfTurn))
}

fn answer(text: &str, tool_calls: Vec<ToolCall>, stop: Stop) -> Answer {
    Answer {
        text: text.to_owned(),
        tool_calls,
        stop,
        model: "served".to_owned(),
        usage: Usage {
            input_tokens: Some(10),
            output_tokens: Some(5),
        },
    }
}

/// A submission of one text file.
pub(super) fn writes(path: &str, text: &str) -> Scripted {
    let arguments = serde_json::json!({"files": [{"path": path, "content": text}]});
    calls(&[call("submit_files", &arguments.to_string())])
}
