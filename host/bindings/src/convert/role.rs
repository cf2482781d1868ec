//! What crosses beside the capabilities: task, context, description, and what the two roles answer.

use snodo_workspace::role as domain;

use super::{each, same_cases};
use crate::{coding, judging, types as wit};

same_cases!(both domain::Phase => wit::Phase { PreExecute, PostExecute });
same_cases!(domain::Expectation => wit::Expectation { Change, Findings });
same_cases!(both domain::Severity => wit::Severity { Pass, Warn, Blocker });
same_cases!(wit::SettingType => domain::SettingType { Text, Boolean, Integer, TextList });
same_cases!(coding::StopReason => domain::StopReason { Completed, TurnBudget, ContextBudget, ProviderFault, Abandoned });

impl From<domain::Task> for wit::Task {
    fn from(task: domain::Task) -> Self {
        Self {
            id: task.id,
            spec: task.spec,
            expects: task.expects.into(),
            constraints: task.constraints,
            memory_summary: task.memory_summary,
            project: wit::ProjectContext {
                language: task.project.language,
                structure: task.project.structure,
                configuration: each(task.project.configuration),
            },
            prior_failures: each(task.prior_failures),
        }
    }
}

impl From<domain::ConfigurationFile> for wit::ConfigurationFile {
    fn from(file: domain::ConfigurationFile) -> Self {
        Self {
            path: file.path,
            text: file.text,
            truncated: file.truncated,
        }
    }
}

impl From<domain::PriorFailure> for wit::PriorFailure {
    fn from(failure: domain::PriorFailure) -> Self {
        Self {
            attempt: failure.attempt,
            validator_id: failure.validator_id,
            severity: failure.severity.into(),
            justification: failure.justification,
        }
    }
}

impl From<domain::Context> for wit::Context {
    fn from(context: domain::Context) -> Self {
        Self {
            job_id: context.job_id,
            task_id: context.task_id,
            mode: context.mode,
            depth: context.depth,
            attempt: context.attempt,
            model: context.model,
            runner: context.runner.map(Into::into),
            protected_paths: context.protected_paths,
            protocol_guidance: context.protocol_guidance,
            tools: context.tools,
            settings: each(context.settings),
            limits: context.limits.into(),
        }
    }
}

impl From<domain::RunnerInfo> for wit::RunnerInfo {
    fn from(runner: domain::RunnerInfo) -> Self {
        Self {
            argv: runner.argv,
            takes_path: runner.takes_path,
            calls: runner.calls,
            timeout_ms: runner.timeout_ms,
        }
    }
}

impl From<domain::InvocationLimits> for wit::Limits {
    fn from(limits: domain::InvocationLimits) -> Self {
        Self {
            memory_bytes: limits.memory_bytes,
            compute_ms: limits.compute_ms,
            total_ms: limits.total_ms,
            host_calls: limits.host_calls,
            call_bytes: limits.call_bytes,
            read_bytes: limits.read_bytes,
            submit_bytes: limits.submit_bytes,
        }
    }
}

impl From<domain::SettingValue> for wit::SettingValue {
    fn from(value: domain::SettingValue) -> Self {
        match value {
            domain::SettingValue::Text(text) => Self::Text(text),
            domain::SettingValue::Boolean(flag) => Self::Boolean(flag),
            domain::SettingValue::Integer(number) => Self::Integer(number),
            domain::SettingValue::TextList(list) => Self::TextList(list),
        }
    }
}

impl From<wit::SettingValue> for domain::SettingValue {
    fn from(value: wit::SettingValue) -> Self {
        match value {
            wit::SettingValue::Text(text) => Self::Text(text),
            wit::SettingValue::Boolean(flag) => Self::Boolean(flag),
            wit::SettingValue::Integer(number) => Self::Integer(number),
            wit::SettingValue::TextList(list) => Self::TextList(list),
        }
    }
}

impl From<domain::Setting> for wit::Setting {
    fn from(setting: domain::Setting) -> Self {
        Self {
            name: setting.name,
            value: setting.value.into(),
        }
    }
}

impl From<wit::SettingDeclaration> for domain::SettingDeclaration {
    fn from(declared: wit::SettingDeclaration) -> Self {
        Self {
            name: declared.name,
            value_type: declared.value_type.into(),
            default: declared.default.map(Into::into),
            meaning: declared.meaning,
        }
    }
}

impl From<wit::Description> for domain::Description {
    fn from(description: wit::Description) -> Self {
        Self {
            name: description.name,
            version: description.version,
            summary: description.summary,
            settings: each(description.settings),
            phases: each(description.phases),
        }
    }
}

impl From<coding::Finding> for domain::Finding {
    fn from(finding: coding::Finding) -> Self {
        Self {
            title: finding.title,
            detail: finding.detail,
            path: finding.path,
            line: finding.line,
        }
    }
}

impl From<coding::ReportedFile> for domain::ReportedFile {
    fn from(file: coding::ReportedFile) -> Self {
        Self {
            path: file.path,
            kind: file.kind.into(),
        }
    }
}

impl From<coding::CoderReport> for domain::CoderReport {
    fn from(report: coding::CoderReport) -> Self {
        Self {
            files: each(report.files),
            turns_used: report.turns_used,
            turns_available: report.turns_available,
            tokens_used: report.tokens_used,
            stop_reason: report.stop_reason.into(),
            notes: report.notes,
        }
    }
}

impl From<coding::Implementation> for domain::Implementation {
    fn from(done: coding::Implementation) -> Self {
        Self {
            report: done.report.map(Into::into),
            findings: each(done.findings),
        }
    }
}

impl From<coding::CoderError> for domain::CoderError {
    fn from(error: coding::CoderError) -> Self {
        use coding::CoderError as E;
        match error {
            E::UnusableTask(why) => Self::UnusableTask(why),
            E::DoesNotApply(m) => Self::DoesNotApply(domain::Mismatch {
                path: m.path,
                hunk: m.hunk,
                nearest_line: m.nearest_line,
                reason: m.reason,
            }),
            E::Unreadable(refused) => Self::Unreadable {
                path: refused.path,
                reason: refused.reason,
            },
            E::Refused(refused) => Self::Refused {
                path: refused.path,
                reason: refused.reason,
            },
            E::Model(why) => Self::Model(why),
            E::TurnBudget(turns) => Self::TurnBudget(turns),
            E::Limit(limit) => Self::Limit {
                name: limit.name,
                allowed: limit.allowed,
            },
            E::Internal(why) => Self::Internal(why),
        }
    }
}

impl From<domain::Evaluation> for judging::Evaluation {
    fn from(evaluation: domain::Evaluation) -> Self {
        Self {
            phase: evaluation.phase.into(),
            task: evaluation.task.into(),
            validator_id: evaluation.validator_id,
            criteria: evaluation.criteria,
            mode: judging::ModeProfile {
                id: evaluation.mode.id,
                name: evaluation.mode.name,
                description: evaluation.mode.description,
                tools: evaluation.mode.tools,
            },
            evidence: each(evaluation.evidence),
            test_governing: each(evaluation.test_governing),
        }
    }
}

impl From<domain::ExecutionEvidence> for judging::ExecutionEvidence {
    fn from(evidence: domain::ExecutionEvidence) -> Self {
        Self {
            validator_id: evidence.validator_id,
            severity: evidence.severity.into(),
            justification: evidence.justification,
        }
    }
}

impl From<judging::Verdict> for domain::Verdict {
    fn from(verdict: judging::Verdict) -> Self {
        Self {
            severity: verdict.severity.into(),
            justification: verdict.justification,
            cited_criteria: verdict.cited_criteria,
            examined: verdict.examined,
            skipped: verdict.skipped,
            uncheckable: verdict
                .uncheckable
                .into_iter()
                .map(|u| domain::Uncheckable {
                    criterion: u.criterion,
                    capability: u.capability,
                })
                .collect(),
        }
    }
}

impl From<judging::Fault> for domain::Fault {
    fn from(fault: judging::Fault) -> Self {
        use judging::Fault as F;
        match fault {
            F::Model(why) => Self::Model(why),
            F::Runner(why) => Self::Runner(why),
            F::IncompleteView(why) => Self::IncompleteView(why),
            F::Setting(why) => Self::Setting(why),
            F::Limit(limit) => Self::Limit {
                name: limit.name,
                allowed: limit.allowed,
            },
            F::Internal(why) => Self::Internal(why),
        }
    }
}
