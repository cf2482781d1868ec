//! What the user configured: which model serves a role, and the client that asks it.

use std::sync::Arc;

use snodo_config::model::{
    Binding, Declared, ModelRole, RoleContext, RoleLimits, RoleModel, bind, coder_prefix, role_limits, role_model,
};
use snodo_config::model_config::ModelConfig;
use snodo_model::LanguageModel;

use super::reach::Reach;

/// A validator's own model, as the protocol declares it.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Own<'a> {
    pub(in crate::engine) model: &'a str,
    pub(in crate::engine) line: u32,
}

/// The user's models.
pub(in crate::engine) struct Configured {
    config: ModelConfig,
    /// `--model`.
    flag: Option<String>,
    reach: Reach,
}

impl Configured {
    /// `flag` is the coder's model as the command line has it: it may begin with a coder's name, one of `coders`, which is no part of the
    /// model's.
    pub(super) fn new(config: ModelConfig, flag: Option<&str>, coders: &[&str], reach: Reach) -> Self {
        let flag = flag.map(|flag| coder_prefix(flag, coders).map_or(flag, |(_, model)| model).to_owned());
        Self { config, flag, reach }
    }

    /// Which model a role has, and who says so.
    pub(super) fn of(&self, role: ModelRole, own: Option<Own<'_>>) -> RoleModel {
        let source = own.map(|own| format!("the protocol, line {}", own.line));
        let own = own.zip(source.as_deref()).map(|(own, source)| Declared {
            model: own.model,
            source,
        });
        let context = RoleContext {
            flag: self.flag.as_deref(),
            own,
            coder: None,
        };
        if role == ModelRole::Coder {
            return role_model(&self.config, role, context);
        }
        let coder = self.of(ModelRole::Coder, None);
        let source = coder.source.to_string();
        let coder = Declared {
            model: &coder.model,
            source: &source,
        };
        role_model(
            &self.config,
            role,
            RoleContext {
                coder: Some(coder),
                ..context
            },
        )
    }

    pub(super) fn limits(&self, role: ModelRole) -> RoleLimits {
        role_limits(&self.config, role)
    }

    /// The client for a role; or, in one sentence, why there is none.
    pub(super) async fn client(&self, role: ModelRole, own: Option<Own<'_>>) -> Result<Arc<dyn LanguageModel>, String> {
        let model = self.of(role, own);
        let named = format!("`{}` ({})", model.model, model.source);
        let binding = bind(&self.config, &model.model)
            .map_err(|fault| format!("{named} cannot be asked: {fault}; {}", fault.help()))?;
        if own.is_some() && !self.is_the_users(&binding.provider) {
            return Err(format!(
                "{named} cannot be asked: a repository chooses among the providers that you configured, and `{}` is none of them; add \
                 `providers: {{ {}: {{ … }} }}` to `config.yml` if you want it",
                binding.provider, binding.provider
            ));
        }
        let client = self.reach(&binding).await;
        client.map_err(|why| format!("{named} cannot be asked: {why}"))
    }

    /// Whether the user's file names a provider, or a model of it; or the default is one.
    fn is_the_users(&self, provider: &str) -> bool {
        let of_role =
            |role| bind(&self.config, &self.of(role, None).model).is_ok_and(|bound| bound.provider == provider);
        self.config.provider(provider).is_some() || ModelRole::ALL.into_iter().any(of_role)
    }

    /// The client of a binding; one for all that are reached the same way.
    pub(super) async fn reach(&self, binding: &Binding) -> Result<Arc<dyn LanguageModel>, String> {
        self.reach.client(binding).await
    }

    pub(super) fn config(&self) -> &ModelConfig {
        &self.config
    }
}
