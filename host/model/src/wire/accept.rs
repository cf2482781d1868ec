//! Which answers are acted upon. One rule for all formats:
//!
//! | how it ended | answer |
//! |---|---|
//! | at the token limit | truncated, also where what is there is valid JSON: what would have come is unknown |
//! | by a filter, by a refusal | filtered |
//! | for a reason this host does not know, or without one | malformed: what is not understood is not acted upon |
//! | for tools, without a call | malformed |
//! | with reasoning alone | malformed: reasoning is never an answer |
//! | with nothing at all | malformed |
//! | with several choices, with a message that is not the model's (each format's file) | malformed |
//! | with arguments that are not an object ([`super::arguments`]), with more than 256 calls | malformed |

use snodo_workspace::capability::{Stop, ToolCall};

use super::signatures::{Signatures, is_ours};
use super::{End, Said, SaidCall, arguments, reasoning};

/// Most calls in one turn: each has to be answered, and no model that does something makes a tenth of them.
const MOST_CALLS: usize = 256;

/// An answer that can be acted upon.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) text: String,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) stop: Stop,
}

/// One that cannot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Rejected {
    Truncated,
    Filtered(String),
    Malformed(String),
}

/// Judges what was said.
pub(crate) fn accept(said: Said, ids: &Signatures) -> Result<Accepted, Rejected> {
    let malformed = |what: String| Err(Rejected::Malformed(what));
    match said.end {
        End::Length => return Err(Rejected::Truncated),
        End::Filtered(reason) => return Err(Rejected::Filtered(reason)),
        End::Unknown(word) => {
            return malformed(format!(
                "the answer ended for the reason `{word}`, which is not known here, and is not acted upon"
            ));
        }
        End::Missing => {
            return malformed(
                "the answer does not say why it ended, so that it may be cut, and is not acted upon".to_owned(),
            );
        }
        End::Tools if said.calls.is_empty() => {
            return malformed("the answer ended for tool calls and holds none".to_owned());
        }
        End::Turn | End::Tools => {}
    }
    let (text, in_text) = reasoning::apart(&said.text);
    if text.trim().is_empty() && said.calls.is_empty() {
        return malformed(if said.reasoned || in_text {
            "only reasoning, no answer and no tool call".to_owned()
        } else {
            "neither text nor a tool call".to_owned()
        });
    }
    if said.calls.len() > MOST_CALLS {
        return malformed(format!(
            "{} tool calls in one turn: {MOST_CALLS} at most are answered",
            said.calls.len()
        ));
    }
    let mut tool_calls: Vec<ToolCall> = Vec::with_capacity(said.calls.len());
    for call in said.calls {
        let SaidCall {
            id,
            name,
            arguments,
            signature,
        } = call;
        let Some(arguments) = arguments::normal(arguments.as_ref()) else {
            return malformed(format!("the arguments of the call of `{name}` are not one JSON object"));
        };
        // Results are tied to calls by id: one that is missing, was given before in this turn, or looks like one of ours, is made here.
        let id = id
            .filter(|id| !is_ours(id) && tool_calls.iter().all(|before| before.id != *id))
            .unwrap_or_else(|| ids.id());
        if let Some(signature) = signature {
            ids.keep(&id, signature);
        }
        tool_calls.push(ToolCall { id, name, arguments });
    }
    Ok(Accepted {
        text: text.to_owned(),
        stop: if tool_calls.is_empty() {
            Stop::EndOfTurn
        } else {
            Stop::ToolCalls
        },
        tool_calls,
    })
}
