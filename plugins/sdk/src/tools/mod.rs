//! Let a language model read and search the workspace: the tools it is offered, what they answer, and the conversation around
//! them. (Feature `tools`.)
//!
//! A [`Toolbox`] offers `read_files`, `read_file`, `read_file_lines`, `list_files`, `search_text` and `search_symbol`, so far as the
//! host gives this plugin what they stand on. It bounds each answer, fences what comes from the workspace with marks that the
//! text cannot forge, and answers a repeated read by a pointer to the earlier answer. A [`Talk`] is the whole loop: the model is asked,
//! looks, and hands something in by a tool of the plugin's own. Who needs another loop has a [`Conversation`], which holds the messages
//! and answers every call of a turn, in order:
//!
//! ```
//! use snodo_plugin::completion::{self, ToolChoice};
//! use snodo_plugin::prelude::*;
//! use snodo_plugin::tools::{Conversation, FENCE_RULE, Imports, Toolbox, unknown_tool};
//!
//! fn ask(question: &str, context: &Context) -> Result<String, Fault> {
//!     let mut toolbox = Toolbox::new(Imports, &context.tools);
//!     let tools = toolbox.definitions();
//!     let mut conversation = Conversation::new(format!("Answer from the files.\n{FENCE_RULE}"));
//!     conversation.user(question);
//!     for turn in 1..=6 {
//!         toolbox.begin_turn(turn);
//!         let answer = completion::complete(&conversation.request(&tools, ToolChoice::Auto))?;
//!         if answer.tool_calls.is_empty() {
//!             return Ok(answer.text);
//!         }
//!         conversation.answer_calls(&answer, |call| match toolbox.call(&call.name, &call.arguments) {
//!             Some(outcome) => outcome.text,
//!             None => unknown_tool(&call.name, &tools),
//!         });
//!     }
//!     Err(Fault::IncompleteView("the model did not come to an answer in 6 turns".to_owned()))
//! }
//! ```
//!
//! In tests, the feature `testing` stands in for host and model. [`Memory`] stands in for reading and searching alone, for
//! plugins that are written against a [`Sight`].

mod arguments;
mod conversation;
mod definition;
mod fence;
mod memory;
mod outcome;
mod reading;
mod searching;
mod seen;
mod sight;
mod talk;
#[cfg(test)]
mod tests;
mod toolbox;

pub use arguments::{ArgumentError, Arguments};
pub use conversation::Conversation;
pub use definition::{tool, unknown_tool};
pub use fence::{FENCE_RULE, fence, one_line};
pub use memory::Memory;
pub use outcome::Outcome;
pub use seen::normal_path;
pub use sight::{Imports, Sight};
pub use talk::{End, Reply, Talk};
pub use toolbox::Toolbox;
