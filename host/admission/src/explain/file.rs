//! What a file is that is no usable component, and what to do about it.

use wasmparser::WasmFeatures;

use crate::finding::{Finding, Rule};
use crate::kind::FileKind;
use crate::scan::Failure;
use crate::text::{count, size};

const WANTED: &str = "a plugin is a WebAssembly component (in Rust: `cargo build --release --target wasm32-wasip2`)";
const AGAIN: &str = "copy, download or build it again";

impl FileKind {
    /// What it is, as the end of "this is …".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Component => "a WebAssembly component",
            Self::TruncatedComponent => "a WebAssembly component that is cut off",
            Self::DamagedComponent => "a damaged WebAssembly component",
            Self::CoreModule => "a core WebAssembly module, not a component",
            Self::UnknownWebAssembly => {
                "WebAssembly of a version that this host does not know, or only the beginning of it"
            }
            Self::Precompiled => "precompiled native code (`.cwasm`), not a component",
            Self::Elf => "a program or library for Linux (ELF), not a component",
            Self::MachO => "a program or library for macOS (Mach-O), not a component",
            Self::Pe => "a program or library for Windows (PE), not a component",
            Self::WatText => "WebAssembly as text (`.wat`), not a component",
            Self::WitText => "an interface description (WIT), not a component",
            Self::Html => "an HTML page, not a component",
            Self::Json => "JSON, not a component",
            Self::Text => "a text file, not a component",
            Self::Gzip => "compressed (gzip), not a component as it is",
            Self::Zstd => "compressed (Zstandard), not a component as it is",
            Self::Xz => "compressed (xz), not a component as it is",
            Self::Bzip2 => "compressed (bzip2), not a component as it is",
            Self::Zip => "a zip archive, not a component",
            Self::Tar => "a tar archive, not a component",
            Self::Empty => "an empty file (0 bytes)",
            Self::Folder => "a folder, not a file",
            Self::SpecialFile => "a named pipe, a socket or a device, not a file",
            Self::Unknown => "no WebAssembly, and nothing else that this host knows",
        }
    }
}

/// The line for a file that is no component at all; none for one that is.
pub(crate) fn kind_finding(kind: FileKind) -> Option<Finding> {
    let needed = match kind {
        FileKind::Component => return None,
        FileKind::TruncatedComponent | FileKind::DamagedComponent => AGAIN,
        FileKind::CoreModule => {
            "build for `wasm32-wasip2` (Rust), or make a component of it with `wasm-tools component new FILE -o plugin.wasm`"
        }
        FileKind::UnknownWebAssembly => {
            "a plugin is a component of the format's version 13, layer 1: copy it again, or build it with a current toolchain"
        }
        FileKind::Precompiled => {
            "it would run outside the sandbox and is never taken: give the component that it was made from"
        }
        FileKind::WatText => "make a binary of it with `wasm-tools parse FILE -o plugin.wasm`",
        FileKind::WitText => "a plugin is a component that was built for a world of it",
        FileKind::Html => "it may be the page of a download instead of the download: get the component itself",
        FileKind::Gzip => "unpack it first: `gunzip FILE`",
        FileKind::Zstd => "unpack it first: `unzstd FILE`",
        FileKind::Xz => "unpack it first: `unxz FILE`",
        FileKind::Bzip2 => "unpack it first: `bunzip2 FILE`",
        FileKind::Zip | FileKind::Tar => "unpack it, and give the component in it",
        FileKind::Folder => "give the component itself (in Rust: `target/wasm32-wasip2/release/NAME.wasm`)",
        FileKind::SpecialFile => "a plugin is read from a regular file",
        FileKind::Elf
        | FileKind::MachO
        | FileKind::Pe
        | FileKind::Json
        | FileKind::Text
        | FileKind::Empty
        | FileKind::Unknown => WANTED,
    };
    Some(Finding::whole(
        Rule::NotAComponent,
        format!("this is {}", kind.describe()),
        needed,
    ))
}

/// The line for a component that ends too early.
pub(crate) fn truncated(len: usize, missing: u64) -> Finding {
    Finding::whole(
        Rule::Damaged,
        format!(
            "this component is cut off after {}: at least {} are missing",
            size(len as u64),
            size(missing)
        ),
        AGAIN,
    )
}

/// The line for a component that is not valid.
pub(crate) fn failure_finding(failure: Failure) -> Finding {
    let Some(feature) = failure.feature else {
        return damaged(failure.offset as u64);
    };
    let (name, needed) = feature_words(feature);
    Finding::whole(
        Rule::Feature,
        format!("the component uses {name}, which this host does not run"),
        needed,
    )
}

/// The line for a component that is none from some byte on.
pub(crate) fn damaged(offset: u64) -> Finding {
    Finding::whole(
        Rule::Damaged,
        format!(
            "this starts as a WebAssembly component and is not a valid one: it breaks at byte {}",
            count(offset)
        ),
        format!("{AGAIN} (`wasm-tools validate FILE` says more)"),
    )
}

fn feature_words(feature: WasmFeatures) -> (&'static str, &'static str) {
    const WITHOUT: &str = "build it without";
    let any = |flags: WasmFeatures| feature.intersects(flags);
    // All at once: what it is could not be told.
    if feature.bits().count_ones() > 8 {
        return (
            "a proposal of WebAssembly",
            "build it for the features that WebAssembly 3.0 and the component model have in common",
        );
    }
    if any(WasmFeatures::CM_ASYNC
        | WasmFeatures::CM_ASYNC_STACKFUL
        | WasmFeatures::CM_MORE_ASYNC_BUILTINS
        | WasmFeatures::CM_THREADING
        | WasmFeatures::CM_ERROR_CONTEXT)
    {
        return (
            "asynchronous functions of the component model",
            "build it without; for JavaScript: `componentize-qjs --sync`",
        );
    }
    let table = [
        (
            WasmFeatures::THREADS | WasmFeatures::SHARED_EVERYTHING_THREADS,
            "threads or shared memory",
        ),
        (
            WasmFeatures::EXCEPTIONS | WasmFeatures::LEGACY_EXCEPTIONS,
            "exceptions of WebAssembly",
        ),
        (
            WasmFeatures::GC | WasmFeatures::GC_TYPES | WasmFeatures::CM_GC,
            "garbage-collected types",
        ),
        (
            WasmFeatures::RELAXED_SIMD,
            "relaxed SIMD (its results differ between machines)",
        ),
        (WasmFeatures::STACK_SWITCHING, "stack switching"),
        (WasmFeatures::CUSTOM_PAGE_SIZES, "memory pages of other sizes"),
        (WasmFeatures::WIDE_ARITHMETIC, "wide arithmetic"),
        (WasmFeatures::CM_VALUES, "values of the component model"),
        (
            WasmFeatures::CM_MAP | WasmFeatures::CM_FIXED_LENGTH_LISTS | WasmFeatures::CM64,
            "newer types of the component model",
        ),
        (
            WasmFeatures::CM_NESTED_NAMES | WasmFeatures::CM_IMPLEMENTS | WasmFeatures::CM_CANON_NAMES,
            "newer names of the component model",
        ),
    ];
    table
        .into_iter()
        .find(|(flags, _)| any(*flags))
        .map_or(("a proposal of WebAssembly", WITHOUT), |(_, name)| (name, WITHOUT))
}
