//! Two folders of a user, and components to install in them.

use cap_std::fs::Dir;
use snodo_admission::{
    Admitted, Bodies, Context, Grants, Hashed, Inspection, Limits, PluginName, Refusal, Served, admit, admit_hashed,
    inspect, wit_sources,
};
use snodo_install::{Added, Folder, InstallError, InstallRecord, Installed, Moment, Request, Reserved, Source};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::{ManglingAndAbi, Resolve, SourceMap};

pub(crate) const BUILT_IN: [&str; 2] = ["secrets", "demo"];
pub(crate) const EXTERNAL: [&str; 1] = ["Helper"];

/// Nothing granted.
pub(crate) const NONE: Grants = Grants::NONE;
pub(crate) const MODEL: Grants = Grants {
    model: true,
    runner: false,
};
pub(crate) const RUNNER: Grants = Grants {
    model: false,
    runner: true,
};

pub(crate) const CODER: &str = "include snodo:plugin/coder@0.1.0;";
pub(crate) const VALIDATOR: &str = "include snodo:plugin/validator@0.1.0;";
pub(crate) const MODEL_VALIDATOR: &str = "include snodo:plugin/model-validator@0.1.0;";
pub(crate) const RUNNER_VALIDATOR: &str = "include snodo:plugin/runner-validator@0.1.0;";

/// A component of a world, told apart by a custom section.
pub(crate) fn plugin(world: &str, mark: &str) -> Vec<u8> {
    let mut files = SourceMap::new();
    for (name, text) in wit_sources() {
        files.push_str(name, (*text).to_owned());
    }
    let mut resolve = Resolve::new();
    let group = files.parse().map_err(|(_, e)| e).unwrap();
    resolve.push_group(group).unwrap();
    let text = format!("package test:guest; world plugin {{ {world} }}");
    let package = resolve.push_source("guest.wit", &text).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let encoder = ComponentEncoder::default().module(&module).unwrap();
    let mut bytes = encoder.validate(true).encode().unwrap();
    // Section 0: its length, the length of its name, the name, the content.
    let name = b"mark";
    let mut length = 1 + name.len() + mark.len();
    bytes.push(0);
    while length > 127 {
        bytes.push(u8::try_from(length & 127).unwrap() | 128);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).unwrap());
    bytes.push(4);
    bytes.extend(name);
    bytes.extend(mark.as_bytes());
    bytes
}

pub(crate) fn name(text: &str) -> PluginName {
    PluginName::parse(text).unwrap()
}

fn context(name: &PluginName, grants: Grants) -> Context<'_> {
    Context {
        name,
        role_expected: None,
        grants,
        served: Served { completion: true },
        bodies: Bodies::Validate,
    }
}

pub(crate) fn admitted<'a>(bytes: &'a [u8], called: &str, grants: Grants) -> Admitted<'a> {
    admit(bytes, &context(&name(called), grants), &Limits::standard()).unwrap()
}

/// Looked at, with nothing granted.
pub(crate) fn looked_at(bytes: &[u8], called: &str) -> Inspection {
    inspect(bytes, &context(&name(called), NONE), &Limits::standard())
}

/// As before a run.
pub(crate) fn admit_again<'b>(record: &InstallRecord, bytes: &Hashed<'b>) -> Result<Admitted<'b>, Refusal> {
    admit_hashed(bytes, &context(&record.name, record.grants), &Limits::standard())
}

pub(crate) fn request(grants: Grants) -> Request {
    Request {
        grants,
        source: Source::file("./plugin.wasm"),
        now: Moment::parse("2026-11-29T21:20:00Z").unwrap(),
    }
}

/// A user's folders.
pub(crate) struct Bed {
    root: PathBuf,
    _kept: Option<TempDir>,
}

impl Bed {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let bed = Self {
            root: dir.path().to_owned(),
            _kept: Some(dir),
        };
        for folder in ["config", "state"] {
            std::fs::create_dir(bed.root.join(folder)).unwrap();
        }
        bed
    }

    /// One that another process made.
    pub(crate) fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            _kept: None,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.root.join("config")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.config().join("plugins")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.state().join("plugins")
    }

    pub(crate) fn record(&self, name: &str) -> PathBuf {
        self.records().join(format!("{name}.toml"))
    }

    pub(crate) fn stored(&self, bytes: &[u8]) -> PathBuf {
        self.store()
            .join(format!("{}.wasm", snodo_admission::Digest::of(bytes).hex()))
    }

    pub(crate) fn installed(&self) -> Installed {
        self.installed_with(Reserved::new(BUILT_IN, EXTERNAL))
    }

    pub(crate) fn installed_with(&self, reserved: Reserved) -> Installed {
        let open = |path: &Path| Dir::open_ambient_dir(path, cap_std::ambient_authority()).unwrap();
        let (config, state) = (open(&self.config()), open(&self.state()));
        Installed::open(
            Folder {
                dir: &config,
                path: Path::new("CONFIG"),
            },
            Folder {
                dir: &state,
                path: Path::new("STATE"),
            },
            reserved,
        )
        .unwrap()
    }

    /// Plans and does it, with these grants given.
    pub(crate) fn add(&self, bytes: &[u8], called: &str, grants: Grants) -> Result<Added, InstallError> {
        let installed = self.installed();
        let all = installed.grants_for(&name(called), grants)?;
        let admitted = admitted(bytes, called, all);
        let plan = installed.plan_add(&admitted, &request(grants))?;
        installed.add(&plan)
    }

    /// Names in a folder, sorted.
    pub(crate) fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// The message of an error, and that it is plain.
#[track_caller]
pub(crate) fn message<T: std::fmt::Debug>(result: Result<T, InstallError>) -> String {
    let message = result.unwrap_err().to_string();
    assert!(
        message.chars().all(|c| c == '\n' || !c.is_control()),
        "control characters in {message:?}"
    );
    message
}
