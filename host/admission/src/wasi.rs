//! The part of WASI that a plugin may import. It is inert: there is nothing behind it.
//!
//! No arguments, no environment, no open folder, empty standard input, captured output, a clock and a random source that the host
//! controls. The names of the functions are those that the runtime's own WASI of the 0.2 line has, so that a plugin
//! that asks for another one is told so before it is compiled.

/// The line of WASI that is offered: every 0.2.x.
pub(crate) const TRACK: &str = "0.2.0";

/// An interface of inert WASI.
pub(crate) struct Inert {
    /// Without version: `wasi:io/poll`.
    pub(crate) name: &'static str,
    /// What importing it lets a plugin do.
    pub(crate) sentence: &'static str,
    /// Its functions and resource types, by their names in a component.
    pub(crate) items: &'static [&'static str],
}

impl Inert {
    /// Whether the host has a function, or a resource, of this name. A resource may be another interface's, taken over by `use`.
    pub(crate) fn has(&self, item: &str, resource: bool) -> bool {
        self.items.contains(&item) || (resource && INERT.iter().any(|i| i.items.contains(&item)))
    }
}

/// All of it.
#[cfg(test)]
pub(crate) fn all() -> &'static [Inert] {
    INERT
}

/// The interface, if it belongs to inert WASI.
pub(crate) fn inert(name: &str) -> Option<&'static Inert> {
    INERT.iter().find(|i| i.name == name)
}

const NO_TERMINAL: &str = "ask for a terminal (there is none)";

static INERT: &[Inert] = &[
    Inert {
        name: "wasi:io/error",
        sentence: "name errors of streams",
        items: &["error", "[method]error.to-debug-string"],
    },
    Inert {
        name: "wasi:io/poll",
        sentence: "wait for its own streams and for the host's clock",
        items: &["pollable", "[method]pollable.ready", "[method]pollable.block", "poll"],
    },
    Inert {
        name: "wasi:io/streams",
        sentence: "use its own standard streams",
        items: &[
            "input-stream",
            "[method]input-stream.read",
            "[method]input-stream.blocking-read",
            "[method]input-stream.skip",
            "[method]input-stream.blocking-skip",
            "[method]input-stream.subscribe",
            "output-stream",
            "[method]output-stream.check-write",
            "[method]output-stream.write",
            "[method]output-stream.blocking-write-and-flush",
            "[method]output-stream.flush",
            "[method]output-stream.blocking-flush",
            "[method]output-stream.subscribe",
            "[method]output-stream.write-zeroes",
            "[method]output-stream.blocking-write-zeroes-and-flush",
            "[method]output-stream.splice",
            "[method]output-stream.blocking-splice",
        ],
    },
    Inert {
        name: "wasi:clocks/monotonic-clock",
        sentence: "read a clock that the host controls",
        items: &["now", "resolution", "subscribe-instant", "subscribe-duration"],
    },
    Inert {
        name: "wasi:clocks/wall-clock",
        sentence: "read a date that the host controls",
        items: &["now", "resolution"],
    },
    Inert {
        name: "wasi:random/random",
        sentence: "draw numbers that the host controls",
        items: &["get-random-bytes", "get-random-u64"],
    },
    Inert {
        name: "wasi:random/insecure",
        sentence: "draw numbers that the host controls",
        items: &["get-insecure-random-bytes", "get-insecure-random-u64"],
    },
    Inert {
        name: "wasi:random/insecure-seed",
        sentence: "draw a seed that the host controls",
        items: &["insecure-seed"],
    },
    Inert {
        name: "wasi:cli/environment",
        sentence: "ask for arguments and environment (there are none)",
        items: &["get-environment", "get-arguments", "initial-cwd"],
    },
    Inert {
        name: "wasi:cli/exit",
        sentence: "end itself",
        items: &["exit", "exit-with-code"],
    },
    Inert {
        name: "wasi:cli/stdin",
        sentence: "read standard input (it is empty)",
        items: &["get-stdin"],
    },
    Inert {
        name: "wasi:cli/stdout",
        sentence: "print (captured and capped)",
        items: &["get-stdout"],
    },
    Inert {
        name: "wasi:cli/stderr",
        sentence: "print errors (captured and capped)",
        items: &["get-stderr"],
    },
    Inert {
        name: "wasi:cli/terminal-input",
        sentence: NO_TERMINAL,
        items: &["terminal-input"],
    },
    Inert {
        name: "wasi:cli/terminal-output",
        sentence: NO_TERMINAL,
        items: &["terminal-output"],
    },
    Inert {
        name: "wasi:cli/terminal-stdin",
        sentence: NO_TERMINAL,
        items: &["get-terminal-stdin"],
    },
    Inert {
        name: "wasi:cli/terminal-stdout",
        sentence: NO_TERMINAL,
        items: &["get-terminal-stdout"],
    },
    Inert {
        name: "wasi:cli/terminal-stderr",
        sentence: NO_TERMINAL,
        items: &["get-terminal-stderr"],
    },
    Inert {
        name: "wasi:filesystem/preopens",
        sentence: "ask for open folders (there are none)",
        items: &["get-directories"],
    },
    Inert {
        name: "wasi:filesystem/types",
        sentence: "use files of folders opened for it (there are none)",
        items: &[
            "descriptor",
            "[method]descriptor.read-via-stream",
            "[method]descriptor.write-via-stream",
            "[method]descriptor.append-via-stream",
            "[method]descriptor.advise",
            "[method]descriptor.sync-data",
            "[method]descriptor.get-flags",
            "[method]descriptor.get-type",
            "[method]descriptor.set-size",
            "[method]descriptor.set-times",
            "[method]descriptor.read",
            "[method]descriptor.write",
            "[method]descriptor.read-directory",
            "[method]descriptor.sync",
            "[method]descriptor.create-directory-at",
            "[method]descriptor.stat",
            "[method]descriptor.stat-at",
            "[method]descriptor.set-times-at",
            "[method]descriptor.link-at",
            "[method]descriptor.open-at",
            "[method]descriptor.readlink-at",
            "[method]descriptor.remove-directory-at",
            "[method]descriptor.rename-at",
            "[method]descriptor.symlink-at",
            "[method]descriptor.unlink-file-at",
            "[method]descriptor.is-same-object",
            "[method]descriptor.metadata-hash",
            "[method]descriptor.metadata-hash-at",
            "directory-entry-stream",
            "[method]directory-entry-stream.read-directory-entry",
            "filesystem-error-code",
        ],
    },
];

/// What of the network an import asks for, with the advice that keeps it out of a build.
pub(crate) struct Network {
    pub(crate) sentence: &'static str,
    pub(crate) advice: &'static str,
}

/// The network, by package: `wasi:sockets`, `wasi:http`.
pub(crate) fn network(package: &str) -> Option<Network> {
    match package {
        "wasi:sockets" => Some(Network {
            sentence: "open network connections",
            advice: "sockets: a Rust plugin has to do without `std::net`; for Python, `componentize-py componentize --stub-wasi` leaves them out",
        }),
        "wasi:http" => Some(Network {
            sentence: "send HTTP requests",
            advice: "HTTP: for JavaScript, `componentize-qjs --sync` never asks for it, and `componentize-js` leaves it out with `disableFeatures: ['random', 'stdio', 'clocks', 'http', 'fetch-event']`",
        }),
        _ => None,
    }
}
