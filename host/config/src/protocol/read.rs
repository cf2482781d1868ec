//! From the tree to the typed protocol: types, bounds, defaults (SCHEMA).

use std::collections::HashMap;

use snodo_workspace::role::Severity;

use super::model::{
    Constraint, Delivery, EvaluationPhase, Execution, JudgeTool, Mode, Module, Protocol, Queue, Role, Scope,
    Transitions, Validator, ValidatorTool,
};
use crate::fault::FaultKind;
use crate::node::{FreeMap, Node, Placed, Value};
use crate::policy::Policy;
use crate::record::value::{
    boolean, free_map, id, list, map, nonblank, nonempty, number, one_of, placed, some, strict_boolean, strict_number,
    text, wrong,
};
use crate::record::{Extra, Places, Record};
use crate::report::Log;
use crate::source::Place;

const SEVERITY_WORDS: &[&str] = &["pass", "warn", "blocker"];
const SEVERITIES: &[Severity] = &[Severity::Pass, Severity::Warn, Severity::Blocker];

/// The protocol, or none with the faults in the log. May return one in spite of faults: look at the log.
pub(super) fn protocol(root: &Node, log: &mut Log) -> Option<Protocol> {
    if !matches!(root.value, Value::Map(_)) {
        log.fault(root.place, || FaultKind::RootNotAMap {
            found: root.value.kind(),
        });
        return None;
    }
    let mut record = Record::open(root, "", "the protocol", log)?;
    let protocol_id = record.required("protocol_id", nonblank);
    let name = record.required("name", text);
    let version = record.or("version", "1.0.0".to_owned(), text);
    let modes = record.required("modes", some(mode));
    let roles = record.or("roles", Vec::new(), list(role));
    let validators = record.required("validators", some(validator));
    let disagreement_policy = record.or(
        "disagreement_policy",
        Policy::Unanimous,
        one_of(Policy::WORDS, Policy::ALL),
    );
    let initial_mode = record.required("initial_mode", nonblank);
    let global_constraints = record.or("global_constraints", Vec::new(), list(constraint));
    let protected_paths = record.or("protected_paths", Vec::new(), list(placed(nonblank)));
    let write_allowed_prefixes = record.or("write_allowed_prefixes", vec![".snodo/".to_owned()], list(text));
    let start = record.place_of("");
    let execution = record.or("execution", default_execution(start), execution);
    let queue = record.or("queue", default_queue(start), queue);
    let metadata = record.or("metadata", FreeMap::default(), free_map);
    let exclusive_tools = record.or("exclusive_tools", Vec::new(), list(text));
    let modules = record.or("modules", Vec::new(), list(module));
    // Over the tree, so that a fault elsewhere in a record does not hide that its id is taken.
    unique(root, "modes", "mode_id", "mode", record.log);
    unique(root, "validators", "validator_id", "validator", record.log);
    let places = record.close(Extra::Ignored);
    Some(Protocol {
        protocol_id: protocol_id?,
        name: name?,
        version: version?,
        modes: modes?,
        roles: roles?,
        validators: validators?,
        disagreement_policy: disagreement_policy?,
        initial_mode: initial_mode?,
        global_constraints: global_constraints?,
        protected_paths: protected_paths?,
        write_allowed_prefixes: write_allowed_prefixes?,
        execution: execution?,
        queue: queue?,
        metadata: metadata?,
        exclusive_tools: with_always_exclusive(exclusive_tools?),
        modules: modules?,
        places,
    })
}

/// What a protocol says adds to these two; nothing takes them away.
fn with_always_exclusive(mut tools: Vec<String>) -> Vec<String> {
    tools.extend(["approve".to_owned(), "merge".to_owned()]);
    tools.sort_unstable();
    tools.dedup();
    tools
}

fn unique(root: &Node, list: &str, id: &str, what: &'static str, log: &mut Log) {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let items = match field(root, list).map(|node| &node.value) {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    };
    for node in items.iter().filter_map(|item| field(item, id)) {
        let Some(text) = node.as_text() else { continue };
        if let Some(first) = seen.get(text).copied() {
            log.fault(node.place, || FaultKind::Duplicate {
                what,
                id: text.to_owned(),
                first,
            });
        } else {
            seen.insert(text, node.place.line);
        }
    }
}

fn field<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Value::Map(entries) = &node.value else { return None };
    entries
        .iter()
        .find(|entry| entry.key.as_text() == Some(name))
        .map(|entry| &entry.value)
}

fn mode(node: &Node, path: &str, log: &mut Log) -> Option<Mode> {
    let mut record = Record::open(node, path, "the mode", log)?;
    let mode_id = record.required("mode_id", nonblank);
    let name = record.required("name", text);
    let description = record.optional("description", text);
    let tools = record.or("tools", Vec::new(), list(placed(text)));
    let transitions = record.or("transitions", Transitions(Vec::new()), transitions);
    let validators = record.or("validators", Vec::new(), list(placed(text)));
    let constraints = record.or("constraints", Vec::new(), list(constraint));
    let coder = record.optional("coder", text);
    let coder_config = record.or("coder_config", FreeMap::default(), free_map);
    let (delivery, auto_merge) = delivery(&mut record, path);
    let max_recovery_depth = record.optional("max_recovery_depth", small(0, 20));
    let concurrency = record.optional("concurrency", number(1, None));
    let places = record.close(Extra::Refused);
    Some(Mode {
        mode_id: mode_id?,
        name: name?,
        description: description?,
        tools: tools?,
        transitions: transitions?,
        validators: validators?,
        constraints: constraints?,
        coder: coder?,
        coder_config: coder_config?,
        delivery: delivery?,
        auto_merge: auto_merge?,
        max_recovery_depth: max_recovery_depth?,
        concurrency: concurrency?.map(i64::unsigned_abs),
        places,
    })
}

/// The two fields that say how to deliver, of which one may be set.
#[expect(clippy::option_option, reason = "faulty, absent, given: the three are told apart")]
fn delivery(record: &mut Record<'_, '_>, path: &str) -> (Option<Option<Delivery>>, Option<Option<bool>>) {
    let delivery = record.optional("delivery", one_of(Delivery::WORDS, Delivery::ALL));
    let auto_merge = record.optional("auto_merge", boolean);
    if let (Some(Some(_)), Some(Some(_))) = (delivery, auto_merge) {
        let place = record.place_of("auto_merge");
        record.log.fault(place, || FaultKind::DeliveryAndAutoMerge {
            record: path.to_owned(),
        });
    }
    (delivery, auto_merge)
}

fn transitions(node: &Node, path: &str, log: &mut Log) -> Option<Transitions> {
    let pairs = map(nonempty)(node, path, log)?;
    for (event, _) in &pairs {
        if event.value.is_empty() {
            log.fault(event.place, || FaultKind::Blank { field: path.to_owned() });
        }
    }
    Some(Transitions(pairs))
}

fn validator(node: &Node, path: &str, log: &mut Log) -> Option<Validator> {
    let mut record = Record::open(node, path, "the validator", log)?;
    let validator_id = record.required("validator_id", nonblank);
    let validator_type = record.required("validator_type", nonblank);
    let criteria = record.or("criteria", Vec::new(), list(text));
    let constraints = record.or("constraints", Vec::new(), list(constraint));
    let evaluation_phase = record.or(
        "evaluation_phase",
        EvaluationPhase::PreExecute,
        one_of(EvaluationPhase::WORDS, EvaluationPhase::ALL),
    );
    let scope = record.or("scope", Scope::Task, one_of(Scope::WORDS, Scope::ALL));
    let tooling = record.or("tooling", FreeMap::default(), free_map);
    let severity_cap = record.optional("severity_cap", one_of(SEVERITY_WORDS, SEVERITIES));
    let tools = record.or("tools", Vec::new(), list(one_of(JudgeTool::WORDS, JudgeTool::ALL)));
    let judges_spec = record.or("judges_spec", false, boolean);
    let check_tool_access = record.or("check_tool_access", false, boolean);
    let model = record.optional("model", text);
    let max_tool_turns = record.optional("max_tool_turns", small(1, 200));
    let validator_tools = record.or("validator_tools", Vec::new(), list(validator_tool));
    if let (Some(id), Some(Scope::Wave), Some(phase)) = (&validator_id, scope, evaluation_phase)
        && phase != EvaluationPhase::PreExecute
    {
        let place = record.place_of("scope");
        record.log.fault(place, || FaultKind::WaveScope {
            validator: id.clone(),
            phase: phase.as_str(),
        });
    }
    let places = record.close(Extra::Ignored);
    Some(Validator {
        validator_id: validator_id?,
        validator_type: validator_type?,
        criteria: criteria?,
        constraints: constraints?,
        evaluation_phase: evaluation_phase?,
        scope: scope?,
        tooling: tooling?,
        severity_cap: severity_cap?,
        tools: tools?,
        judges_spec: judges_spec?,
        check_tool_access: check_tool_access?,
        model: model?,
        max_tool_turns: max_tool_turns?,
        validator_tools: validator_tools?,
        places,
    })
}

fn validator_tool(node: &Node, path: &str, log: &mut Log) -> Option<ValidatorTool> {
    match &node.value {
        Value::Text(_) => nonblank(node, path, log).map(ValidatorTool::Named),
        Value::Map(_) => {
            let mut record = Record::open(node, path, "the tool", log)?;
            let name = record.required("name", nonblank);
            let options = record.or("options", FreeMap::default(), free_map);
            record.close(Extra::Refused);
            Some(ValidatorTool::Configured {
                name: name?,
                options: options?,
            })
        }
        _ => {
            wrong(node, path, "a name, or a map of `name` and `options`", log);
            None
        }
    }
}

fn constraint(node: &Node, path: &str, log: &mut Log) -> Option<Constraint> {
    let mut record = Record::open(node, path, "the constraint", log)?;
    let constraint_id = record.required("constraint_id", id);
    let description = record.required("description", text);
    let expression = record.or("expression", String::new(), text);
    let predicate = record.or("predicate", String::new(), text);
    let params = record.or("params", FreeMap::default(), free_map);
    let severity = record.or("severity", Severity::Blocker, one_of(SEVERITY_WORDS, SEVERITIES));
    let places = record.close(Extra::Ignored);
    Some(Constraint {
        constraint_id: constraint_id?,
        description: description?,
        expression: expression?,
        predicate: predicate?,
        params: params?,
        severity: severity?,
        places,
    })
}

fn role(node: &Node, path: &str, log: &mut Log) -> Option<Role> {
    let mut record = Record::open(node, path, "the role", log)?;
    let role_id = record.required("role_id", nonblank);
    let name = record.required("name", text);
    let permissions = record.or("permissions", Vec::new(), list(text));
    let responsibilities = record.or("responsibilities", Vec::new(), list(text));
    let places = record.close(Extra::Ignored);
    Some(Role {
        role_id: role_id?,
        name: name?,
        permissions: permissions?,
        responsibilities: responsibilities?,
        places,
    })
}

fn module(node: &Node, path: &str, log: &mut Log) -> Option<Module> {
    let mut record = Record::open(node, path, "the module", log)?;
    let module_id = record.required("module_id", id);
    let paths: Option<Vec<Placed<String>>> = record.required("paths", some(placed(nonblank)));
    let decisions_path = record.optional("decisions_path", text);
    let tooling = record.or("tooling", FreeMap::default(), free_map);
    let validators = record.or("validators", Vec::new(), list(placed(text)));
    let places = record.close(Extra::Ignored);
    Some(Module {
        module_id: module_id?,
        paths: paths?,
        decisions_path: decisions_path?,
        tooling: tooling?,
        validators: validators?,
        places,
    })
}

fn execution(node: &Node, path: &str, log: &mut Log) -> Option<Execution> {
    let mut record = Record::open(node, path, "the section", log)?;
    let standard = default_execution(node.place);
    let max_retries = record.or("max_retries", standard.max_retries, small(0, 10));
    let branch_ttl_days = record.or("branch_ttl_days", standard.branch_ttl_days, small(1, 30));
    let branch_prefix = record.or("branch_prefix", standard.branch_prefix, text);
    let max_recovery_depth = record.or("max_recovery_depth", standard.max_recovery_depth, small(0, 20));
    let max_total_fix_attempts = record.or("max_total_fix_attempts", standard.max_total_fix_attempts, small(1, 100));
    let (delivery, auto_merge) = delivery(&mut record, path);
    let delivery_remote = record.or("delivery_remote", standard.delivery_remote, nonempty);
    let prepare_command = record.optional("prepare_command", text);
    let places = record.close(Extra::Ignored);
    Some(Execution {
        max_retries: max_retries?,
        branch_ttl_days: branch_ttl_days?,
        branch_prefix: branch_prefix?,
        max_recovery_depth: max_recovery_depth?,
        max_total_fix_attempts: max_total_fix_attempts?,
        delivery: delivery?,
        delivery_remote: delivery_remote?,
        auto_merge: auto_merge?,
        prepare_command: prepare_command?,
        places,
    })
}

fn default_execution(place: Place) -> Execution {
    Execution {
        max_retries: 3,
        branch_ttl_days: 7,
        branch_prefix: "task".to_owned(),
        max_recovery_depth: 3,
        max_total_fix_attempts: 10,
        delivery: None,
        delivery_remote: "origin".to_owned(),
        auto_merge: None,
        prepare_command: None,
        places: Places::none(place),
    }
}

fn queue(node: &Node, path: &str, log: &mut Log) -> Option<Queue> {
    let mut record = Record::open(node, path, "the section", log)?;
    let non_blocking = record.or("non_blocking", false, strict_boolean);
    let parallel_runs = record.or("parallel_runs", 1, strict_number(1, None));
    let places = record.close(Extra::Refused);
    Some(Queue {
        non_blocking: non_blocking?,
        parallel_runs: parallel_runs?.unsigned_abs(),
        places,
    })
}

fn default_queue(place: Place) -> Queue {
    Queue {
        non_blocking: false,
        parallel_runs: 1,
        places: Places::none(place),
    }
}

/// A number whose bounds fit 32 bits.
fn small(least: u32, most: u32) -> impl Fn(&Node, &str, &mut Log) -> Option<u32> {
    let read = number(i64::from(least), Some(i64::from(most)));
    move |node, path, log| read(node, path, log).and_then(|n| u32::try_from(n).ok())
}
