//! What belongs to the machine itself, and is part of what a program sees: devices, sockets in folders that are shown, the rights of a file.

use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixListener;

use super::{execution, plainly, printed, test};
use crate::support::Sandbox;
use crate::support::machine::has_program;

#[test]
fn the_machines_devices_are_used_and_not_changed() {
    let sandbox = Sandbox::new();
    let mode = || std::fs::metadata("/dev/full").unwrap().mode();
    let before = mode();
    // The mode that it has: an attack that gets through changes nothing but a time.
    let command = format!(
        "chmod {:o} /dev/full && echo changed; echo x > /dev/null && echo used",
        before & 0o7777
    );
    let said = printed(&sandbox, &command);
    assert!(said.contains("used") && !said.contains("changed"), "{said}");
    assert_eq!(mode(), before);
    if std::fs::metadata("/proc/self").unwrap().uid() == 0 {
        assert!(
            plainly(&sandbox, &command).1.contains("changed"),
            "the control: root's plain process may"
        );
    }
}

#[test]
fn no_file_gets_the_rights_of_its_owner() {
    let sandbox = Sandbox::new();
    let command = "for bits in 4755 2755; do touch s; chmod $bits s && echo got $bits; chmod 755 s && echo plain; done";
    let said = printed(&sandbox, command);
    assert!(said.contains("plain") && !said.contains("got"), "{said}");
    assert!(plainly(&sandbox, command).1.contains("got 4755"), "the control");
}

/// The beginning of a program that makes a socket with a name.
const PERL: &str = "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0)";

#[test]
fn a_socket_of_the_machine_in_a_folder_that_is_shown_leads_nowhere() {
    if !has_program("perl") {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.path().join("programs");
    std::fs::create_dir(&folder).unwrap();
    let socket = folder.join("daemon.sock");
    let _listener = UnixListener::bind(&socket).unwrap();
    let command = format!(
        "{PERL} && connect(S, sockaddr_un(\"{}\")) and print \"connected\"; print \" tried\"'",
        socket.display()
    );
    let path = std::env::var_os("PATH").unwrap_or_default().into_string().unwrap();
    let mut run = sandbox.command(&[
        "run",
        "--json",
        "anything",
        "--mock",
        "--dry-run",
        "--test-command",
        &command,
    ]);
    run.env("PATH", format!("{}:{path}", folder.display()));
    let finished = crate::support::Finished::of(&run.output().unwrap());
    sandbox.assert_nothing_is_left();
    let report = finished.completed();
    let execution = execution(&report);
    let said = execution["output_tail"].as_str().unwrap();
    assert!(said.contains("tried") && !said.contains("connected"), "{said}");
    assert!(
        execution["notes"].to_string().contains("no named sockets for programs"),
        "{execution:#}"
    );
    assert!(plainly(&sandbox, &command).1.contains("connected"), "the control");
    // Where none is in reach, programs have sockets of their own.
    let own = format!("{PERL} && bind(S, sockaddr_un(\"own.sock\")) and print \"bound\"'");
    if sandbox.contains_in("view", None) {
        let report = test(&sandbox, &own, &[]).completed();
        assert!(
            report["runner"][0]["output_tail"].as_str().unwrap().contains("bound"),
            "{report:#}"
        );
    }
}

#[test]
fn a_scratch_that_a_killed_run_left_goes_with_the_next_one() {
    let sandbox = Sandbox::new();
    let left = sandbox.state().join("scratch/run_1_left-0");
    std::fs::create_dir_all(left.join("copy")).unwrap();
    std::fs::write(left.join("copy/secret.txt"), "a copy of the workspace").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    std::fs::File::open(&left).unwrap().set_modified(long_ago).unwrap();
    // Not by a run that runs no program, which has no scratch.
    sandbox.run(&["anything", "--mock", "--dry-run"]).completed();
    assert!(left.exists());
    test(&sandbox, "true", &[]).completed();
    assert!(!left.exists());
}
