//! The models of one run: who serves which role, or why nobody does. Judging belongs to the host: what is decided here holds under every
//! coder, and no coder can change it.

mod configured;
mod overview;
mod reach;
mod source;

use std::sync::Arc;

use snodo_config::model::ModelRole;
use snodo_config::model_config::ModelConfig;
use snodo_model::{Caller, Ledger, Mock, Seat, Terms};
use snodo_workspace::capability::Complete;

use self::configured::Configured;
pub(super) use self::configured::Own;
pub use self::overview::{ClientRow, ModelCheck, ModelRow, ModelsRequest, check_models, models};
use self::reach::Reach;
pub use self::source::ModelSource;
use super::choose::{Chosen, ChosenBy};
use super::{Host, SetupError};
use crate::record::ModelsReport;

/// The stub coder.
const MOCK: &str = "mock";
/// What the host is called where it asks a model itself.
const HOST: &str = "host";

/// Whether a plugin asks a model, and which.
#[derive(Clone)]
pub(super) enum Asks {
    /// It does not.
    No,
    /// This one.
    Model(Seated),
    /// It would, and has none: why.
    Nobody(String),
}

impl Asks {
    /// What the plugin is given.
    pub(super) fn completion(&self) -> Option<Arc<dyn Complete>> {
        match self {
            Self::Model(seated) => Some(Arc::clone(&seated.complete)),
            Self::No | Self::Nobody(_) => None,
        }
    }

    /// Whether a model is asked.
    pub(super) fn asks(&self) -> bool {
        matches!(self, Self::Model(_))
    }

    /// The model's name.
    pub(super) fn model(&self) -> Option<&str> {
        match self {
            Self::Model(seated) => Some(&seated.model),
            Self::No | Self::Nobody(_) => None,
        }
    }
}

/// A place at a model.
#[derive(Clone)]
pub(super) struct Seated {
    /// As it is configured.
    pub(super) model: String,
    /// It is the mock: what is decided by it is no evidence.
    pub(super) mock: bool,
    pub(super) complete: Arc<dyn Complete>,
    /// The run's book, in which every call stands.
    pub(super) ledger: Arc<Ledger>,
}

impl Seated {
    /// How many calls a validator made from the `since`th of the run on, and how many of them were answered.
    pub(super) fn asked(&self, validator: &str, since: usize) -> (usize, usize) {
        let calls = self.ledger.calls();
        let own = calls
            .iter()
            .skip(since)
            .filter(|call| call.validator_id.as_deref() == Some(validator));
        own.fold((0, 0), |(asked, answered), call| {
            (asked + 1, answered + usize::from(call.ended == "answered"))
        })
    }

    /// How many calls are in the book.
    pub(super) fn calls(&self) -> usize {
        self.ledger.calls().len()
    }
}

/// Who answers.
#[derive(Clone)]
pub(super) enum Answers {
    /// The mock, for every role: nothing leaves the machine, and no key is looked for.
    Mock,
    /// What the embedder registered together with its coder: the gates' base.
    Embedder(Arc<dyn ModelSource>),
    /// What the user configured.
    Configured,
}

impl Answers {
    /// A stub of a coder that the user asked for is judged by a stub of a model; whoever embeds this host may bring a client along with a
    /// coder of its own; everybody else is judged by what the user configured.
    pub(super) fn under(coder: &Chosen<'_>, by: ChosenBy) -> Self {
        match coder {
            // A repository that names the stub does not make a stub of its judges.
            Chosen::Plugin(MOCK) if by == ChosenBy::User => Self::Mock,
            Chosen::Native(native) => native.models.clone().map_or(Self::Configured, Self::Embedder),
            Chosen::Plugin(_) | Chosen::External(_) => Self::Configured,
        }
    }
}

/// The models of one run.
pub(super) struct Models {
    answers: Answers,
    configured: Configured,
    ledger: Arc<Ledger>,
    task_id: String,
}

impl Models {
    /// The user's file is read here, unless the mock answers.
    ///
    /// # Errors
    /// The file cannot be read, or has faults.
    pub(super) fn new(host: &Host, flag: Option<&str>, answers: Answers, task_id: String) -> Result<Self, SetupError> {
        let answers = host.scripted.clone().map_or(answers, Answers::Embedder);
        let config = match &answers {
            Answers::Mock => ModelConfig::standard(),
            Answers::Embedder(_) | Answers::Configured => host.model_config()?.clone(),
        };
        let coders = host.native.iter().map(|native| native.coder.name());
        let coders: Vec<&str> = coders
            .chain(host.config.external.iter().map(|external| external.name.as_str()))
            .collect();
        let configured = Configured::new(config, flag, &coders, Reach::new(host));
        let (budgets, prices) = crate::settings::model_budgets(&host.config.model);
        Ok(Self {
            answers,
            configured,
            ledger: Arc::new(Ledger::new(budgets, prices)),
            task_id,
        })
    }

    /// The place of a plugin that imports `completion`, in a role. `own` is a validator's own model, which comes first.
    pub(super) async fn seat(
        &self,
        role: ModelRole,
        own: Option<Own<'_>>,
        plugin: &str,
        validator: Option<&str>,
    ) -> Asks {
        let model = match &self.answers {
            Answers::Mock => Ok(Arc::new(Mock) as Arc<_>),
            Answers::Embedder(source) => source.model(&self.configured.of(role, own).model),
            Answers::Configured => self.configured.client(role, own).await,
        };
        let model = match model {
            Ok(model) => model,
            Err(why) => return Asks::Nobody(why),
        };
        let caller = Caller {
            role,
            plugin: plugin.to_owned(),
            validator: validator.map(ToOwned::to_owned),
        };
        let limits = self.configured.limits(role);
        let terms = Terms {
            max_tokens: limits.max_tokens,
            temperature_milli: Some(limits.temperature_milli),
            task_id: self.task_id.clone(),
        };
        Asks::Model(Seated {
            model: model.model().to_owned(),
            mock: model.is_mock(),
            ledger: Arc::clone(&self.ledger),
            complete: Arc::new(Seat::new(model, Arc::clone(&self.ledger), caller, terms)),
        })
    }

    /// The host's own place, as classifier.
    pub(super) async fn classifier(&self) -> Asks {
        self.seat(ModelRole::Classifier, None, HOST, None).await
    }

    /// The coder's model as it is configured, for one that does not ask it through this host: none where nobody chose one.
    pub(super) fn chosen_for_the_coder(&self) -> Option<String> {
        let model = self.configured.of(ModelRole::Coder, None);
        model.is_chosen().then_some(model.model)
    }

    /// How many turns a model gets in a role at most, where the user's file says so.
    pub(super) fn turns(&self, role: ModelRole) -> Option<u32> {
        self.configured.limits(role).max_tool_turns
    }

    /// Whether the user's file says who answers.
    pub(super) fn are_configured(&self) -> bool {
        matches!(self.answers, Answers::Configured)
    }

    /// What was asked so far.
    pub(super) fn report(&self) -> ModelsReport {
        ModelsReport {
            calls: self.ledger.calls(),
            totals: self.ledger.totals(),
            currency: self.ledger.currency().to_owned(),
        }
    }
}
