//! A conversation in which a model looks, and then hands something in: turn by turn, within bounds.

use crate::completion::{Answer, CompletionError, Tool, ToolCall, ToolChoice};

use super::{Conversation, FENCE_RULE, Outcome, Sight, Toolbox, unknown_tool};

/// Calls of one turn that are carried out: more than anybody can look at.
const CALLS: usize = 64;

/// Bytes of a turn's answers, after which nothing more is read in it: what a model is sent again with every turn has to leave it room.
const TURN_BYTES: usize = 262_144;

/// What becomes of a call of a plugin's own tool: see [`Talk`].
///
/// ```
/// use snodo_plugin::tools::{Outcome, Reply};
///
/// let told: Reply<()> = Reply::Told(Outcome::refused("Not taken: there is no such path."));
/// # assert_ne!(told, Reply::Done(()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply<T> {
    /// The model is told this, and goes on.
    Told(Outcome),
    /// It handed in what was waited for.
    Done(T),
}

/// How a [`Talk`] came to an end, for now.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # use snodo_plugin::testing::{Script, Workspace};
/// use snodo_plugin::tools::{End, Imports, Reply, Talk, Toolbox};
///
/// # struct Ask;
/// # impl Coder for Ask {
/// #     fn describe() -> Description { Description::new("ask", "1.0.0", "…") }
/// #     fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
/// let mut talk = Talk::new("Answer by a tool.", Toolbox::new(Imports, &context.tools), 4).with_user(task.spec);
/// let mut end = talk.run(|_, _| None::<Reply<()>>)?;
/// if let End::Words(_) = end {
///     talk.user("Words are not enough: call a tool.");
///     end = talk.run(|_, _| Some(Reply::Done(())))?;
/// }
/// assert_eq!((end, talk.turns_used()), (End::Done(()), 2));
/// #         Ok(Implementation::done())
/// #     }
/// # }
/// # Workspace::new().coder::<Ask>().model(Script::new().says("Well …").calls("answer", "{}")).run().implementation();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End<T> {
    /// The model handed in what was waited for.
    Done(T),
    /// It answered in words, without a call. It can be told something, and the talk goes on with the turns that are left.
    Words(String),
    /// No turn is left.
    OutOfTurns,
}

/// A conversation in which a model looks with the tools of a [`Toolbox`], and hands something in by a tool of the plugin's own.
///
/// A turn is one question to the model. Each call of a turn is answered, in order; of very many calls, and of very long answers, the rest is
/// refused with words that say so, but calls of the plugin's own tools are carried out all the same.
///
/// ```
/// use snodo_plugin::prelude::*;
/// use snodo_plugin::testing::{Script, Workspace};
/// use snodo_plugin::tools::{Arguments, End, Imports, Outcome, Reply, Talk, Toolbox, tool};
///
/// /// Lets a model look, and write one file.
/// struct Helper;
///
/// impl Coder for Helper {
///     fn describe() -> Description {
///         Description::new("helper", "1.0.0", "Lets a model write a file.")
///     }
///
///     fn implement(task: Task, context: Context) -> Result<Implementation, CoderError> {
///         let mut talk = Talk::new("Look, then write.", Toolbox::new(Imports, &context.tools), 8)
///             .with_tool(tool("write_file", "Write a file.", r#"{"type": "object"}"#))
///             .with_user(task.spec);
///         let end = talk.run(|call, _| {
///             if call.name != "write_file" {
///                 return None; // one of the toolbox, or none at all
///             }
///             let taken = Arguments::parse(&call.arguments).map_err(|error| error.to_string()).and_then(|arguments| {
///                 let path = arguments.text("path").map_err(|error| error.to_string())?;
///                 let text = arguments.text("text").map_err(|error| error.to_string())?;
///                 submit::files(vec![submit::write(path, text)]).map_err(|error| error.explain())
///             });
///             Some(match taken {
///                 Ok(_) => Reply::Done(()),
///                 Err(why) => Reply::Told(Outcome::refused(format!("Not written: {why}."))),
///             })
///         })?;
///         match end {
///             End::Done(()) => Ok(Implementation::done()),
///             End::Words(text) => Err(CoderError::Model(format!("it only said: {text}"))),
///             End::OutOfTurns => Err(CoderError::TurnBudget(8)),
///         }
///     }
/// }
///
/// let model = Script::new()
///     .calls("read_file", r#"{"path": "a.txt"}"#)
///     .calls("write_file", r#"{"path": ".git/x", "text": ""}"#)
///     .calls("write_file", r#"{"path": "b.txt", "text": "copy\n"}"#);
/// let run = Workspace::new().file("a.txt", "copy\n").coder::<Helper>().model(model).run();
/// assert_eq!(run.text("b.txt"), "copy\n");
/// assert_eq!(run.asked.len(), 3);
/// ```
#[derive(Debug, Clone)]
pub struct Talk<S> {
    conversation: Conversation,
    toolbox: Toolbox<S>,
    own: Vec<Tool>,
    turns: u32,
    used: u32,
    examined: Vec<String>,
}

impl<S: Sight> Talk<S> {
    /// Begins with instructions, to which [`FENCE_RULE`] is added; the model is asked at most so many times.
    pub fn new(system: impl Into<String>, toolbox: Toolbox<S>, turns: u32) -> Self {
        Self {
            conversation: Conversation::new(format!("{}\n{FENCE_RULE}", system.into())),
            toolbox,
            own: Vec::new(),
            turns,
            used: 0,
            examined: Vec::new(),
        }
    }

    /// With a tool of the plugin's own, beside those of the toolbox.
    #[must_use]
    pub fn with_tool(mut self, tool: Tool) -> Self {
        self.own.push(tool);
        self
    }

    /// With something said to the model.
    #[must_use]
    pub fn with_user(mut self, text: impl Into<String>) -> Self {
        self.user(text);
        self
    }

    /// Says something to the model, before the talk goes on.
    pub fn user(&mut self, text: impl Into<String>) {
        self.conversation.user(text);
    }

    /// Turns that were used.
    pub fn turns_used(&self) -> u32 {
        self.used
    }

    /// What was really shown to the model, each once, in the order in which it was shown: the `examined` of each
    /// [`Outcome`](super::Outcome).
    pub fn examined(&self) -> &[String] {
        &self.examined
    }

    /// Asks, and carries out what is called, until something is handed in, the model answers in words, or no turn is left.
    ///
    /// `own` is asked first for each call; none: it is no tool of the plugin's own. It is given the toolbox, to be told of what was submitted
    /// ([`Toolbox::changed`]).
    ///
    /// # Errors
    ///
    /// Why the model gave no answer.
    pub fn run<T>(
        &mut self,
        mut own: impl FnMut(&ToolCall, &mut Toolbox<S>) -> Option<Reply<T>>,
    ) -> Result<End<T>, CompletionError> {
        let mut tools = self.toolbox.definitions();
        tools.extend(self.own.iter().cloned());
        while self.used < self.turns {
            self.used += 1;
            self.toolbox.begin_turn(self.used);
            let request = self.conversation.request(&tools, ToolChoice::Auto);
            let answer = crate::completion::complete(&request)?;
            if answer.tool_calls.is_empty() {
                // Providers refuse a message without content.
                if !answer.text.trim().is_empty() {
                    self.conversation.answered(&answer);
                }
                return Ok(End::Words(answer.text));
            }
            if let Some(done) = self.carry_out(&answer, &tools, &mut own) {
                return Ok(End::Done(done));
            }
        }
        Ok(End::OutOfTurns)
    }

    fn carry_out<T>(
        &mut self,
        answer: &Answer,
        tools: &[Tool],
        own: &mut impl FnMut(&ToolCall, &mut Toolbox<S>) -> Option<Reply<T>>,
    ) -> Option<T> {
        let mut results = Vec::new();
        let (mut done, mut bytes) = (None, 0);
        for (index, call) in answer.tool_calls.iter().enumerate() {
            if done.is_some() {
                results.push("Not carried out: the work was handed in before.".to_owned());
                continue;
            }
            let outcome = match own(call, &mut self.toolbox) {
                Some(Reply::Done(value)) => {
                    done = Some(value);
                    Outcome::told("Taken.")
                }
                Some(Reply::Told(outcome)) => outcome,
                None if index >= CALLS => {
                    Outcome::refused(format!("Not carried out: a turn has {CALLS} calls at most. Ask again."))
                }
                None if bytes >= TURN_BYTES && self.toolbox.offers(&call.name) => Outcome::refused(
                    "Not carried out: the answers of this turn are long enough. Ask again in the next.",
                ),
                None => self
                    .toolbox
                    .call(&call.name, &call.arguments)
                    .unwrap_or_else(|| Outcome::refused(unknown_tool(&call.name, tools))),
            };
            bytes += outcome.text.len();
            for seen in outcome.examined {
                if !self.examined.contains(&seen) {
                    self.examined.push(seen);
                }
            }
            results.push(outcome.text);
        }
        let mut results = results.into_iter();
        self.conversation
            .answer_calls(answer, |_| results.next().unwrap_or_default());
        done
    }
}
