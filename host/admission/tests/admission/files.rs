//! F04: what is no component is told for what it is, in one line that says what to do.

use snodo_admission::{FileKind, Limits, Unread, inspect_unread};

use crate::build::{answer, context, look, name, of_world, text};

#[track_caller]
fn refused(bytes: &[u8], kind: FileKind, line: &str) {
    assert_eq!(answer(bytes), format!("plugin `guest` is refused: {line}"));
    let inspection = look(bytes);
    assert_eq!(inspection.kind, kind);
    assert_eq!(inspection.size, Some(bytes.len() as u64));
    assert!(inspection.digest.is_some() && inspection.role.is_none() && inspection.imports.is_empty());
}

#[test]
fn f04_an_empty_file() {
    refused(
        b"",
        FileKind::Empty,
        "this is an empty file (0 bytes); a plugin is a WebAssembly component (in Rust: `cargo build --release --target wasm32-wasip2`)",
    );
}

#[test]
fn f04_a_core_module() {
    let line = "this is a core WebAssembly module, not a component; build for `wasm32-wasip2` (Rust), or make a component of it with `wasm-tools component new FILE -o plugin.wasm`";
    refused(
        &[0x00, 0x61, 0x73, 0x6D, 0x01, 0x00, 0x00, 0x00],
        FileKind::CoreModule,
        line,
    );
    refused(
        &text("(module (memory 1) (func (export \"run\")))"),
        FileKind::CoreModule,
        line,
    );
}

#[test]
fn f04_a_component_cut_at_half() {
    let whole = of_world("coder");
    assert_eq!(answer(&whole), "admitted", "the control: whole, it is one");
    let cut = &whole[..whole.len() / 2];
    let line = answer(cut);
    assert!(
        line.starts_with("plugin `guest` is refused: this component is cut off after ")
            && line.ends_with(" are missing; copy, download or build it again"),
        "{line}"
    );
    assert_eq!(look(cut).kind, FileKind::TruncatedComponent);
}

#[test]
fn f04_a_component_cut_anywhere_is_refused_in_one_line() {
    let whole = of_world("validator");
    let all = look(&whole);
    // Every length near the header and the end, and a grid between them.
    let ends = |len: &usize| *len < 64 || len + 512 > whole.len() || len.is_multiple_of(17);
    for len in (0..whole.len()).filter(ends) {
        let line = answer(&whole[..len]);
        if line == "admitted" {
            // Cut exactly before its last sections, which say by which tools it was built and change nothing.
            let rest = look(&whole[..len]);
            assert_eq!((rest.imports, rest.exports), (all.imports.clone(), all.exports.clone()));
        } else {
            assert!(
                line.starts_with("plugin `guest` is refused: ") && !line.contains('\n'),
                "cut at {len}: {line}"
            );
        }
    }
}

#[test]
fn f04_a_header_and_then_garbage() {
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    bytes.extend_from_slice(&[0xff; 64]);
    refused(
        &bytes,
        FileKind::DamagedComponent,
        "this starts as a WebAssembly component and is not a valid one: it breaks at byte 8; copy, download or build it again (`wasm-tools validate FILE` says more)",
    );
    let mut bytes = of_world("coder");
    let middle = bytes.len() / 2;
    for byte in &mut bytes[middle..middle + 16] {
        *byte ^= 0x5a;
    }
    let line = answer(&bytes);
    assert!(
        line.contains("this starts as a WebAssembly component and is not a valid one: it breaks at byte "),
        "{line}"
    );
}

#[test]
fn f04_a_header_that_breaks_off_or_of_another_version() {
    let line = "this is WebAssembly of a version that this host does not know, or only the beginning of it; a plugin is a component of the format's version 13, layer 1: copy it again, or build it with a current toolchain";
    refused(b"\0asm", FileKind::UnknownWebAssembly, line);
    refused(b"\0as", FileKind::UnknownWebAssembly, line);
    refused(b"\0asm\x0c\0\x01\0", FileKind::UnknownWebAssembly, line);
    refused(b"\0asm\x02\0\0\0", FileKind::UnknownWebAssembly, line);
}

#[test]
fn f04_text_of_several_kinds() {
    let wat = "this is WebAssembly as text (`.wat`), not a component; make a binary of it with `wasm-tools parse FILE -o plugin.wasm`";
    refused(b"(component)", FileKind::WatText, wat);
    refused(b"\n;; a plugin\n(; in text ;)\n( module)", FileKind::WatText, wat);
    refused(
        b"<!DOCTYPE html>\n<html><body>404</body></html>",
        FileKind::Html,
        "this is an HTML page, not a component; it may be the page of a download instead of the download: get the component itself",
    );
    refused(
        "\u{feff}  <HTML>".as_bytes(),
        FileKind::Html,
        "this is an HTML page, not a component; it may be the page of a download instead of the download: get the component itself",
    );
    let wanted = "a plugin is a WebAssembly component (in Rust: `cargo build --release --target wasm32-wasip2`)";
    refused(
        b"{\"message\": \"Not Found\"}",
        FileKind::Json,
        &format!("this is JSON, not a component; {wanted}"),
    );
    refused(
        b"#!/bin/sh\nrm -rf /\n",
        FileKind::Text,
        &format!("this is a text file, not a component; {wanted}"),
    );
    refused(
        b"/// The contract.\npackage snodo:plugin@0.1.0;\n",
        FileKind::WitText,
        "this is an interface description (WIT), not a component; a plugin is a component that was built for a world of it",
    );
    // A text that is cut in the middle of a character is text all the same.
    let mut long = "é".repeat(5000).into_bytes();
    long.insert(0, b'x');
    refused(
        &long,
        FileKind::Text,
        &format!("this is a text file, not a component; {wanted}"),
    );
}

#[test]
fn f04_a_precompiled_artifact_is_never_taken() {
    let line = "this is precompiled native code (`.cwasm`), not a component; it would run outside the sandbox and is never taken: give the component that it was made from";
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.push(200);
    elf.extend_from_slice(&[0; 56]);
    refused(&elf, FileKind::Precompiled, line);
    // Its mark taken away, its sections still tell.
    elf[7] = 0;
    elf.extend_from_slice(b"\0.wasmtime.engine\0.text\0");
    refused(&elf, FileKind::Precompiled, line);
}

#[test]
fn f04_programs_and_archives() {
    let wanted = "a plugin is a WebAssembly component (in Rust: `cargo build --release --target wasm32-wasip2`)";
    refused(
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0",
        FileKind::Elf,
        &format!("this is a program or library for Linux (ELF), not a component; {wanted}"),
    );
    refused(
        b"\xcf\xfa\xed\xfe\x07\0\0\x01",
        FileKind::MachO,
        &format!("this is a program or library for macOS (Mach-O), not a component; {wanted}"),
    );
    refused(
        b"MZ\x90\0\x03\0\0\0",
        FileKind::Pe,
        &format!("this is a program or library for Windows (PE), not a component; {wanted}"),
    );
    refused(
        b"\x1f\x8b\x08\0\0\0\0\0",
        FileKind::Gzip,
        "this is compressed (gzip), not a component as it is; unpack it first: `gunzip FILE`",
    );
    refused(
        b"\x28\xb5\x2f\xfd\x24",
        FileKind::Zstd,
        "this is compressed (Zstandard), not a component as it is; unpack it first: `unzstd FILE`",
    );
    refused(
        b"PK\x03\x04\x14\0",
        FileKind::Zip,
        "this is a zip archive, not a component; unpack it, and give the component in it",
    );
    let mut tar = vec![0; 512];
    tar[..6].copy_from_slice(b"a.wasm");
    tar[257..262].copy_from_slice(b"ustar");
    refused(
        &tar,
        FileKind::Tar,
        "this is a tar archive, not a component; unpack it, and give the component in it",
    );
    refused(
        b"\x00\x01\x02\x03",
        FileKind::Unknown,
        &format!("this is no WebAssembly, and nothing else that this host knows; {wanted}"),
    );
}

#[test]
fn f04_a_folder_a_pipe_and_a_file_that_is_not_even_read() {
    let name = name();
    let limits = Limits::standard();
    let line = |what| {
        inspect_unread(what, &context(&name), &limits)
            .refusal()
            .unwrap()
            .to_string()
    };
    assert_eq!(
        line(Unread::Folder),
        "plugin `guest` is refused: this is a folder, not a file; give the component itself (in Rust: `target/wasm32-wasip2/release/NAME.wasm`)"
    );
    assert_eq!(
        line(Unread::SpecialFile),
        "plugin `guest` is refused: this is a named pipe, a socket or a device, not a file; a plugin is read from a regular file"
    );
    assert_eq!(
        line(Unread::Large { bytes: 200_000_000 }),
        "plugin `guest` is refused: the file has 190.8 MiB; the limit is 64 MiB: leave out debug information, or split the plugin"
    );
}

#[test]
fn a_component_that_uses_what_this_host_does_not_run_is_told_so() {
    let module = |body: &str| text(&format!("(component (core module {body}))"));
    let refused = |bytes: &[u8], what: &str, needed: &str| {
        assert_eq!(
            answer(bytes),
            format!("plugin `guest` is refused: the component uses {what}, which this host does not run; {needed}")
        );
        assert_eq!(look(bytes).kind, FileKind::Component);
    };
    refused(
        &module("(memory 1 2 shared)"),
        "threads or shared memory",
        "build it without",
    );
    refused(&module("(tag)"), "exceptions of WebAssembly", "build it without");
    refused(
        &module("(func (param externref))"),
        "garbage-collected types",
        "build it without",
    );
    refused(
        &module("(func (param v128 v128) (result v128) local.get 0 local.get 1 i8x16.relaxed_swizzle)"),
        "relaxed SIMD (its results differ between machines)",
        "build it without",
    );
    refused(
        &text("(component (core func (canon task.cancel)))"),
        "asynchronous functions of the component model",
        "build it without; for JavaScript: `componentize-qjs --sync`",
    );
    // The control: what stays of WebAssembly is taken, and only the role is missing.
    let plain = answer(&module(
        "(memory 1) (memory 1) (func (param v128) (result v128) local.get 0) (func (result i32 i32) i32.const 0 i32.const 1)",
    ));
    assert!(plain.contains("it exports neither"), "{plain}");
}
