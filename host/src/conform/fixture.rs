//! What is asked: tasks, contexts, settings and rules, the usual ones and the extremes.

use snodo_config::settings::{GivenSetting, parse_set_flag, typed_settings};
use snodo_workspace::change::{ChangeKind, TestGoverningChange};
use snodo_workspace::role::{
    ConfigurationFile, Context, Evaluation, ExecutionEvidence, Expectation, InvocationLimits, ModeProfile, Phase,
    PriorFailure, ProjectContext, RunnerInfo, Setting, SettingDeclaration, SettingType, SettingValue, Severity, Task,
};

use crate::engine::{SCRIPTED_MODEL, SetupError, task_id};

/// What a coder is asked where nobody says what it can do.
pub(super) const ANY_TASK: &str = "Add a file NOTES.md that says in a few lines what this project is.";

/// A change that `patch` can make.
const PATCH: &str = "--- a/README.md\n+++ b/README.md\n@@ -1,4 +1,4 @@\n-# A project\n+# The project\n \n It has two lines of prose,\n and they end here.\n";

/// What is known of the plugins that are part of the binary.
pub(super) struct Known {
    /// A task that it can do.
    pub(super) task: Option<&'static str>,
    /// Settings without which it does nothing, as flags.
    pub(super) settings: &'static [&'static str],
}

/// By name. A built-in that is not here is held to the checks that need no task.
pub(super) fn known(built_in: &str) -> Known {
    let (task, settings): (_, &[&str]) = match built_in {
        "patch" => (Some(PATCH), &[]),
        "mock" | "agent" => (Some(ANY_TASK), &[]),
        "scope" => (None, &["scope.paths=**"]),
        _ => (None, &[]),
    };
    Known { task, settings }
}

/// The settings of a plugin, as flags: what was given for it, and something of the declared type for each that has to be given and was not.
///
/// # Errors
/// A flag that cannot be read, or that fits no setting of the plugin.
pub(super) fn settings(
    plugin: &str,
    declared: &[SettingDeclaration],
    given: &[String],
) -> Result<(Vec<String>, Vec<Setting>), SetupError> {
    let bad = |why: String| SetupError::Setting(why);
    let mut flags = Vec::new();
    let mut parsed: Vec<GivenSetting> = Vec::new();
    for flag in given {
        let setting = parse_set_flag(flag).map_err(|error| bad(error.to_string()))?;
        if setting.plugin == plugin {
            flags.push(flag.clone());
            parsed.push(setting);
        }
    }
    for declaration in declared.iter().filter(|declaration| declaration.default.is_none()) {
        let is_given = parsed
            .iter()
            .any(|given| given.key == declaration.name || given.key.replace('_', "-") == declaration.name);
        if is_given {
            continue;
        }
        let value = match declaration.value_type {
            SettingType::Text | SettingType::TextList => "conform",
            SettingType::Boolean => "true",
            SettingType::Integer => "1",
        };
        let flag = format!("{plugin}.{}={value}", declaration.name);
        parsed.push(parse_set_flag(&flag).map_err(|error| bad(error.to_string()))?);
        flags.push(flag);
    }
    let in_force = typed_settings(plugin, declared, &parsed).map_err(|error| bad(error.to_string()))?;
    Ok((flags, in_force))
}

/// A task as a run gives it.
pub(super) fn task(spec: &str) -> Task {
    let files: Vec<&str> = super::place::FILES.iter().map(|(name, _)| *name).collect();
    Task {
        id: task_id(spec),
        spec: spec.to_owned(),
        expects: Expectation::Change,
        constraints: Vec::new(),
        memory_summary: String::new(),
        project: ProjectContext {
            language: "python".to_owned(),
            structure: files.join("\n"),
            configuration: Vec::new(),
        },
        prior_failures: Vec::new(),
    }
}

/// A context as a run gives it.
pub(super) fn context(
    task: &Task,
    settings: &[Setting],
    tools: Vec<String>,
    model: bool,
    limits: InvocationLimits,
) -> Context {
    Context {
        job_id: "run_1700000000_c0f0".to_owned(),
        task_id: task.id.clone(),
        mode: "ad-hoc".to_owned(),
        depth: 0,
        attempt: 1,
        model: model.then(|| SCRIPTED_MODEL.to_owned()),
        runner: None,
        protected_paths: Vec::new(),
        protocol_guidance: String::new(),
        tools,
        settings: settings.to_vec(),
        limits,
    }
}

/// A test runner, as a plugin is told of one.
pub(super) fn runner() -> RunnerInfo {
    RunnerInfo {
        argv: vec!["conform-tests".to_owned(), "--quiet".to_owned()],
        takes_path: true,
        calls: 5,
        timeout_ms: 60_000,
    }
}

/// What is judged, as a run gives it.
pub(super) fn evaluation(phase: Phase, task: &Task, criteria: &[&str]) -> Evaluation {
    Evaluation {
        phase,
        task: task.clone(),
        validator_id: "conform".to_owned(),
        criteria: criteria.iter().map(|&criterion| criterion.to_owned()).collect(),
        mode: ModeProfile {
            id: "ad-hoc".to_owned(),
            name: "ad hoc".to_owned(),
            description: "a run without a protocol".to_owned(),
            tools: Vec::new(),
        },
        evidence: Vec::new(),
        test_governing: Vec::new(),
    }
}

/// Criteria that something can be judged by.
pub(super) const CRITERIA: [&str; 2] = ["The change does what the task says.", "Nothing else is changed."];

/// Emptied as far as the contract lets it.
pub(super) fn empty_task() -> Task {
    Task {
        id: String::new(),
        spec: String::new(),
        expects: Expectation::Change,
        constraints: Vec::new(),
        memory_summary: String::new(),
        project: ProjectContext {
            language: String::new(),
            structure: String::new(),
            configuration: Vec::new(),
        },
        prior_failures: Vec::new(),
    }
}

/// Emptied as far as the contract lets it. The settings stay: a plugin is always told every setting that it declares.
pub(super) fn empty_context(settings: &[Setting], limits: InvocationLimits) -> Context {
    Context {
        job_id: String::new(),
        task_id: String::new(),
        mode: String::new(),
        depth: 0,
        attempt: 1,
        model: None,
        runner: None,
        protected_paths: Vec::new(),
        protocol_guidance: String::new(),
        tools: Vec::new(),
        settings: settings.to_vec(),
        limits,
    }
}

/// Emptied as far as the contract lets it.
pub(super) fn empty_evaluation(phase: Phase) -> Evaluation {
    Evaluation {
        phase,
        task: empty_task(),
        validator_id: String::new(),
        criteria: Vec::new(),
        mode: ModeProfile {
            id: String::new(),
            name: String::new(),
            description: String::new(),
            tools: Vec::new(),
        },
        evidence: Vec::new(),
        test_governing: Vec::new(),
    }
}

/// Every sentinel begins so.
pub(super) const MARK: &str = "\u{27e6}conform:";

/// A text that names the field which it stands in, and that nobody writes by chance.
fn sentinel(field: &str) -> String {
    format!("{MARK}{field}:\u{e9}\u{6f22}\u{1f642} \"'`<&\\%s{{}}\u{27e7}")
}

/// The fields that have one.
pub(super) const FIELDS: [&str; 29] = [
    "task.id",
    "task.spec",
    "task.constraints",
    "task.memory-summary",
    "project.language",
    "project.structure",
    "configuration.path",
    "configuration.text",
    "prior.validator-id",
    "prior.justification",
    "context.job-id",
    "context.task-id",
    "context.mode",
    "context.model",
    "runner.argv",
    "context.protected-paths",
    "context.protocol-guidance",
    "context.settings",
    "evaluation.validator-id",
    "evaluation.criteria",
    "mode.id",
    "mode.name",
    "mode.description",
    "mode.tools",
    "evidence.validator-id",
    "evidence.justification",
    "test-governing.path",
    "test-governing.reason",
    "context.tools",
];

/// Which of the sentinels stand in a text, whole.
pub(super) fn echoed(text: &str) -> Vec<&'static str> {
    FIELDS
        .iter()
        .copied()
        .filter(|field| text.contains(&sentinel(field)))
        .collect()
}

/// Filled in every field. The spec stands before its sentinel, so that a coder still finds its task.
pub(super) fn full_task(spec: &str) -> Task {
    Task {
        id: sentinel("task.id"),
        spec: format!("{spec}\n\n{}\n", sentinel("task.spec")),
        expects: Expectation::Change,
        constraints: vec![sentinel("task.constraints"); 3],
        memory_summary: sentinel("task.memory-summary"),
        project: ProjectContext {
            language: sentinel("project.language"),
            structure: sentinel("project.structure"),
            configuration: vec![ConfigurationFile {
                path: sentinel("configuration.path"),
                text: sentinel("configuration.text"),
                truncated: true,
            }],
        },
        prior_failures: [Severity::Pass, Severity::Warn, Severity::Blocker]
            .map(|severity| PriorFailure {
                attempt: u32::MAX,
                validator_id: sentinel("prior.validator-id"),
                severity,
                justification: sentinel("prior.justification"),
            })
            .to_vec(),
    }
}

/// Filled in every field, with the tools that there are and one that there is not.
pub(super) fn full_context(
    declared: &[SettingDeclaration],
    settings: &[Setting],
    mut tools: Vec<String>,
    limits: InvocationLimits,
) -> Context {
    tools.push(sentinel("context.tools"));
    let told = |setting: &Setting| {
        let is_free = declared.iter().any(|declaration| {
            declaration.name == setting.name && declaration.default == Some(SettingValue::Text(String::new()))
        });
        let value = match &setting.value {
            // A text that is empty unless somebody says otherwise is no word from a list of the plugin's own.
            SettingValue::Text(_) if is_free => SettingValue::Text(sentinel("context.settings")),
            value => value.clone(),
        };
        Setting {
            name: setting.name.clone(),
            value,
        }
    };
    Context {
        job_id: sentinel("context.job-id"),
        task_id: sentinel("context.task-id"),
        mode: sentinel("context.mode"),
        depth: u32::MAX,
        attempt: u32::MAX,
        model: Some(sentinel("context.model")),
        runner: Some(RunnerInfo {
            argv: vec![sentinel("runner.argv"); 2],
            takes_path: true,
            calls: u32::MAX,
            timeout_ms: u64::MAX,
        }),
        protected_paths: vec![sentinel("context.protected-paths"); 2],
        protocol_guidance: sentinel("context.protocol-guidance"),
        tools,
        settings: settings.iter().map(told).collect(),
        limits,
    }
}

/// Filled in every field.
pub(super) fn full_evaluation(phase: Phase, task: Task) -> Evaluation {
    Evaluation {
        phase,
        task,
        validator_id: sentinel("evaluation.validator-id"),
        criteria: vec![sentinel("evaluation.criteria"); 40],
        mode: ModeProfile {
            id: sentinel("mode.id"),
            name: sentinel("mode.name"),
            description: sentinel("mode.description"),
            tools: vec![sentinel("mode.tools"); 2],
        },
        evidence: [Severity::Pass, Severity::Warn, Severity::Blocker]
            .map(|severity| ExecutionEvidence {
                validator_id: sentinel("evidence.validator-id"),
                severity,
                justification: sentinel("evidence.justification"),
            })
            .to_vec(),
        test_governing: [
            ChangeKind::Added,
            ChangeKind::Modified,
            ChangeKind::Deleted,
            ChangeKind::Renamed,
            ChangeKind::ModeChanged,
        ]
        .map(|change| TestGoverningChange {
            path: sentinel("test-governing.path"),
            change,
            reason: sentinel("test-governing.reason"),
        })
        .to_vec(),
    }
}

/// A protocol with a judge that asks a model in each gate, and paths that nobody may change.
pub(super) fn protocol(protected: &[String]) -> String {
    let mut text = "\
protocol_id: conform
name: Conformance
initial_mode: work
modes:
  - mode_id: work
    name: Work
    tools: [edit, dispatch]
    validators: [plan, review]
validators:
  - validator_id: plan
    validator_type: architecture
    criteria: [The task can be understood.]
  - validator_id: review
    validator_type: llm
    evaluation_phase: post_execute
    criteria: [The change does what the task says.]
"
    .to_owned();
    if !protected.is_empty() {
        let quoted: Vec<String> = protected
            .iter()
            .map(|path| serde_json::json!(path).to_string())
            .collect();
        text += &["protected_paths: [", &quoted.join(", "), "]\n"].concat();
    }
    text
}

/// A protocol that puts a validator, by the name under which protocols know it, into the gates in which it judges, with criteria to judge by.
pub(super) fn protocol_of(validator: &str, phases: &[Phase]) -> String {
    let mut ids = Vec::new();
    let mut declared = Vec::new();
    let mut add = |id: &'static str, kind: &str, phase: Phase| {
        ids.push(id);
        declared.push(format!(
            "  - validator_id: {id}\n    validator_type: {kind}\n    evaluation_phase: {}\n    criteria: [The task can be understood.]\n",
            phase.as_str()
        ));
    };
    // Somebody has to judge before execution.
    if !phases.contains(&Phase::PreExecute) {
        add("plan", "architecture", Phase::PreExecute);
    }
    for phase in phases {
        let id = match phase {
            Phase::PreExecute => "before",
            Phase::PostExecute => "after",
        };
        add(id, validator, *phase);
    }
    format!(
        "protocol_id: conform\nname: Conformance\ninitial_mode: work\nmodes:\n  - mode_id: work\n    name: Work\n    tools: [edit, dispatch]\n    validators: [{}]\nvalidators:\n{}",
        ids.join(", "),
        declared.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_that_can_hold_a_text_has_a_sentinel_of_its_own() {
        let limits = snodo_config::host_config::Limits::standard().invocation();
        let declared = [SettingDeclaration {
            name: "free".to_owned(),
            value_type: SettingType::Text,
            default: Some(SettingValue::Text(String::new())),
            meaning: String::new(),
        }];
        let settings = [Setting {
            name: "free".to_owned(),
            value: SettingValue::Text(String::new()),
        }];
        let context = full_context(&declared, &settings, Vec::new(), limits);
        let evaluation = full_evaluation(Phase::PostExecute, full_task("x"));
        let all = format!("{context:?}{evaluation:?}");
        // As Debug shows them: what is escaped there is escaped here.
        let missing: Vec<&&str> = FIELDS
            .iter()
            .filter(|field| !all.contains(&format!("{MARK}{field}:")))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert_eq!(echoed(&sentinel("context.mode")), ["context.mode"]);
        assert_eq!(echoed("conform:context.mode"), [""; 0]);
    }
}
