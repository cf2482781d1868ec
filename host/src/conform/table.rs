//! Every check. `docs/authors/conformance.md` shows the same table, and a test holds the two together.

use super::check::{Applies, Check};

const fn both(id: &'static str, sentence: &'static str, needs: &'static str) -> Check {
    Check {
        id,
        applies: Applies::Both,
        sentence,
        needs,
    }
}

const fn coders(id: &'static str, sentence: &'static str, needs: &'static str) -> Check {
    Check {
        id,
        applies: Applies::Coders,
        sentence,
        needs,
    }
}

const fn validators(id: &'static str, sentence: &'static str, needs: &'static str) -> Check {
    Check {
        id,
        applies: Applies::Validators,
        sentence,
        needs,
    }
}

const COMPONENT: &str = "a component";
const TASK: &str = "a task that it can do: `--task FILE`";
const SUBMITS: &str = "a component, and a task on which it submits something: `--task FILE`";
const MODEL: &str = "a validator that imports `completion`";
const AFTER: &str = "a validator that judges after execution";

/// Every check, in the order in which they are made and shown.
pub static CHECKS: &[Check] = &[
    both("admission.component", "The file is a well-formed component.", COMPONENT),
    both("admission.role", "It exports one role, and only one.", COMPONENT),
    both(
        "admission.imports",
        "Every import lies within its role, what is granted, and inert WASI.",
        COMPONENT,
    ),
    both(
        "admission.version",
        "It was built against a contract that this host serves, item by item.",
        COMPONENT,
    ),
    both(
        "admission.size",
        "It keeps within the bounds of a component: bytes, memories, tables, functions.",
        COMPONENT,
    ),
    both("admission.loads", "It compiles and links.", COMPONENT),
    both("describe.answers", "`describe` answers.", COMPONENT),
    both(
        "describe.imports-closed",
        "It calls no import before it is given a task.",
        COMPONENT,
    ),
    both(
        "describe.complete",
        "It says its name, its version, and in one line what it does.",
        COMPONENT,
    ),
    both(
        "describe.settings",
        "Every setting has a name of its own, a meaning, and a default of its type or none.",
        COMPONENT,
    ),
    both(
        "describe.phases",
        "A validator says in which phases it judges, a coder says none.",
        COMPONENT,
    ),
    both(
        "describe.stable",
        "It says the same when it is asked again, and under another clock and other random numbers.",
        COMPONENT,
    ),
    both(
        "context.empty",
        "With every field of the task and the context empty it ends by its own word.",
        "",
    ),
    both(
        "context.full",
        "With every field of the task and the context filled it ends by its own word.",
        "",
    ),
    coders(
        "work.produces",
        "A task comes to a change that is applied and is not empty.",
        TASK,
    ),
    coders(
        "work.paths-exist",
        "What it changed stands in the workspace afterwards, and what it deleted does not.",
        TASK,
    ),
    coders(
        "work.account",
        "Its own account of what it changed agrees with the host's.",
        TASK,
    ),
    coders("work.dry-run", "A dry run leaves the workspace as it was.", TASK),
    coders(
        "work.deterministic",
        "The same task under the same clock, random numbers and model comes to the same change.",
        TASK,
    ),
    coders(
        "work.nothing-is-a-fault",
        "Where none of its work is taken, the run does not complete.",
        TASK,
    ),
    coders(
        "refusals.protected",
        "A submission that is refused for a protected path is no accident to it.",
        SUBMITS,
    ),
    coders(
        "refusals.git",
        "A submission that is refused for `.git` is no accident to it.",
        SUBMITS,
    ),
    coders(
        "refusals.snodo",
        "A submission that is refused for `.snodo` is no accident to it.",
        SUBMITS,
    ),
    coders(
        "refusals.limit",
        "A submission that is refused for a limit is no accident to it.",
        SUBMITS,
    ),
    both(
        "refusals.reads",
        "Reads and searches that are refused are no accident to it.",
        COMPONENT,
    ),
    both("bounds.ends", "It comes to an end by itself.", COMPONENT),
    both(
        "bounds.host-calls",
        "With one host call allowed it ends by its own word or by that bound.",
        COMPONENT,
    ),
    both(
        "bounds.compute",
        "With next to no computing time it ends by its own word or by that bound.",
        COMPONENT,
    ),
    both(
        "bounds.total",
        "With a model and tests that never answer, and next to no time, it ends by its own word or by that bound.",
        COMPONENT,
    ),
    both(
        "bounds.call-bytes",
        "With small calls only it ends by its own word or by that bound.",
        COMPONENT,
    ),
    both(
        "bounds.read-bytes",
        "With next to nothing to be read it ends by its own word or by that bound.",
        COMPONENT,
    ),
    coders(
        "bounds.submit-bytes",
        "With next to nothing to be submitted it ends by its own word or by that bound.",
        COMPONENT,
    ),
    both(
        "bounds.memory",
        "With less memory than it took it ends by its own word or by that bound.",
        COMPONENT,
    ),
    both(
        "bounds.cancel",
        "Interrupted while it works, the run ends and the workspace is as it was.",
        "",
    ),
    both(
        "hostile.empty",
        "In an empty workspace it ends by its own word or by a bound.",
        COMPONENT,
    ),
    both(
        "hostile.huge-file",
        "Beside a file too large to be read it ends by its own word or by a bound.",
        COMPONENT,
    ),
    both(
        "hostile.names",
        "Among names with line feeds, quotes, brackets and many letters it ends by its own word or by a bound.",
        COMPONENT,
    ),
    both(
        "hostile.many-files",
        "Among more than a thousand files it ends by its own word or by a bound.",
        COMPONENT,
    ),
    both(
        "hostile.bytes",
        "Among files that are no text it ends by its own word or by a bound.",
        COMPONENT,
    ),
    both(
        "output.quiet",
        "Nothing of what it is told comes out by standard output or standard error, and next to nothing else.",
        COMPONENT,
    ),
    coders(
        "gates.asked",
        "The protocol's gates judge its work, by the configured model.",
        TASK,
    ),
    coders(
        "gates.halt-before",
        "A blocker before execution keeps it from being called.",
        "",
    ),
    coders(
        "gates.halt-after",
        "A blocker after execution keeps its work out of the workspace.",
        TASK,
    ),
    coders(
        "gates.no-model",
        "Without a model for the gates nothing is done and nothing is applied.",
        "",
    ),
    coders(
        "commit.refused",
        "`--commit` where nothing can be committed is refused before anything begins.",
        "",
    ),
    validators(
        "verdict.criteria",
        "With and without criteria it answers with a verdict or a fault.",
        COMPONENT,
    ),
    validators(
        "verdict.empty-change",
        "On a change of nothing it answers with a verdict or a fault.",
        AFTER,
    ),
    validators(
        "verdict.huge-change",
        "On a very large change it answers with a verdict or a fault.",
        AFTER,
    ),
    validators(
        "verdict.binary-change",
        "On a change of bytes that are no text it answers with a verdict or a fault.",
        AFTER,
    ),
    validators(
        "verdict.severity",
        "Every severity that it answers is one of the contract's.",
        COMPONENT,
    ),
    validators(
        "verdict.grounds",
        "Every verdict says why, and cites only criteria that there are.",
        COMPONENT,
    ),
    validators(
        "verdict.deterministic",
        "The same input by the same model gives the same verdict.",
        COMPONENT,
    ),
    validators(
        "verdict.incomplete-view",
        "What it was refused a look at, it does not pass.",
        AFTER,
    ),
    validators(
        "tools.narrowed",
        "A tool that the protocol takes away is no accident to it.",
        COMPONENT,
    ),
    validators("model.missing", "Without a model it faults.", MODEL),
    validators(
        "model.failing",
        "Where the model gives no answer, it does not pass.",
        MODEL,
    ),
    validators(
        "gate.judges",
        "In a run's gate it is heard, in every phase that it names.",
        COMPONENT,
    ),
];
