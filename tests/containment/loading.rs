//! What is taken for a plugin, and for a compiled one (cases F03, F04, F11; issue 3, section 4).

use std::fs;
use std::path::PathBuf;

use crate::attack::file;
use crate::support::components::{component, of_world, plugin};
use crate::support::finished;
use crate::support::{Finished, Sandbox, guest};

const CODER: &str = "import snodo:plugin/read@0.1.0; import snodo:plugin/search@0.1.0; import snodo:plugin/submit@0.1.0; export snodo:plugin/coding@0.1.0;";

/// The message, after a set-up error that compiled nothing.
#[track_caller]
fn refused(sandbox: &Sandbox, coder: &str, words: &[&str]) -> String {
    let finished = sandbox.run(&["x", "--coder", coder]);
    assert!(!finished.stderr.contains("compiling"), "{}", finished.stderr);
    let why = finished.refused();
    for words in words {
        assert!(why.contains(words), "no `{words}` in {why}");
    }
    why
}

#[test]
fn f03_a_plugin_of_another_contract_is_refused_with_both_versions() {
    let sandbox = Sandbox::new();
    let other = |text: &str| text.replace("@0.1.0", "@0.9.0");
    let bytes = component(&other(CODER), |_, text| other(text));
    refused(
        &sandbox,
        &file(&sandbox, "later.wasm", &bytes),
        &[
            "plugin `later` is refused",
            "`snodo:plugin/read@0.9.0`",
            "built against version 0.9.0",
            "this host offers 0.1.0",
        ],
    );
    let bytes = component(CODER, |name, text| {
        if name == "read.wit" {
            text.replacen("size: u64", "size: u32", 1)
        } else {
            text.to_owned()
        }
    });
    refused(
        &sandbox,
        &file(&sandbox, "edited.wasm", &bytes),
        &["`snodo:plugin/read@0.1.0`", "differs from this host's in"],
    );
    let bytes = plugin("import snodo:plugin/read@0.1.0;");
    refused(&sandbox, &file(&sandbox, "none.wasm", &bytes), &["it exports neither"]);
    let bytes = plugin("export snodo:plugin/coding@0.1.0; export snodo:plugin/judging@0.1.0;");
    refused(&sandbox, &file(&sandbox, "both.wasm", &bytes), &["both"]);
    let bytes = plugin("import snodo:host/tools@0.9.0; export snodo:plugin/coding@0.1.0;");
    refused(
        &sandbox,
        &file(&sandbox, "tools.wasm", &bytes),
        &["snodo:host/tools@0.9.0"],
    );
    // Control: of this contract, one is admitted, and goes as far as its empty `describe`.
    let why = sandbox
        .run(&["x", "--coder", &file(&sandbox, "fits.wasm", &of_world("coder"))])
        .refused();
    assert!(why.contains("cannot describe itself"), "{why}");
}

#[test]
fn f04_what_is_no_component_is_told_for_what_it_is() {
    let sandbox = Sandbox::new();
    let whole = of_world("coder");
    let zipped = [&[0x1f, 0x8b, 8, 0][..], &whole].concat();
    let cases: [(&[u8], &str); 6] = [
        (
            &[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
            "a core WebAssembly module, not a component",
        ),
        (&whole[..whole.len() / 2], "this component is cut off"),
        (b"", "an empty file"),
        (b"(component)", "text"),
        (b"<!DOCTYPE html><html></html>", "HTML"),
        (&zipped, "gzip"),
    ];
    for (bytes, words) in cases {
        let why = refused(&sandbox, &file(&sandbox, "given.wasm", bytes), &["given", words]);
        // One line that says what it is, and one with the way to see more.
        assert_eq!(why.lines().count(), 2, "{why}");
        for parsers in ["offset", "magic", "panicked", "leading byte"] {
            assert!(!why.contains(parsers), "a parser's words: {why}");
        }
    }
    fs::create_dir(sandbox.path().join("folder.wasm")).unwrap();
    refused(&sandbox, "../folder.wasm", &["folder"]);
    refused(&sandbox, "../missing.wasm", &["is not there"]);
}

#[test]
fn f11_a_name_is_one_safe_segment_and_nobodys_else() {
    let sandbox = Sandbox::new();
    let bytes = fs::read(guest("guest_probe")).unwrap();
    for name in [
        "a .wasm",
        "CON.wasm",
        "...wasm",
        "a:b.wasm",
        "a\u{1b}[2J.wasm",
        "\u{202e}a.wasm",
        &format!("{}.wasm", "n".repeat(240)),
        ".wasm",
    ] {
        let path = file(&sandbox, name, &bytes);
        let why = refused(&sandbox, &path, &[]);
        assert!(why.contains("has a name that no plugin can have"), "{name:?}: {why}");
        assert!(
            why.chars().all(|c| c == '\n' || !c.is_control()) && !why.contains('\u{202e}'),
            "{why:?}"
        );
    }
    for name in ["../x", "a/b", ".", "/", "..\\x", ""] {
        refused(&sandbox, name, &[]);
    }
    // Two that fold together, in two folders.
    for folder in ["one", "two"] {
        fs::create_dir(sandbox.path().join(folder)).unwrap();
    }
    let judge = fs::read(guest("guest_judge")).unwrap();
    for (first, second) in [("a", "a"), ("A", "a")] {
        let one = file(&sandbox, &format!("one/{first}.wasm"), &judge);
        let two = file(&sandbox, &format!("two/{second}.wasm"), &judge);
        let why = sandbox
            .run(&["x", "--mock", "--validator", &one, "--validator", &two])
            .refused();
        assert!(why.contains(&one) && why.contains(&two), "{why}");
        // Control: the file system holds both.
        assert!(fs::metadata(&one).is_ok() && fs::metadata(&two).is_ok());
    }
}

/// A run that needs one plugin compiled, or not.
fn compiled(sandbox: &Sandbox) -> bool {
    let finished: Finished = sandbox.run(&["x", "--mock", "--validator", "secrets", "--dry-run"]);
    let report = finished.completed();
    let compiled = |name| finished::plugin(&report, name)["compiled"].as_bool().unwrap();
    assert_eq!(compiled("mock"), compiled("secrets"));
    compiled("mock")
}

fn entries(sandbox: &Sandbox, ending: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(sandbox.compiled())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = all
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect();
    all.sort();
    all
}

#[test]
fn f_cache_entries_that_were_tampered_with_cut_or_brought_along_are_compiled_anew() {
    let theirs = Sandbox::new().with_cache_of_its_own();
    assert!(compiled(&theirs));
    let sandbox = Sandbox::new().with_cache_of_its_own();
    assert!(compiled(&sandbox));
    // The control: untouched, they are taken.
    assert!(!compiled(&sandbox));
    let each = |harm: &dyn Fn(&PathBuf)| entries(&sandbox, "cwasm").iter().for_each(harm);
    // One bit, somewhere in the code: run, it would be whatever somebody wants.
    each(&|entry| {
        let mut bytes = fs::read(entry).unwrap();
        let at = bytes.len() / 3;
        bytes[at] ^= 0x10;
        fs::write(entry, bytes).unwrap();
    });
    assert!(compiled(&sandbox) && !compiled(&sandbox));
    each(&|entry| {
        let bytes = fs::read(entry).unwrap();
        fs::write(entry, &bytes[..bytes.len() / 2]).unwrap();
    });
    assert!(compiled(&sandbox) && !compiled(&sandbox));
    // Sealed, by another user's key.
    for ending in ["cwasm", "seal"] {
        for entry in entries(&theirs, ending) {
            fs::copy(&entry, sandbox.compiled().join(entry.file_name().unwrap())).unwrap();
        }
    }
    assert!(compiled(&sandbox) && !compiled(&sandbox));

    // What was compiled is no plugin, by whatever name.
    let code = fs::read(&entries(&sandbox, "cwasm")[0]).unwrap();
    refused(
        &sandbox,
        &file(&sandbox, "code.wasm", &code),
        &["precompiled native code (`.cwasm`)"],
    );
    sandbox
        .run(&["x", "--coder", &file(&sandbox, "code.cwasm", &code)])
        .refused();
}

#[test]
fn f_cache_a_folder_within_the_workspace_is_refused() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["run", "--json", "x", "--mock"]);
    command.env("XDG_CACHE_HOME", sandbox.workspace().join("cache"));
    let why = Finished::of(&command.output().unwrap()).refused();
    assert!(
        why.contains("the cache folder") && why.contains("inside the workspace"),
        "{why}"
    );
    assert!(!sandbox.exists("cache"));
    // Also when it only leads there.
    std::os::unix::fs::symlink(sandbox.workspace(), sandbox.path().join("leads")).unwrap();
    let mut command = sandbox.command(&["run", "--json", "x", "--mock"]);
    command.env("XDG_CACHE_HOME", sandbox.path().join("leads"));
    let why = Finished::of(&command.output().unwrap()).refused();
    assert!(why.contains("inside the workspace"), "{why}");
    // Control: by name, it would be made there.
    fs::create_dir_all(sandbox.path().join("leads/cache")).unwrap();
    assert!(sandbox.exists("cache"));
}
