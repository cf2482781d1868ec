//! A workspace in memory (`/dev/shm`), where a program has a `/dev` of its own.

use serde_json::json;

use super::Ground;
use crate::support::machine::Without;
use crate::support::{Finished, Sandbox, skips};

#[test]
fn a_workspace_in_memory_is_seen_and_what_lies_beside_it_is_not() {
    let Ok(folder) = tempfile::Builder::new().prefix("snodo-test-").tempdir_in("/dev/shm") else {
        skips::program("/dev/shm", "nothing can be written there");
        return;
    };
    let workspace = folder.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    std::fs::write(workspace.join("here"), "seen\n").unwrap();
    std::fs::write(folder.path().join("beside"), "secret\n").unwrap();
    let sandbox = Sandbox::empty();
    let command = format!("cat here && echo x > made && ! cat {}/beside", folder.path().display());
    for ground in Ground::all() {
        let arguments = [
            "run",
            "--json",
            "anything",
            "--mock",
            "--dry-run",
            "--workspace",
            workspace.to_str().unwrap(),
            "--test-command",
            &command,
        ];
        let mut call = sandbox.command(&arguments);
        if ground == Ground::Plain {
            Without::Namespaces.apply(&mut call);
        }
        let report = Finished::of(&call.output().unwrap()).completed();
        let execution = &report["runner"][0];
        ground.check(execution);
        assert!(
            execution["output_tail"].as_str().unwrap().starts_with("seen\n"),
            "{execution:#}"
        );
        assert_eq!(execution["written"][0]["path"], json!("made"), "{execution:#}");
        assert!(!workspace.join("made").exists());
    }
}
