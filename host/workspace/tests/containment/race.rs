//! A folder that is swapped for a link while it is used (case A04).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use snodo_workspace::capability::{Read as _, ReadError, Submit as _, SubmitError, SubmitRefusal};

use crate::world::{OUTSIDE, World, link, write};

/// Time for all calls together.
const BOUND: Duration = Duration::from_secs(20);

/// Ends the swapping also when an assertion fails: else the test would wait for it for ever.
struct StopsAtTheEnd<'a>(&'a AtomicBool);

impl Drop for StopsAtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a04_a_folder_swapped_for_a_link_leads_nowhere() {
    let world = World::new(&[], |tree| {
        std::fs::create_dir(tree.root.join("sub")).unwrap();
        std::fs::write(tree.root.join("sub/secret"), "inside").unwrap();
        link("../out", &tree.root.join("trap"));
    });
    let stop = AtomicBool::new(false);
    let root = world.real().root;
    std::thread::scope(|scope| {
        // Swapped in one step, so that there is always one or the other.
        scope.spawn(|| {
            let dir = std::fs::File::open(&root).unwrap();
            while !stop.load(Ordering::Relaxed) {
                rustix::fs::renameat_with(&dir, "sub", &dir, "trap", rustix::fs::RenameFlags::EXCHANGE).unwrap();
            }
        });
        let _stops = StopsAtTheEnd(&stop);
        let start = Instant::now();
        let (mut inside, mut refused) = (0, 0);
        for n in 0..20_000 {
            if start.elapsed() > BOUND || (n >= 500 && inside > 20 && refused > 20) {
                break;
            }
            match world.view.read_file("sub/secret") {
                Ok(file) => {
                    assert_eq!(file.content.as_bytes(), b"inside");
                    inside += 1;
                }
                Err(ReadError::Symlink(_) | ReadError::ChangedDuringRun(_) | ReadError::NotFound(_)) => refused += 1,
                Err(other) => panic!("{other}"),
            }
            match world.submit.submit_files(vec![write("sub/f", &n.to_string())]) {
                Ok(_) => inside += 1,
                Err(SubmitError::Rejected(rejected)) => {
                    assert!(
                        matches!(
                            rejected.reason,
                            SubmitRefusal::Symlink(_) | SubmitRefusal::NotFound(_) | SubmitRefusal::ChangedDuringRun(_)
                        ),
                        "{rejected}"
                    );
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(
            inside > 0 && refused > 0,
            "both were met: {inside} inside, {refused} refused"
        );
    });
    assert_eq!(
        std::fs::read_to_string(world.real().out.join("secret")).unwrap(),
        OUTSIDE
    );
    assert_eq!(std::fs::read_dir(world.real().out).unwrap().count(), 1);
    // Control: by name, one of the two is the secret.
    let twin = world.twin().root;
    std::fs::rename(twin.join("sub"), twin.join("x")).unwrap();
    std::fs::rename(twin.join("trap"), twin.join("sub")).unwrap();
    assert_eq!(std::fs::read_to_string(twin.join("sub/secret")).unwrap(), OUTSIDE);
}
