//! The place of one plugin at a model: what it may ask is bounded, and what it asked is in the book.

use std::sync::Arc;

use async_trait::async_trait;
use snodo_workspace::capability::{Answer, Complete, CompletionError, Message, Request};
use tokio::time::Instant;

use crate::ask::believed;
use crate::ledger::{Caller, Ledger, estimate};
use crate::{LanguageModel, Terms};

/// [`Complete`] for one plugin in one role.
pub struct Seat {
    model: Arc<dyn LanguageModel>,
    ledger: Arc<Ledger>,
    caller: Caller,
    terms: Terms,
}

impl Seat {
    /// A place.
    pub fn new(model: Arc<dyn LanguageModel>, ledger: Arc<Ledger>, caller: Caller, terms: Terms) -> Self {
        Self {
            model,
            ledger,
            caller,
            terms,
        }
    }
}

#[async_trait]
impl Complete for Seat {
    async fn complete(&self, request: Request) -> Result<Answer, CompletionError> {
        let terms = self.terms.of(&request);
        let mock = self.model.is_mock();
        let (input, output) = if mock {
            (0, 0)
        } else {
            (estimate(size(&request)), terms.max_tokens)
        };
        let reserved = self.ledger.reserve(&self.caller, self.model.model(), input, output)?;
        let started = Instant::now();
        let mut asked = self.model.ask(&request, &terms).await;
        // A client of an embedder's has no other place where this is looked at.
        asked.usage = believed(asked.usage);
        if let Ok(answer) = &mut asked.result {
            answer.usage = believed(answer.usage);
        }
        reserved.settle(&asked, started.elapsed(), mock);
        asked.result
    }
}

/// What stands around each message, in bytes: whose it is, and where it ends.
const FRAME: usize = 8;

/// Bytes of everything that the model is told.
fn size(request: &Request) -> usize {
    let messages = request.messages.iter().map(|message| match message {
        Message::System(text) | Message::User(text) => text.len(),
        Message::Assistant(turn) => {
            let calls = turn.tool_calls.iter();
            turn.text.len()
                + calls
                    .map(|call| call.id.len() + call.name.len() + call.arguments.len())
                    .sum::<usize>()
        }
        Message::Tool(result) => result.id.len() + result.text.len(),
    });
    let tools = request
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.len());
    request.messages.len() * FRAME + messages.sum::<usize>() + tools.sum::<usize>()
}
