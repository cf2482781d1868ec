//! What of a protocol says something that a run here does not act upon, over all its modes.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;
use snodo_workspace::role::Phase;

use super::{NoEffect, Refusal, survey};
use crate::printable::printable;
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Effect {
    /// Its path. Fit to be printed.
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
            field: printable(&notice.field).to_string(),
            line: notice.line,
            effect: EffectKind::None,
        }
    }
}

/// So many modes are looked at: a team has a handful, and a file may hold thousands.
const MOST_MODES: usize = 64;
/// So many effects are kept, the rest is counted.
const KEPT: usize = 500;

/// All of them, whichever mode they concern, in the file's order and each once, and how many more there are. What the warnings say (a
/// validator type that nothing answers for) is left out.
pub fn effects(protocol: &Protocol, known_types: &[&str]) -> (Vec<Effect>, usize) {
    let mut all = unlisted(protocol);
    let mut seen: HashSet<Effect> = HashSet::new();
    for mode in protocol.modes.iter().take(MOST_MODES) {
        let (run, refusals) = survey(protocol, mode, known_types);
        let refused = refusals.into_iter().filter_map(|refusal| {
            let is_warned_of = matches!(refusal, Refusal::UnknownType { .. });
            Some(Effect {
                field: printable(&refusal.field().filter(|_| !is_warned_of)?).to_string(),
                line: refusal.line()?,
                effect: EffectKind::Refused,
                why: refusal.to_string(),
            })
        });
        let of_mode = run.notices.iter().cloned().map(Effect::from).chain(refused);
        all.extend(of_mode.filter(|effect| seen.insert(effect.clone())));
        if run.gate(Phase::PreExecute).next().is_none() {
            all.push(Effect {
                field: printable(&format!("modes.{}.validators", mode.mode_id)).to_string(),
                line: mode.places.of("mode_id").line,
                effect: EffectKind::Refused,
                why: "no validator of the mode judges before execution, so a run in it halts (`wf3`); `--validator` can add one"
                    .to_owned(),
            });
        }
    }
    if let Some(next) = protocol.modes.get(MOST_MODES) {
        all.push(Effect {
            field: "modes".to_owned(),
            line: next.places.of("mode_id").line,
            effect: EffectKind::None,
            why: format!("what stands in modes after the first {MOST_MODES} is not looked at by a check"),
        });
    }
    all.sort_by_key(|effect| effect.line);
    let more = all.len().saturating_sub(KEPT);
    all.truncate(KEPT);
    (all, more)
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
            field: printable(&format!("validators.{}", validator.validator_id)).to_string(),
            line: validator.places.of("validator_id").line,
            effect: EffectKind::None,
            why: "no mode lists it".to_owned(),
        })
        .collect()
}
