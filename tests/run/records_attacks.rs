//! Records that somebody tampered with, or brought along; and processes that are killed. Each attack has a control that shows what it would
//! do without the check.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::records_world::{CHANGE, OTHER, content, done, edit, folder, refused, run, runs, seal_again, state, world};
use crate::support::Sandbox;
use crate::support::process::Running;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    let copied = std::process::Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.unwrap().success());
}

#[test]
fn a_record_that_the_repository_brings_along_is_never_applied() {
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    let own = folder(&sandbox, &id);
    let brought = sandbox.workspace().join(".snodo/runs").join(&id);
    copy(&own, &brought);
    let away = sandbox.path().join("away");
    fs::rename(&own, &away).unwrap();
    refused(&sandbox, &["apply", &id], 64, "there is no run");
    refused(&sandbox, &["apply", "last"], 64, "no run of this workspace");
    refused(&sandbox, &["apply", brought.to_str().unwrap()], 64, "is no run");
    refused(&sandbox, &["undo", &format!(".snodo/runs/{id}")], 64, "is no run");
    assert_eq!(done(&sandbox, &["list"])["runs"], json!([]));
    // The control: the very same, in the state folder.
    copy(&brought, &own);
    done(&sandbox, &["apply", &id]);
}

#[test]
fn a_state_folder_in_the_workspace_has_no_authority() {
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    let inside = sandbox.workspace().join("state");
    copy(&sandbox.state(), &inside.join("snodo-host"));
    let mut command = sandbox.command(&["runs", "apply", &id]);
    let finished = command.env("XDG_STATE_HOME", &inside).output().unwrap();
    assert_eq!(finished.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&finished.stderr).contains("lies inside the workspace"));
    assert!(sandbox.read("src/main.py").contains("hello"));
}

/// Does something to the record of a dry run, which is refused then, by its name, and shown as damaged where it is shown.
#[track_caller]
fn tampered(attack: impl FnOnce(&Path), words: &str) {
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    attack(&folder(&sandbox, &id));
    refused(&sandbox, &["apply", &id], 64, words);
    let (code, shown) = runs(&sandbox, &["show", &id]);
    assert_eq!(code, 64, "{shown:#}");
    assert!(shown["error"].as_str().unwrap().contains(&id), "{shown:#}");
    let (code, _) = runs(&sandbox, &["list"]);
    assert_eq!(code, 0);
}

fn a_blob(folder: &Path, holds: &str) -> PathBuf {
    let blobs = fs::read_dir(folder.join("blobs")).unwrap();
    blobs
        .map(|entry| entry.unwrap().path())
        .find(|path| fs::read_to_string(path).unwrap().contains(holds))
        .unwrap()
}

#[test]
fn a_forged_content_is_refused() {
    let forge = |folder: &Path| {
        let blob = a_blob(folder, "goodbye");
        let text = fs::read_to_string(&blob).unwrap().replace("goodbye", "goodby!");
        fs::write(blob, text).unwrap();
    };
    tampered(forge, "has another hash");
    // The control: with its hash, in all places that name it, and the digest of the whole, it is what the owner of the state folder keeps.
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    done(&sandbox, &["apply", &id]);
    tampered(
        |folder| fs::remove_file(a_blob(folder, "goodbye")).unwrap(),
        "is missing",
    );
    tampered(
        |folder| {
            let blob = a_blob(folder, "goodbye");
            fs::rename(&blob, folder.join("elsewhere")).unwrap();
            symlink(folder.join("elsewhere"), blob).unwrap();
        },
        "it is a link",
    );
    tampered(
        |folder| {
            let blob = a_blob(folder, "goodbye");
            fs::remove_file(&blob).unwrap();
            rustix::fs::mknodat(
                rustix::fs::CWD,
                &blob,
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RWXU,
                0,
            )
            .unwrap();
        },
        "is not a regular file",
    );
}

#[test]
fn a_content_of_another_hash_is_refused_also_when_the_record_is_sealed_again() {
    tampered(
        |folder| {
            let text = "import os\n";
            let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
            fs::write(folder.join("blobs").join(&hash), text).unwrap();
            edit(folder.join("change.json"), |data| {
                let files = data["files"].as_array_mut().unwrap();
                let file = files.iter_mut().find(|file| file["path"] == "src/main.py").unwrap();
                file["after"]["hash"] = hash.into();
                file["after"]["size"] = text.len().into();
            });
            seal_again(folder);
        },
        "its digest is",
    );
    tampered(
        |folder| edit(folder.join("change.json"), |data| data["files"] = json!([])),
        "`change.json` is not what was kept",
    );
}

#[test]
fn a_path_out_of_the_workspace_is_refused() {
    for path in [
        "../outside.txt",
        "/etc/outside.txt",
        "made/../../outside.txt",
        "..\\outside.txt",
    ] {
        tampered(
            |folder| {
                set_path(folder, path);
                seal_again(folder);
            },
            "a path of it",
        );
    }
    for path in [".git/hooks/post-checkout", ".snodo/protocol.yml", "sub/.GIT/config"] {
        tampered(
            |folder| {
                set_path(folder, path);
                seal_again(folder);
            },
            "which nothing may change",
        );
    }
    // The control: the same edit with a harmless path passes the checks of paths, and is no longer what was judged.
    tampered(
        |folder| {
            set_path(folder, "made/here/other.txt");
            seal_again(folder);
        },
        "its digest is",
    );
}

fn set_path(folder: &Path, path: &str) {
    edit(folder.join("change.json"), |data| {
        let files = data["files"].as_array_mut().unwrap();
        let file = files
            .iter_mut()
            .find(|file| file["path"] == "made/here/new.txt")
            .unwrap();
        file["path"] = path.into();
    });
}

#[test]
fn a_seal_that_was_tampered_with_is_refused() {
    let seal = |key: &'static str, value: serde_json::Value| {
        move |folder: &Path| edit(folder.join("record.json"), |seal| seal[key] = value)
    };
    tampered(
        seal("schema", json!("snodo.record.v2")),
        "which this version does not know",
    );
    tampered(seal("run_id", json!("run_1_00000000")), "is that of another run");
    tampered(seal("change_digest", json!("00")), "is not the change that was judged");
    tampered(seal("more", json!(1)), "unknown field");
    tampered(
        |folder| fs::write(folder.join("record.json"), "{").unwrap(),
        "is no JSON",
    );
    tampered(
        |folder| fs::write(folder.join("state.json"), "{}").unwrap(),
        "`state.json`",
    );
    tampered(
        |folder| fs::remove_file(folder.join("change.json")).unwrap(),
        "`change.json` is missing",
    );
    tampered(
        |folder| {
            let blobs = folder.join("blobs");
            fs::rename(&blobs, folder.join("others")).unwrap();
            symlink("others", blobs).unwrap();
        },
        "`blobs` is missing, or no folder",
    );
}

#[test]
fn a_report_or_patch_that_was_changed_is_not_shown() {
    for (file, command) in [("report.json", "show"), ("change.patch", "diff")] {
        let sandbox = world();
        let id = run(&sandbox, CHANGE, &["--dry-run"]);
        let path = folder(&sandbox, &id).join(file);
        assert_eq!(sandbox.call(&["runs", command, &id]).code, 0);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("main", "mine")).unwrap();
        let finished = sandbox.call(&["runs", command, &id]);
        assert!(
            finished.code == 64 && finished.stderr.contains("has another hash"),
            "{finished:#?}"
        );
        assert_eq!(finished.stdout, "");
    }
}

#[test]
fn links_in_the_state_folder_are_not_followed() {
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    let (own, away) = (folder(&sandbox, &id), sandbox.path().join("away"));
    fs::rename(&own, &away).unwrap();
    symlink(&away, &own).unwrap();
    refused(&sandbox, &["apply", &id], 64, "it is no folder");
    assert_eq!(state(&sandbox, &id), "damaged");
    // Nor does a prune follow it.
    let pruned = done(&sandbox, &["prune", "--keep", "0", "--all"]);
    assert_eq!(pruned["removed"], json!([]));
    assert!(away.join("record.json").exists());
    fs::remove_file(&own).unwrap();
    fs::rename(&away, &own).unwrap();
    let (all, elsewhere) = (sandbox.state().join("runs"), sandbox.path().join("runs"));
    fs::rename(&all, &elsewhere).unwrap();
    symlink(&elsewhere, &all).unwrap();
    refused(&sandbox, &["apply", &id], 64, "`runs` is a link");
    // The control.
    fs::remove_file(&all).unwrap();
    fs::rename(&elsewhere, &all).unwrap();
    done(&sandbox, &["apply", &id]);
}

#[test]
fn a_record_of_an_earlier_version_is_looked_at_and_not_applied() {
    let sandbox = world();
    let id = run(&sandbox, CHANGE, &["--dry-run"]);
    let own = folder(&sandbox, &id);
    for file in ["record.json", "change.json"] {
        fs::remove_file(own.join(file)).unwrap();
    }
    fs::remove_dir_all(own.join("blobs")).unwrap();
    assert_eq!(state(&sandbox, &id), "old");
    let shown = done(&sandbox, &["show", &id]);
    assert_eq!(shown["report"]["run_id"], json!(id));
    assert_eq!(sandbox.call(&["runs", "diff", "last"]).code, 0);
    refused(
        &sandbox,
        &["apply", &id],
        64,
        "by an earlier version: it can only be looked at",
    );
    refused(&sandbox, &["undo", &id], 64, "it can only be looked at");
}

/// A dry run of so many new files that somebody else gets in between.
fn large(files: usize) -> (Sandbox, String) {
    let sandbox = world();
    let added = |n: usize| format!("--- /dev/null\n+++ b/many/f{n}\n@@ -0,0 +1 @@\n+line {n}\n");
    let patch = (0..files).map(added).collect::<Vec<_>>().concat();
    let id = run(&sandbox, &patch, &["--dry-run"]);
    (sandbox, id)
}

#[test]
fn two_applies_at_once_make_one() {
    let (sandbox, id) = large(300);
    let start = || Running::of(sandbox.command(&["runs", "apply", &id, "--json"]).spawn().unwrap());
    let all = [start(), start(), start()];
    let codes: Vec<i32> = all.into_iter().map(|running| running.finish().0.code).collect();
    let count = |code: i32| codes.iter().filter(|found| **found == code).count();
    // The others were kept out by the lock, or came when it was applied.
    assert_eq!((count(0), count(4) + count(64)), (1, 2), "{codes:?}");
    assert_eq!(state(&sandbox, &id), "applied");
    assert_eq!(fs::read_dir(sandbox.workspace().join("many")).unwrap().count(), 300);
}

#[test]
fn a_run_at_work_keeps_an_apply_out() {
    let sandbox = world();
    let id = run(&sandbox, OTHER, &["--dry-run"]);
    let place: Vec<PathBuf> = fs::read_dir(sandbox.state().join("workspaces"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let lock = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(place[0].join("lock"))
        .unwrap();
    lock.lock().unwrap();
    refused(&sandbox, &["apply", &id], 4, "another run");
    let pruned = done(&sandbox, &["prune", "--keep", "0", "--all"]);
    assert_eq!(pruned["removed"], json!([]));
    assert!(
        pruned["spared"][0]["why"].as_str().unwrap().contains("another run"),
        "{pruned:#}"
    );
    lock.unlock().unwrap();
    done(&sandbox, &["apply", &id]);
}

#[test]
fn an_apply_that_is_killed_is_recovered() {
    let mut cut_short = 0;
    for wait in [0, 1, 2, 4, 8, 16, 32] {
        let (sandbox, id) = large(600);
        let before = content(&sandbox);
        let running = Running::of(sandbox.command(&["runs", "apply", &id]).spawn().unwrap());
        let begun = folder(&sandbox, &id).join("state.json");
        let deadline = Instant::now() + Duration::from_mins(1);
        while !begun.exists() && Instant::now() < deadline {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_millis(wait));
        running.signal(Signal::KILL);
        let (finished, _) = running.finish();
        if finished.code == 0 {
            continue;
        }
        cut_short += 1;
        // Whoever comes next puts it right: before, or after.
        let (code, value) = runs(&sandbox, &["apply", &id]);
        let applied = fs::read_dir(sandbox.workspace().join("many")).unwrap().count();
        assert_eq!(applied, 600, "{value:#}");
        assert!(
            code == 0 || value["error"].as_str().unwrap().contains("is applied already"),
            "{value:#}"
        );
        assert_eq!(content(&sandbox).len(), before.len() + 601, "something is left behind");
        done(&sandbox, &["undo", &id]);
        assert_eq!(content(&sandbox), before);
    }
    assert!(cut_short > 0, "no apply was killed in its middle");
}

#[test]
fn an_undoing_that_is_killed_is_recovered() {
    let mut cut_short = 0;
    for wait in [0, 2, 8, 24] {
        let (sandbox, id) = large(600);
        let before = content(&sandbox);
        done(&sandbox, &["apply", &id]);
        let running = Running::of(sandbox.command(&["runs", "undo", &id]).spawn().unwrap());
        let deadline = Instant::now() + Duration::from_mins(1);
        let state_file = folder(&sandbox, &id).join("state.json");
        while !fs::read_to_string(&state_file).is_ok_and(|text| text.contains("\"undo\"")) && Instant::now() < deadline
        {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_millis(wait));
        running.signal(Signal::KILL);
        let (finished, _) = running.finish();
        if finished.code == 0 {
            continue;
        }
        cut_short += 1;
        let (code, value) = runs(&sandbox, &["undo", &id]);
        assert!(
            code == 0 || value["error"].as_str().unwrap().contains("is undone already"),
            "{value:#}"
        );
        let left: Vec<_> = content(&sandbox).into_iter().filter(|e| e.0 != "many").collect();
        assert_eq!(left, before);
    }
    assert!(cut_short > 0, "nothing was killed in its middle");
}

#[test]
fn a_run_whose_process_died_after_its_apply_can_be_undone() {
    let sandbox = world();
    let before = content(&sandbox);
    let id = run(&sandbox, CHANGE, &[]);
    // As if it had died before it kept its report: what it kept before it applied is all there is.
    let own = folder(&sandbox, &id);
    for file in ["record.json", "report.json", "change.patch"] {
        fs::remove_file(own.join(file)).unwrap();
    }
    edit(own.join("state.json"), |state| {
        state["begun"] = json!({ "step": "apply", "at": state["applied_at"] });
        state["applied_at"] = json!(null);
    });
    assert_eq!(state(&sandbox, &id), "unfinished");
    done(&sandbox, &["show", &id]);
    refused(&sandbox, &["apply", &id], 64, "did not come to its end");
    done(&sandbox, &["undo", "last"]);
    assert_eq!(content(&sandbox), before);
}
