//! How comments are written.

/// The comments of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Each line begins so.
    Lines(&'static str),
    /// Begin, what each line begins with, and end.
    Block(&'static str, &'static str, &'static str),
}

impl Style {
    /// By a file's name; none of what is not known to be source.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        if matches!(name, "Makefile" | "Dockerfile" | "Rakefile" | "Gemfile") {
            return Some(Self::Lines("#"));
        }
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        Some(match extension.to_ascii_lowercase().as_str() {
            "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "cs" | "java" | "kt" | "kts" | "swift" | "go"
            | "js" | "mjs" | "cjs" | "jsx" | "ts" | "tsx" | "scala" | "dart" | "proto" | "php" | "scss" | "zig" => {
                Self::Lines("//")
            }
            "py" | "pyi" | "rb" | "sh" | "bash" | "zsh" | "pl" | "toml" | "yml" | "yaml" | "mk" | "cmake" | "r"
            | "nix" | "ex" | "exs" | "tf" => Self::Lines("#"),
            "sql" | "lua" | "hs" | "elm" => Self::Lines("--"),
            "el" | "lisp" | "clj" | "scm" => Self::Lines(";;"),
            "css" => Self::Block("/*", " * ", " */"),
            "html" | "htm" | "xml" | "svg" | "vue" | "svelte" => Self::Block("<!--", "  ", "-->"),
            _ => return None,
        })
    }
}
