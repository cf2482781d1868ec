//! The language model client: who is asked, in which words, how often, and what it costs.
//!
//! [`LanguageModel`] is all that the gates, the coders and the classifier know of it. What answers behind it is a provider, the mock, or
//! a client of whoever embeds this host.
//!
//! | file | what |
//! |---|---|
//! | `ask`, `seat`, `ledger` | what it is to ask, one plugin's place, and the book |
//! | `mock` | answers without a model |
//! | `client`, `clients` | a provider's client, and one for each model |
//! | `endpoint` | from a base URL to the URL that is asked |
//! | `wire` | the three formats |
//! | `http` | one request, one bounded answer |
//! | `retry`, `adapt` | when a request is sent again, and when in another form |
//! | `secret`, `redact` | keys fetched, and taken out of what others said |

mod adapt;
mod ask;
mod client;
mod clients;
mod endpoint;
mod http;
mod ledger;
mod mock;
mod redact;
mod retry;
mod seat;
mod secret;
mod wire;

pub use ask::{Asked, LanguageModel, Terms};
pub use client::{Client, ClientFault, Settings};
pub use clients::{Clients, NoModel};
pub use endpoint::EndpointFault;
pub use http::{Http, Proxies, Timing};
pub use ledger::{Allowance, Budgets, CallRecord, Caller, Ledger, Price, Totals};
pub use mock::Mock;
pub use retry::Backoff;
pub use seat::Seat;
pub use secret::{KeyFault, fetch};
