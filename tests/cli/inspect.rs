//! `snodo-host inspect`: what a plugin is, without running or compiling anything of it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::components::{component, of_world, plugin, text};
use crate::support::{Finished, Sandbox, guest};

/// Inspects; nothing of it may be compiled, kept or left.
fn inspect(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let mut all = vec!["inspect"];
    all.extend(arguments);
    sandbox.call(&all)
}

/// A plugin file of these bytes.
fn file(sandbox: &Sandbox, name: &str, bytes: &[u8]) -> String {
    let path: PathBuf = sandbox.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// `inspect` and `run` refuse a file with the same words. Answers the lines of the refusal.
#[track_caller]
fn refused(bytes: &[u8], words: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    let path = file(&sandbox, "stranger.wasm", bytes);
    refused_file(&sandbox, &path, words)
}

#[track_caller]
fn refused_file(sandbox: &Sandbox, path: &str, words: &[&str]) -> Vec<String> {
    let shown = inspect(sandbox, &[path]);
    assert_eq!((shown.code, shown.stderr.as_str()), (1, ""), "{shown:#?}");
    let (_, after) = shown
        .stdout
        .split_once("\nrefused\n")
        .unwrap_or_else(|| panic!("not refused: {}", shown.stdout));
    let lines: Vec<String> = after
        .lines()
        .map(|l| l.trim().to_owned())
        .filter(|l| !l.starts_with("hint:"))
        .collect();
    for words in words {
        assert!(
            lines.iter().any(|line| line.contains(words)),
            "no `{words}` in {lines:#?}"
        );
    }
    let dump = [
        "wasmparser",
        "offset 0x",
        "Error {",
        "caused by",
        "panicked",
        "at offset",
    ];
    assert!(
        !dump.iter().any(|word| after.contains(word)),
        "a parser's dump: {after}"
    );

    let told: Value = serde_json::from_str(&inspect(sandbox, &[path, "--json"]).stdout).unwrap();
    assert_eq!(
        (&told["schema"], &told["ok"]),
        (&json!("snodo.inspect.v1"), &json!(false))
    );

    let before = sandbox.tree();
    let why = sandbox.run(&["anything", "--coder", path]).refused();
    for words in words {
        assert!(why.contains(words), "`run` says something else: no `{words}` in {why}");
    }
    assert_eq!(before, sandbox.tree());
    let cache = sandbox.compiled();
    assert!(
        !cache.exists() || std::fs::read_dir(cache).unwrap().next().is_none(),
        "something of it was compiled"
    );
    lines
}

#[test]
fn a_built_in_is_shown_with_digest_size_role_world_and_imports_in_plain_sentences() {
    let sandbox = Sandbox::new();
    let shown = inspect(&sandbox, &["patch"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    for words in [
        "patch  a WebAssembly component (built-in)",
        "digest  sha256:",
        "size    ",
        "role    coder",
        "world   coder",
        "built   against snodo:plugin 0.1.0",
        "snodo:plugin/read@0.1.0",
        "given to the role",
        "read files of the workspace",
        "snodo:plugin/submit@0.1.0",
        "propose a change, and tell its progress",
        "inert WASI",
        "snodo:plugin/coding@0.1.0  instance: makes it a coder",
    ] {
        assert!(shown.stdout.contains(words), "no `{words}` in\n{}", shown.stdout);
    }
    assert!(shown.stdout.ends_with("\nadmitted\n"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("snodo:plugin/completion"), "{}", shown.stdout);
}

#[test]
fn every_built_in_is_admitted_in_its_role() {
    let sandbox = Sandbox::new();
    for (name, role, world) in [
        ("mock", "coder", "coder"),
        ("patch", "coder", "coder"),
        ("quality", "validator", "runner-validator"),
        ("scope", "validator", "validator"),
        ("secrets", "validator", "validator"),
    ] {
        let shown = inspect(&sandbox, &[name, "--json"]);
        let told: Value = serde_json::from_str(&shown.stdout).unwrap();
        assert_eq!(
            (shown.code, &told["ok"], &told["origin"]),
            (0, &json!(true), &json!("built-in")),
            "{told:#}"
        );
        assert_eq!(
            (&told["role"], &told["world"]),
            (&json!(role), &json!(world)),
            "{name}: {told:#}"
        );
    }
}

#[test]
fn nothing_is_written_anywhere_by_an_inspection() {
    let sandbox = Sandbox::new();
    let before = crate::support::tree::Tree::of(sandbox.path());
    for arguments in [
        &["patch"][..],
        &[&guest("guest_probe")],
        &[&guest("guest_early"), "--json"],
        &["./README.md"],
    ] {
        assert!(!inspect(&sandbox, arguments).stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(before, crate::support::tree::Tree::of(sandbox.path()));
}

#[test]
fn a_plugin_that_would_misbehave_when_asked_is_only_read() {
    let sandbox = Sandbox::new();
    for name in ["guest_early", "guest_mute"] {
        let shown = inspect(&sandbox, &[&guest(name)]);
        assert_eq!(shown.code, 0, "{shown:#?}");
        assert!(shown.stdout.ends_with("\nadmitted\n"), "{}", shown.stdout);
    }
}

#[test]
fn a_grant_can_be_tried_out() {
    let sandbox = Sandbox::new();
    let runner = guest("guest_runner");
    let shown = inspect(&sandbox, &[&runner]);
    assert_eq!(shown.code, 1);
    assert!(shown.stdout.contains("needs the grant `runner`"), "{}", shown.stdout);
    assert!(
        shown.stdout.contains("`--grant guest_runner:runner` gives it"),
        "{}",
        shown.stdout
    );
    let shown = inspect(&sandbox, &[&runner, "--grant", "runner"]);
    assert_eq!(shown.code, 0, "{}", shown.stdout);
    assert!(
        inspect(&sandbox, &["quality"]).stdout.contains("grant"),
        "a built-in's fixed grant is shown"
    );
}

#[test]
fn a_machine_reads_the_same_in_json() {
    let sandbox = Sandbox::new();
    let probe = guest("guest_probe");
    let shown = inspect(&sandbox, &[&probe, "--json"]);
    assert_eq!(
        (shown.code, shown.stderr.as_str(), shown.stdout.lines().count()),
        (0, "", 1)
    );
    let told: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(
        (&told["schema"], &told["ok"], &told["origin"]),
        (&json!("snodo.inspect.v1"), &json!(true), &json!(probe))
    );
    assert_eq!(told["size"], std::fs::metadata(&probe).unwrap().len());
    let digest = told["digest"].as_str().unwrap();
    let table = inspect(&sandbox, &[&probe]).stdout;
    assert!(table.contains(digest), "{digest} is not in {table}");
    let imports = told["imports"].as_array().unwrap();
    assert!(
        imports
            .iter()
            .any(|i| i["name"] == "snodo:plugin/submit@0.1.0" && i["sentence"].is_string()),
        "{told:#}"
    );
    assert!(imports.iter().all(|i| table.contains(i["name"].as_str().unwrap())));
}

#[test]
fn files_that_are_no_component_get_one_clear_line() {
    let whole = std::fs::read(guest("guest_liar")).unwrap();
    let core = wat::parse_str("(module (func (export \"f\")))").unwrap();
    for (bytes, words) in [
        (&core[..], "this is a core WebAssembly module, not a component"),
        (&whole[..whole.len() / 2], "this component is cut off after"),
        (b"# A plugin\n\nSoon.\n", "this is a text file, not a component"),
        (
            b"<!DOCTYPE html>\n<html><body>404</body></html>\n",
            "this is an HTML page, not a component",
        ),
        (b"", "this is an empty file (0 bytes)"),
        (b"(component)", "this is WebAssembly as text (`.wat`), not a component"),
        (
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
            "this is a program or library for Linux (ELF), not a component",
        ),
        (
            b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "this is a zip archive, not a component",
        ),
        (b"\x1f\x8b\x08aaaaaaaaaaaaaaaaaaaaaa", "this is compressed (gzip)"),
    ] {
        let lines = refused(bytes, &[words]);
        assert_eq!(lines.len(), 1, "{lines:#?}");
    }
}

#[test]
fn a_damaged_component_is_said_to_be_damaged() {
    let mut bytes = std::fs::read(guest("guest_liar")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xff);
    refused(&bytes, &["not a valid one: it breaks at byte"]);
}

#[test]
fn a_folder_and_a_pipe_get_one_clear_line_and_nobody_waits() {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    let folder = sandbox.path().join("folder.wasm");
    std::fs::create_dir(&folder).unwrap();
    refused_file(&sandbox, folder.to_str().unwrap(), &["this is a folder, not a file"]);
    let pipe = sandbox.path().join("pipe.wasm");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    refused_file(
        &sandbox,
        pipe.to_str().unwrap(),
        &["this is a named pipe, a socket or a device, not a file"],
    );
}

#[test]
fn one_role_it_must_be() {
    refused(
        &plugin("export snodo:plugin/coding@0.1.0; export snodo:plugin/judging@0.1.0;"),
        &["coding", "judging"],
    );
    refused(
        &plugin("import snodo:plugin/read@0.1.0;"),
        &["neither `snodo:plugin/coding` (a coder) nor `snodo:plugin/judging` (a validator)"],
    );
}

#[test]
fn a_validator_can_never_submit_nor_a_coder_see_the_change() {
    let judge = plugin("import snodo:plugin/submit@0.1.0; export snodo:plugin/judging@0.1.0;");
    refused(
        &judge,
        &["snodo:plugin/submit@0.1.0", "a validator may never propose a change"],
    );
    let coder = plugin("import snodo:plugin/change@0.1.0; export snodo:plugin/coding@0.1.0;");
    refused(
        &coder,
        &["snodo:plugin/change@0.1.0", "a coder may never see the change"],
    );
}

#[test]
fn completion_needs_the_grant_and_says_so() {
    for world in ["model-coder", "model-validator"] {
        let bytes = of_world(world);
        let sandbox = Sandbox::new().with_cache_of_its_own();
        let path = file(&sandbox, "asks.wasm", &bytes);
        let shown = inspect(&sandbox, &[&path]);
        assert_eq!(shown.code, 1);
        for word in ["snodo:plugin/completion@0.1.0", "--grant asks:model"] {
            assert!(shown.stdout.contains(word), "{word}: {}", shown.stdout);
        }
        // The control: it is the grant that is missing, and nothing else.
        assert_eq!(inspect(&sandbox, &[&path, "--grant", "model"]).code, 0);
        let role = if world == "model-coder" {
            "--coder"
        } else {
            "--validator"
        };
        let why = sandbox.run(&["anything", role, &path]).refused();
        assert!(why.contains("--grant asks:model"), "{why}");
    }
}

#[test]
fn the_network_is_refused_with_one_line_for_each_import() {
    let lines = refused(
        &plugin(
            "import wasi:sockets/network@0.2.6; import wasi:sockets/tcp@0.2.6; import wasi:http/outgoing-handler@0.2.6; \
             import snodo:plugin/read@0.1.0; export snodo:plugin/coding@0.1.0;",
        ),
        &[
            "wasi:sockets/tcp@0.2.6",
            "wasi:http/outgoing-handler@0.2.6",
            "no plugin is given the network",
        ],
    );
    assert_eq!(lines.len(), 3, "{lines:#?}");

    let sandbox = Sandbox::new();
    let shown = inspect(&sandbox, &[&guest("guest_net")]);
    assert_eq!(shown.code, 1);
    let listed = shown.stdout.matches("no plugin is given the network").count();
    let imported = shown
        .stdout
        .lines()
        .take_while(|l| *l != "exports")
        .filter(|l| l.contains("wasi:sockets/"))
        .count();
    assert!(
        imported >= 2 && listed == imported,
        "{listed} lines for {imported} imports:\n{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("hint:"), "{}", shown.stdout);
}

#[test]
fn interfaces_that_nobody_here_offers_are_refused_by_name() {
    refused(
        &plugin("import wasi:keyvalue/store@0.2.0; export snodo:plugin/coding@0.1.0;"),
        &["wasi:keyvalue/store@0.2.0"],
    );
    refused(
        &plugin("import snodo:host/tools@0.9.0; export snodo:plugin/coding@0.1.0;"),
        &["snodo:host/tools@0.9.0", "this host offers no such interface"],
    );
    refused(&text("(component (import \"run-command\" (func)))"), &["run-command"]);
}

#[test]
fn another_version_of_the_contract_is_refused_and_both_are_named() {
    let newer = component(
        "import snodo:plugin/read@0.2.0; export snodo:plugin/coding@0.2.0;",
        |_, text| text.replace("@0.1.0", "@0.2.0"),
    );
    refused(&newer, &["0.2.0", "0.1.0"]);
}

#[test]
fn a_plugin_that_is_not_there_is_a_wrong_command_line() {
    let sandbox = Sandbox::new();
    for (given, words) in [("patsh", "did you mean `patch`?"), ("./missing.wasm", "is not there")] {
        let shown = inspect(&sandbox, &[given]);
        assert_eq!((shown.code, shown.stdout.as_str()), (64, ""));
        assert!(
            shown.stderr.starts_with("error: ") && shown.stderr.contains(words),
            "{}",
            shown.stderr
        );
        let shown = inspect(&sandbox, &[given, "--json"]);
        assert_eq!((shown.code, shown.stderr.as_str()), (64, ""));
        let told: Value = serde_json::from_str(&shown.stdout).unwrap();
        assert_eq!(
            (&told["schema"], &told["ok"]),
            (&json!("snodo.inspect.v1"), &json!(false))
        );
        assert!(told["error"].as_str().unwrap().contains(words), "{told:#}");
    }
}

#[test]
fn names_that_a_stranger_chose_cannot_reach_the_terminal() {
    let sandbox = Sandbox::new();
    let path = file(&sandbox, "a\u{1b}[31mb.wasm", b"x");
    let shown = inspect(&sandbox, &[&path]);
    assert!(
        !shown.stdout.contains('\u{1b}') && !shown.stderr.contains('\u{1b}'),
        "{shown:#?}"
    );
    assert_ne!(shown.code, 0);
}
