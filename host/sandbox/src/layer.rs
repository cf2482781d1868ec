//! The layers that a program's containment is made of, and what they hold together.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// One mechanism of the system. The names are those of reports and of `snodo-host doctor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Identities of its own: what a program may do in its namespaces gives it nothing outside.
    UserNamespace,
    /// A file system view of its own, in which only what is allowed exists.
    MountNamespace,
    /// The workspace seen at its own path through a layer that takes what is written.
    Overlay,
    /// Processes of its own; all end with the first.
    PidNamespace,
    /// A `/proc` that shows only those.
    PrivateProc,
    /// Shared memory and message queues of its own.
    IpcNamespace,
    /// A network of its own, without any interface.
    NetworkNamespace,
    /// Which files may be read, written and executed, by the kernel's Landlock.
    Landlock,
    /// No connection and no listener by TCP, by Landlock.
    LandlockNetwork,
    /// No signal to, and no abstract socket of, a process outside, by Landlock.
    LandlockScope,
    /// System calls that are refused: sockets, tracing, mounting and the like.
    Seccomp,
    /// No program of it gains rights.
    NoNewPrivileges,
    /// The rights of root are taken away, but for those over files.
    Capabilities,
    /// Another user's identity, where root has no namespace to be put in.
    Identity,
    /// Bounds of processes, open files and the size of a file.
    ResourceLimits,
    /// A control group, by which the whole tree of processes is bounded and ended.
    Cgroup,
}

impl Layer {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 16] = [
        Self::UserNamespace,
        Self::MountNamespace,
        Self::Overlay,
        Self::PidNamespace,
        Self::PrivateProc,
        Self::IpcNamespace,
        Self::NetworkNamespace,
        Self::Landlock,
        Self::LandlockNetwork,
        Self::LandlockScope,
        Self::Seccomp,
        Self::NoNewPrivileges,
        Self::Capabilities,
        Self::Identity,
        Self::ResourceLimits,
        Self::Cgroup,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::UserNamespace => "user-namespace",
            Self::MountNamespace => "mount-namespace",
            Self::Overlay => "overlay",
            Self::PidNamespace => "pid-namespace",
            Self::PrivateProc => "private-proc",
            Self::IpcNamespace => "ipc-namespace",
            Self::NetworkNamespace => "network-namespace",
            Self::Landlock => "landlock",
            Self::LandlockNetwork => "landlock-network",
            Self::LandlockScope => "landlock-scope",
            Self::Seccomp => "seccomp",
            Self::NoNewPrivileges => "no-new-privileges",
            Self::Capabilities => "capabilities",
            Self::Identity => "identity",
            Self::ResourceLimits => "resource-limits",
            Self::Cgroup => "cgroup",
        }
    }
}

/// Some layers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layers(BTreeSet<Layer>);

impl Layers {
    /// Whether it is among them.
    pub fn has(&self, layer: Layer) -> bool {
        self.0.contains(&layer)
    }

    /// Adds one.
    pub fn add(&mut self, layer: Layer) {
        self.0.insert(layer);
    }

    /// Takes one away.
    pub fn remove(&mut self, layer: Layer) {
        self.0.remove(&layer);
    }

    /// In the order in which they are shown.
    pub fn iter(&self) -> impl Iterator<Item = Layer> + '_ {
        self.0.iter().copied()
    }

    /// Whether files outside of what is allowed can neither be read nor changed: by a view in which they do not exist, or by Landlock
    /// (from its third version on, which knows truncation; [`crate::machine::Machine`] offers no older one).
    pub fn hold_files(&self) -> bool {
        self.has(Layer::MountNamespace) || self.has(Layer::Landlock)
    }

    /// Whether nothing outside can be reached by network: no interface, or no socket.
    pub fn hold_network(&self) -> bool {
        self.has(Layer::NetworkNamespace) || self.has(Layer::Seccomp)
    }
}

impl FromIterator<Layer> for Layers {
    fn from_iter<T: IntoIterator<Item = Layer>>(layers: T) -> Self {
        Self(layers.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]
    use super::*;

    #[test]
    fn the_name_is_what_is_serialised_and_the_order_is_the_shown_one() {
        for layer in Layer::ALL {
            assert_eq!(serde_json::to_value(layer).unwrap(), layer.name());
        }
        let all: Layers = Layer::ALL.into_iter().rev().collect();
        assert_eq!(all.iter().collect::<Vec<_>>(), Layer::ALL);
    }

    #[test]
    fn a_boundary_needs_one_of_its_layers() {
        let only = |layer| Layers::from_iter([layer]);
        for layer in Layer::ALL {
            let files = matches!(layer, Layer::MountNamespace | Layer::Landlock);
            let network = matches!(layer, Layer::NetworkNamespace | Layer::Seccomp);
            assert_eq!(
                (only(layer).hold_files(), only(layer).hold_network()),
                (files, network),
                "{layer:?}"
            );
        }
    }
}
