//! The language model client: who is asked, in which words, how often, and what it costs.
//!
//! [`LanguageModel`] is all that the gates, the coders and the classifier know of it. What answers behind it is a provider, the mock, or
//! a client of whoever embeds this host.

mod ask;
mod ledger;
mod mock;
mod seat;

pub use ask::{Asked, LanguageModel, Terms};
pub use ledger::{Allowance, Budgets, CallRecord, Caller, Ledger, Price, Totals};
pub use mock::Mock;
pub use seat::Seat;
