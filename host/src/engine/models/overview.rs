//! Which model serves whom, for a person who asks before a run does.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use snodo_config::model::{Binding, ClientKey, KeySource, ModelRole, bind};
use snodo_model::{Caller, Ledger, Seat, Terms};
use snodo_workspace::ambient;
use snodo_workspace::capability::{Complete as _, Message, Request, ToolChoice};

use super::configured::{Configured, Own};
use super::{Answers, HOST, Models};
use crate::engine::{Host, RunRequest, SetupError, protocol};

/// The first-party validators that ask a model.
const JUDGES: [&str; 3] = ["acceptance", "judge", "protocol"];

/// Where to look for validators, beside the roles.
#[derive(Debug, Clone)]
pub struct ModelsRequest {
    /// The workspace; its protocol's validators are shown where it has one.
    pub workspace: PathBuf,
    /// A protocol file in place of the workspace's own.
    pub protocol: Option<PathBuf>,
    /// A mode of the protocol; none for its initial mode.
    pub mode: Option<String>,
    /// The coder's model, as `run` takes it.
    pub model: Option<String>,
}

/// A role, or a validator, and its model.
#[derive(Debug, Clone, Serialize)]
pub struct ModelRow {
    /// `coder`, `validator` or `classifier`.
    pub role: &'static str,
    /// The validator's id; none for a role as such.
    pub validator: Option<String>,
    /// As it is configured.
    pub model: String,
    /// Who says so.
    pub source: String,
    /// How it is reached; none where it cannot be.
    pub client: Option<ClientRow>,
    /// Why it cannot be reached.
    pub fault: Option<String>,
    /// Who else is served by the same client.
    pub shares_with: Vec<String>,
    #[serde(skip)]
    bound: Option<Binding>,
}

/// How a model is reached. No key and no value of a header is in here.
#[derive(Debug, Clone, Serialize)]
pub struct ClientRow {
    /// The provider.
    pub provider: String,
    /// `openai`, `anthropic` or `gemini`.
    pub wire: &'static str,
    /// The model's name as the provider is told it.
    pub sent_as: String,
    /// The address.
    pub base_url: String,
    /// Who says so.
    pub base_url_source: String,
    /// Where the key comes from.
    pub key: String,
    /// Whether there is one; none where that would take running a program.
    pub key_found: Option<bool>,
    /// Names of headers that the user adds.
    pub headers: Vec<String>,
    /// How often a request is sent again at most.
    pub retries: u32,
}

impl ModelRow {
    /// By which it is named to a person: its role, or the validator.
    pub fn name(&self) -> String {
        match &self.validator {
            Some(validator) => format!("validator {validator}"),
            None => self.role.to_owned(),
        }
    }

    fn client_key(&self) -> Option<ClientKey> {
        self.bound.as_ref().map(Binding::client_key)
    }
}

/// What came of one call.
#[derive(Debug, Clone, Serialize)]
pub struct ModelCheck {
    /// Who is served by this client.
    pub serves: Vec<String>,
    /// As it is configured.
    pub model: String,
    /// It answered.
    pub ok: bool,
    /// Why not.
    pub fault: Option<String>,
    /// Who answered, as it says itself.
    pub served: Option<String>,
    /// Milliseconds.
    pub duration_ms: u64,
    /// How often the request was sent.
    pub attempts: u32,
}

/// Every role, then every validator of the mode that asks a model.
///
/// # Errors
/// A file that cannot be read, or has faults.
pub fn models(host: &Host, request: &ModelsRequest) -> Result<Vec<ModelRow>, SetupError> {
    let models = Models::new(host, request.model.as_deref(), Answers::Configured, String::new())?;
    rows(host, request, &models.configured)
}

/// Asks each client for one word.
///
/// # Errors
/// A file that cannot be read, or has faults. A model that does not answer is none.
pub async fn check_models(host: &Host, request: &ModelsRequest) -> Result<Vec<ModelCheck>, SetupError> {
    let models = Models::new(host, request.model.as_deref(), Answers::Configured, String::new())?;
    let mut checks: Vec<(Option<ClientKey>, ModelCheck)> = Vec::new();
    for row in rows(host, request, &models.configured)? {
        let key = row.client_key();
        let known = checks.iter_mut().find(|(other, _)| key.is_some() && *other == key);
        if let Some((_, check)) = known {
            check.serves.push(row.name());
        } else {
            checks.push((key, check(&models.configured, &models.ledger, &row).await));
        }
    }
    Ok(checks.into_iter().map(|(_, check)| check).collect())
}

async fn check(configured: &Configured, ledger: &Arc<Ledger>, row: &ModelRow) -> ModelCheck {
    let calls = ledger.calls().len();
    let mut check = ModelCheck {
        serves: vec![row.name()],
        model: row.model.clone(),
        ok: false,
        fault: row.fault.clone(),
        served: None,
        duration_ms: 0,
        attempts: 0,
    };
    let Some(binding) = &row.bound else { return check };
    let client = match configured.reach(binding).await {
        Ok(client) => client,
        Err(why) => {
            check.fault = Some(why);
            return check;
        }
    };
    let request = Request {
        messages: vec![Message::User("Answer with the one word: ready".to_owned())],
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        max_tokens: None,
        temperature_milli: None,
    };
    let terms = Terms {
        // Enough for a model that thinks before it says a word.
        max_tokens: 1_024,
        temperature_milli: None,
        task_id: "model-check".to_owned(),
    };
    // In the book, so that a repository with many validators does not spend more than a run may.
    let caller = Caller {
        role: ModelRole::Validator,
        plugin: HOST.to_owned(),
        validator: row.validator.clone(),
    };
    let seat = Seat::new(client, Arc::clone(ledger), caller, terms);
    match seat.complete(request).await {
        Ok(_) => check.ok = true,
        Err(error) => check.fault = Some(error.to_string()),
    }
    if let Some(call) = ledger.calls().get(calls) {
        check.duration_ms = call.duration_ms.max(1);
        check.attempts = call.attempts;
        check.served.clone_from(&call.served);
    }
    check
}

fn rows(host: &Host, request: &ModelsRequest, configured: &Configured) -> Result<Vec<ModelRow>, SetupError> {
    let mut rows: Vec<ModelRow> = ModelRole::ALL
        .into_iter()
        .map(|role| row(host, configured, role, None))
        .collect();
    let asked = RunRequest {
        protocol: request.protocol.clone(),
        mode: request.mode.clone(),
        ..RunRequest::new("which models", &request.workspace)
    };
    let root = ambient::open_root(&request.workspace)?;
    if let Some(in_force) = protocol::load(host, &asked, &root)? {
        for validator in &in_force.resolved.validators {
            if !JUDGES.contains(&validator.plugin.as_str()) && validator.model.is_none() {
                continue;
            }
            let own = validator.model.as_deref().map(|model| Own {
                model,
                line: validator.line,
            });
            rows.push(ModelRow {
                validator: Some(validator.id.clone()),
                ..row(host, configured, ModelRole::Validator, own)
            });
        }
    }
    let all: Vec<(String, Option<ClientKey>)> = rows.iter().map(|row| (row.name(), row.client_key())).collect();
    for (i, row) in rows.iter_mut().enumerate() {
        let key = row.client_key();
        let others = all
            .iter()
            .enumerate()
            .filter(|(j, (_, other))| *j != i && key.is_some() && *other == key);
        row.shares_with = others.map(|(_, (name, _))| name.clone()).collect();
    }
    Ok(rows)
}

fn row(host: &Host, configured: &Configured, role: ModelRole, own: Option<Own<'_>>) -> ModelRow {
    let model = configured.of(role, own);
    let bound = bind(configured.config(), &model.model);
    let fault = bound.as_ref().err().map(|fault| format!("{fault}; {}", fault.help()));
    let bound = bound.ok();
    ModelRow {
        role: role.as_str(),
        validator: None,
        model: model.model,
        source: model.source.to_string(),
        client: bound.as_ref().map(|binding| client_row(host, binding)),
        fault,
        shares_with: Vec::new(),
        bound,
    }
}

fn client_row(host: &Host, binding: &Binding) -> ClientRow {
    let variable = |name: &str| (host.environment.variable)(name).is_some_and(|value| !value.is_empty());
    ClientRow {
        provider: binding.provider.clone(),
        wire: binding.wire.as_str(),
        sent_as: binding.sent_as.clone(),
        base_url: binding.base_url.clone(),
        base_url_source: binding.base_url_source.clone(),
        key: binding.key.to_string(),
        key_found: match &binding.key {
            KeySource::Environment { name, .. } => Some(variable(name)),
            KeySource::Literal { .. } | KeySource::None => Some(true),
            KeySource::Encrypted { .. } => Some(false),
            KeySource::Command { .. } => None,
        },
        headers: binding.headers.iter().map(|header| header.name.clone()).collect(),
        retries: binding.retries,
    }
}
