//! Which layers a program gets, from what the machine offers, what the user demands, and what he opened.

use std::fmt;

use crate::layer::{Layer, Layers};
use crate::machine::Machine;
use crate::policy::SandboxPolicy;

/// How a program is contained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// In namespaces, with a file system view in which only what is allowed exists.
    View(Layers),
    /// In the machine's own view, bounded by Landlock and a filter of system calls: a copy as its scratch.
    Plain(Layers),
    /// Not at all.
    Uncontained,
}

impl Mode {
    /// Its layers.
    pub fn layers(&self) -> Layers {
        match self {
            Self::View(layers) | Self::Plain(layers) => layers.clone(),
            Self::Uncontained => Layers::default(),
        }
    }
}

/// A boundary that [`SandboxPolicy::Required`] demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Files outside of what is allowed can neither be read nor changed.
    Files,
    /// Nothing outside can be reached by network.
    Network,
}

/// The machine cannot hold what the user demands, and nothing is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotContained {
    /// What it cannot hold.
    pub boundaries: Vec<Boundary>,
    /// The layers by which it could, and why each is not there.
    pub missing: Vec<(Layer, String)>,
}

impl fmt::Display for NotContained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = |boundary: &Boundary| match boundary {
            Boundary::Files => "keep a program from the files of this machine",
            Boundary::Network => "keep a program from the network",
        };
        let cannot: Vec<_> = self.boundaries.iter().map(what).collect();
        write!(f, "this machine cannot {}", cannot.join(", and cannot "))?;
        for (layer, reason) in &self.missing {
            write!(f, "; `{}`: {reason}", layer.name())?;
        }
        Ok(())
    }
}

impl std::error::Error for NotContained {}

impl NotContained {
    /// What a person can change, best first.
    pub fn remedies(&self) -> Vec<&'static str> {
        let files = self.boundaries.contains(&Boundary::Files);
        let mut remedies = vec![
            "allow unprivileged user namespaces: `sysctl user.max_user_namespaces` above 0, `kernel.unprivileged_userns_clone=1` or \
             `kernel.apparmor_restrict_unprivileged_userns=0` where the system has them, and for a container a security profile that \
             allows `unshare` and `mount`",
        ];
        remedies.push(if files {
            "or run a kernel with Landlock in its third version or later (Linux 6.2), switched on (`lsm=landlock,…` at boot), with \
             system call filters"
        } else {
            "or run a kernel with system call filters (`CONFIG_SECCOMP_FILTER`)"
        });
        remedies.push(
            "or set `policy = \"best-effort\"` under `[sandbox]` in your host.toml (or `--sandbox best-effort`): tests then run with the layers that \
             there are, and can reach what the missing ones would hold; `policy = \"off\"` runs them with all rights of your user",
        );
        remedies
    }
}

/// Rights and bounds that every program gets where they can be had.
const ALWAYS: [Layer; 4] = [
    Layer::Seccomp,
    Layer::NoNewPrivileges,
    Layer::Capabilities,
    Layer::ResourceLimits,
];

/// The layers of a view, without which it is none.
const VIEW: [Layer; 3] = [Layer::UserNamespace, Layer::MountNamespace, Layer::PidNamespace];

/// Chooses. `network` says that the user opened the network, so that nothing has to hold it. `overlay` says that the scratch can be one.
pub fn layers_for(
    machine: &Machine,
    policy: SandboxPolicy,
    network: bool,
    overlay: bool,
) -> Result<Mode, NotContained> {
    if policy == SandboxPolicy::Off {
        return Ok(Mode::Uncontained);
    }
    let view = view_layers(machine, network, overlay);
    let plain = plain_layers(machine, network);
    // A view without a `/proc` is tight, and many a program fails in it: only where there is nothing else.
    let plain_holds = holds(&plain, network) && (!machine.root || plain.has(Layer::Identity));
    let mode = match view {
        Some(view) if view.has(Layer::PrivateProc) || !plain_holds => Mode::View(view),
        _ => Mode::Plain(plain),
    };
    let layers = mode.layers();
    let held = match &mode {
        Mode::Plain(_) => plain_holds,
        _ => holds(&layers, network),
    };
    if policy == SandboxPolicy::BestEffort || held {
        return Ok(mode);
    }
    let mut boundaries = Vec::new();
    let mut candidates = Vec::new();
    // Root keeps its hold on every file's mode, owner and times, which Landlock does not mediate.
    let still_root = machine.root && matches!(mode, Mode::Plain(_)) && !layers.has(Layer::Identity);
    if still_root {
        candidates.push(Layer::Identity);
    }
    if still_root || !layers.hold_files() {
        boundaries.push(Boundary::Files);
        candidates.extend([
            Layer::UserNamespace,
            Layer::MountNamespace,
            Layer::PidNamespace,
            Layer::Landlock,
        ]);
    }
    if !network && !layers.hold_network() {
        boundaries.push(Boundary::Network);
        candidates.extend([Layer::UserNamespace, Layer::NetworkNamespace, Layer::Seccomp]);
    }
    candidates.sort_unstable();
    candidates.dedup();
    let missing = candidates
        .into_iter()
        .filter_map(|layer| Some((layer, machine.why_not(layer)?.to_owned())))
        .collect();
    Err(NotContained { boundaries, missing })
}

fn holds(layers: &Layers, network: bool) -> bool {
    layers.hold_files() && (network || layers.hold_network())
}

/// Layers of a view, if the machine can make one.
fn view_layers(machine: &Machine, network: bool, overlay: bool) -> Option<Layers> {
    if !VIEW.iter().all(|layer| machine.offers(*layer)) {
        return None;
    }
    let mut wanted: Vec<Layer> = [
        Layer::PrivateProc,
        Layer::IpcNamespace,
        Layer::Landlock,
        Layer::LandlockScope,
    ]
    .into_iter()
    .chain(VIEW)
    .chain(ALWAYS)
    .collect();
    if overlay {
        wanted.push(Layer::Overlay);
    }
    if !network {
        wanted.extend([Layer::NetworkNamespace, Layer::LandlockNetwork]);
    }
    Some(wanted.into_iter().filter(|layer| machine.offers(*layer)).collect())
}

/// Layers beside the machine's own view, as many as there are.
fn plain_layers(machine: &Machine, network: bool) -> Layers {
    let mut wanted = vec![Layer::Landlock, Layer::LandlockScope, Layer::Cgroup];
    wanted.extend(ALWAYS);
    if !network {
        wanted.push(Layer::LandlockNetwork);
    }
    if machine.root {
        wanted.push(Layer::Identity);
        if !machine.offers(Layer::Identity) {
            // Root without another identity has nothing to give up that would not be missed.
            wanted.retain(|layer| *layer != Layer::Capabilities);
        }
    }
    wanted.into_iter().filter(|layer| machine.offers(*layer)).collect()
}

#[cfg(test)]
mod tests;
