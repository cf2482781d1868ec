//! What a file is, by its first bytes.

use serde::Serialize;

/// What was given as a plugin. Only [`FileKind::Component`] is one; the others are told apart so that the answer can say what
/// to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FileKind {
    /// A WebAssembly component.
    Component,
    /// A component that ends before its last section does.
    TruncatedComponent,
    /// It starts as a component, but what follows is none.
    DamagedComponent,
    /// A WebAssembly module that is not a component.
    CoreModule,
    /// WebAssembly of a version that this host does not know, or a header that breaks off.
    UnknownWebAssembly,
    /// Native code made from a component by a runtime (`.cwasm`): it would run outside the sandbox.
    Precompiled,
    /// A program or library for Linux and its kin.
    Elf,
    /// A program or library for macOS.
    MachO,
    /// A program or library for Windows.
    Pe,
    /// WebAssembly written as text.
    WatText,
    /// An interface description in WIT.
    WitText,
    /// A web page.
    Html,
    /// JSON.
    Json,
    /// Some other text.
    Text,
    /// Compressed with gzip.
    Gzip,
    /// Compressed with Zstandard.
    Zstd,
    /// Compressed with xz.
    Xz,
    /// Compressed with bzip2.
    Bzip2,
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
    /// No bytes at all.
    Empty,
    /// A folder.
    Folder,
    /// A named pipe, socket or device.
    SpecialFile,
    /// None of these.
    Unknown,
}

/// `\0asm`.
pub(crate) const MAGIC: &[u8] = b"\0asm";
/// What follows in a component: version 13, layer 1.
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
/// What follows in a core module: version 1, layer 0.
const MODULE: &[u8] = b"\0asm\x01\0\0\0";
/// Byte of an ELF header that names the system it is for, and what the runtime writes there.
const ELF_OSABI: usize = 7;
const OSABI_WASMTIME: u8 = 200;
/// How much of a text is looked at.
const TEXT_HEAD: usize = 4096;

/// What the bytes are, as far as their beginning tells.
pub(crate) fn sniff(bytes: &[u8]) -> FileKind {
    if bytes.is_empty() {
        return FileKind::Empty;
    }
    if bytes.starts_with(COMPONENT) {
        return FileKind::Component;
    }
    if bytes.starts_with(MODULE) {
        return FileKind::CoreModule;
    }
    if bytes.starts_with(MAGIC) || MAGIC.starts_with(bytes) {
        return FileKind::UnknownWebAssembly;
    }
    if bytes.starts_with(b"\x7fELF") {
        return if bytes.get(ELF_OSABI) == Some(&OSABI_WASMTIME) || holds(bytes, b".wasmtime.") {
            FileKind::Precompiled
        } else {
            FileKind::Elf
        };
    }
    let prefixes: [(&[u8], FileKind); 14] = [
        (b"\x1f\x8b", FileKind::Gzip),
        (b"\x28\xb5\x2f\xfd", FileKind::Zstd),
        (b"\xfd7zXZ\0", FileKind::Xz),
        (b"BZh", FileKind::Bzip2),
        (b"PK\x03\x04", FileKind::Zip),
        (b"PK\x05\x06", FileKind::Zip),
        (b"\xcf\xfa\xed\xfe", FileKind::MachO),
        (b"\xce\xfa\xed\xfe", FileKind::MachO),
        (b"\xfe\xed\xfa\xcf", FileKind::MachO),
        (b"\xfe\xed\xfa\xce", FileKind::MachO),
        (b"\xca\xfe\xba\xbe", FileKind::MachO),
        (b"MZ\x90\0", FileKind::Pe),
        (b"MZ\0\0", FileKind::Pe),
        (b"MZ\x78\0", FileKind::Pe),
    ];
    if let Some((_, kind)) = prefixes.iter().find(|(prefix, _)| bytes.starts_with(prefix)) {
        return *kind;
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return FileKind::Tar;
    }
    text_kind(bytes).unwrap_or(FileKind::Unknown)
}

fn holds(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|w| w == needle)
}

/// Which text it is; none if it is not text.
fn text_kind(bytes: &[u8]) -> Option<FileKind> {
    let head = &bytes[..bytes.len().min(TEXT_HEAD)];
    let head = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The cut may have split a character.
        Err(e) if e.error_len().is_none() && head.len() < bytes.len() => {
            std::str::from_utf8(&head[..e.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    if head.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return None;
    }
    let text = head.trim_start_matches('\u{feff}').trim_start();
    let starts = |word: &str| text.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word));
    if starts("<!doctype html") || starts("<html") || starts("<head") || starts("<body") {
        return Some(FileKind::Html);
    }
    if text.starts_with(['{', '[']) {
        return Some(FileKind::Json);
    }
    let code = after_comments(text);
    let word = |prefix: &str| {
        code.strip_prefix(prefix)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    if let Some(rest) = code.strip_prefix('(') {
        let rest = rest.trim_start();
        if rest.starts_with("component") || rest.starts_with("module") {
            return Some(FileKind::WatText);
        }
    }
    if word("package") && code.lines().next().is_some_and(|l| l.contains(':')) || word("interface") || word("world") {
        return Some(FileKind::WitText);
    }
    Some(FileKind::Text)
}

/// The text after comments, of WebAssembly text (`;; …`, `(; … ;)`) and of WIT (`// …`).
fn after_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        if text.starts_with(";;") || text.starts_with("//") {
            text = text.split_once('\n').map_or("", |(_, rest)| rest);
        } else if text.starts_with("(;") {
            text = text.split_once(";)").map_or("", |(_, rest)| rest);
        } else {
            return text;
        }
    }
}

/// How the sections of a component lie in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    /// They fill it exactly.
    Whole,
    /// The last one ends this many bytes after the file does (at least).
    Short(u64),
    /// At this byte there is no section.
    Broken(u64),
}

/// Walks the outermost sections of a component: a cut-off copy shows there without any of its content being read.
pub(crate) fn frame(component: &[u8]) -> Frame {
    /// Identifiers of a component's sections go from 0 to 12 (values are the newest).
    const LAST_SECTION: u8 = 12;
    let mut at = COMPONENT.len();
    while at < component.len() {
        if component[at] > LAST_SECTION {
            return Frame::Broken(at as u64);
        }
        let mut size = 0_u64;
        let mut width = 0;
        loop {
            let Some(byte) = component.get(at + 1 + width) else {
                return Frame::Short(1);
            };
            if width == 5 {
                return Frame::Broken(at as u64);
            }
            size |= u64::from(byte & 0x7f) << (7 * width);
            width += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let end = (at + 1 + width) as u64 + size;
        match usize::try_from(end) {
            Ok(end) if end <= component.len() => at = end,
            _ => return Frame::Short(end - component.len() as u64),
        }
    }
    Frame::Whole
}
