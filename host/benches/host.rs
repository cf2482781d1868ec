//! What a start, a call and a whole run cost, in process. `cargo bench -p snodo-host --bench host`; the guests of `tests/guests` are compiled
//! at the first run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "a benchmark that cannot be set up has nothing to measure"
)]

#[path = "../../tests/support/guests.rs"]
mod guests;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use divan::Bencher;
use snodo_admission::{Bodies, Context as AdmissionContext, Grants, Limits};
use snodo_commit::identity::UserConfig;
use snodo_config::host_config;
use snodo_host::engine::{self, Directories, Environment, Host, RunRequest, Stop};
use snodo_host::events::Unobserved;
use snodo_host::plugin::{CompileCache, Compiler, Loader, Plugin, PluginLimits, PluginSource, Replay, SERVED, find};
use snodo_host::sandbox::{Helper, ProgramEnvironment};
use snodo_workspace::ambient;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{CoderCapabilities, Runner, RunnerError};
use snodo_workspace::limits::{FileLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::role::{Context, Expectation, ProjectContext, Task};
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::submission::SubmitHandle;
use snodo_workspace::view::View;
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

/// What `guests` asks of the program that it is part of.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

const REPLAY: Replay = Replay {
    started_at: Duration::from_hours(500_000),
    seed: [7; 32],
};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench"));

fn compiler() -> Compiler {
    Compiler::Child(env!("CARGO_BIN_EXE_snodo-host").into())
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn loader() -> Loader {
    let state = ambient::open_private_dir(&FOLDER.join("state")).unwrap();
    let cache = ambient::open_private_dir(&FOLDER.join("cache")).unwrap();
    let limits = PluginLimits::of(&host_config::Limits::standard());
    Loader::new(limits, Some(CompileCache::open(cache, &state).unwrap()), compiler()).unwrap()
}

async fn load(loader: &Loader, source: &PluginSource) -> Plugin {
    let context = AdmissionContext {
        name: &source.name,
        role_expected: None,
        grants: Grants::NONE,
        served: SERVED,
        bodies: Bodies::Validate,
    };
    loader
        .load(source, &context, &Limits::standard(), &|_| Ok(()), &Unobserved)
        .await
        .unwrap()
}

/// Admission and the compiled code from the cache: what a start costs for each plugin.
#[divan::bench]
fn load_from_cache(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let source = find("patch", None, u64::MAX).unwrap();
    runtime.block_on(load(&loader(), &source));
    bencher
        .with_inputs(loader)
        .bench_refs(|loader| runtime.block_on(load(loader, &source)));
}

/// A store of its own, instantiation, and one call.
#[divan::bench]
fn instantiate_and_describe(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let source = find("patch", None, u64::MAX).unwrap();
    let plugin = runtime.block_on(load(&loader(), &source));
    bencher.bench(|| runtime.block_on(plugin.describe(REPLAY)).outcome.unwrap());
}

struct NoRunner;

#[async_trait::async_trait]
impl Runner for NoRunner {
    async fn run_tests(&self, _: Option<String>) -> Result<snodo_workspace::capability::Observation, RunnerError> {
        Err(RunnerError::NotDeclared)
    }
}

fn capabilities(root: &Path) -> CoderCapabilities {
    let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
    let root = Arc::new(ambient::open_root(root).unwrap());
    let base = Arc::new(Base::new(root, rules, FileLimits::standard(), SearchLimits::standard()));
    let overlay = Arc::new(Overlay::new(Arc::clone(&base), SubmitLimits::standard()));
    let view = Arc::new(View::with_overlay(base, Arc::clone(&overlay)));
    CoderCapabilities {
        read: view.clone(),
        search: view,
        submit: Arc::new(SubmitHandle::new(overlay, Arc::new(|_| {}))),
        runner: Arc::new(NoRunner),
        completion: None,
    }
}

fn task(spec: &str) -> (Task, Context) {
    let limits = PluginLimits::of(&host_config::Limits::standard()).invocation();
    let project = ProjectContext {
        language: "unknown".to_owned(),
        structure: String::new(),
        configuration: Vec::new(),
    };
    let task = Task {
        id: engine::task_id(spec),
        spec: spec.to_owned(),
        expects: Expectation::Change,
        constraints: Vec::new(),
        memory_summary: String::new(),
        project,
        prior_failures: Vec::new(),
    };
    let context = Context {
        job_id: String::new(),
        task_id: task.id.clone(),
        mode: String::new(),
        depth: 0,
        attempt: 1,
        model: None,
        runner: None,
        protected_paths: Vec::new(),
        protocol_guidance: String::new(),
        tools: Vec::new(),
        settings: Vec::new(),
        limits,
    };
    (task, context)
}

/// A coder at work: an invocation that does `spec` in `root`.
fn implement(bencher: Bencher<'_, '_>, root: &Path, spec: &str) {
    let runtime = runtime();
    let source = find(&guests::guest("guest_reader"), None, u64::MAX).unwrap();
    let plugin = runtime.block_on(load(&loader(), &source));
    bencher
        .with_inputs(|| (capabilities(root), task(spec)))
        .bench_values(|(given, (task, context))| {
            let ended = runtime.block_on(plugin.implement(REPLAY, given, task, context));
            ended.outcome.unwrap().unwrap()
        });
}

/// Reads of one invocation: the median divided by this is one round trip.
const READS: usize = 1_000;

/// `read-file` of 1 KB through the plugin boundary, a thousand times, checked each time against what was read before.
#[divan::bench]
fn read_1kb_x1000(bencher: Bencher<'_, '_>) {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("bench.txt"), "0123456789abcde\n".repeat(64)).unwrap();
    implement(
        bencher.counter(divan::counter::ItemsCount::new(READS)),
        root.path(),
        &format!("read {READS} bench.txt"),
    );
}

/// `search-text` through the plugin boundary over the tree that `SNODO_BENCH_TREE` names; without it over a made one of 5,000 files.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn search_text(bencher: Bencher<'_, '_>) {
    let made = tempfile::tempdir().unwrap();
    let tree = std::env::var_os("SNODO_BENCH_TREE").map_or_else(|| make_tree(made.path()), PathBuf::from);
    implement(bencher, &tree, "search 1 fn resolve");
}

fn make_tree(root: &Path) -> PathBuf {
    let source = include_str!("host.rs").repeat(2);
    for folder in 0..100 {
        let folder = root.join(format!("part{folder:03}"));
        std::fs::create_dir(&folder).unwrap();
        for file in 0..50 {
            std::fs::write(folder.join(format!("module{file:02}.rs")), &source).unwrap();
        }
    }
    root.to_owned()
}

/// A whole run of the stub coder, judged by `secrets`, as `run --mock --dry-run` does it.
#[divan::bench(sample_count = 50)]
fn run_mock(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let workspace = tempfile::tempdir().unwrap();
    let directories = Directories {
        config: FOLDER.join("config"),
        state: FOLDER.join("state"),
        cache: FOLDER.join("cache"),
        snodo: FOLDER.join("snodo"),
    };
    let environment = Environment {
        directories,
        programs: ProgramEnvironment::default(),
        helper: Helper {
            program: env!("CARGO_BIN_EXE_snodo-host").into(),
            arguments: Vec::new(),
        },
        variable: |_| None,
        git: UserConfig::default(),
        compiler: compiler(),
        now: SystemTime::now,
        random: || [7; 32],
    };
    let request = RunRequest {
        coder: Some("mock".to_owned()),
        dry_run: true,
        ..RunRequest::new("add a greeting", workspace.path())
    };
    bencher.bench(|| {
        let host = Host::open(environment.clone()).unwrap();
        let report = runtime
            .block_on(engine::run(&host, request.clone(), &Unobserved, &Stop::default()))
            .unwrap();
        assert!(report.ok, "{}", report.reason);
    });
}

/// A repository with a protocol as snodo's `solo` has it, and folders of the user's beside it; the compile cache is `cache`.
fn under_solo() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("workspace/README.md", "# A project\n"),
        ("workspace/src/main.py", "print(\"hello\")\n"),
        (
            "workspace/.snodo/protocol.yml",
            include_str!("../../tests/support/solo.yml"),
        ),
    ] {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let git = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(root.path().join("workspace"))
        .status();
    assert!(git.unwrap().success(), "git makes a repository");
    root
}

/// As a user starts it: a process that runs the mock under `solo`, with four judges, the tests in their sandbox, the classifier, the log and the
/// apply. The compile cache is warm.
#[divan::bench(sample_count = 60, sample_size = 1)]
fn run_mock_solo_process(bencher: Bencher<'_, '_>) {
    // One state folder for all, since its key is what makes the entries of the cache trusted.
    let home = tempfile::tempdir().unwrap();
    let run = |root: &tempfile::TempDir| {
        let output = Command::new(env!("CARGO_BIN_EXE_snodo-host"))
            .args(["run", "--json", "--mock", "add a greeting"])
            .current_dir(root.path().join("workspace"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    run(&under_solo());
    bencher.with_inputs(under_solo).bench_local_refs(|root| run(root));
}
