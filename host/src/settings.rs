//! From the user's settings to bounds and permissions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use snodo_config::host_config::{
    ExternalConfig, HostConfig, ModelSettings, Program, RunnerConfig, SandboxConfig, UserPath,
};
use snodo_model::{Allowance, Budgets, Price, Timing};
use snodo_workspace::limits::SubmitLimits;

use crate::sandbox::{Bounds, External, Permissions, ProcessLimits, RunnerLimits};

/// Of the overlay: what the workspace's own bounds allow, and no more in all than may cross the boundary.
pub(crate) fn submit_limits(config: &HostConfig) -> SubmitLimits {
    let limits = config.submit.submit_limits();
    let bytes = config.limits.invocation().submit_bytes;
    SubmitLimits {
        total_bytes: limits.total_bytes.min(bytes),
        file_bytes: limits.file_bytes.min(bytes),
        ..limits
    }
}

/// Of the declared test command, where a coder runs it.
pub(crate) fn coder_runner(config: &RunnerConfig) -> RunnerLimits {
    RunnerLimits {
        timeout: seconds(config.timeout_seconds),
        calls: config.calls,
    }
}

/// Of the declared test command, where a validator runs it. A protocol may ask for less time.
pub(crate) fn judge_runner(config: &RunnerConfig, declared_seconds: Option<u32>) -> RunnerLimits {
    let allowed = config.judge_timeout_seconds;
    RunnerLimits {
        timeout: seconds(declared_seconds.map_or(allowed, |declared| declared.min(allowed))),
        calls: config.judge_calls(),
    }
}

/// How long a language model is waited for. A model that does not stream is silent for as long as it writes: before the first byte of an answer
/// only the whole counts.
pub(crate) fn model_timing(config: &ModelSettings) -> Timing {
    Timing {
        connect: seconds(config.connect_seconds),
        first_byte: seconds(config.total_seconds),
        idle: seconds(config.idle_seconds),
        total: seconds(config.total_seconds),
    }
}

/// What a run may ask of language models, and what that costs.
pub(crate) fn model_budgets(config: &ModelSettings) -> (Budgets, BTreeMap<String, Price>) {
    let money_micros = config.money.map(|money| money.micro);
    let budgets = Budgets {
        run: Allowance {
            calls: config.calls.into(),
            tokens: config.tokens,
            money_micros,
        },
        plugin: Allowance {
            calls: config.calls_per_plugin.into(),
            tokens: config.tokens_per_plugin,
            money_micros,
        },
        currency: config.currency.clone(),
    };
    let prices = config.prices.iter().map(|(model, price)| {
        let price = Price {
            input: price.input.micro,
            output: price.output.micro,
        };
        (model.clone(), price)
    });
    (budgets, prices.collect())
}

/// Of every program.
pub(crate) fn process_limits(config: &SandboxConfig) -> ProcessLimits {
    ProcessLimits {
        processes: u64::from(config.processes),
        file_bytes: u64::from(config.file_mib) << 20,
        open_files: u64::from(config.open_files),
    }
}

/// What the user's surroundings say: the home folder, and the values of variables.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) home: Option<&'a Path>,
    pub(crate) variable: fn(&str) -> Option<OsString>,
}

/// What is open to the declared test command.
pub(crate) fn runner_permissions(config: &HostConfig, around: Surroundings<'_>) -> Permissions {
    let mut open = of_all(&config.sandbox, around);
    open.git = config.sandbox.git;
    open.variables = variables(&config.runner.env, around);
    open
}

/// An external coder as it is run. It has a repository of its own, whatever is open to the tests.
pub(crate) fn external(config: &ExternalConfig, all: &SandboxConfig, around: Surroundings<'_>) -> External {
    let mut open = of_all(all, around);
    open.network |= config.network;
    open_paths(&mut open, &config.read, &config.write, around);
    open.variables = variables(&config.env, around);
    let program = match &config.command.program {
        Program::OnPath(name) => name.clone(),
        Program::At(path) => {
            outside(path, around).map_or_else(|| path.to_string(), |path| path.to_string_lossy().into_owned())
        }
    };
    let argv: Vec<String> = std::iter::once(program)
        .chain(config.command.arguments.iter().cloned())
        .collect();
    External {
        name: config.name.to_string(),
        argv,
        permissions: open,
        bounds: Bounds {
            wall: seconds(config.timeout_seconds),
            silence: (config.silence_seconds > 0).then(|| seconds(config.silence_seconds)),
        },
    }
}

fn of_all(config: &SandboxConfig, around: Surroundings<'_>) -> Permissions {
    let mut open = Permissions {
        network: config.network,
        ..Permissions::default()
    };
    open_paths(&mut open, &config.read, &config.write, around);
    open
}

fn open_paths(open: &mut Permissions, read: &[UserPath], write: &[UserPath], around: Surroundings<'_>) {
    open.read.extend(read.iter().filter_map(|path| outside(path, around)));
    for path in write {
        match path {
            UserPath::Workspace(path) => open.write_in_workspace.push(PathBuf::from(path.as_str())),
            path => open.write.extend(outside(path, around)),
        }
    }
}

/// Where a path is, unless it is below a home that nobody has.
fn outside(path: &UserPath, around: Surroundings<'_>) -> Option<PathBuf> {
    match (path, around.home) {
        (UserPath::Home(_), None) => None,
        (path, home) => path.outside_workspace(home.unwrap_or(Path::new("/"))),
    }
}

fn variables(names: &[String], around: Surroundings<'_>) -> Vec<(OsString, OsString)> {
    names
        .iter()
        .filter_map(|name| Some((name.into(), (around.variable)(name)?)))
        .collect()
}

fn seconds(n: u32) -> Duration {
    Duration::from_secs(u64::from(n))
}
