//! A model client of whoever embeds this host.

use std::sync::Arc;

use snodo_model::LanguageModel;

/// Models by name. Registered together with a native coder ([`Host::register_with_models`](crate::engine::Host::register_with_models)),
/// it is the base of the gates and the classifier in runs of that coder; the coder itself never sees it, and no other kind of coder can
/// bring one.
pub trait ModelSource: Send + Sync {
    /// The model of that name, as a role or a validator is configured with it.
    ///
    /// # Errors
    /// Why there is none, in one sentence for a person.
    fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, String>;
}
