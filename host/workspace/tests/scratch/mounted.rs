//! Overlays that are really mounted, in a user namespace of their own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use snodo_workspace::capability::Cancel;
use snodo_workspace::limits::{ScratchLimits, SubmitLimits};
use snodo_workspace::scratch::{
    Difference, Hidden, Scratch, Snapshot, UpperReport, Written, difference, hidden, materialise, prepare_upper,
    written,
};
use snodo_workspace::view::View;

use crate::world::World;

/// Whether overlays can be mounted here by a user without privileges; says so when not.
pub(crate) fn can_mount() -> bool {
    let folder = tempfile::tempdir().unwrap();
    for name in ["lower", "upper", "work", "seen"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let script = "cd \"$1\" && mount -t overlay overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work seen";
    let out = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .output();
    let _ = fs::remove_dir(folder.path().join("work/work"));
    match out {
        Ok(out) if out.status.success() => true,
        Ok(out) => {
            eprintln!(
                "skipped: no overlay can be mounted here: {}",
                String::from_utf8_lossy(&out.stderr)
            );
            false
        }
        Err(error) => {
            eprintln!("skipped: `unshare` cannot be run: {error}");
            false
        }
    }
}

/// A workspace with a scratch of each kind beside it.
pub(crate) struct Pair {
    pub(crate) world: World,
    pub(crate) hidden: Hidden,
    pub(crate) report: UpperReport,
    view: View,
    before_upper: Snapshot,
    before_copy: Snapshot,
}

pub(crate) fn open(path: &Path) -> Dir {
    Dir::open_ambient_dir(path, ambient_authority()).unwrap()
}

impl Pair {
    pub(crate) fn new(world: World) -> Self {
        let cancel = Cancel::default();
        for name in ["upper", "work-of-overlay", "copy", "mnt", "seen"] {
            fs::create_dir(world.outside(name)).unwrap();
        }
        let view = View::frozen(Arc::clone(&world.base), world.overlay.entries());
        let hidden = hidden(&world.base, &cancel).unwrap();
        let limits = ScratchLimits::standard();
        let upper = open(&world.outside("upper"));
        let report = prepare_upper(&view, &hidden, &upper, limits, &cancel).unwrap();
        let copy = open(&world.outside("copy"));
        materialise(&view, &hidden, &copy, limits, &cancel).unwrap();
        Self {
            hidden,
            report,
            view,
            before_upper: Snapshot::of_upper(&upper, &cancel).unwrap(),
            before_copy: Snapshot::of_copy(&copy, &cancel).unwrap(),
            world,
        }
    }

    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.world.outside(name)
    }

    pub(crate) fn written(&self, in_upper: bool) -> Written {
        let dir = self.dir(in_upper);
        let (scratch, before) = self.kind(&dir, in_upper);
        written(&self.world.base, &self.hidden, scratch, before, &Cancel::default()).unwrap()
    }

    pub(crate) fn difference(&self, in_upper: bool) -> Difference {
        let dir = self.dir(in_upper);
        let (scratch, before) = self.kind(&dir, in_upper);
        let limits = SubmitLimits {
            file_bytes: 100_000,
            ..SubmitLimits::standard()
        };
        difference(&self.view, &self.hidden, scratch, before, &limits, &Cancel::default()).unwrap()
    }

    fn dir(&self, in_upper: bool) -> Dir {
        open(&self.outside(if in_upper { "upper" } else { "copy" }))
    }

    fn kind<'a>(&'a self, dir: &'a Dir, in_upper: bool) -> (Scratch<'a>, &'a Snapshot) {
        if in_upper {
            (Scratch::Upper(dir), &self.before_upper)
        } else {
            (Scratch::Copy(dir), &self.before_copy)
        }
    }
}

/// Mounts the upper layer of each, runs the program in it, and leaves in `seen` what it looks like then; and runs the program in the copy too.
pub(crate) fn run_all(pairs: &[Pair], program: &str) {
    // The mounts go with the namespace.
    let script = r#"set -e
program=$1; shift
for at do
    mount -t overlay overlay -o "userxattr,redirect_dir=nofollow,lowerdir=$at/work,upperdir=$at/upper,workdir=$at/work-of-overlay" "$at/mnt"
    (cd "$at/mnt" && sh -ec "$program")
    (cd "$at/copy" && sh -ec "$program")
    cp -a "$at/mnt/." "$at/seen"
done"#;
    let folders = pairs.iter().map(|pair| OsString::from(pair.outside("")));
    let out = Command::new("unshare")
        .args(["-Urm", "sh", "-c", script, "sh", program])
        .args(folders)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for pair in pairs {
        let _ = fs::remove_dir(pair.outside("work-of-overlay/work"));
    }
}
