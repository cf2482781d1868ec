//! What admission says: of files, sizes, roles, imports, versions and names.

use snodo_admission::{
    Bodies, Context, FileKind, Grants, ImportClass, Inspection, Limits, PluginName, Role, Served, Unread, differences,
    inspect, inspect_unread,
};

use super::Told;
use super::plugins::{edited, plain, text};

const CODING: &str = "export snodo:plugin/coding@0.1.0;";
const JUDGING: &str = "export snodo:plugin/judging@0.1.0;";

fn context(name: &PluginName) -> Context<'_> {
    Context {
        name,
        role_expected: None,
        grants: Grants::NONE,
        served: Served { completion: true },
        bodies: Bodies::Validate,
    }
}

fn name() -> PluginName {
    PluginName::parse("guest").unwrap()
}

/// Every reason of a refusal, and every advice.
fn take(told: &mut Told, inspection: &Inspection) {
    let findings = inspection.verdict.findings();
    assert!(!findings.is_empty());
    for finding in findings {
        told.say(finding);
        told.by("Rule", &finding.rule);
    }
    for advice in &inspection.advice {
        told.say(advice);
    }
    if inspection.kind != FileKind::Component {
        told.by("FileKind", &inspection.kind);
    }
    for import in &inspection.imports {
        if let ImportClass::Refused { reason } = &import.class {
            told.by("RefusalReason", reason);
        }
    }
}

pub(crate) fn tell(told: &mut Told) {
    files(told);
    limits(told);
    roles(told);
    imports(told);
    versions(told);
    names(told);
}

fn look(told: &mut Told, bytes: &[u8]) {
    take(told, &inspect(bytes, &context(&name()), &Limits::standard()));
}

fn files(told: &mut Told) {
    let whole = plain(CODING);
    let mut broken = whole.clone();
    broken[8] = 99;
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.extend([0; 57]);
    let mut precompiled = elf.clone();
    precompiled[7] = 200;
    let mut tar = vec![0; 512];
    tar[..6].copy_from_slice(b"a.wasm");
    tar[257..262].copy_from_slice(b"ustar");
    let samples: [&[u8]; 21] = [
        b"",
        &whole[..whole.len() / 2],
        &broken,
        b"\0asm\x01\0\0\0",
        b"\0asm",
        &elf,
        &precompiled,
        &tar,
        b"\xcf\xfa\xed\xfe\x07\0\0\x01",
        b"MZ\x90\0\x03\0\0\0",
        b"(module)",
        b"package snodo:plugin@0.1.0;\n",
        b"<!DOCTYPE html><html></html>",
        b"{\"a\": 1}",
        b"#!/bin/sh\n",
        b"\x1f\x8b\x08\0\0\0\0\0",
        b"\x28\xb5\x2f\xfd\x24",
        b"\xfd7zXZ\0",
        b"BZh9",
        b"PK\x03\x04\x14\0",
        b"\0\x01\x02\x03",
    ];
    for sample in samples {
        look(told, sample);
    }
    for what in [Unread::Folder, Unread::SpecialFile, Unread::Large { bytes: 1 << 40 }] {
        let inspection = inspect_unread(what, &context(&name()), &Limits::standard());
        take(told, &inspection);
    }
    for module in ["(memory 1 2 shared)", "(tag)", "(func (param externref))"] {
        look(told, &text(&format!("(component (core module {module}))")));
    }
    look(told, &text("(component (core func (canon task.cancel)))"));
}

fn limits(told: &mut Told) {
    let nothing = Limits {
        max_modules: 0,
        max_components: 0,
        max_functions: 0,
        max_function_bytes: 0,
        max_instances: 0,
        max_adapters: 0,
        max_memory_bytes: 0,
        max_table_elements: 0,
        max_imports: 0,
        max_exports: 0,
        ..Limits::standard()
    };
    let bytes = text(
        r#"(component
             (import "i" (instance)) (component)
             (core module $m (memory 1) (table 1 funcref) (func (export "f")))
             (core instance $c (instantiate $m))
             (func (canon lift (core func $c "f")))
             (instance $e) (export "e" (instance $e)))"#,
    );
    let inspection = inspect(&bytes, &context(&name()), &nothing);
    let limits = inspection
        .verdict
        .findings()
        .iter()
        .filter(|f| f.needed.starts_with("the limit is"));
    assert_eq!(limits.count(), 10, "a line for each bound: {:#?}", inspection.verdict);
    take(told, &inspection);
    look(
        told,
        &text(
            r#"(component
                 (core module $big)
                 (component $c (import "m" (core module $m)) (core instance (instantiate $m)))
                 (instance (instantiate $c (with "m" (core module $big)))))"#,
        ),
    );
}

fn roles(told: &mut Told) {
    look(told, &plain("import snodo:plugin/read@0.1.0;"));
    look(told, &plain("export wasi:cli/run@0.2.6;"));
    look(told, &plain(&format!("{CODING} {JUDGING}")));
    look(
        told,
        &text(
            r#"(component (instance $e) (export "snodo:plugin/coding@0.1.0" (instance $e))
                 (export "snodo:plugin/coding@0.2.0" (instance $e)))"#,
        ),
    );
    look(
        told,
        &text(
            r#"(component (core module $m (func (export "f"))) (core instance $i (instantiate $m))
                 (func $f (canon lift (core func $i "f"))) (export "snodo:plugin/coding@0.1.0" (func $f)))"#,
        ),
    );
    let name = name();
    let wanted = Context {
        role_expected: Some(Role::Coder),
        ..context(&name)
    };
    take(told, &inspect(&plain(JUDGING), &wanted, &Limits::standard()));
}

fn imports(told: &mut Told) {
    for (import, export) in [
        ("snodo:plugin/completion@0.1.0", CODING),
        ("snodo:plugin/runner@0.1.0", JUDGING),
        ("snodo:plugin/submit@0.1.0", JUDGING),
        ("snodo:plugin/change@0.1.0", CODING),
        ("snodo:plugin/judging@0.1.0", CODING),
        ("acme:tools/extra", CODING),
        ("wasi:sockets/tcp@0.2.6", CODING),
        ("wasi:http/outgoing-handler@0.2.6", CODING),
        ("wasi:keyvalue/store@0.2.0", CODING),
        ("wasi:cli/environment@0.2.6", CODING),
        ("wasi:clocks/wall-clock@0.3.0", CODING),
    ] {
        look(told, &plain(&format!("import {import}; {export}")));
    }
    look(told, &text("(component (import \"go\" (func)))"));
    let shell = ("interface read {", "interface shell { run: func(); }\ninterface read {");
    look(
        told,
        &edited(&format!("import snodo:plugin/shell@0.1.0; {CODING}"), &[shell]),
    );
    let name = name();
    let without = Context {
        served: Served { completion: false },
        ..context(&name)
    };
    let bytes = plain(&format!("import snodo:plugin/completion@0.1.0; {CODING}"));
    take(told, &inspect(&bytes, &without, &Limits::standard()));
}

fn versions(told: &mut Told) {
    let world = format!("import snodo:plugin/read@0.1.0; {CODING}");
    let moved = |to: &str, more: &[(&str, &str)]| {
        let mut edits = vec![("@0.1.0", to)];
        edits.extend(more);
        edited(&world.replace("@0.1.0", to), &edits)
    };
    let smaller = ("size: u64,", "size: u32,");
    let newer = ("list-files: func", "walk-files: func(path: string); list-files: func");
    for bytes in [
        moved("@0.2.0", &[]),
        moved("", &[]),
        moved("@0.1.0", &[smaller]),
        moved("@0.1.0", &[newer]),
    ] {
        look(told, &bytes);
        let report = differences(&bytes, &name(), &Limits::standard()).unwrap();
        assert!(!report.advice.is_empty());
        for advice in report.advice {
            told.say(&advice);
        }
    }
}

fn names(told: &mut Told) {
    for bad in ["", &"n".repeat(65), "-a", "a b", "a.", "con"] {
        let refusal = PluginName::parse(bad).unwrap_err();
        told.say(&refusal);
        told.by("NameRule", &refusal.rule);
    }
}
