//! `completion`.

use snodo_workspace::capability as domain;

use super::{each, same_cases};
use crate::completion as wit;

same_cases!(domain::Stop => wit::Stop { EndOfTurn, ToolCalls });

impl From<wit::ToolCall> for domain::ToolCall {
    fn from(call: wit::ToolCall) -> Self {
        Self {
            id: call.id,
            name: call.name,
            arguments: call.arguments,
        }
    }
}

impl From<domain::ToolCall> for wit::ToolCall {
    fn from(call: domain::ToolCall) -> Self {
        Self {
            id: call.id,
            name: call.name,
            arguments: call.arguments,
        }
    }
}

impl From<wit::Message> for domain::Message {
    fn from(message: wit::Message) -> Self {
        match message {
            wit::Message::System(text) => Self::System(text),
            wit::Message::User(text) => Self::User(text),
            wit::Message::Assistant(turn) => Self::Assistant(domain::AssistantTurn {
                text: turn.text,
                tool_calls: each(turn.tool_calls),
            }),
            wit::Message::Tool(result) => Self::Tool(domain::ToolResult {
                id: result.id,
                text: result.text,
            }),
        }
    }
}

impl From<wit::Tool> for domain::Tool {
    fn from(tool: wit::Tool) -> Self {
        Self {
            name: tool.name,
            description: tool.description,
            parameters: tool.parameters,
        }
    }
}

impl From<wit::ToolChoice> for domain::ToolChoice {
    fn from(choice: wit::ToolChoice) -> Self {
        match choice {
            wit::ToolChoice::Auto => Self::Auto,
            wit::ToolChoice::None => Self::None,
            wit::ToolChoice::Required => Self::Required,
            wit::ToolChoice::Named(name) => Self::Named(name),
        }
    }
}

impl From<wit::Request> for domain::Request {
    fn from(request: wit::Request) -> Self {
        Self {
            messages: each(request.messages),
            tools: each(request.tools),
            tool_choice: request.tool_choice.into(),
            max_tokens: request.max_tokens,
            temperature_milli: request.temperature_milli,
        }
    }
}

impl From<domain::Answer> for wit::Answer {
    fn from(answer: domain::Answer) -> Self {
        Self {
            text: answer.text,
            tool_calls: each(answer.tool_calls),
            stop: answer.stop.into(),
            model: answer.model,
            usage: wit::Usage {
                input_tokens: answer.usage.input_tokens,
                output_tokens: answer.usage.output_tokens,
            },
        }
    }
}

impl From<domain::ProviderFailure> for wit::ProviderFailure {
    fn from(failure: domain::ProviderFailure) -> Self {
        Self {
            status: failure.status,
            message: failure.message,
        }
    }
}

impl From<domain::CompletionError> for wit::CompletionError {
    fn from(error: domain::CompletionError) -> Self {
        use domain::CompletionError as E;
        match error {
            E::NoClient(why) => Self::NoClient(why),
            E::Refused(failure) => Self::Refused(failure.into()),
            E::RateLimited(failure) => Self::RateLimited(failure.into()),
            E::Timeout(ms) => Self::Timeout(ms),
            E::Truncated(tokens) => Self::Truncated(tokens),
            E::Filtered(why) => Self::Filtered(why),
            E::Malformed(failure) => Self::Malformed(failure.into()),
            E::Unavailable(failure) => Self::Unavailable(failure.into()),
            E::BudgetSpent { name, allowed } => Self::BudgetSpent(wit::Budget { name, allowed }),
            E::Limit(limit) => Self::Limit(limit.into()),
        }
    }
}
