//! What of a protocol says something that a run here does not act upon, over all its modes.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use super::{NoEffect, Refusal, survey};
use crate::protocol::Protocol;

/// What becomes of a field that is not acted upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// Nothing: the run goes on without it and says so.
    None,
    /// A run that it would decide about is refused.
    Refused,
}

/// A field that is in the file and not acted upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// Its path.
    pub field: String,
    /// Its line.
    pub line: u32,
    /// What becomes of it.
    pub effect: EffectKind,
    /// Why, in one line. Fit to be printed.
    pub why: String,
}

impl From<NoEffect> for Effect {
    fn from(notice: NoEffect) -> Self {
        Self {
            why: notice.why.to_owned(),
            field: notice.field,
            line: notice.line,
            effect: EffectKind::None,
        }
    }
}

/// All of them, whichever mode they concern, in the file's order and each once. What the warnings say (a validator type that nothing answers
/// for) is left out.
pub fn effects(protocol: &Protocol, known_types: &[&str]) -> Vec<Effect> {
    let mut all: Vec<Effect> = unlisted(protocol);
    for mode in &protocol.modes {
        let (run, refusals) = survey(protocol, mode, known_types);
        all.extend(run.notices.into_iter().map(Effect::from));
        let refused = refusals
            .into_iter()
            .filter(|refusal| !matches!(refusal, Refusal::UnknownType { .. }));
        all.extend(refused.filter_map(|refusal| {
            Some(Effect {
                field: refusal.field()?,
                line: refusal.line()?,
                effect: EffectKind::Refused,
                why: refusal.to_string(),
            })
        }));
    }
    let mut seen = HashSet::new();
    all.retain(|effect| seen.insert((effect.field.clone(), effect.line, effect.effect, effect.why.clone())));
    all.sort_by_key(|effect| effect.line);
    all
}

/// Validators that no mode lists.
fn unlisted(protocol: &Protocol) -> Vec<Effect> {
    let listed: BTreeSet<&str> = protocol
        .modes
        .iter()
        .flat_map(|mode| mode.validators.iter().map(|validator| validator.value.as_str()))
        .collect();
    let unlisted = protocol
        .validators
        .iter()
        .filter(|validator| !listed.contains(validator.validator_id.as_str()));
    unlisted
        .map(|validator| Effect {
            field: format!("validators.{}", validator.validator_id),
            line: validator.places.of("validator_id").line,
            effect: EffectKind::None,
            why: "no mode lists it".to_owned(),
        })
        .collect()
}
