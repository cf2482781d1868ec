//! The languages that a plugin can be started in, and what there is to know of each.

use std::fmt;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust, with cargo and the SDK.
    Rust,
    /// JavaScript, with componentize-qjs.
    JavaScript,
    /// TypeScript, with componentize-qjs.
    TypeScript,
    /// Python, with componentize-py.
    Python,
    /// C, with clang, wasi-libc and wit-bindgen.
    C,
}

/// What differs by language.
struct Facts {
    name: &'static str,
    title: &'static str,
    /// Typed once.
    setup: &'static [&'static str],
    build: &'static str,
    test: &'static str,
    artifact: &'static str,
    /// Names that the language's tools refuse for a package, or that would hide something of theirs.
    reserved: &'static [&'static str],
}

impl Language {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::Rust, Self::JavaScript, Self::TypeScript, Self::Python, Self::C];

    /// As it is given after `--lang`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// By that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// As it is written in a text.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// What is typed once, before the first build; with placeholders, as all of these.
    pub(crate) fn setup(self) -> &'static [&'static str] {
        self.facts().setup
    }

    /// What makes the component.
    pub(crate) fn build(self) -> &'static str {
        self.facts().build
    }

    /// What runs the project's own tests.
    pub(crate) fn test(self) -> &'static str {
        self.facts().test
    }

    /// The component that is built.
    pub(crate) fn artifact(self) -> &'static str {
        self.facts().artifact
    }

    /// Names that a plugin in this language cannot have.
    pub(crate) fn reserved(self) -> &'static [&'static str] {
        self.facts().reserved
    }

    fn facts(self) -> &'static Facts {
        match self {
            Self::Rust => &RUST,
            Self::JavaScript => &JAVASCRIPT,
            Self::TypeScript => &TYPESCRIPT,
            Self::Python => &PYTHON,
            Self::C => &C,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

const RUST: Facts = Facts {
    name: "rust",
    title: "Rust",
    setup: &["rustup target add wasm32-wasip2"],
    build: "cargo build --release --target wasm32-wasip2",
    test: "cargo test",
    artifact: "./target/wasm32-wasip2/release/{{snake}}.wasm",
    // What cargo refuses for a package, in so far as it is written like a name of ours; and the crate that the project depends on.
    reserved: &[
        "abstract",
        "alloc",
        "as",
        "async",
        "await",
        "become",
        "box",
        "break",
        "const",
        "continue",
        "core",
        "crate",
        "do",
        "dyn",
        "else",
        "enum",
        "extern",
        "false",
        "final",
        "fn",
        "for",
        "gen",
        "if",
        "impl",
        "in",
        "let",
        "loop",
        "macro",
        "match",
        "mod",
        "move",
        "mut",
        "override",
        "priv",
        "proc-macro",
        "pub",
        "ref",
        "return",
        "self",
        "snodo-plugin",
        "static",
        "std",
        "struct",
        "super",
        "test",
        "trait",
        "true",
        "try",
        "type",
        "typeof",
        "unsafe",
        "unsized",
        "use",
        "virtual",
        "where",
        "while",
        "yield",
    ],
};

const JAVASCRIPT: Facts = Facts {
    name: "js",
    title: "JavaScript",
    setup: &["npm ci"],
    build: "npm run build",
    test: "npm test",
    artifact: "./build/{{name}}.wasm",
    // A package cannot depend on itself.
    reserved: &["componentize-qjs"],
};

const TYPESCRIPT: Facts = Facts {
    name: "ts",
    title: "TypeScript",
    setup: &["npm ci"],
    build: "npm run build",
    test: "npm test",
    artifact: "./build/{{name}}.wasm",
    reserved: &["componentize-qjs", "typescript"],
};

const PYTHON: Facts = Facts {
    name: "python",
    title: "Python",
    setup: &[],
    build: "make",
    test: "make test",
    artifact: "./build/{{name}}.wasm",
    reserved: &[],
};

const C: Facts = Facts {
    name: "c",
    title: "C",
    setup: &[
        "sudo apt-get install --yes make clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc",
        "cargo install --locked wit-bindgen-cli@0.63.0 --no-default-features --features c",
        "cargo install --locked wasm-tools@1.262.0 --no-default-features --features component",
    ],
    build: "make",
    test: "make test",
    artifact: "./build/{{name}}.wasm",
    reserved: &[],
};
