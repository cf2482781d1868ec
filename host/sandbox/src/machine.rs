//! What this machine offers for containment, found out by really doing it: a kernel's version, or a file that says yes, has been wrong
//! about it too often (a container's own filter, a security module, a limit of zero).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use snodo_workspace::scratch;

use crate::folder::OwnFolder;
use crate::launch::{LaunchError, ask};
use crate::layer::{Layer, Layers};
use crate::plan::{NewRoot, Plan, Sockets, Source};

/// Layers of a program with a view of its own.
const VIEW: [Layer; 13] = [
    Layer::UserNamespace,
    Layer::MountNamespace,
    Layer::Overlay,
    Layer::PidNamespace,
    Layer::PrivateProc,
    Layer::IpcNamespace,
    Layer::NetworkNamespace,
    Layer::Landlock,
    Layer::LandlockNetwork,
    Layer::LandlockScope,
    Layer::Seccomp,
    Layer::NoNewPrivileges,
    Layer::ResourceLimits,
];

/// What a layer cannot be without.
fn needs(layer: Layer) -> &'static [Layer] {
    match layer {
        Layer::MountNamespace | Layer::PidNamespace | Layer::IpcNamespace | Layer::NetworkNamespace => {
            &[Layer::UserNamespace]
        }
        Layer::Overlay => &[Layer::UserNamespace, Layer::MountNamespace],
        Layer::PrivateProc => &[Layer::UserNamespace, Layer::MountNamespace, Layer::PidNamespace],
        Layer::LandlockNetwork | Layer::LandlockScope => &[Layer::Landlock],
        Layer::Seccomp => &[Layer::NoNewPrivileges],
        _ => &[],
    }
}

/// What a machine offers, layer by layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The kernel's release.
    pub kernel: String,
    /// The kernel's version of Landlock; none where it has no usable one.
    pub landlock_abi: Option<i32>,
    /// Whether programs run as root.
    pub root: bool,
    /// Layers, each with the reason why it is not offered.
    #[serde(rename = "layers", serialize_with = "layers")]
    reasons: BTreeMap<Layer, Option<String>>,
}

impl Machine {
    /// One that offers these, and not those for their reasons; what is in neither is not offered.
    pub fn of(kernel: &str, root: bool, offered: &Layers, missing: &[(Layer, &str)]) -> Self {
        let reasons = Layer::ALL.into_iter().map(|layer| {
            let missing = missing.iter().find(|(l, _)| *l == layer);
            let reason = match missing {
                Some((_, reason)) => Some((*reason).to_owned()),
                None if offered.has(layer) => None,
                None => Some("it was not looked for".to_owned()),
            };
            (layer, reason)
        });
        Self {
            kernel: kernel.to_owned(),
            landlock_abi: None,
            root,
            reasons: reasons.collect(),
        }
    }

    /// Whether a layer can be had.
    pub fn offers(&self, layer: Layer) -> bool {
        matches!(self.reasons.get(&layer), Some(None))
    }

    /// Why it cannot.
    pub fn why_not(&self, layer: Layer) -> Option<&str> {
        self.reasons.get(&layer)?.as_deref()
    }
}

/// Each layer with whether it is offered, and else the reason.
fn layers<S: Serializer>(reasons: &BTreeMap<Layer, Option<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Entry<'a> {
        offered: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    }
    let mut map = serializer.serialize_map(Some(reasons.len()))?;
    for (layer, reason) in reasons {
        map.serialize_entry(
            layer,
            &Entry {
                offered: reason.is_none(),
                reason: reason.as_deref(),
            },
        )?;
    }
    map.end()
}

/// Finds out. `place` is a folder of the state, on whose file system scratches are made, since overlayfs does not take every one; what is
/// made in it is removed.
pub async fn probe(helper: &Path, helper_arguments: &[OsString], place: &Path) -> Machine {
    let root = rustix::process::geteuid().is_root();
    let mut probing = Probing {
        helper,
        helper_arguments,
        reasons: BTreeMap::new(),
        landlock_abi: None,
    };
    let mut view: Layers = VIEW.into_iter().collect();
    view.add(Layer::Capabilities);
    match Ground::make(place) {
        Ok(ground) => {
            if let Err(error) = ground.hide() {
                let reason = format!("a place in its upper layer cannot be marked as removed: {error}");
                probing.without(Layer::Overlay, &reason, &mut view);
            }
            probing.find_out(view, Some(&ground)).await;
        }
        Err(error) => {
            let reason = format!("`{}` cannot be written: {error}", place.display());
            for layer in [Layer::MountNamespace, Layer::Overlay] {
                probing.without(layer, &reason, &mut view);
            }
            probing.find_out(view, None).await;
        }
    }
    // What only matters, or only works, beside the machine's own view.
    let mut plain: Layers = [Layer::NoNewPrivileges, Layer::Cgroup].into_iter().collect();
    if root {
        plain.add(Layer::Identity);
        plain.add(Layer::Capabilities);
        // It was tried as root of a namespace, where it may be had although it cannot be had here.
        probing.reasons.remove(&Layer::Capabilities);
    } else {
        let reason = "only root has another identity to take";
        probing.reasons.insert(Layer::Identity, Some(reason.to_owned()));
    }
    probing.find_out(plain, None).await;
    Machine {
        kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
        landlock_abi: probing.landlock_abi,
        root,
        reasons: probing.reasons,
    }
}

struct Probing<'a> {
    helper: &'a Path,
    helper_arguments: &'a [OsString],
    reasons: BTreeMap<Layer, Option<String>>,
    landlock_abi: Option<i32>,
}

impl Probing<'_> {
    /// Asks for all, and leaves out what cannot be had, until the rest can.
    async fn find_out(&mut self, mut wanted: Layers, ground: Option<&Ground>) {
        loop {
            if let Some(Err(error)) = ground.map(Ground::renew) {
                let reason = format!("the folder that it needs beside its upper layer cannot be made: {error}");
                self.without(Layer::Overlay, &reason, &mut wanted);
            }
            match ask(self.helper, self.helper_arguments, &plan(&wanted, ground)).await {
                Ok(abi) => {
                    for layer in wanted.iter() {
                        self.reasons.entry(layer).or_insert(None);
                    }
                    self.landlock_abi = self.landlock_abi.or(abi);
                    return;
                }
                Err(LaunchError::Layer { layer, reason }) if wanted.has(layer) => {
                    self.without(layer, &reason, &mut wanted);
                }
                Err(error) => {
                    let reason = error.to_string();
                    for layer in wanted.iter() {
                        self.reasons.entry(layer).or_insert_with(|| Some(reason.clone()));
                    }
                    return;
                }
            }
        }
    }

    /// A layer cannot be had, and with it none that needs it.
    fn without(&mut self, layer: Layer, reason: &str, wanted: &mut Layers) {
        wanted.remove(layer);
        self.reasons.insert(layer, Some(reason.to_owned()));
        for other in Layer::ALL {
            if needs(other).contains(&layer) && wanted.has(other) {
                wanted.remove(other);
                let reason = format!("it needs the layer `{}`", layer.name());
                self.reasons.insert(other, Some(reason));
            }
        }
    }
}

/// A plan that puts layers in force, and executes nothing.
fn plan(layers: &Layers, ground: Option<&Ground>) -> Plan {
    let ground = ground.filter(|_| layers.has(Layer::MountNamespace));
    Plan {
        argv: Vec::new(),
        folder: "/".into(),
        environment: Vec::new(),
        input: None,
        layers: layers.clone(),
        root: ground.map(|ground| ground.root(layers.has(Layer::Overlay))),
        read: vec!["/usr".into()],
        write: Vec::new(),
        absent: ground.map(Ground::hidden).into_iter().collect(),
        sockets: Sockets::Pairs,
        processes: 1_000,
        file_bytes: 1 << 30,
        open_files: 256,
    }
}

/// A small workspace and a small scratch, that go when this goes.
struct Ground(OwnFolder);

impl Ground {
    fn make(place: &Path) -> io::Result<Self> {
        let ground = Self(OwnFolder::make(place, "probe")?);
        for folder in ["workspace", "upper", "work", "root", "tmp"] {
            fs::create_dir(ground.at(folder))?;
        }
        fs::write(ground.hidden(), "")?;
        Ok(ground)
    }

    fn at(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    /// Puts an empty working folder where one was used: overlayfs takes each once.
    fn renew(&self) -> io::Result<()> {
        scratch::remove_tree(self.0.dir(), "work")?;
        fs::create_dir(self.at("work"))
    }

    /// Hides the workspace's file in the upper layer.
    fn hide(&self) -> io::Result<()> {
        Ok(rustix::fs::mknodat(
            CWD,
            self.at("upper/hidden"),
            FileType::CharacterDevice,
            Mode::empty(),
            rustix::fs::makedev(0, 0),
        )?)
    }

    fn hidden(&self) -> PathBuf {
        self.at("workspace/hidden")
    }

    fn root(&self, overlay: bool) -> NewRoot {
        NewRoot {
            root: self.at("root"),
            workspace: self.at("workspace"),
            source: if overlay {
                Source::Overlay {
                    upper: self.at("upper"),
                    work: self.at("work"),
                }
            } else {
                // Any folder: it is not looked into.
                Source::Copy(self.at("tmp"))
            },
            temporary: self.at("tmp"),
            shown: Vec::new(),
            passed: Vec::new(),
        }
    }
}
