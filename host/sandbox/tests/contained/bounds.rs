//! Bounds: of time, of processes, of what is written; and that nothing goes on afterwards.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use snodo_sandbox::Layer;
use snodo_sandbox::launch::{Bounds, Ending, launch};
use tokio::sync::oneshot;

use crate::Test;
use crate::attack::{DID, HELD};
use crate::world::{Kind, Ticking, World, seconds};

pub(crate) const TESTS: &[Test] = &[
    ("the_limit_of_time_ends_all", the_limit_of_time_ends_all),
    ("the_end_of_the_program_ends_all", the_end_of_the_program_ends_all),
    ("silence_ends_it", silence_ends_it),
    ("it_ends_when_nobody_waits", it_ends_when_nobody_waits),
    ("it_ends_with_the_host", it_ends_with_the_host),
    ("it_ends_when_the_answer_is_dropped", it_ends_when_dropped),
    ("who_holds_the_pipe_holds_nobody", who_holds_the_pipe),
    ("processes_are_bounded", processes_are_bounded),
    ("files_are_bounded", files_are_bounded),
    ("output_is_drained_and_bounded", output_is_bounded),
    ("control_groups_go_with_it", control_groups),
];

/// A program that leaves a child that ignores SIGTERM, one in another session, and one that is nobody's child, all ticking.
fn leaving(world: &World, then: &str) -> (String, [Ticking; 3]) {
    let ticks = ["stubborn", "session", "twice"].map(|name| world.path("tmp").join(name));
    let [stubborn, session, twice] = ticks.each_ref().map(|path| path.display().to_string());
    let binary = world.binary.display();
    let waiting = format!("while ! [ -s {stubborn} -a -s {session} -a -s {twice} ]; do sleep 0.02; done");
    let script = format!(
        "trap '' TERM; {binary} __attack stubborn {stubborn} & {binary} __attack session {session} & \
         {binary} __attack twice {twice} & {waiting}; {then}"
    );
    (script, ticks.map(Ticking))
}

fn assert_ended(ticks: &[Ticking]) {
    for tick in ticks {
        assert!(tick.began(), "{} never began", tick.0.display());
        assert!(!tick.goes_on(), "{} goes on", tick.0.display());
    }
}

fn the_limit_of_time_ends_all(world: &World) {
    let (script, ticks) = leaving(world, "echo waiting; sleep 60");
    let began = Instant::now();
    let end = world
        .try_launch(&world.plan(&["sh", "-c", &script]), seconds(2))
        .unwrap();
    let took = began.elapsed();
    assert_eq!((end.ending, &*end.left), (Ending::WallClock, &[][..]), "{end:?}");
    assert!(end.stdout.head.contains("waiting"), "{end:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_ended(&ticks);
}

fn the_end_of_the_program_ends_all(world: &World) {
    let (script, ticks) = leaving(world, "exit 3");
    let end = world.launch(&world.plan(&["sh", "-c", &script]));
    assert_eq!((end.ending, &*end.left), (Ending::Code(3), &[][..]), "{end:?}");
    assert_ended(&ticks);
}

fn silence_ends_it(world: &World) {
    let bounds = Bounds {
        wall: Duration::from_mins(1),
        silence: Some(Duration::from_millis(500)),
    };
    let plan = world.plan(&["sh", "-c", "for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; sleep 60"]);
    let end = world.try_launch(&plan, bounds).unwrap();
    assert_eq!(
        (end.ending, &*end.stdout.head),
        (Ending::Silence, "1\n2\n3\n4\n5\n"),
        "{end:?}"
    );
}

fn it_ends_when_nobody_waits(world: &World) {
    let (script, ticks) = leaving(world, "sleep 60");
    let plan = world.plan(&["sh", "-c", &script]);
    let end = world.runtime.block_on(async {
        let (here, abandoned) = oneshot::channel();
        let ran = launch(&world.binary, &[], &plan, seconds(60), abandoned);
        let left = async {
            // Not for ever, should it not even have been started.
            let until = Instant::now() + Duration::from_secs(20);
            while !ticks.iter().all(Ticking::began) && Instant::now() < until {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            drop(here);
        };
        tokio::join!(ran, left).0.unwrap()
    });
    assert_eq!((end.ending, &*end.left), (Ending::Interrupted, &[][..]));
    assert_ended(&ticks);
}

fn it_ends_when_dropped(world: &World) {
    let (script, ticks) = leaving(world, "sleep 60");
    let plan = world.plan(&["sh", "-c", &script]);
    world.runtime.block_on(async {
        let (_here, abandoned) = oneshot::channel();
        let ran = launch(&world.binary, &[], &plan, seconds(60), abandoned);
        let began = async {
            while !ticks.iter().all(Ticking::began) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            end = ran => panic!("{end:?}"),
            () = began => {}
        }
    });
    std::thread::sleep(Duration::from_millis(1_800));
    assert_ended(&ticks);
}

fn it_ends_with_the_host(world: &World) {
    let (script, ticks) = leaving(world, "sleep 60");
    fs::write(
        world.path("plan"),
        serde_json::to_vec(&world.plan(&["sh", "-c", &script])).unwrap(),
    )
    .unwrap();
    let mut host = Command::new(&world.binary)
        .args(["__host", world.path("plan").to_str().unwrap()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while !ticks.iter().all(Ticking::began) {
        assert!(Instant::now() < until, "nothing ticks");
        std::thread::sleep(Duration::from_millis(10));
    }
    host.kill().unwrap();
    host.wait().unwrap();
    std::thread::sleep(Duration::from_millis(1_800));
    assert_ended(&ticks);
}

fn who_holds_the_pipe(world: &World) {
    let began = Instant::now();
    let end = world.sh("(trap '' HUP TERM; setsid sleep 60) & echo done");
    assert_eq!((end.ending, &*end.stdout.head), (Ending::Code(0), "done\n"));
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(end.duration < Duration::from_secs(2), "{:?}", end.duration);
}

fn processes_are_bounded(world: &World) {
    world.control(&["forks", "500"]);
    if world.is_root() && world.kind == Kind::View {
        let end = world.attack(&["forks", "2000"]);
        if end.notes.iter().any(|note| note.contains("not bounded")) {
            return;
        }
        assert_eq!(end.ending, Ending::Code(HELD), "{end:?}");
        return;
    }
    let end = world.attack(&["forks", "500"]);
    assert_eq!((end.ending, &*end.left), (Ending::Code(HELD), &[][..]), "{end:?}");
    // One that goes on while it can: the whole is ended, and the machine with its host lives.
    let bomb = "b() { b | b & }; b; sleep 60";
    let end = world.try_launch(&world.plan(&["sh", "-c", bomb]), seconds(1)).unwrap();
    assert!(end.left.is_empty(), "{end:?}");
}

fn files_are_bounded(world: &World) {
    let big = world.folder().join("big");
    let end = world.attack(&["grow", big.to_str().unwrap(), "60000000000"]);
    assert!(
        matches!(end.ending, Ending::Code(HELD) | Ending::Signal(libc::SIGXFSZ)),
        "{end:?}"
    );
    let end = world.sh("head -c 20000000 /dev/zero > big2");
    assert_ne!(end.ending, Ending::Code(0), "{end:?}");
    assert!(world.written().join("big2").metadata().unwrap().len() <= 8 << 20);
    assert_eq!(world.attack(&["grow", "small", "1000000"]).ending, Ending::Code(DID));
}

fn output_is_bounded(world: &World) {
    let bytes = 2_u64 << 30;
    let end = world.attack(&["print", &bytes.to_string()]);
    assert_eq!(end.ending, Ending::Code(DID));
    assert!(end.stdout.head.len() + end.stdout.tail.len() < 100_000);
    assert!(
        end.stdout.dropped > bytes - 100_000 && end.stdout.tail.ends_with("last\n"),
        "{end:?}"
    );
}

fn control_groups(world: &World) {
    if !world.machine.offers(Layer::Cgroup) {
        eprintln!("cgroup: {}", world.machine.why_not(Layer::Cgroup).unwrap_or_default());
        return;
    }
    let mut plan = world.plan(&["sh", "-c", "cat /proc/self/cgroup; sleep 60 & setsid sleep 60 & exit 0"]);
    plan.layers.add(Layer::Cgroup);
    plan.read.push("/proc".into());
    let end = world.launch(&plan);
    assert_eq!(end.ending, Ending::Code(0), "{end:?}");
    assert!(
        end.layers.has(Layer::Cgroup) && end.stdout.head.contains("/snodo-"),
        "{end:?}"
    );
    let name = end
        .stdout
        .head
        .lines()
        .find_map(|line| line.split("/snodo-").nth(1))
        .unwrap();
    let found = Command::new("find")
        .args(["/sys/fs/cgroup", "-name", &format!("snodo-{name}")])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "a control group was left");
    let mut plan = world.plan(&[world.binary.to_str().unwrap(), "__attack", "forks", "200"]);
    plan.layers.add(Layer::Cgroup);
    assert_eq!(world.launch(&plan).ending, Ending::Code(HELD));
}
