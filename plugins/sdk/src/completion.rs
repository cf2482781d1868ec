//! Ask a language model: the import `completion`. Either role needs the grant `model`, and a model that the user configured:
//! a call leaves the machine. The host decides model, key and address.
//!
//! [`Context::model`](crate::Context::model) says whether there is one.

use crate::bindings::imports::snodo::plugin::completion as raw;
use crate::imports;

pub use raw::{
    Answer, AssistantTurn, Budget, CompletionError, Message, ProviderFailure, Request, Stop, Tool, ToolCall,
    ToolChoice, ToolResult, Usage,
};

/// Asks the model that is configured for this role.
///
/// ```
/// # use snodo_plugin::prelude::*;
/// # struct Docs;
/// # impl Validator for Docs {
/// # fn describe() -> Description { Description::new("docs", "1.0.0", "…").phase(Phase::PreExecute) }
/// # fn evaluate(evaluation: Evaluation, _context: Context) -> Result<Verdict, Fault> {
/// # let task = evaluation.task;
/// let request = completion::Request::new()
///     .system("Answer yes or no.")
///     .user(format!("Is this task about documentation? {}", task.spec))
///     .max_tokens(5);
/// let answer = completion::complete(&request)?;
/// # Ok(Verdict::pass(answer.text)) } }
/// # let model = snodo_plugin::testing::Script::new().says("yes");
/// # let run = snodo_plugin::testing::Workspace::new().validator::<Docs>().model(model).run();
/// # assert_eq!(run.verdict().justification, "yes");
/// ```
///
/// # Errors
///
/// Why there is no answer. A truncated or filtered answer is an error, too.
pub fn complete(request: &Request) -> Result<Answer, CompletionError> {
    imports::complete(request)
}

impl Default for Request {
    fn default() -> Self {
        Self::new()
    }
}

impl Request {
    /// An empty conversation, without tools, with the configured token ceiling and temperature.
    ///
    /// ```
    /// # use snodo_plugin::completion::{Message, Request, Tool, ToolChoice};
    /// let tool = Tool { name: "answer".to_owned(), description: "Answer.".to_owned(), parameters: "{}".to_owned() };
    /// let request = Request::new()
    ///     .system("Be brief.")
    ///     .user("Hello.")
    ///     .tool(tool)
    ///     .tool_choice(ToolChoice::Named("answer".to_owned()))
    ///     .max_tokens(100)
    ///     .temperature_milli(0);
    /// assert_eq!(request.messages[1], Message::User("Hello.".to_owned()));
    /// ```
    pub fn new() -> Self {
        Self {
            messages: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            max_tokens: None,
            temperature_milli: None,
        }
    }

    /// With one more message.
    #[must_use]
    pub fn message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// With a system message.
    #[must_use]
    pub fn system(self, text: impl Into<String>) -> Self {
        self.message(Message::System(text.into()))
    }

    /// With a message of the user.
    #[must_use]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(Message::User(text.into()))
    }

    /// With a tool that the model may call.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Which tool the model has to call.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.tool_choice = choice;
        self
    }

    /// With a ceiling of the answer; it cannot go above the configured one.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// With a temperature, in thousandths.
    #[must_use]
    pub fn temperature_milli(mut self, thousandths: u32) -> Self {
        self.temperature_milli = Some(thousandths);
        self
    }
}
