//! What a program sees in a view of its own; and what is chosen where the system forbids to make one.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use seccompiler::{SeccompAction, SeccompFilter, apply_filter};
use snodo_sandbox::Layer;
use snodo_sandbox::launch::{Ending, LaunchError};
use snodo_sandbox::plan::Source;

use crate::Test;
use crate::attack::HELD;
use crate::world::{NAMESPACES, World, seconds, whiteout};

pub(crate) const TESTS: &[Test] = &[
    ("only_what_is_allowed_exists", only_what_is_allowed_exists),
    ("links_are_made_anew", links_are_made_anew),
    ("places_within_each_other", places_within_each_other),
    ("parts_of_the_workspace_that_are_real", parts_that_are_real),
    ("a_link_in_the_workspace_opens_nothing", a_link_opens_nothing),
    ("names_that_overlayfs_reads_as_its_own", odd_names),
    ("a_copy_stands_at_the_workspace_s_path", a_copy_at_its_path),
    ("the_workspace_is_never_the_machine_s", never_the_machine_s),
    ("what_was_removed_is_not_there", what_was_removed),
    ("terminals_and_shared_memory_are_its_own", terminals_and_memory),
    ("proc_is_its_own_and_closed", proc_is_its_own),
    ("a_layer_that_cannot_be_had_ends_it", a_missing_layer),
];

pub(crate) const FORBIDDEN: &[Test] = &[
    ("the_probe_finds_out", the_probe_finds_out),
    ("it_is_contained_all_the_same", contained_all_the_same),
];

pub(crate) const COVERED: &[Test] = &[
    ("a_view_without_proc_is_not_chosen", without_proc),
    ("it_is_contained_all_the_same", contained_all_the_same),
];

fn only_what_is_allowed_exists(world: &World) {
    let end = world.sh("ls -A / /etc; echo; ls -A /dev; id -u; cat /proc/mounts > /dev/null && echo proc");
    assert_eq!(end.ending, Ending::Code(0), "{end:?}");
    let seen: Vec<_> = end.stdout.head.lines().collect();
    for there in ["bin", "dev", "proc", "tmp", "usr", "var", "passwd", "null", "shm"] {
        assert!(seen.contains(&there), "{there}: {end:?}");
    }
    for absent in [
        "root", "home", "run", "sys", "mnt", "shadow", "hostname", "tty", "sda", "mem",
    ] {
        assert!(!seen.contains(&absent), "{absent}: {end:?}");
    }
    assert!(
        seen.contains(&&*rustix::process::geteuid().as_raw().to_string()),
        "{end:?}"
    );
    let end = world.sh("echo x > /x; echo x > /etc/x; mkdir /new; echo x > /dev/x; ls -A /");
    assert!(
        !end.stdout.head.lines().any(|line| line == "x" || line == "new"),
        "{end:?}"
    );
    // `/tmp` is the scratch's.
    world.sh("echo x > /tmp/seen; echo y > /var/tmp/too");
    assert_eq!(fs::read_to_string(world.path("tmp/seen")).unwrap(), "x\n");
    assert_eq!(fs::read_to_string(world.path("tmp/too")).unwrap(), "y\n");
}

fn links_are_made_anew(world: &World) {
    fs::create_dir_all(world.path("real/deep")).unwrap();
    fs::write(world.path("real/deep/file"), "seen\n").unwrap();
    std::os::unix::fs::symlink("real", world.path("link")).unwrap();
    std::os::unix::fs::symlink(world.path("link/deep"), world.path("second")).unwrap();
    let second = world.path("second");
    let mut plan = world.plan(&[
        "sh",
        "-c",
        "cat \"$1/file\"; readlink \"$1\"; readlink /bin",
        "sh",
        second.to_str().unwrap(),
    ]);
    plan.read.push(second.clone());
    plan.read.push(world.path("link/deep/file"));
    plan.read.push("/no/such/path".into());
    let end = world.launch(&plan);
    let bin = fs::read_link("/bin").map_or(String::new(), |to| format!("{}\n", to.display()));
    let expected = format!("seen\n{}\n{bin}", world.path("link/deep").display());
    assert_eq!(end.stdout.head, expected, "{end:?}");
}

fn places_within_each_other(world: &World) {
    // A workspace below a folder that may be read, with a folder below it that may be written, beside one in which that is.
    for folder in ["outer/cache/inner", "outer/other"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    fs::write(world.path("outer/other/file"), "seen\n").unwrap();
    let script = "cat other/file && ! echo x > other/file && echo x > cache/a && echo x > cache/inner/b && cat \"$1\" && echo x > \"$1\"";
    let workspace = world.path("workspace/src/a.txt");
    let mut plan = world.plan(&["sh", "-c", script, "sh", workspace.to_str().unwrap()]);
    plan.folder = world.path("outer");
    plan.read.extend([
        world.path(""),
        world.path("outer"),
        world.path("outer/other"),
        world.path("workspace/src"),
    ]);
    plan.write
        .extend([world.path("outer/cache"), world.path("outer/cache/inner")]);
    let end = world.launch(&plan);
    assert_eq!(
        (end.ending, &*end.stdout.head),
        (Ending::Code(0), "seen\nkept\n"),
        "{end:?}"
    );
    assert_eq!(fs::read_to_string(world.path("outer/cache/inner/b")).unwrap(), "x\n");
    assert_eq!(fs::read_to_string(&workspace).unwrap(), "kept\n");
    assert_eq!(fs::read_to_string(world.path("upper/src/a.txt")).unwrap(), "x\n");
    // All of the machine, read.
    let mut plan = world.plan(&[
        "sh",
        "-c",
        "cat \"$1\"; ! echo x > \"$1\"",
        "sh",
        world.path("beside/secret").to_str().unwrap(),
    ]);
    plan.read.push("/".into());
    let end = world.launch(&plan);
    // Below `/tmp`, which is the scratch's, and the only place that tests have.
    let expected = if world.path("").starts_with("/tmp") {
        ""
    } else {
        "kept\n"
    };
    assert_eq!((end.ending, &*end.stdout.head), (Ending::Code(0), expected), "{end:?}");
    let mut plan = world.plan(&["cat", "/etc/hosts"]);
    plan.read = vec!["/".into()];
    if std::path::Path::new("/etc/hosts").exists() {
        assert_eq!(world.launch(&plan).ending, Ending::Code(0));
    }
}

fn parts_that_are_real(world: &World) {
    fs::create_dir_all(world.path("workspace/target")).unwrap();
    let script = "cat .git/config && ! echo x > .git/config && echo x > target/made && echo x > src/b";
    let mut plan = world.plan(&["sh", "-c", script]);
    let root = plan.root.as_mut().unwrap();
    root.shown.push(".git".into());
    root.passed.push("target".into());
    root.passed.push("not/there".into());
    let end = world.launch(&plan);
    assert_eq!((end.ending, &*end.stdout.head), (Ending::Code(0), "kept\n"), "{end:?}");
    assert_eq!(fs::read_to_string(world.path("workspace/target/made")).unwrap(), "x\n");
    assert!(!world.path("workspace/src/b").exists());
    assert!(end.notes.iter().any(|note| note.contains("not/there")), "{end:?}");
}

fn a_link_opens_nothing(world: &World) {
    let beside = world.path("beside");
    std::os::unix::fs::symlink(&beside, world.path("workspace/target")).unwrap();
    std::os::unix::fs::symlink("..", world.path("workspace/up")).unwrap();
    let secret = beside.join("secret");
    let script = "cat target/secret up/beside/secret \"$1\"; echo x > target/made; echo x > up/beside/made; true";
    let mut plan = world.plan(&["sh", "-c", script, "sh", secret.to_str().unwrap()]);
    let root = plan.root.as_mut().unwrap();
    root.passed
        .extend([PathBuf::from("target"), "up/beside".into(), "../beside".into()]);
    let end = world.launch(&plan);
    assert_eq!(end.stdout.head, "", "{end:?}");
    assert!(!beside.join("made").exists());
}

fn odd_names(world: &World) {
    let workspace = world.path("odd,name:with\\all \"of\" it\n");
    fs::create_dir_all(workspace.join("src")).unwrap();
    fs::write(workspace.join("src/a"), "kept\n").unwrap();
    let mut plan = world.plan(&["sh", "-c", "cat src/a; echo x > src/b; cat src/b"]);
    plan.folder.clone_from(&workspace);
    plan.root.as_mut().unwrap().workspace.clone_from(&workspace);
    let end = world.launch(&plan);
    assert_eq!(
        (end.ending, &*end.stdout.head),
        (Ending::Code(0), "kept\nx\n"),
        "{end:?}"
    );
    assert!(!workspace.join("src/b").exists() && world.path("upper/src/b").exists());
}

fn a_copy_at_its_path(world: &World) {
    fs::write(world.path("copy/src/a.txt"), "copied\n").unwrap();
    let mut plan = world.plan(&["sh", "-c", "cat src/a.txt; echo x > src/b; pwd"]);
    plan.root.as_mut().unwrap().source = Source::Copy(world.path("copy"));
    plan.layers.remove(Layer::Overlay);
    let end = world.launch(&plan);
    let expected = format!("copied\n{}\n", world.path("workspace").display());
    assert_eq!(
        (end.ending, &*end.stdout.head),
        (Ending::Code(0), &*expected),
        "{end:?}"
    );
    assert!(world.path("copy/src/b").exists() && !world.path("workspace/src/b").exists());
}

fn never_the_machine_s(world: &World) {
    for path in ["workspace", "beside/../workspace", "workspace/src"] {
        let mut plan = world.plan(&["sh", "-c", "echo x > src/a.txt; echo x > new"]);
        plan.write.push(world.path(path));
        match world.try_launch(&plan, seconds(60)) {
            Err(LaunchError::Layer {
                layer: Layer::MountNamespace,
                reason,
            }) => assert!(reason.contains("is of the workspace"), "{reason}"),
            other => panic!("{path}: {other:?}"),
        }
    }
    // Above it is fine: what stands at the workspace's path is still the scratch.
    let mut plan = world.plan(&["sh", "-c", "echo x > src/a.txt; echo x > new"]);
    plan.write.push(world.path(""));
    assert_eq!(world.launch(&plan).ending, Ending::Code(0));
    assert_eq!(fs::read_to_string(world.path("workspace/src/a.txt")).unwrap(), "kept\n");
    assert!(!world.path("workspace/new").exists());
}

fn what_was_removed(world: &World) {
    fs::create_dir_all(world.path("upper/src")).unwrap();
    whiteout(&world.path("upper/src/a.txt"));
    let mut plan = world.plan(&[
        "sh",
        "-c",
        "ls src; ! cat src/a.txt; mknod src/z c 0 0 2>/dev/null; setfattr -n user.overlay.opaque -v y src; true",
    ]);
    plan.absent.push(world.path("workspace/src/a.txt"));
    let end = world.launch(&plan);
    assert_eq!((end.ending, &*end.stdout.head), (Ending::Code(0), ""), "{end:?}");
}

fn terminals_and_memory(world: &World) {
    let script = "ls /dev/pts; echo x > /dev/shm/mine; cat /dev/shm/mine; ls /dev/shm";
    let end = world.sh(script);
    assert_eq!(end.stdout.head, "ptmx\nx\nmine\n", "{end:?}");
    assert!(!std::path::Path::new("/dev/shm/mine").exists());
    if std::path::Path::new("/usr/bin/python3").exists() {
        let script =
            "import pty, os; m, s = pty.openpty(); os.write(m, b'hi\\n'); print(os.read(s, 3)); print(os.ttyname(s))";
        let end = world.launch(&world.plan(&["/usr/bin/python3", "-c", script]));
        assert_eq!(end.stdout.head, "b'hi\\n'\n/dev/pts/0\n", "{end:?}");
    }
}

fn proc_is_its_own(world: &World) {
    let end = world.sh("ls /proc | grep '^[0-9]' | wc -l; echo $$; cat /proc/1/environ; readlink /proc/1/fd/3; readlink /proc/1/fd/4; cat /proc/1/mem");
    let mut lines = end.stdout.head.lines();
    let (seen, own): (u32, u32) = (
        lines.next().unwrap().parse().unwrap(),
        lines.next().unwrap().parse().unwrap(),
    );
    assert!(seen <= 6 && own > 1, "{end:?}");
    assert_eq!(lines.next(), None, "{end:?}");
    for file in [
        "/proc/sysrq-trigger",
        "/proc/sys/kernel/pid_max",
        "/proc/sys/kernel/hostname",
        "/proc/self/oom_score_adj",
    ] {
        assert_eq!(world.attack(&["append", file]).ending, Ending::Code(HELD), "{file}");
    }
}

fn a_missing_layer(world: &World) {
    // Asked for without what it needs: it is not left out, nothing is executed.
    for (layer, without) in [
        (Layer::Overlay, Layer::MountNamespace),
        (Layer::LandlockScope, Layer::Landlock),
        (Layer::PrivateProc, Layer::PidNamespace),
    ] {
        let mut plan = world.plan(&["sh", "-c", "echo ran > made"]);
        plan.layers.remove(without);
        match world.try_launch(&plan, seconds(60)) {
            Err(LaunchError::Layer { layer: named, .. }) => assert!(plan.layers.has(named), "{layer:?}"),
            other => panic!("{layer:?} without {without:?}: {other:?}"),
        }
        assert!(!world.path("upper/made").exists());
    }
    let mut plan = world.plan(&["true"]);
    plan.root.as_mut().unwrap().source = Source::Overlay {
        upper: world.path("nowhere"),
        work: world.path("home"),
    };
    match world.try_launch(&plan, seconds(60)) {
        Err(LaunchError::Layer {
            layer: Layer::Overlay, ..
        }) => {}
        other => panic!("{other:?}"),
    }
}

/// From here on this process and all that it starts can make no namespace, as in many a container.
pub(crate) fn forbid_namespaces() {
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = |calls: &[i64], errno: i32| -> seccompiler::BpfProgram {
        let rules: BTreeMap<i64, Vec<_>> = calls.iter().map(|call| (*call, Vec::new())).collect();
        SeccompFilter::new(
            rules,
            SeccompAction::Allow,
            SeccompAction::Errno(errno.cast_unsigned()),
            arch,
        )
        .unwrap()
        .try_into()
        .unwrap()
    };
    apply_filter(&filter(&[libc::SYS_clone3], libc::ENOSYS)).unwrap();
    apply_filter(&filter(
        &[
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_mount,
            libc::SYS_fsopen,
            libc::SYS_open_tree,
        ],
        libc::EPERM,
    ))
    .unwrap();
}

/// Covers a part of `/proc`, in a mount namespace of this process's own.
pub(crate) fn cover_proc() -> Result<(), String> {
    let (uid, gid) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    let user = if uid == 0 { 0 } else { libc::CLONE_NEWUSER };
    #[allow(unsafe_code, reason = "this process has one thread")]
    // SAFETY: as said.
    if unsafe { libc::unshare(libc::CLONE_NEWNS | user) } != 0 {
        return Err(format!(
            "no mount namespace to try it in: {}",
            std::io::Error::last_os_error()
        ));
    }
    if uid != 0 {
        fs::write("/proc/self/setgroups", "deny").unwrap();
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1")).unwrap();
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1")).unwrap();
    }
    let private = rustix::mount::MountPropagationFlags::PRIVATE | rustix::mount::MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private).unwrap();
    rustix::mount::mount("none", "/proc/irq", "tmpfs", rustix::mount::MountFlags::RDONLY, None).unwrap();
    // What an ordinary user has in a namespace of his own is given up again, or he would not be one.
    if uid != 0 {
        let none = rustix::thread::CapabilitySet::empty();
        let sets = rustix::thread::CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        };
        rustix::thread::set_capabilities(None, sets).unwrap();
    }
    Ok(())
}

fn without_proc(world: &World) {
    let reason = world.machine.why_not(Layer::PrivateProc).unwrap();
    assert!(reason.contains("/proc"), "{reason}");
    for layer in [
        Layer::UserNamespace,
        Layer::MountNamespace,
        Layer::PidNamespace,
        Layer::Overlay,
    ] {
        assert!(
            world.machine.offers(layer),
            "{layer:?}: {:?}",
            world.machine.why_not(layer)
        );
    }
    assert!(!world.layers.has(Layer::MountNamespace) && world.layers.has(Layer::Landlock));
}

fn the_probe_finds_out(world: &World) {
    for layer in NAMESPACES {
        assert!(!world.machine.offers(layer), "{layer:?}");
        assert!(world.machine.why_not(layer).is_some());
    }
    for layer in [
        Layer::Landlock,
        Layer::Seccomp,
        Layer::NoNewPrivileges,
        Layer::ResourceLimits,
        Layer::Capabilities,
    ] {
        assert!(
            world.machine.offers(layer),
            "{layer:?}: {:?}",
            world.machine.why_not(layer)
        );
    }
    assert_eq!(world.machine.offers(Layer::Identity), world.is_root());
    let told = serde_json::to_value(&world.machine).unwrap();
    assert_eq!(told["layers"]["user-namespace"]["offered"], false);
}

fn contained_all_the_same(world: &World) {
    world.holds(&["read", world.path("beside/secret").to_str().unwrap()]);
    world.holds(&["netlink"]);
    let end = world.sh("echo x > new; cat new");
    assert_eq!((end.ending, &*end.stdout.head), (Ending::Code(0), "x\n"), "{end:?}");
}
