//! A language model that says what a test wrote down.

use std::collections::VecDeque;

use crate::completion::{Answer, CompletionError, Request, Stop, ToolCall, Usage};

/// What answers [`completion::complete`](crate::completion::complete) in a test: a [`Script`], or a function of one's own.
///
/// ```
/// use snodo_plugin::testing::{Model, says};
/// use snodo_plugin::completion::{CompletionError, Request};
///
/// let mut model = |request: &Request| Ok(says(format!("{} messages", request.messages.len())));
/// assert_eq!(model.answer(&Request::new().user("Hello.")).unwrap().text, "1 messages");
/// ```
pub trait Model {
    /// Answers.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    fn answer(&mut self, request: &Request) -> Result<Answer, CompletionError>;
}

impl<F: FnMut(&Request) -> Result<Answer, CompletionError>> Model for F {
    fn answer(&mut self, request: &Request) -> Result<Answer, CompletionError> {
        self(request)
    }
}

/// Answers in a fixed order. When it is asked once more than it has answers, the test fails.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::{Script, Workspace};
///
/// /// Writes what the model says.
/// struct Scribe;
///
/// impl Coder for Scribe {
///     fn describe() -> Description {
///         Description::new("scribe", "1.0.0", "Writes what a model says.")
///     }
///     fn implement(task: Task, _context: Context) -> Result<Implementation, CoderError> {
///         let answer = completion::complete(&completion::Request::new().user(task.spec))?;
///         submit::files(vec![submit::write("said.txt", answer.text)])?;
///         Ok(Implementation::done())
///     }
/// }
///
/// let run = Workspace::new().coder::<Scribe>().task("Say something.").model(Script::new().says("Something.\n")).run();
/// assert_eq!(run.text("said.txt"), "Something.\n");
/// assert_eq!(run.asked.len(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Script {
    turns: VecDeque<Result<Answer, CompletionError>>,
    said: usize,
}

impl Script {
    /// A model that has nothing to say yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Then it answers in words.
    #[must_use]
    pub fn says(self, text: impl Into<String>) -> Self {
        self.answers(says(text))
    }

    /// Then it calls one tool. The arguments are one JSON object, as text.
    #[must_use]
    pub fn calls(self, tool: &str, arguments: &str) -> Self {
        self.answers(calls(&[(tool, arguments)]))
    }

    /// Then it answers so.
    #[must_use]
    pub fn answers(mut self, answer: Answer) -> Self {
        self.turns.push_back(Ok(answer));
        self
    }

    /// Then there is no answer, for this reason.
    #[must_use]
    pub fn fails(mut self, error: CompletionError) -> Self {
        self.turns.push_back(Err(error));
        self
    }
}

impl Model for Script {
    fn answer(&mut self, _request: &Request) -> Result<Answer, CompletionError> {
        let Some(turn) = self.turns.pop_front() else {
            panic!(
                "the script's {} answers are used up, and the model is asked again",
                self.said
            );
        };
        self.said += 1;
        turn
    }
}

/// An answer in words.
///
/// ```
/// assert_eq!(snodo_plugin::testing::says("Yes.").text, "Yes.");
/// ```
pub fn says(text: impl Into<String>) -> Answer {
    Answer {
        text: text.into(),
        tool_calls: Vec::new(),
        stop: Stop::EndOfTurn,
        model: MODEL.to_owned(),
        usage: Usage {
            input_tokens: None,
            output_tokens: None,
        },
    }
}

/// An answer that calls tools: each with its name and its arguments, one JSON object as text.
///
/// ```
/// let answer = snodo_plugin::testing::calls(&[("read_file", r#"{"path": "a"}"#), ("list_files", "{}")]);
/// assert_eq!(answer.tool_calls[1].name, "list_files");
/// ```
pub fn calls(calls: &[(&str, &str)]) -> Answer {
    Answer {
        tool_calls: (1..)
            .zip(calls)
            .map(|(number, (name, arguments))| ToolCall {
                id: format!("call-{number}"),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            })
            .collect(),
        stop: Stop::ToolCalls,
        ..says("")
    }
}

/// What a scripted model is called.
pub(super) const MODEL: &str = "scripted";
