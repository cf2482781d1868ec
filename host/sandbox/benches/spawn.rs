//! What containment costs: `true`, run through the helper and plainly, with its output captured in the same way.
//!
//! `cargo bench -p snodo-sandbox --bench spawn`, or `… -- 300` for so many runs of each.
//!
//! Prints the least, the median and the most of each, in milliseconds; runs are interleaved, so that a busy machine is busy for all. The last
//! is all of a declared test command, as a plugin asks for it: the scratch is made, what was written in it is looked for, and it is removed;
//! the program sees what it sees of the machine for whoever runs this, toolchains included.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that panics has failed"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use snodo_config::resolve::CommandSource;
use snodo_sandbox::contain::{Mode, layers_for};
use snodo_sandbox::launch::{Bounds, Ending, launch};
use snodo_sandbox::plan::{NOBODY, NewRoot, Plan, Sockets, Source};
use snodo_sandbox::{
    DeclaredCommand, Helper, Layer, Layers, Permissions, ProcessLimits, ProgramEnvironment, RunnerLimits,
    RunnerService, Sandbox, SandboxPolicy, ScratchPlace, machine,
};
use snodo_workspace::ambient::open_root;
use snodo_workspace::base::Base;
use snodo_workspace::capability::{Content, Exit, Operation};
use snodo_workspace::limits::{FileLimits, ScratchLimits, SearchLimits, SubmitLimits};
use snodo_workspace::overlay::Overlay;
use snodo_workspace::rules::{AccessRules, DenyList, IgnoredReads};
use snodo_workspace::view::View;
use tokio::io::AsyncReadExt as _;
use tokio::sync::oneshot;

/// Files of the workspace.
const FILES: u32 = 200;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(snodo_sandbox::HELPER_COMMAND) {
        return snodo_sandbox::helper_main().into();
    }
    let runs = std::env::args()
        .filter_map(|word| word.parse().ok())
        .next_back()
        .unwrap_or(100);
    let base = tempfile::tempdir().unwrap();
    let helper = std::env::current_exe().unwrap();
    fs::create_dir_all(base.path().join("workspace/src")).unwrap();
    for n in 0..FILES {
        fs::write(base.path().join(format!("workspace/src/{n}.txt")), "text").unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let machine = machine::probe(&helper, &[], base.path()).await;
        let chosen = layers_for(&machine, SandboxPolicy::Required, false, true).unwrap();
        let plain: Layers = [
            Layer::Landlock,
            Layer::LandlockNetwork,
            Layer::LandlockScope,
            Layer::Seccomp,
            Layer::NoNewPrivileges,
            Layer::ResourceLimits,
            Layer::Capabilities,
            Layer::Identity,
        ]
        .into_iter()
        .filter(|layer| machine.offers(*layer))
        .collect();
        let with = |layers: &Layers| {
            let mut layers = layers.clone();
            layers.add(Layer::Cgroup);
            layers
        };
        let runner = Declared::new(&helper, base.path());
        let mut kinds = vec![("plain spawn", None), ("no layers", Some(Layers::default()))];
        if machine.offers(Layer::Cgroup) {
            kinds.push(("plain mode, control group", Some(with(&plain))));
        }
        kinds.push(("plain mode", Some(plain)));
        if let Mode::View(layers) = chosen {
            if machine.offers(Layer::Cgroup) {
                kinds.push(("view, control group", Some(with(&layers))));
            }
            kinds.push(("view", Some(layers)));
        }
        let mut taken: Vec<Vec<Duration>> = vec![Vec::new(); kinds.len() + 1];
        for run in 0..runs + 5 {
            for ((_, layers), taken) in kinds.iter().zip(&mut taken) {
                let scratch = base.path().join(format!("scratch-{run}"));
                for folder in ["upper", "work", "root", "tmp", "home"] {
                    fs::create_dir_all(scratch.join(folder)).unwrap();
                }
                let began = Instant::now();
                match layers {
                    None => spawn(base.path()).await,
                    Some(layers) => contained(&helper, &plan(base.path(), &scratch, layers)).await,
                }
                // The first few find everything cold.
                if run >= 5 {
                    taken.push(began.elapsed());
                }
                let _ = rustix::fs::chmod(scratch.join("work/work"), rustix::fs::Mode::RWXU);
                fs::remove_dir_all(&scratch).unwrap();
            }
            let began = Instant::now();
            runner.run().await;
            if run >= 5 {
                taken[kinds.len()].push(began.elapsed());
            }
        }
        let base_line = median(&mut taken[0]);
        println!("{:28} {:>8} {:>8} {:>8} {:>8}", "ms", "least", "median", "most", "over");
        let names = kinds
            .iter()
            .map(|(name, _)| *name)
            .chain(["declared command, all of it"]);
        for (name, taken) in names.zip(&mut taken) {
            let middle = median(taken);
            let ms = |d: Duration| d.as_secs_f64() * 1e3;
            println!(
                "{name:28} {:8.2} {:8.2} {:8.2} {:8.2}",
                ms(taken[0]),
                ms(middle),
                ms(taken[taken.len() - 1]),
                ms(middle.saturating_sub(base_line))
            );
        }
    });
    ExitCode::SUCCESS
}

/// Sorts, too.
fn median(taken: &mut [Duration]) -> Duration {
    taken.sort_unstable();
    taken[taken.len() / 2]
}

fn plan(base: &Path, scratch: &Path, layers: &Layers) -> Plan {
    let view = layers.has(Layer::MountNamespace);
    Plan {
        argv: vec!["true".into()],
        folder: base.join("workspace"),
        environment: vec![("PATH".into(), OsString::from("/usr/bin:/bin"))],
        input: None,
        layers: layers.clone(),
        root: view.then(|| NewRoot {
            root: scratch.join("root"),
            workspace: base.join("workspace"),
            source: Source::Overlay {
                upper: scratch.join("upper"),
                work: scratch.join("work"),
            },
            temporary: scratch.join("tmp"),
            shown: Vec::new(),
            passed: Vec::new(),
        }),
        read: [
            "/usr",
            "/bin",
            "/sbin",
            "/lib",
            "/lib64",
            "/opt",
            "/etc/passwd",
            "/etc/group",
            "/etc/nsswitch.conf",
            "/etc/hosts",
            "/etc/ssl",
            "/etc/ca-certificates",
            "/etc/ld.so.cache",
            "/etc/ld.so.conf",
            "/etc/alternatives",
            "/etc/localtime",
        ]
        .into_iter()
        .map(PathBuf::from)
        .collect(),
        write: vec![scratch.join("tmp"), scratch.join("home")],
        absent: vec![base.join("workspace/.git")],
        sockets: if view { Sockets::Local } else { Sockets::Pairs },
        processes: u64::from(NOBODY) / 64,
        file_bytes: 1 << 30,
        open_files: 1024,
    }
}

/// A declared command over a workspace with one change, as a plugin gets it.
struct Declared {
    service: Arc<RunnerService>,
    base: Arc<Base>,
    overlay: Overlay,
}

impl Declared {
    fn new(helper: &Path, base: &Path) -> Self {
        let rules = AccessRules::new(&[], DenyList::standard(), IgnoredReads::refuse_all()).unwrap();
        let root = Arc::new(open_root(&base.join("workspace")).unwrap());
        let files = Base::new(root, rules, FileLimits::standard(), SearchLimits::standard());
        let files = Arc::new(files);
        let overlay = Overlay::new(Arc::clone(&files), SubmitLimits::standard());
        let change = Operation::Write {
            path: "src/0.txt".to_owned(),
            content: Content::Text("changed".to_owned()),
            executable: None,
        };
        overlay.submit(vec![change]).unwrap();
        let passed = ProgramEnvironment::allowed().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
        let sandbox = Sandbox::new(
            Helper {
                program: helper.to_owned(),
                arguments: Vec::new(),
            },
            SandboxPolicy::Required,
            ProcessLimits {
                processes: 4096,
                file_bytes: 1 << 30,
                open_files: 1024,
            },
            ProgramEnvironment {
                variables: passed.collect(),
            },
            ScratchPlace {
                folder: base.join("scratches"),
                run: "bench".to_owned(),
                limits: ScratchLimits::standard(),
                private: Vec::new(),
            },
        );
        let limits = Self::limits();
        let command = DeclaredCommand::parse("true", CommandSource::Flag);
        let service = RunnerService::new(command, limits, Arc::new(sandbox), Permissions::default());
        Self {
            service,
            base: files,
            overlay,
        }
    }

    fn limits() -> RunnerLimits {
        RunnerLimits {
            timeout: Duration::from_secs(30),
            calls: 1,
        }
    }

    async fn run(&self) {
        let view = View::frozen(Arc::clone(&self.base), self.overlay.entries());
        let runner = self.service.for_plugin("bench", view, Self::limits());
        let seen = runner.run_tests(None).await.unwrap();
        assert_eq!(seen.exit, Exit::Code(0), "{seen:?}");
    }
}

async fn contained(helper: &Path, plan: &Plan) {
    let (here, abandoned) = oneshot::channel();
    let bounds = Bounds {
        wall: Duration::from_secs(30),
        silence: None,
    };
    let end = launch(helper, &[], plan, bounds, abandoned).await.unwrap();
    drop(here);
    assert_eq!(end.ending, Ending::Code(0), "{end:?}");
}

async fn spawn(base: &Path) {
    let mut child = tokio::process::Command::new("true")
        .current_dir(base.join("workspace"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (mut seen, mut told) = (Vec::new(), Vec::new());
    let (_, _, status) = tokio::join!(out.read_to_end(&mut seen), err.read_to_end(&mut told), child.wait());
    assert!(status.unwrap().success());
}
