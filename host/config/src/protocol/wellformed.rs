//! WF1–WF5 and the module rules, over a protocol whose fields are all right. Every violation is listed.

use std::collections::{BTreeMap, HashMap, HashSet};

use snodo_workspace::constraint::{MOST_PATTERNS, PREDICATES as PREDICATE_PARAMETERS};
use snodo_workspace::role::Severity;

use super::model::{Constraint, EvaluationPhase, Protocol, Validator};
use super::{MODE_TOOLS, PREDICATES};
use crate::fault::FaultKind;
use crate::nearest::nearest;
use crate::policy::Policy;
use crate::record::near;
use crate::report::Log;
use crate::source::Place;
use crate::warning::WarningKind;

/// Checks everything; faults and warnings go to the log.
pub(super) fn check(protocol: &Protocol, log: &mut Log) {
    exclusive_tools(protocol, log);
    roles(protocol, log);
    references(protocol, log);
    policy(protocol, log);
    constraints(protocol, log);
    modules(protocol, log);
    mode_tools(protocol, log);
    super::protected::check(&protocol.protected_paths, log);
}

/// WF1: a tool of `exclusive_tools` is held once. snodo counts entries, so one mode that lists it twice breaks the
/// rule too.
fn exclusive_tools(protocol: &Protocol, log: &mut Log) {
    let exclusive: HashSet<&str> = protocol.exclusive_tools.iter().map(String::as_str).collect();
    let mut holders: BTreeMap<&str, Vec<(&str, Place)>> = BTreeMap::new();
    for mode in &protocol.modes {
        for tool in mode.tools.iter().filter(|tool| exclusive.contains(tool.value.as_str())) {
            holders
                .entry(&tool.value)
                .or_default()
                .push((&mode.mode_id, tool.place));
        }
    }
    for (tool, modes) in holders {
        if let [_, (_, second), ..] = modes[..] {
            log.fault(second, || FaultKind::ExclusiveTool {
                tool: tool.to_owned(),
                modes: modes.iter().map(|(mode, _)| (*mode).to_owned()).collect(),
            });
        }
    }
}

/// WF2: role ids are unique.
fn roles(protocol: &Protocol, log: &mut Log) {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for role in &protocol.roles {
        let place = role.places.of("role_id");
        if let Some(first) = seen.get(role.role_id.as_str()).copied() {
            log.fault(place, || FaultKind::DuplicateRole {
                id: role.role_id.clone(),
                first,
            });
        } else {
            seen.insert(&role.role_id, place.line);
        }
    }
}

/// WF3: modes name validators that exist, the initial mode exists, and whoever may dispatch has a gate before the
/// coder.
fn references(protocol: &Protocol, log: &mut Log) {
    let declared = by_id(protocol);
    for mode in &protocol.modes {
        for validator in mode
            .validators
            .iter()
            .filter(|v| !declared.contains_key(v.value.as_str()))
        {
            log.fault(validator.place, || FaultKind::UndefinedValidator {
                mode: mode.mode_id.clone(),
                validator: validator.value.clone(),
                nearest: nearest(&validator.value, declared.keys().copied()).map(str::to_owned),
            });
        }
    }
    if protocol.mode(&protocol.initial_mode).is_none() {
        log.fault(protocol.places.of("initial_mode"), || FaultKind::UndefinedInitialMode {
            mode: protocol.initial_mode.clone(),
            modes: protocol.modes.iter().map(|mode| mode.mode_id.clone()).collect(),
        });
    }
    for mode in &protocol.modes {
        let dispatch = mode.tools.iter().find(|tool| tool.value == "dispatch");
        let has_gate = || {
            let mut validators = mode.validators.iter().filter_map(|v| declared.get(v.value.as_str()));
            validators.any(|validator| validator.evaluation_phase == EvaluationPhase::PreExecute)
        };
        if let Some(dispatch) = dispatch
            && !has_gate()
        {
            log.fault(dispatch.place, || FaultKind::DispatchWithoutGate {
                mode: mode.mode_id.clone(),
            });
        }
    }
}

fn by_id(protocol: &Protocol) -> BTreeMap<&str, &Validator> {
    protocol
        .validators
        .iter()
        .map(|validator| (validator.validator_id.as_str(), validator))
        .collect()
}

/// WF4: the policy and the number of validators; warnings where a policy probably does not do what is meant.
fn policy(protocol: &Protocol, log: &mut Log) {
    let found = protocol.validators.len();
    let place = protocol.places.of("disagreement_policy");
    let policy = protocol.disagreement_policy;
    match policy {
        Policy::Majority if found < 2 => {
            log.fault(place, || FaultKind::TooFewValidators {
                policy: policy.as_str(),
                needed: 2,
                found,
            });
        }
        Policy::Quorum if found < 3 => log.warn(place, || WarningKind::SmallQuorum { validators: found }),
        Policy::Unanimous => {
            let mut after = protocol
                .validators
                .iter()
                .filter(|v| v.evaluation_phase == EvaluationPhase::PostExecute);
            if let (Some(lone), None) = (after.next(), after.next()) {
                log.warn(lone.places.of("validator_id"), || WarningKind::LoneJudge {
                    validator: lone.validator_id.clone(),
                });
            }
        }
        // One validator is enough for either, and the schema demands one.
        Policy::Majority | Policy::Quorum | Policy::Any => {}
    }
    let mut quality = protocol.validators.iter().filter(|v| v.validator_type == "quality");
    if let (Some(lone), None) = (quality.next(), quality.next())
        && let Some(cap @ (Severity::Pass | Severity::Warn)) = lone.severity_cap
        && policy != Policy::Unanimous
    {
        log.warn(lone.places.of("severity_cap"), || WarningKind::QualityCapped {
            validator: lone.validator_id.clone(),
            cap: cap.as_str(),
            policy: policy.as_str(),
        });
    }
}

/// WF5: constraints of every scope have ids of their own, say something, and name predicates that exist.
fn constraints(protocol: &Protocol, log: &mut Log) {
    let of_modes = protocol.modes.iter().flat_map(|mode| &mode.constraints);
    let of_validators = protocol.validators.iter().flat_map(|validator| &validator.constraints);
    let scopes = protocol.global_constraints.iter().chain(of_modes).chain(of_validators);
    let mut all: Vec<&Constraint> = scopes.collect();
    // In the file's order, so that "first" is what a reader meets first.
    all.sort_by_key(|constraint| constraint.places.of("constraint_id").offset);
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut patterns = 0;
    for constraint in all {
        let id = &constraint.constraint_id;
        let place = constraint.places.of("constraint_id");
        if let Some(first) = seen.get(id.as_str()).copied() {
            log.fault(place, || FaultKind::DuplicateConstraint { id: id.clone(), first });
        } else {
            seen.insert(id, place.line);
        }
        let says_nothing = constraint.expression.trim().is_empty();
        if constraint.predicate.is_empty() {
            if says_nothing {
                log.fault(place, || FaultKind::EmptyConstraint { id: id.clone() });
            }
        } else if !PREDICATES.contains(&constraint.predicate.as_str()) {
            log.fault(constraint.places.of("predicate"), || FaultKind::UnknownPredicate {
                id: id.clone(),
                predicate: constraint.predicate.clone(),
                nearest: nearest(&constraint.predicate, PREDICATES),
            });
        } else {
            if says_nothing {
                log.warn(constraint.places.of("predicate"), || WarningKind::NoExpression {
                    id: id.clone(),
                });
            }
            parameters(constraint, &mut patterns, log);
        }
    }
}

/// What a predicate does not know is not looked at, and what it cannot use makes every run break the constraint: as in snodo, neither
/// hinders the loading.
///
/// `patterns` counts those that were tried: a file must not take minutes to be read.
fn parameters(constraint: &Constraint, patterns: &mut usize, log: &mut Log) {
    let predicate = constraint.predicate.as_str();
    let known = PREDICATE_PARAMETERS
        .iter()
        .find(|(name, _)| *name == predicate)
        .map_or(&[][..], |(_, known)| known);
    for (key, _) in constraint.params.iter() {
        if !known.contains(&key.value.as_str()) {
            log.warn(key.place, || WarningKind::UnknownKey {
                key: key.value.clone(),
                record: format!("the predicate `{predicate}`"),
                known: known.to_vec(),
                nearest: near(&key.value, known),
            });
        }
    }
    let ready = constraint.to_evaluate();
    *patterns += ready.own_patterns();
    if *patterns <= MOST_PATTERNS
        && let Err(problem) = ready.check()
    {
        log.warn(constraint.places.of("params"), || WarningKind::NotEvaluable {
            id: constraint.constraint_id.clone(),
            problem: problem.to_string(),
        });
    }
}

/// Modules have ids of their own and name validators that exist; a path in two of them is a warning.
fn modules(protocol: &Protocol, log: &mut Log) {
    let declared = by_id(protocol);
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for module in &protocol.modules {
        let place = module.places.of("module_id");
        if let Some(first) = seen.get(module.module_id.as_str()).copied() {
            log.fault(place, || FaultKind::DuplicateModule {
                id: module.module_id.clone(),
                first,
            });
        } else {
            seen.insert(&module.module_id, place.line);
        }
        for validator in module
            .validators
            .iter()
            .filter(|v| !declared.contains_key(v.value.as_str()))
        {
            log.fault(validator.place, || FaultKind::ModuleValidator {
                module: module.module_id.clone(),
                validator: validator.value.clone(),
                nearest: nearest(&validator.value, declared.keys().copied()).map(str::to_owned),
            });
        }
    }
    overlaps(protocol, log);
}

/// Pairs of modules where a path of one is, or lies below, a path of the other. One walk over the sorted paths: a
/// protocol may hold thousands of them.
fn overlaps(protocol: &Protocol, log: &mut Log) {
    let mut paths: Vec<(Vec<&str>, &str, Place)> = Vec::new();
    for module in &protocol.modules {
        for path in &module.paths {
            let parts: Vec<&str> = path
                .value
                .split('/')
                .filter(|part| !matches!(*part, "" | "."))
                .collect();
            paths.push((parts, &module.module_id, path.place));
        }
    }
    // By components, so that a folder comes right before everything below it.
    paths.sort_by(|(a, _, at), (b, _, other)| a.cmp(b).then(at.offset.cmp(&other.offset)));
    let mut open: Vec<&(Vec<&str>, &str, Place)> = Vec::new();
    for path in &paths {
        while open.last().is_some_and(|outer| !path.0.starts_with(&outer.0)) {
            open.pop();
        }
        if let Some(outer) = open.iter().rev().find(|outer| outer.1 != path.1) {
            log.warn(path.2, || WarningKind::OverlappingModules {
                one: outer.1.to_owned(),
                other: path.1.to_owned(),
                path: path.0.join("/"),
            });
        }
        open.push(path);
    }
}

/// Capability names that mean nothing; snodo's strict check reports them too, its loader does not.
fn mode_tools(protocol: &Protocol, log: &mut Log) {
    for mode in &protocol.modes {
        for tool in mode
            .tools
            .iter()
            .filter(|tool| !MODE_TOOLS.contains(&tool.value.as_str()))
        {
            log.warn(tool.place, || WarningKind::UnknownModeTool {
                mode: mode.mode_id.clone(),
                tool: tool.value.clone(),
                nearest: nearest(&tool.value, MODE_TOOLS),
            });
        }
    }
}
