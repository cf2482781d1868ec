//! What goes wrong in the helper, and how it is said.

use std::fmt::Display;
use std::os::fd::OwnedFd;

use crate::layer::Layer;
use crate::plan::{NotStarted, Said};

/// Nothing is executed for this reason.
#[derive(Debug)]
pub(super) enum Fault {
    /// A layer could not be had, or, without one, the helper could not do its own work.
    Layer(Option<Layer>, String),
    /// The program could not be started.
    Program(NotStarted, String),
}

impl Fault {
    /// The helper's own.
    pub(super) fn own(reason: impl Into<String>) -> Self {
        Self::Layer(None, reason.into())
    }
}

/// Says of a failure which layer it costs, and what was tried.
pub(super) trait OrFault<T> {
    /// For a layer.
    fn layer(self, layer: Layer, tried: &str) -> Result<T, Fault>;
    /// For the helper's own doings.
    fn own(self, tried: &str) -> Result<T, Fault>;
}

impl<T, E: Display> OrFault<T> for Result<T, E> {
    fn layer(self, layer: Layer, tried: &str) -> Result<T, Fault> {
        self.map_err(|error| Fault::Layer(Some(layer), format!("{tried}: {error}")))
    }

    fn own(self, tried: &str) -> Result<T, Fault> {
        self.map_err(|error| Fault::Layer(None, format!("{tried}: {error}")))
    }
}

/// The way to the host.
#[derive(Debug)]
pub(super) struct Voice(pub(super) OwnedFd);

impl Voice {
    /// Says one line. A host that is gone hears nothing, and its end is noticed elsewhere.
    pub(super) fn say(&self, said: &Said) {
        let Ok(mut line) = serde_json::to_vec(said) else {
            return;
        };
        line.push(b'\n');
        let mut rest = &line[..];
        while !rest.is_empty() {
            match rustix::net::send(&self.0, rest, rustix::net::SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// Says why nothing is executed.
    pub(super) fn fault(&self, fault: Fault) {
        self.say(&match fault {
            Fault::Layer(layer, reason) => Said::Fault { layer, reason },
            Fault::Program(kind, reason) => Said::NotStarted { kind, reason },
        });
    }
}
