//! Several processes at once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bed::{Bed, NONE, VALIDATOR, name, plugin};

const ROLE: &str = "SNODO_INSTALL_TEST_ROLE";
const ROOT: &str = "SNODO_INSTALL_TEST_ROOT";

/// This program again, for one test of it, which plays a role over folders that are there.
pub(crate) fn child(test: &str, role: &str, root: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(ROLE, role)
        .env(ROOT, root);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Whether this is that program; with the folders.
pub(crate) fn child_role(role: &str) -> Option<PathBuf> {
    (std::env::var_os(ROLE) == Some(OsString::from(role))).then(|| std::env::var_os(ROOT).unwrap().into())
}

fn lines(output: &std::process::Output) -> Vec<String> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter_map(|l| l.split_once("answer: ").map(|(_, answer)| answer.to_owned()))
        .collect()
}

/// Adds its own bytes as `x`, once its standard input ends.
#[test]
#[allow(clippy::print_stdout, reason = "the answer to the parent")]
fn child_adds_x() {
    let Some(root) = child_role("same") else { return };
    let bytes = plugin(VALIDATOR, &std::process::id().to_string());
    let bed = Bed::at(&root);
    let installed = bed.installed();
    let seen = crate::bed::admitted(&bytes, "x", NONE);
    let plan = installed.plan_add(&seen, &crate::bed::request(NONE)).unwrap();
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
    match installed.add(&plan) {
        Ok(added) => println!("answer: added {}", added.recorded),
        Err(error) => println!("answer: {error}"),
    }
}

#[test]
fn eight_at_once_under_one_name_have_one_outcome() {
    let bed = Bed::new();
    let mut children: Vec<_> = (0..8)
        .map(|_| {
            child("processes::child_adds_x", "same", bed.root())
                .stdin(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    // All have their plans by then, or make them while the others are at work.
    std::thread::sleep(std::time::Duration::from_millis(500));
    for child in &mut children {
        drop(child.stdin.take());
    }
    let mut answers = Vec::new();
    for child in children {
        answers.extend(lines(&child.wait_with_output().unwrap()));
    }
    assert_eq!(answers.len(), 8);
    let added = answers.iter().filter(|a| *a == "added true").count();
    let late = answers
        .iter()
        .filter(|a| a.contains("was changed by another command meanwhile"))
        .count();
    assert_eq!((added, late), (1, 7), "{answers:#?}");
    assert!(bed.installed().find(&name("x")).unwrap().is_some());
    assert_eq!(Bed::names(&bed.store()).len(), 2, "the lock and the bytes of one");
}

/// Adds, finds and removes plugins of its own, over and over.
#[test]
fn child_adds_its_own() {
    let Some(root) = child_role("own") else { return };
    let bed = Bed::at(&root);
    let own = format!("p{}", std::process::id());
    for round in 0..10 {
        let bytes = plugin(VALIDATOR, &format!("{own} {}", round % 3));
        bed.add(&bytes, &own, NONE).unwrap();
        assert_eq!(bed.installed().find(&name(&own)).unwrap().unwrap().bytes.bytes(), bytes);
        if round % 4 == 3 {
            bed.installed().remove(&name(&own)).unwrap();
        }
    }
}

#[test]
fn eight_at_once_under_their_own_names_all_succeed() {
    let bed = Bed::new();
    let children: Vec<_> = (0..8)
        .map(|_| {
            child("processes::child_adds_its_own", "own", bed.root())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let listing = bed.installed().list().unwrap();
    assert_eq!(listing.plugins.len(), 8);
    for listed in &listing.plugins {
        assert!(bed.installed().find(&listed.name).unwrap().is_some());
    }
    assert_eq!(Bed::names(&bed.store()).len(), 9);
}

/// Replaces `x` by the one or the other, over and over.
#[test]
fn child_replaces_x() {
    let Some(root) = child_role("replace") else { return };
    let bed = Bed::at(&root);
    for round in 0..60 {
        bed.add(&plugin(VALIDATOR, ["1", "2"][round % 2]), "x", NONE).unwrap();
    }
}

#[test]
fn a_reader_beside_a_writer_sees_the_one_or_the_other_whole() {
    let bed = Bed::new();
    let (one, two) = (plugin(VALIDATOR, "1"), plugin(VALIDATOR, "2"));
    bed.add(&two, "x", NONE).unwrap();
    let mut writer = child("processes::child_replaces_x", "replace", bed.root())
        .spawn()
        .unwrap();
    let installed = bed.installed();
    let (mut seen, mut reads) = ([0, 0], 0);
    while writer.try_wait().unwrap().is_none() {
        let found = installed
            .find(&name("x"))
            .unwrap()
            .expect("it is installed all the time");
        assert_eq!(found.record.digest, found.bytes.digest());
        reads += 1;
        seen[usize::from(found.bytes.bytes() == two)] += 1;
        assert!(found.bytes.bytes() == one || found.bytes.bytes() == two);
    }
    assert!(writer.wait().unwrap().success());
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?} of {reads}");
}

#[test]
fn whoever_comes_second_waits_for_the_first() {
    let bed = Bed::new();
    bed.add(&plugin(VALIDATOR, "1"), "x", NONE).unwrap();
    let lock = std::fs::File::open(bed.store().join(".lock")).unwrap();
    lock.lock().unwrap();
    let given_up = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let told = given_up.clone();
    let other = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        told.store(true, std::sync::atomic::Ordering::SeqCst);
        drop(lock);
    });
    // Readers wait for nobody.
    assert!(bed.installed().find(&name("x")).unwrap().is_some());
    bed.add(&plugin(VALIDATOR, "2"), "x", NONE).unwrap();
    assert!(given_up.load(std::sync::atomic::Ordering::SeqCst), "it did not wait");
    other.join().unwrap();
}
