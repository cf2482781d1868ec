//! The way to the providers: keys fetched, clients made, one for each model.

use std::ffi::OsString;
use std::sync::Arc;

use snodo_config::host_config::ModelSettings;
use snodo_config::model::Binding;
use snodo_model::{Backoff, Clients, Http, LanguageModel, Proxies, Settings, Timing};

use crate::engine::Host;
use crate::settings::model_timing;

/// The clients of one run. Nothing is connected, no key is looked for and no certificate is read before a model is first asked for.
pub(super) struct Reach {
    clients: Clients,
    variable: fn(&str) -> Option<OsString>,
}

impl Reach {
    pub(super) fn new(host: &Host) -> Self {
        let variable = host.environment.variable;
        let settings: &ModelSettings = &host.config.model;
        let timing: Timing = model_timing(settings);
        let http = Http::new(Proxies::from_environment(variable), timing.connect);
        let settings = Settings {
            timing,
            backoff: Backoff::STANDARD,
            max_request_bytes: MAX_REQUEST_BYTES,
            max_answer_bytes: usize::try_from(u64::from(settings.answer_mib) << 20).unwrap_or(usize::MAX),
            seed: u64::from(std::process::id()),
            clock: Arc::new(host.environment.now),
        };
        Self {
            clients: Clients::new(Arc::new(http), settings),
            variable,
        }
    }

    /// The client of a binding; or, in a sentence, why there is none.
    pub(super) async fn client(&self, binding: &Binding) -> Result<Arc<dyn LanguageModel>, String> {
        let client = self.clients.client(binding, self.variable).await;
        client
            .map(|client| client as Arc<dyn LanguageModel>)
            .map_err(|error| error.to_string())
    }
}

/// A request holds a whole conversation: a coder's largest, with all that it has read, is a few MiB.
const MAX_REQUEST_BYTES: usize = 32 << 20;
