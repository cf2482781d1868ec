//! A machine in small: a workspace with secrets in it and beside it, and a scratch.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode};
use snodo_sandbox::contain::{self, layers_for};
use snodo_sandbox::launch::{Bounds, Ending, LaunchError, Launched, launch};
use snodo_sandbox::machine::{self, Machine};
use snodo_sandbox::plan::{NOBODY, NewRoot, Plan, Sockets, Source};
use snodo_sandbox::{Layer, Layers, SandboxPolicy};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::attack::{DID, HELD};

/// A secret in the host's environment.
pub(crate) const SENTINEL: (&str, &str) = ("SENTINEL_KEY", "sentinel-b41f");

/// How programs are contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In namespaces.
    View,
    /// Beside the machine's own view.
    Plain,
    /// As is chosen where the system forbids namespaces.
    Forbidden,
    /// As is chosen where parts of `/proc` are covered, as in many a container: then nobody may mount another.
    Covered,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::View, Self::Plain, Self::Forbidden, Self::Covered];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Plain => "plain",
            Self::Forbidden => "forbidden",
            Self::Covered => "covered",
        }
    }
}

pub(crate) const NAMESPACES: [Layer; 7] = [
    Layer::UserNamespace,
    Layer::MountNamespace,
    Layer::Overlay,
    Layer::PidNamespace,
    Layer::PrivateProc,
    Layer::IpcNamespace,
    Layer::NetworkNamespace,
];

pub(crate) struct World {
    pub(crate) kind: Kind,
    pub(crate) machine: Machine,
    pub(crate) layers: Layers,
    pub(crate) binary: PathBuf,
    pub(crate) runtime: Runtime,
    base: TempDir,
}

impl World {
    /// Makes one, or says which layer is missing for it.
    pub(crate) fn new(kind: Kind, place: &Path) -> Result<Self, String> {
        let base = tempfile::tempdir_in(place).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let binary = std::env::current_exe().unwrap();
        for folder in [
            "workspace/.git",
            "workspace/src",
            "upper",
            "root",
            "home",
            "tmp",
            "copy/src",
            "beside",
        ] {
            fs::create_dir_all(base.path().join(folder)).unwrap();
        }
        for file in [
            "workspace/.git/config",
            "workspace/src/a.txt",
            "copy/src/a.txt",
            "beside/secret",
        ] {
            fs::write(base.path().join(file), "kept\n").unwrap();
        }
        if rustix::process::geteuid().is_root() && kind != Kind::View {
            for folder in ["copy", "copy/src", "copy/src/a.txt", "home", "tmp"] {
                std::os::unix::fs::chown(base.path().join(folder), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let machine = runtime.block_on(machine::probe(&binary, &[], base.path()));
        let seen = if kind == Kind::Plain {
            without_namespaces(&machine)
        } else {
            machine.clone()
        };
        let mode = layers_for(&seen, SandboxPolicy::Required, false, true);
        let layers = match (kind == Kind::View, mode) {
            (true, Ok(contain::Mode::View(layers))) | (false, Ok(contain::Mode::Plain(layers))) => layers,
            (true, _) => return Err(missing(&machine, &NAMESPACES)),
            (false, _) => return Err(missing(&machine, &[Layer::Landlock, Layer::Seccomp])),
        };
        Ok(Self {
            kind,
            machine,
            layers,
            binary,
            runtime,
            base,
        })
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.base.path().join(below)
    }

    /// The workspace, as the program sees it.
    pub(crate) fn folder(&self) -> PathBuf {
        self.path(if self.kind == Kind::View { "workspace" } else { "copy" })
    }

    /// Where what the program writes into the workspace really is.
    pub(crate) fn written(&self) -> PathBuf {
        self.path(if self.kind == Kind::View { "upper" } else { "copy" })
    }

    pub(crate) fn plan(&self, argv: &[&str]) -> Plan {
        let view = self.kind == Kind::View;
        // Overlayfs wants an empty one for each mount.
        let work = tempfile::Builder::new()
            .prefix("work")
            .tempdir_in(self.base.path())
            .unwrap()
            .keep();
        let variables = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("HOME", self.path("home").display().to_string()),
            ("TMPDIR", self.path("tmp").display().to_string()),
        ];
        let mut write = vec![self.path("home"), self.path("tmp")];
        if !view {
            write.push(self.path("copy"));
        }
        Plan {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            folder: self.folder(),
            environment: variables.map(|(n, v)| (n.into(), OsString::from(v))).to_vec(),
            input: None,
            layers: self.layers.clone(),
            root: view.then(|| NewRoot {
                root: self.path("root"),
                workspace: self.path("workspace"),
                source: Source::Overlay {
                    upper: self.path("upper"),
                    work,
                },
                temporary: self.path("tmp"),
                shown: Vec::new(),
                passed: Vec::new(),
            }),
            read: [
                "/usr",
                "/bin",
                "/sbin",
                "/lib",
                "/lib64",
                "/etc/passwd",
                "/etc/ld.so.cache",
                "/etc/alternatives",
            ]
            .into_iter()
            .map(PathBuf::from)
            .chain([self.binary.clone()])
            .collect(),
            write,
            absent: Vec::new(),
            sockets: if view { Sockets::Local } else { Sockets::Pairs },
            processes: 64,
            file_bytes: 8 << 20,
            open_files: 256,
        }
    }

    pub(crate) fn try_launch(&self, plan: &Plan, bounds: Bounds) -> Result<Launched, LaunchError> {
        self.runtime.block_on(async {
            let (here, abandoned) = oneshot::channel();
            let end = launch(&self.binary, &[], plan, bounds, abandoned).await;
            drop(here);
            end
        })
    }

    pub(crate) fn launch(&self, plan: &Plan) -> Launched {
        self.try_launch(plan, seconds(60)).unwrap()
    }

    /// Runs a shell's script to its end.
    pub(crate) fn sh(&self, script: &str) -> Launched {
        self.launch(&self.plan(&["sh", "-c", script]))
    }

    /// Runs an attack contained.
    pub(crate) fn attack(&self, words: &[&str]) -> Launched {
        let binary = self.binary.to_str().unwrap().to_owned();
        self.launch(&self.plan(&[&[&*binary, "__attack"], words].concat()))
    }

    /// The attack gets through uncontained.
    pub(crate) fn control(&self, words: &[&str]) {
        let output = Command::new(&self.binary)
            .arg("__attack")
            .args(words)
            .current_dir(self.folder())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(DID),
            "uncontained, {words:?} has to get through: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }

    /// Whether the attack gets through uncontained.
    pub(crate) fn gets_through(&self, words: &[&str]) -> bool {
        let output = Command::new(&self.binary).arg("__attack").args(words).output().unwrap();
        output.status.code() == Some(DID)
    }

    /// The attack gets through uncontained, and does not contained.
    pub(crate) fn holds(&self, words: &[&str]) -> Launched {
        self.control(words);
        self.held(words)
    }

    /// The attack does not get through.
    pub(crate) fn held(&self, words: &[&str]) -> Launched {
        let end = self.attack(words);
        assert_eq!(end.ending, Ending::Code(HELD), "{words:?}: {end:?}");
        end
    }

    pub(crate) fn is_root(&self) -> bool {
        self.machine.root
    }
}

pub(crate) fn seconds(wall: u64) -> Bounds {
    Bounds {
        wall: Duration::from_secs(wall),
        silence: None,
    }
}

/// As if it offered no namespaces.
fn without_namespaces(machine: &Machine) -> Machine {
    let offered = Layer::ALL
        .into_iter()
        .filter(|layer| machine.offers(*layer) && !NAMESPACES.contains(layer))
        .collect();
    Machine::of(&machine.kernel, machine.root, &offered, &[])
}

/// Those that are missing, a line each.
fn missing(machine: &Machine, layers: &[Layer]) -> String {
    let reasons: Vec<_> = layers
        .iter()
        .filter_map(|layer| Some(format!("{}: {}", layer.name(), machine.why_not(*layer)?)))
        .collect();
    reasons.join("\n")
}

/// Marks a place as removed, as a scratch does.
pub(crate) fn whiteout(at: &Path) {
    rustix::fs::mknodat(
        CWD,
        at,
        FileType::CharacterDevice,
        Mode::empty(),
        rustix::fs::makedev(0, 0),
    )
    .unwrap();
}

/// A file that something writes again and again, and whether it still does.
pub(crate) struct Ticking(pub(crate) PathBuf);

impl Ticking {
    pub(crate) fn began(&self) -> bool {
        self.0.metadata().is_ok_and(|meta| meta.len() > 0)
    }

    pub(crate) fn goes_on(&self) -> bool {
        let len = || self.0.metadata().map_or(0, |meta| meta.len());
        let before = len();
        std::thread::sleep(Duration::from_millis(400));
        len() != before
    }
}
