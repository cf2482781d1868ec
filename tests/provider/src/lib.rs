//! A language model provider for tests: a real HTTP/1.1 server on loopback that speaks the wire formats of OpenAI, Anthropic and Gemini,
//! answers as a script says, remembers what it was asked, and goes wrong in every way that providers do.
//!
//! ```
//! use snodo_provider::{Provider, Reply, Wire};
//!
//! let provider = Provider::start(|seen| {
//!     if seen.offers("submit_verdict") {
//!         Reply::verdict("pass", "the change does what it says")
//!     } else {
//!         Reply::text("hello")
//!     }
//! });
//! let base = provider.base_url(Wire::OpenAi); // what goes into `base_url` of a configuration
//! assert!(base.starts_with("http://127.0.0.1:"));
//! assert!(provider.requests().is_empty());
//! ```
//!
//! A script is a function from what was seen to a [`Reply`]; [`script`] has the common ones. A reply is written once, in words that belong to no
//! provider, and is put into the wire format of the path that was asked for. Dropping the provider closes every connection and ends every thread.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a tool of tests: what fails here has to fail the test"
)]

mod answer;
mod gzip;
mod http;
mod render;
mod reply;
pub mod script;
mod seen;
mod send;
mod server;

pub use answer::{Answer, Arguments, Call, Finish, Id};
pub use reply::Reply;
pub use seen::{Choice, Seen, Wire};
pub use server::Provider;
