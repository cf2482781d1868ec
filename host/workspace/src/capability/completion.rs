//! `completion` (`wit/completion.wit`).

use async_trait::async_trait;

use super::LimitReached;

/// Ask a language model.
#[async_trait]
pub trait Complete: Send + Sync {
    /// Asks the model that is configured for the role.
    async fn complete(&self, request: Request) -> Result<Answer, CompletionError>;
}

/// A call of a tool that the model asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Given by the provider or, where it gave none, by the host.
    pub id: String,
    /// The tool.
    pub name: String,
    /// One JSON object, as text.
    pub arguments: String,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call's.
    pub id: String,
    /// The answer.
    pub text: String,
}

/// What the model said earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssistantTurn {
    /// Its prose.
    pub text: String,
    /// Its calls.
    pub tool_calls: Vec<ToolCall>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Instructions.
    System(String),
    /// A question.
    User(String),
    /// An earlier answer.
    Assistant(AssistantTurn),
    /// A tool's answer.
    Tool(ToolResult),
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// A JSON Schema, as text.
    pub parameters: String,
}

/// Which tool the model has to call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// It may choose.
    Auto,
    /// None of them.
    None,
    /// One of them.
    Required,
    /// This one.
    Named(String),
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// In order.
    pub messages: Vec<Message>,
    /// On offer.
    pub tools: Vec<Tool>,
    /// Which to call.
    pub tool_choice: ToolChoice,
    /// None for the configured ceiling.
    pub max_tokens: Option<u32>,
    /// In thousandths; none for the configured one.
    pub temperature_milli: Option<u32>,
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Of the request.
    pub input_tokens: Option<u64>,
    /// Of the answer.
    pub output_tokens: Option<u64>,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It was done.
    EndOfTurn,
    /// It waits for tools.
    ToolCalls,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Prose.
    pub text: String,
    /// Calls.
    pub tool_calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop: Stop,
    /// Who answered.
    pub model: String,
    /// What it took.
    pub usage: Usage,
}

/// What a provider answered instead, shortened and with keys removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderFailure {
    /// HTTP status.
    pub status: Option<u16>,
    /// In its words.
    pub message: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompletionError {
    /// No model is configured for this role.
    #[error("no model: {0}")]
    NoClient(String),
    /// The provider refused the request.
    #[error("the provider refused: {}", .0.message)]
    Refused(ProviderFailure),
    /// Too many requests.
    #[error("rate limited: {}", .0.message)]
    RateLimited(ProviderFailure),
    /// No answer in time.
    #[error("no answer within {0} ms")]
    Timeout(u64),
    /// The answer ran into the token ceiling.
    #[error("the answer was cut at {0} tokens")]
    Truncated(u32),
    /// The provider filtered the answer.
    #[error("filtered: {0}")]
    Filtered(String),
    /// The answer makes no sense.
    #[error("malformed answer: {}", .0.message)]
    Malformed(ProviderFailure),
    /// The provider is out of reach.
    #[error("unavailable: {}", .0.message)]
    Unavailable(ProviderFailure),
    /// A budget does not suffice for what the call can take.
    #[error("no budget for this call: {name}")]
    BudgetSpent {
        /// Which, with its amount and what would give more, in words.
        name: String,
        /// How much it is: calls, tokens, or millionths of the currency unit.
        allowed: u64,
    },
    /// A bound of the invocation.
    #[error("the limit `{}` of {} is reached", .0.name, .0.allowed)]
    Limit(LimitReached),
}
