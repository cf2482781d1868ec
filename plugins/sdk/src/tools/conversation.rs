//! The messages of a conversation, in an order that providers take.

use crate::completion::{Answer, AssistantTurn, Message, Request, Tool, ToolCall, ToolChoice, ToolResult};

/// A conversation with a model that calls tools.
///
/// Providers refuse a conversation in which a call has no answer, or another order than it was made in. So an answer with calls goes
/// in together with its results.
///
/// ```
/// use snodo_plugin::completion::{Answer, Message, Stop, ToolCall, ToolChoice, Usage};
/// use snodo_plugin::tools::Conversation;
///
/// let mut conversation = Conversation::new("Be brief.");
/// conversation.user("What is in a.txt, and in b.txt?");
/// let call = |id: &str| ToolCall { id: id.to_owned(), name: "read_file".to_owned(), arguments: "{}".to_owned() };
/// let answer = Answer {
///     text: String::new(),
///     tool_calls: vec![call("1"), call("2")],
///     stop: Stop::ToolCalls,
///     model: "m".to_owned(),
///     usage: Usage { input_tokens: None, output_tokens: None },
/// };
/// conversation.answer_calls(&answer, |call| format!("answer to {}", call.id));
/// assert_eq!(conversation.messages().len(), 5);
/// assert!(matches!(&conversation.messages()[4], Message::Tool(result) if result.text == "answer to 2"));
/// let request = conversation.request(&[], ToolChoice::None);
/// assert_eq!(request.messages.len(), 5);
/// ```
#[derive(Debug, Clone)]
pub struct Conversation {
    messages: Vec<Message>,
}

impl Conversation {
    /// Begins with instructions.
    pub fn new(system: impl Into<String>) -> Self {
        Self {
            messages: vec![Message::System(system.into())],
        }
    }

    /// Says something to the model.
    pub fn user(&mut self, text: impl Into<String>) {
        self.messages.push(Message::User(text.into()));
    }

    /// Takes in an answer in prose. Calls that it holds are left out: [`Conversation::answer_calls`] is for those.
    pub fn answered(&mut self, answer: &Answer) {
        self.messages.push(Message::Assistant(AssistantTurn {
            text: answer.text.clone(),
            tool_calls: Vec::new(),
        }));
    }

    /// Takes in an answer with calls, and answers each of them, in order.
    pub fn answer_calls(&mut self, answer: &Answer, mut one: impl FnMut(&ToolCall) -> String) {
        self.messages.push(Message::Assistant(AssistantTurn {
            text: answer.text.clone(),
            tool_calls: answer.tool_calls.clone(),
        }));
        for call in &answer.tool_calls {
            self.messages.push(Message::Tool(ToolResult {
                id: call.id.clone(),
                text: one(call),
            }));
        }
    }

    /// All that was said so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The next request: all that was said so far, and the tools on offer.
    pub fn request(&self, tools: &[Tool], choice: ToolChoice) -> Request {
        Request {
            messages: self.messages.clone(),
            tools: tools.to_vec(),
            tool_choice: choice,
            ..Request::new()
        }
    }
}
