//! One client for each model, whoever asks it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;

use snodo_config::model::{Binding, ClientKey};
use tokio::sync::Mutex;

use crate::client::{Client, ClientFault, Settings};
use crate::http::Http;
use crate::secret::{self, KeyFault};

/// Why a model cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoModel {
    /// Its key.
    #[error("{0}")]
    Key(#[from] KeyFault),
    /// The account that its address names.
    #[error("no account: the environment variable `{variable}` ({place}) {what}")]
    Account {
        /// The variable.
        variable: String,
        /// Who names it.
        place: String,
        /// `is not set`, `holds no account id`.
        what: &'static str,
    },
    /// What is configured.
    #[error("{0}")]
    Client(#[from] ClientFault),
}

/// The clients of one run. Roles that resolve to one model share one client: its connections, and what it learned of the provider.
pub struct Clients {
    http: Arc<Http>,
    settings: Settings,
    made: Mutex<HashMap<ClientKey, Result<Arc<Client>, NoModel>>>,
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clients").finish_non_exhaustive()
    }
}

impl Clients {
    /// None yet.
    pub fn new(http: Arc<Http>, settings: Settings) -> Self {
        Self {
            http,
            settings,
            made: Mutex::default(),
        }
    }

    /// The client of a binding. The first time, the key is fetched, and a program that prints it is run; whether that went well or not, it is not
    /// tried again. `variable` looks into the environment.
    ///
    /// # Errors
    /// No key, or a configuration that cannot be used.
    pub async fn client(
        &self,
        binding: &Binding,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Arc<Client>, NoModel> {
        // Held while a key is fetched: two roles that want one at the same time run the user's program once.
        let mut made = self.made.lock().await;
        if let Some(known) = made.get(&binding.client_key()) {
            return known.clone();
        }
        let client = self.make(binding, variable).await;
        made.insert(binding.client_key(), client.clone());
        client
    }

    async fn make(
        &self,
        binding: &Binding,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Arc<Client>, NoModel> {
        let key = secret::fetch(&binding.key, variable).await?;
        let client = Client::new(
            binding.clone(),
            key.as_ref(),
            Arc::clone(&self.http),
            self.settings.clone(),
        )?;
        Ok(Arc::new(client))
    }
}
