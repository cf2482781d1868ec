//! What is seen of a program: how it ended, what it printed, and what it was given.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;

use snodo_sandbox::Layer;
use snodo_sandbox::launch::{Ending, LaunchError};
use snodo_sandbox::plan::NotStarted;

use crate::Test;
use crate::world::{SENTINEL, World, seconds};

pub(crate) const TESTS: &[Test] = &[
    ("exits_are_told_as_they_are", exits_are_told_as_they_are),
    ("what_is_no_program_is_told_apart", what_is_no_program),
    ("standard_input_is_empty", standard_input_is_empty),
    ("standard_input_can_be_a_file_s_content", standard_input_of_a_file),
    ("there_is_no_terminal", there_is_no_terminal),
    ("nothing_is_inherited", nothing_is_inherited),
    ("signals_have_their_default_effect", signals_have_their_default_effect),
    ("ordinary_programs_work", ordinary_programs_work),
    ("the_layers_are_all_that_were_asked_for", the_layers),
];

fn exits_are_told_as_they_are(world: &World) {
    for code in [0, 1, 126, 127, 255] {
        assert_eq!(world.sh(&format!("exit {code}")).ending, Ending::Code(code));
    }
    for signal in [6, 9, 11, 15] {
        let end = world.sh(&format!("kill -{signal} $$"));
        assert_eq!(end.ending, Ending::Signal(signal), "{end:?}");
    }
    let end = world.sh("echo out; echo err >&2; exit 4");
    assert_eq!((&*end.stdout.head, &*end.stderr.head), ("out\n", "err\n"));
    assert_eq!((end.ending, &*end.left), (Ending::Code(4), &[][..]));
}

fn what_is_no_program(world: &World) {
    let written = world.written();
    let make = |name: &str, content: &str, mode| {
        fs::write(written.join(name), content).unwrap();
        fs::set_permissions(written.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    make("closed", "#!/bin/sh\n", 0o644);
    make("orphan", "#!/nowhere/at/all\n", 0o755);
    make("garbage", "\u{1}\u{2}\u{3}\0\0", 0o755);
    make("works", "#!/bin/sh\nexit 5\n", 0o755);
    for (program, kind) in [
        ("no-such-program-here", NotStarted::NotFound),
        ("./missing", NotStarted::NotFound),
        ("./closed", NotStarted::NotExecutable),
        ("./src", NotStarted::NotExecutable),
        ("./orphan", NotStarted::MissingInterpreter),
    ] {
        match world.try_launch(&world.plan(&[program]), seconds(60)) {
            Err(LaunchError::NotStarted {
                kind: seen,
                program: named,
                reason,
            }) => {
                assert_eq!((seen, &*named), (kind, program), "{reason}");
            }
            other => panic!("{program}: {other:?}"),
        }
    }
    assert!(!matches!(
        world.try_launch(&world.plan(&["./garbage"]), seconds(60)),
        Ok(end) if end.ending == Ending::Code(0)
    ));
    assert_eq!(world.launch(&world.plan(&["./works"])).ending, Ending::Code(5));
}

fn standard_input_is_empty(world: &World) {
    let end = world.sh("read x; echo $?; cat; wc -c");
    assert_eq!(end.stdout.head, "1\n0\n", "{end:?}");
}

fn standard_input_of_a_file(world: &World) {
    let file = world.path("beside/task");
    fs::write(&file, "the task\n").unwrap();
    let mut plan = world.plan(&[
        "sh",
        "-c",
        "cat; echo attacked > /proc/self/fd/0; echo attacked >&0; true",
    ]);
    plan.input = Some(file.clone());
    plan.read.push("/proc".into());
    let end = world.launch(&plan);
    assert_eq!(end.stdout.head, "the task\n", "{end:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "the task\n");
    // It is not Landlock alone that keeps the file: a view is enough.
    if world.kind == crate::world::Kind::View {
        for layer in [Layer::Landlock, Layer::LandlockNetwork, Layer::LandlockScope] {
            plan.layers.remove(layer);
        }
        let root = plan.root.as_mut().unwrap();
        root.source = snodo_sandbox::plan::Source::Copy(world.path("copy"));
        plan.layers.remove(Layer::Overlay);
        assert_eq!(world.launch(&plan).stdout.head, "the task\n");
        assert_eq!(fs::read_to_string(&file).unwrap(), "the task\n");
    }
}

fn there_is_no_terminal(world: &World) {
    let end = world.sh("(exec 3<>/dev/tty) && exit 1; tty; ps -o tty= -p $$ 2>/dev/null; exit 0");
    assert_eq!(end.ending, Ending::Code(0), "{end:?}");
    assert!(end.stdout.head.contains("not a tty"), "{end:?}");
}

fn nothing_is_inherited(world: &World) {
    // As if whoever started the host had left something open.
    let secret = File::open(world.path("beside/secret")).unwrap();
    rustix::io::fcntl_setfd(&secret, rustix::io::FdFlags::empty()).unwrap();
    let end = world.sh("for n in 3 4 5 6 7 8 9; do (cat <&$n) 2>/dev/null && echo got $n; done; umask; env");
    assert!(
        !end.stdout.head.contains("got") && !end.stdout.head.contains("kept"),
        "{end:?}"
    );
    assert!(end.stdout.head.starts_with("0022\n"), "{end:?}");
    let names: Vec<_> = end
        .stdout
        .head
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    assert!(!names.contains(&SENTINEL.0), "{names:?}");
    for name in &names[1..] {
        assert!(
            ["PATH", "HOME", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD"].contains(name),
            "{name}"
        );
    }
    drop(secret);
}

fn signals_have_their_default_effect(world: &World) {
    // The host itself ignores this one, as every Rust program does.
    assert_eq!(world.sh("kill -PIPE $$").ending, Ending::Signal(libc::SIGPIPE));
    #[allow(unsafe_code, reason = "ignoring a signal runs no code")]
    // SAFETY: as said.
    let before = unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    let end = world.sh("kill -HUP $$");
    #[allow(unsafe_code, reason = "what it was before")]
    // SAFETY: as said.
    unsafe {
        libc::signal(libc::SIGHUP, before)
    };
    assert_eq!(end.ending, Ending::Signal(libc::SIGHUP), "{end:?}");
}

fn ordinary_programs_work(world: &World) {
    let script = "set -e
        echo x > \"$TMPDIR/a\"; echo y > \"$HOME/b\"; mv \"$TMPDIR/a\" c; rm c
        mkdir -p d/e; cp -r d f; ln -s d g; ln src/a.txt h; chmod 600 h; touch -d 2001-01-01 h; rm -r d f g h
        date > /dev/null; head -c 10 /dev/urandom | wc -c; (sleep 0; echo bg) & wait
        ls -la . > /dev/null; cat < /dev/null; find . -name a.txt";
    let end = world.sh(script);
    assert_eq!(end.ending, Ending::Code(0), "{end:?}");
    assert_eq!(end.stdout.head, "10\nbg\n./src/a.txt\n");
    if std::path::Path::new("/usr/bin/python3").exists() {
        let script = "import threading, subprocess, tempfile, socket
t = threading.Thread(target=lambda: print('thread', flush=True)); t.start(); t.join()
print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout, end='')
with tempfile.NamedTemporaryFile() as f: f.write(b'x')
a, b = socket.socketpair(); a.send(b'hi'); print(b.recv(2).decode())";
        let end = world.launch(&world.plan(&["/usr/bin/python3", "-c", script]));
        assert_eq!(
            (end.ending, &*end.stdout.head),
            (Ending::Code(0), "thread\nchild\nhi\n"),
            "{end:?}"
        );
    }
}

fn the_layers(world: &World) {
    let end = world.sh("true");
    assert_eq!(end.layers, world.layers);
    assert!(end.layers.hold_files() && end.layers.hold_network());
}
