//! `plugin`: nothing is installed without a yes, what is installed is what is used, and what a repository pins has to be what is used.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Finished, Sandbox, guest};

/// A copy of a guest's component under a name.
fn file(sandbox: &Sandbox, name: &str, of: &str) -> String {
    let path = sandbox.path().join(name);
    fs::copy(guest(of), &path).unwrap();
    path.to_str().unwrap().to_owned()
}

fn json(finished: &Finished) -> Value {
    let value = finished.json();
    assert_eq!(value["schema"], "snodo.plugin.v1", "{value:#}");
    value
}

fn installed(sandbox: &Sandbox) -> Vec<String> {
    let value = json(&sandbox.call(&["plugin", "list", "--json"]));
    let plugins = value["plugins"].as_array().unwrap().iter();
    plugins
        .map(|plugin| plugin["name"].as_str().unwrap().to_owned())
        .collect()
}

fn add(sandbox: &Sandbox, path: &str, arguments: &[&str]) -> Finished {
    let mut all = vec!["plugin", "add", path];
    all.extend(arguments);
    sandbox.call(&all)
}

/// Where the bytes are.
fn bytes(sandbox: &Sandbox) -> Vec<PathBuf> {
    let folder = sandbox.state().join("plugins");
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = entries.map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|e| e == "wasm"))
        .collect()
}

#[test]
fn what_was_agreed_to_is_used_by_its_name() {
    let sandbox = Sandbox::new();
    let path = file(&sandbox, "greeter.wasm", "guest_greeter");
    let added = add(&sandbox, &path, &["--yes"]);
    assert_eq!(added.code, 0, "{added:#?}");
    // The import table stands before the yes.
    assert!(
        added.stdout.contains("snodo:plugin/submit@0.1.0") && added.stdout.contains("installed"),
        "{}",
        added.stdout
    );
    assert_eq!(installed(&sandbox), ["greeter"]);
    let coders = sandbox.call(&["coders"]);
    assert!(coders.stdout.contains("greeter"), "{coders:#?}");
    // The file it came from has no part in it any more.
    fs::remove_file(&path).unwrap();
    let report = sandbox.run(&["hello", "--coder", "greeter"]).completed();
    let plugin = &report["plugins"][0];
    assert_eq!(plugin["name"], "greeter");
    assert!(
        plugin["origin"].as_str().unwrap().starts_with("installed, from "),
        "{plugin:#}"
    );
    let shown = json(&sandbox.call(&["plugin", "show", "greeter", "--json"]));
    assert_eq!(shown["plugin"]["digest"], plugin["digest"]);
    let removed = sandbox.call(&["plugin", "remove", "greeter"]);
    assert_eq!(removed.code, 0, "{removed:#?}");
    assert_eq!((installed(&sandbox).len(), bytes(&sandbox).len()), (0, 0));
    let why = sandbox.run(&["hello", "--coder", "greeter"]).refused();
    assert!(why.contains("there is no plugin `greeter`"), "{why}");
}

#[test]
fn nothing_is_installed_without_a_yes() {
    let sandbox = Sandbox::new();
    let path = file(&sandbox, "greeter.wasm", "guest_greeter");
    for arguments in [&[][..], &["--json"]] {
        let finished = add(&sandbox, &path, arguments);
        assert_eq!(finished.code, 64, "{finished:#?}");
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert!(said.contains("--yes"), "{said}");
    }
    assert_eq!(installed(&sandbox), [] as [String; 0]);
    assert!(bytes(&sandbox).is_empty());
}

#[test]
fn names_that_mean_something_are_not_taken() {
    let sandbox = Sandbox::new().host_toml("[external.helper]\ncommand = [\"true\"]\n");
    let path = file(&sandbox, "greeter.wasm", "guest_greeter");
    for name in [
        "patch", "Patch", "judge", "security", "litellm", "helper", "../x", "a/b", "",
    ] {
        let finished = add(&sandbox, &path, &["--yes", "--as", name]);
        assert_eq!(finished.code, 64, "{name}: {finished:#?}");
    }
    add(&sandbox, &path, &["--yes"]);
    let twin = add(&sandbox, &path, &["--yes", "--as", "GREETER"]);
    assert_eq!(twin.code, 64, "{twin:#?}");
    assert_eq!(installed(&sandbox), ["greeter"]);
}

#[test]
fn bytes_that_changed_while_installed_are_not_used() {
    let sandbox = Sandbox::new();
    let path = file(&sandbox, "greeter.wasm", "guest_greeter");
    add(&sandbox, &path, &["--yes"]);
    sandbox.run(&["hello", "--coder", "greeter", "--dry-run"]).completed();
    let [stored] = &bytes(&sandbox)[..] else { panic!() };
    let good = fs::read(stored).unwrap();
    let mut changed = good.clone();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(stored, &changed).unwrap();
    let why = sandbox.run(&["hello", "--coder", "greeter"]).refused();
    assert!(why.contains("greeter") && why.contains("plugin add"), "{why}");
    let verified = sandbox.call(&["plugin", "verify"]);
    assert_eq!(verified.code, 1, "{verified:#?}");
    // The same file again puts them back, without a new agreement.
    let again = add(&sandbox, &path, &[]);
    assert_eq!(again.code, 0, "{again:#?}");
    assert_eq!(sandbox.call(&["plugin", "verify"]).code, 0);
    sandbox.run(&["hello", "--coder", "greeter", "--dry-run"]).completed();
}

#[test]
fn an_update_says_what_is_different() {
    let sandbox = Sandbox::new();
    let path = file(&sandbox, "greeter.wasm", "guest_greeter");
    add(&sandbox, &path, &["--yes"]);
    let newer = file(&sandbox, "newer.wasm", "guest_runner");
    let asked = sandbox.call(&["plugin", "update", "greeter", &newer]);
    assert_eq!(asked.code, 64, "{asked:#?}");
    let ungranted = sandbox.call(&["plugin", "update", "greeter", &newer, "--yes"]);
    assert_eq!(ungranted.code, 64, "{ungranted:#?}");
    assert!(ungranted.stderr.contains("`--grant runner`"), "{}", ungranted.stderr);
    let done = sandbox.call(&["plugin", "update", "greeter", &newer, "--grant", "runner", "--yes"]);
    assert_eq!(done.code, 0, "{done:#?}");
    for word in [
        "asks for more than before",
        "digest: ",
        "import added: `snodo:plugin/runner@0.1.0`",
        "role: coder -> validator",
        "grant added: `runner`",
    ] {
        assert!(done.stdout.contains(word), "{word}: {}", done.stdout);
    }
    assert_eq!(bytes(&sandbox).len(), 1, "the old bytes are gone");
    let missing = sandbox.call(&["plugin", "update", "nobody", &newer, "--yes"]);
    assert_eq!(missing.code, 64, "{missing:#?}");
}

#[test]
fn a_pin_names_what_must_be_used_and_grants_nothing() {
    let sandbox = Sandbox::new();
    let path = file(&sandbox, "greeter.wasm", "guest_greeter");
    add(&sandbox, &path, &["--yes"]);
    let pinned = sandbox.call(&["plugin", "pin", "greeter"]);
    assert_eq!(pinned.code, 0, "{pinned:#?}");
    let pins = sandbox.read(".snodo/plugins.toml");
    assert!(
        pins.contains("name = \"greeter\"") && pins.contains("sha256:"),
        "{pins}"
    );
    sandbox.run(&["hello", "--coder", "greeter", "--dry-run"]).completed();
    // Other bytes under the name: refused, with what differs and the command that accepts it.
    let other = file(&sandbox, "other.wasm", "guest_probe");
    sandbox.call(&["plugin", "update", "greeter", &other, "--yes"]);
    let why = sandbox.run(&["hello", "--coder", "greeter", "--dry-run"]).refused();
    for word in ["digest: sha256:", "plugin pin greeter", "line 5"] {
        assert!(why.contains(word), "{word}: {why}");
    }
    // And a file of that name, too.
    let as_file = file(&sandbox, "greeter.wasm", "guest_probe");
    let why = sandbox.run(&["hello", "--coder", &as_file, "--dry-run"]).refused();
    assert!(why.contains("digest: sha256:"), "{why}");
    assert_eq!(sandbox.call(&["plugin", "unpin", "greeter"]).code, 0);
    let report = sandbox.run(&["hello", "--coder", "greeter", "--dry-run"]).json();
    assert!(report.get("outcome").is_some(), "{report:#}");
    // Pinned and not there: a pin brings no bytes.
    sandbox.put(".snodo/plugins.toml", pins.replace("\"greeter\"", "\"absent\""));
    let why = sandbox.run(&["hello", "--coder", "absent", "--dry-run"]).refused();
    assert!(why.contains("pins a plugin `absent`"), "{why}");
    // A repository cannot grant.
    sandbox.put(
        ".snodo/plugins.toml",
        pins.replace("name = ", "grants = [\"model\"]\nname = "),
    );
    let why = sandbox.run(&["hello", "--coder", "greeter", "--dry-run"]).refused();
    assert!(why.contains("grant"), "{why}");
}

#[test]
fn an_installed_validator_is_a_type_of_a_protocol() {
    let protocol = "protocol_id: p\nname: P\ninitial_mode: m\nmodes: [{mode_id: m, name: M, validators: [v]}]\n\
                    validators: [{validator_id: v, validator_type: mine}]\n";
    let sandbox = Sandbox::new().with(".snodo/protocol.yml", protocol);
    let why = sandbox.run(&["hello", "--mock"]).refused();
    assert!(why.contains("neither first-party nor an installed plugin"), "{why}");
    let path = file(&sandbox, "mine.wasm", "guest_judge");
    add(&sandbox, &path, &["--yes"]);
    let report = sandbox.run(&["hello", "--mock"]).json();
    assert_eq!(report["gates"][0]["results"][0]["plugin"], "mine", "{report:#}");
}

#[test]
fn a_folder_that_cannot_be_written_is_said_so() {
    use std::os::unix::fs::PermissionsExt as _;
    if rustix::process::geteuid().is_root() {
        // Nothing is closed to root: the crate's own tests cover it with a full file system.
        return;
    }
    let sandbox = Sandbox::new();
    let path = file(&sandbox, "greeter.wasm", "guest_greeter");
    let folder = sandbox.path().join("config/snodo-host");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let finished = add(&sandbox, &path, &["--yes"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(finished.code, 64, "{finished:#?}");
    assert_eq!(installed(&sandbox), [] as [String; 0]);
}
