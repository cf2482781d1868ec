//! Any state of a working tree, and any change: the commit is the change, and everything else is as it was.

use std::collections::BTreeSet;
use std::fs;

use snodo_workspace::capability::Operation;

use crate::need_git;
use crate::world::{World, delete, executable, rename, write};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Names that sort in each other's way: `a`, `a.b`, `a/b`, `a0`.
const FOLDERS: [&str; 6] = ["", "a/", "a.b/", "a/b/", "a0/", "é/x y/"];

fn name(n: usize) -> String {
    format!("{}f{}", FOLDERS[n % FOLDERS.len()], n / FOLDERS.len())
}

/// Somebody works on a file by hand.
fn by_hand(world: &World, numbers: &mut Numbers, path: &str) {
    let act = numbers.below(7);
    let exists = world.path(path).exists();
    match act {
        0 if exists => fs::remove_file(world.path(path)).unwrap(),
        1 if exists => {
            world.git(&["rm", "--quiet", "--cached", path]);
        }
        2 if exists => world.make_executable(path),
        3 => world.put(path, format!("by hand {}\n", numbers.below(1000))),
        4 | 5 => {
            world.put(path, format!("staged {}\n", numbers.below(1000)));
            world.git(&["add", path]);
            if act == 5 {
                world.put(path, "and edited again\n");
            }
        }
        6 if !exists => {
            world.put(path, "intended\n");
            world.git(&["add", "--intent-to-add", path]);
        }
        _ => {}
    }
}

fn change(numbers: &mut Numbers, existing: &mut BTreeSet<String>, path: &str, fresh: &str) -> Operation {
    let content = format!("changed {}\n", numbers.below(1000));
    if !existing.contains(path) {
        existing.insert(path.to_owned());
        return write(path, content);
    }
    match numbers.below(4) {
        0 => {
            existing.remove(path);
            delete(path)
        }
        1 => {
            existing.remove(path);
            rename(path, fresh)
        }
        2 => executable(path, true),
        _ => write(path, content),
    }
}

#[test]
fn whatever_the_state_and_the_change() {
    need_git!();
    for seed in 0..24 {
        let mut numbers = Numbers(seed);
        let mut existing = BTreeSet::new();
        let world = World::new(|world| {
            for n in 0..60 {
                if numbers.below(3) > 0 {
                    world.put(&name(n), format!("{n}\n"));
                    existing.insert(name(n));
                }
            }
        });
        let version = ["2", "4"][numbers.below(2)];
        world.git(&["update-index", "--index-version", version]);
        let mut operations = Vec::new();
        for n in 0..60 {
            match numbers.below(3) {
                0 => by_hand(&world, &mut numbers, &name(n)),
                1 => operations.push(change(&mut numbers, &mut existing, &name(n), &name(100 + n))),
                _ => {}
            }
        }
        let before = world.git(&["ls-files", "--stage", "-v", "--debug"]);
        let status = world.status();
        let (_, change) = world.commit(operations);
        world.assert_is_change(&world.path(""), &change);
        assert_eq!(world.status(), status, "seed {seed}");
        world.assert_sound();

        // Entry by entry, of all that the change does not name.
        let mut named = BTreeSet::new();
        for file in &change.files {
            named.insert(file.path.as_str().to_owned());
            named.extend(file.old_path.as_ref().map(|path| path.as_str().to_owned()));
        }
        let others = |text: &str| -> Vec<String> {
            let mut skip = false;
            let lines = text.lines().filter(|line| {
                // The numbers of an entry stand on lines of their own, which are set in.
                if let Some((_, path)) = line.split_once('\t').filter(|_| !line.starts_with(' ')) {
                    let plain = path.trim_matches('"').replace("\\303\\251", "é");
                    skip = named.contains(&plain);
                }
                !skip
            });
            lines.map(str::to_owned).collect()
        };
        let after = world.git(&["ls-files", "--stage", "-v", "--debug"]);
        let (after, before) = (others(&after), others(&before));
        let differing = after.iter().zip(&before).find(|(after, before)| after != before);
        assert_eq!((after.len(), differing), (before.len(), None), "seed {seed}");
    }
}
