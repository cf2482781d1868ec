//! What one run in one mode is made of, according to a protocol.
//!
//! Everything that would decide about a run and that this build does not serve is refused by name ([`refusal`]); what
//! has no effect here is said in a line ([`notice`]). Nothing is passed over in silence.

mod command;
mod detect;
mod effect;
mod notice;
mod refusal;
mod tooling;

pub use command::{CommandSource, TestCommand, TestCommandError, test_command};
pub use detect::{Detected, detect};
pub use effect::{Effect, EffectKind, effects};
pub use notice::{NoEffect, in_one_line};
pub use refusal::{Refusal, ResolveError};
pub use tooling::{Tooling, is_open, is_placeholder};

use snodo_workspace::role::{ModeProfile, Phase, SettingValue, Severity};

use crate::nearest::nearest;
use crate::policy::Policy;
use crate::protocol::protected::{self, Protected};
use crate::protocol::{EvaluationPhase, JudgeTool, Mode, Protocol, Scope, Validator};
use crate::settings::{GivenSetting, GivenValue, Origin};
use crate::warning::{Warning, WarningKind};

/// The type whose validator runs the declared test command.
pub const QUALITY: &str = "quality";

/// The plugin that answers for criteria in words.
const JUDGE: &str = "judge";

/// Validator types that are other names for judging criteria in words, as in snodo: each means [`plugin_of`] `judge`. No other plugin can
/// be called so.
pub const JUDGE_TYPES: [&str; 7] = [
    "llm",
    "architecture",
    "security",
    "conventions",
    "performance",
    "testing",
    "planning",
];

/// The name of the plugin that answers for a validator type: the type's own, or that of the first-party judge.
pub fn plugin_of(validator_type: &str) -> &str {
    if JUDGE_TYPES.contains(&validator_type) {
        JUDGE
    } else {
        validator_type
    }
}

/// One run in one mode.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedRun {
    /// The mode.
    pub mode: ModeProfile,
    /// The coder that the protocol names; none leaves the choice to the user.
    pub coder: Option<String>,
    /// Key, value and line of `coder_config`; see [`ResolvedRun::coder_settings`].
    pub coder_config: Vec<(String, SettingValue, u32)>,
    /// How verdicts become a decision.
    pub policy: Policy,
    /// Of both gates, in the mode's order.
    pub validators: Vec<ResolvedValidator>,
    /// Paths that no coder may change, with everything below them: normalised, from the workspace's root.
    pub protected_paths: Vec<String>,
    /// The declared test command; none if the mode has no quality validator or leaves the command open.
    pub test_command: Option<String>,
    /// The module that the task is for.
    pub module: Option<ModuleInForce>,
    /// Fields that have no effect here.
    pub notices: Vec<NoEffect>,
}

/// The module of the protocol that a task is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleInForce {
    /// Its id.
    pub id: String,
    /// Where the task's change is to stand, in place of a constraint's own `scope_paths`.
    pub paths: Vec<String>,
    /// Its `tooling.test_command`, which goes before a validator's; none if it leaves that open.
    pub test_command: Option<String>,
}

impl ResolvedRun {
    /// The validators of one gate, in order. For a run under a protocol an empty gate before the coder is a halt
    /// (`wf3`), unless flags fill it.
    pub fn gate(&self, phase: Phase) -> impl Iterator<Item = &ResolvedValidator> {
        self.validators.iter().filter(move |validator| validator.phase == phase)
    }

    /// How long one run of the test command may take according to the protocol, in seconds: the shortest that a
    /// quality validator of the mode gives.
    pub fn test_timeout_seconds(&self) -> Option<u32> {
        self.validators
            .iter()
            .filter_map(|validator| validator.tooling.timeout_seconds)
            .min()
    }

    /// The same run for a module of the protocol.
    ///
    /// # Errors
    /// [`Refusal::UnknownModule`], or a test command of it that is none.
    pub fn for_module(mut self, protocol: &Protocol, id: &str) -> Result<Self, ResolveError> {
        let Some(module) = protocol.modules.iter().find(|module| module.module_id == id) else {
            let modules: Vec<String> = protocol.modules.iter().map(|m| m.module_id.clone()).collect();
            return Err(ResolveError::one(Refusal::UnknownModule {
                module: id.to_owned(),
                nearest: nearest(id, modules.iter().map(String::as_str)).map(str::to_owned),
                modules,
            }));
        };
        let test_command = tooling::of_module(module, &mut self.notices).map_err(ResolveError::one)?;
        self.module = Some(ModuleInForce {
            id: id.to_owned(),
            paths: module.paths.iter().map(|path| path.value.clone()).collect(),
            test_command,
        });
        Ok(self)
    }

    /// `coder_config` as settings of the coder that was chosen.
    pub fn coder_settings(&self, plugin: &str) -> Vec<GivenSetting> {
        let given = self.coder_config.iter();
        given
            .map(|(key, value, line)| GivenSetting {
                plugin: plugin.to_owned(),
                key: key.clone(),
                value: GivenValue::Typed(value.clone()),
                origin: Origin::CoderConfig { line: *line },
            })
            .collect()
    }
}

/// A validator of the mode.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedValidator {
    /// Its id in the protocol.
    pub id: String,
    /// Its type, as it is declared.
    pub validator_type: String,
    /// What answers for it: a first-party plugin or an installed one.
    pub plugin: String,
    /// What to judge by.
    pub criteria: Vec<String>,
    /// Its gate.
    pub phase: Phase,
    /// The gravest severity that its findings may have.
    pub severity_cap: Option<Severity>,
    /// Its tool list; empty if the protocol gives none. It only ever tightens what the role may do.
    pub tools: Vec<JudgeTool>,
    /// Its settings.
    pub tooling: Tooling,
    /// Its own model.
    pub model: Option<String>,
    /// 1 to 200.
    pub max_tool_turns: Option<u32>,
    /// Where it is declared.
    pub line: u32,
}

/// What a run in `mode` (the protocol's initial mode if none) is made of.
///
/// `known_types` are the validator types that something here answers for: first-party ones and installed plugins.
/// Every reason against the run is listed.
pub fn resolve(protocol: &Protocol, mode: Option<&str>, known_types: &[&str]) -> Result<ResolvedRun, ResolveError> {
    let wanted = mode.unwrap_or(&protocol.initial_mode);
    let Some(mode) = protocol.mode(wanted) else {
        let modes: Vec<String> = protocol.modes.iter().map(|mode| mode.mode_id.clone()).collect();
        let nearest = nearest(wanted, modes.iter().map(String::as_str)).map(str::to_owned);
        return Err(ResolveError::one(Refusal::UnknownMode {
            mode: wanted.to_owned(),
            modes,
            nearest,
        }));
    };
    let (run, refusals) = survey(protocol, mode, known_types);
    if refusals.is_empty() {
        Ok(run)
    } else {
        Err(ResolveError::new(refusals))
    }
}

/// What a run in a mode would be made of, and every reason against it.
fn survey(protocol: &Protocol, mode: &Mode, known_types: &[&str]) -> (ResolvedRun, Vec<Refusal>) {
    let mut refusals = Vec::new();
    let mut notices = Vec::new();
    notice::of_protocol(protocol, mode, &mut notices);
    let validators = validators(protocol, mode, known_types, &mut refusals, &mut notices);
    let protected_paths = protected_paths(protocol, &mut refusals);
    let (coder, coder_config) = coder(protocol, mode, &mut refusals, &mut notices);
    let test_command = tooling::test_command(&validators, &mut refusals);
    notices.sort_by_key(|notice| notice.line);
    let profile = ModeProfile {
        id: mode.mode_id.clone(),
        name: mode.name.clone(),
        description: mode.description.clone().unwrap_or_default(),
        tools: mode.tools.iter().map(|tool| tool.value.clone()).collect(),
    };
    let run = ResolvedRun {
        mode: profile,
        coder,
        coder_config,
        policy: protocol.disagreement_policy,
        validators,
        protected_paths,
        test_command,
        module: None,
        notices,
    };
    (run, refusals)
}

fn validators(
    protocol: &Protocol,
    mode: &Mode,
    known_types: &[&str],
    refusals: &mut Vec<Refusal>,
    notices: &mut Vec<NoEffect>,
) -> Vec<ResolvedValidator> {
    let mut resolved: Vec<ResolvedValidator> = Vec::new();
    for name in &mode.validators {
        // WF3 has made sure that it exists.
        let Some(validator) = protocol.validator(&name.value) else {
            continue;
        };
        let phase = match validator.evaluation_phase {
            EvaluationPhase::PreExecute => Phase::PreExecute,
            EvaluationPhase::PostExecute => Phase::PostExecute,
            EvaluationPhase::ModeTransition => {
                notices.push(NoEffect::new(
                    format!("validators.{}", validator.validator_id),
                    validator.places.of("evaluation_phase").line,
                    "mode_transition validators are never run, as in snodo",
                ));
                continue;
            }
        };
        if resolved.iter().any(|other| other.id == validator.validator_id) {
            refusals.push(Refusal::ListedTwice {
                mode: mode.mode_id.clone(),
                validator: validator.validator_id.clone(),
                line: name.place.line,
            });
            continue;
        }
        check_validator(validator, known_types, refusals);
        notice::of_validator(validator, notices);
        let tooling = tooling::read(validator, refusals);
        resolved.push(ResolvedValidator {
            id: validator.validator_id.clone(),
            validator_type: validator.validator_type.clone(),
            plugin: plugin_of(&validator.validator_type).to_owned(),
            criteria: validator.criteria.clone(),
            phase,
            severity_cap: validator.severity_cap,
            tools: validator.tools.clone(),
            tooling,
            model: validator.model.clone(),
            max_tool_turns: validator.max_tool_turns,
            line: validator.places.of("validator_id").line,
        });
    }
    resolved
}

fn check_validator(validator: &Validator, known_types: &[&str], refusals: &mut Vec<Refusal>) {
    let field = |name: &str| format!("validators.{}.{name}", validator.validator_id);
    let wanted = validator.validator_type.as_str();
    if !known_types.contains(&plugin_of(wanted)) {
        refusals.push(Refusal::UnknownType {
            validator: validator.validator_id.clone(),
            validator_type: wanted.to_owned(),
            line: validator.places.of("validator_type").line,
            nearest: nearest(wanted, types(known_types)).map(str::to_owned),
            known: types(known_types).map(str::to_owned).collect(),
        });
    }
    if validator.scope == Scope::Wave {
        refusals.push(Refusal::NotServed {
            field: field("scope"),
            line: validator.places.of("scope").line,
            why: "a wave is a matter of snodo's plans, and there are none here".to_owned(),
        });
    }
}

/// Every type that a protocol can name.
fn types<'a>(known: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let judges = known.contains(&JUDGE).then_some(JUDGE_TYPES);
    known.iter().copied().chain(judges.into_iter().flatten())
}

fn protected_paths(protocol: &Protocol, refusals: &mut Vec<Refusal>) -> Vec<String> {
    let mut paths = Vec::new();
    for entry in &protocol.protected_paths {
        match protected::read(&entry.value) {
            Protected::Path(path) | Protected::Folder(path) => {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            Protected::Pattern => refusals.push(Refusal::ProtectedPath {
                path: entry.value.clone(),
                line: entry.place.line,
                why: "patterns are not served: name the file, or the folder with everything below it",
            }),
            Protected::Outside => refusals.push(Refusal::ProtectedPath {
                path: entry.value.clone(),
                line: entry.place.line,
                why: "it names nothing below the workspace's root, so nothing would be protected",
            }),
        }
    }
    paths
}

/// The mode's own coder and configuration; if it says nothing of either, the initial mode's, whose coder snodo takes
/// for every mode.
fn coder(
    protocol: &Protocol,
    mode: &Mode,
    refusals: &mut Vec<Refusal>,
    notices: &mut Vec<NoEffect>,
) -> (Option<String>, Vec<(String, SettingValue, u32)>) {
    let says_something = |mode: &&Mode| mode.coder.is_some() || !mode.coder_config.is_empty();
    let Some(source) = [Some(mode), protocol.mode(&protocol.initial_mode)]
        .into_iter()
        .flatten()
        .find(says_something)
    else {
        return (None, Vec::new());
    };
    let mut config = Vec::new();
    for (key, value) in source.coder_config.iter() {
        let field = format!("modes.{}.coder_config.{}", source.mode_id, key.value);
        let line = key.place.line;
        if key.value == "model" {
            // snodo fails on it with a traceback.
            refusals.push(Refusal::CoderModel { line });
        } else if key.value == "concurrency" {
            notices.push(NoEffect::new(field, line, "one task runs at a time"));
        } else if let Some(value) = crate::settings::from_node(value) {
            if crate::settings::CODER_KNOBS.contains(&key.value.as_str()) {
                notices.push(NoEffect::new(field, line, "unless the coder declares such a setting"));
            }
            config.push((key.value.clone(), value, line));
        } else {
            refusals.push(Refusal::BadSetting {
                field,
                line,
                found: value.value.kind(),
            });
        }
    }
    (source.coder.clone(), config)
}

/// Warnings for validators whose type nothing answers for. For a check of the file; a run in a mode with such a validator is refused.
pub fn unknown_types(protocol: &Protocol, known_types: &[&str]) -> Vec<Warning> {
    let unknown = protocol
        .validators
        .iter()
        .filter(|v| !known_types.contains(&plugin_of(&v.validator_type)));
    unknown
        .map(|validator| Warning {
            place: validator.places.of("validator_type"),
            kind: WarningKind::UnknownValidatorType {
                validator: validator.validator_id.clone(),
                validator_type: validator.validator_type.clone(),
                nearest: nearest(&validator.validator_type, types(known_types)).map(str::to_owned),
            },
        })
        .collect()
}
