//! Which files of a change are shown first.

/// Whole names of files that programs write.
const NAMES: [&str; 6] = [
    "go.sum",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "packages.lock.json",
    "gradle.lockfile",
];

/// Ends of names of files that programs write.
const ENDS: [&str; 17] = [
    ".lock",
    ".lockb",
    ".min.js",
    ".min.mjs",
    ".min.css",
    ".bundle.js",
    ".bundle.css",
    ".chunk.js",
    ".js.map",
    ".css.map",
    "_pb2.py",
    "_pb2_grpc.py",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    ".g.dart",
    ".designer.cs",
];

/// Folders of what is built, or of what others wrote.
const FOLDERS: [&str; 11] = [
    "dist",
    "build",
    "out",
    "target",
    "vendor",
    "third_party",
    "node_modules",
    "bower_components",
    "generated",
    "__generated__",
    "__pycache__",
];

/// Whether a program, and not a person, seems to have written the file, by its path. It decides only about the order, and about who
/// gets room first: such a file is a part of the change like any other, and what was not seen of it was not seen.
pub(crate) fn looks_generated(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    NAMES.contains(&name)
        || ENDS.iter().any(|end| name.ends_with(end))
        || folders.split('/').any(|folder| FOLDERS.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::looks_generated;

    #[test]
    fn lock_files_bundles_and_folders_of_what_is_built() {
        for path in [
            "Cargo.lock",
            "web/package-lock.json",
            "yarn.lock",
            "static/app.min.js",
            "dist/index.js",
            "a/Vendor/b.go",
            "api/thing_pb2.py",
        ] {
            assert!(looks_generated(path), "{path}");
        }
        for path in [
            "src/lock.rs",
            "dist.rs",
            "src/builder/a.rs",
            "build.rs",
            "min.js",
            "package.json",
        ] {
            assert!(!looks_generated(path), "{path}");
        }
    }
}
