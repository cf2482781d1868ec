//! A root of its own: on an empty file system in memory, what the program may see is mounted, and nothing else exists.
//!
//! Sources are taken before anything is mounted, by handle, so that nothing that is mounted is met again below a source.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
};
use rustix::thread::UnshareFlags;

use super::calls::{self, Alone};
use super::devices;
use super::entries::{self, Entry, Layout, What};
use super::fault::{Fault, OrFault};
use super::place::Place;
use crate::layer::{Layer, Layers};
use crate::plan::{NewRoot, Plan, Source};

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY | INERT;
const INERT: u64 = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// A source, taken.
struct Taken<'a> {
    entry: &'a Entry,
    tree: OwnedFd,
    folder: bool,
}

/// Builds it and enters it. The answer is what may be done where in it.
pub(super) fn build(
    alone: &Alone,
    plan: &Plan,
    root: &NewRoot,
    force: &mut Layers,
    notes: &mut Vec<String>,
) -> Result<Place, Fault> {
    let layer = Layer::MountNamespace;
    calls::unshare(alone, UnshareFlags::NEWNS).layer(layer, "entering a mount namespace")?;
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .layer(layer, "keeping mounts from the machine")?;
    let layout = entries::layout(plan, root).layer(layer, "working out the program's view")?;
    notes.extend(layout.notes.iter().cloned());
    let taken = take_all(&layout, root, force, notes)?;
    let devices = devices::take().layer(layer, "taking devices")?;
    let memory =
        new_file_system("tmpfs", &[("size", "4m"), ("mode", "755")], INERT).layer(layer, "making a new root")?;
    rustix::mount::move_mount(&memory, "", CWD, &root.root, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
        .layer(layer, "mounting a new root")?;
    let top = rustix::fs::open(
        &root.root,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .layer(layer, "opening the new root")?;
    let put_entry = |Taken { entry, tree, folder }: &Taken<'_>| {
        put(&top, tree.as_fd(), &entry.at, *folder).layer(layer, &format!("mounting `{}`", entry.at.display()))
    };
    // What lies in memory stands in the memory that is made with `/dev`.
    let (in_memory, others): (Vec<_>, Vec<_>) = taken.iter().partition(|t| entries::is_in_memory(&t.entry.at));
    others.into_iter().try_for_each(put_entry)?;
    devices::dev(&top, devices).layer(layer, "making /dev")?;
    in_memory.into_iter().try_for_each(put_entry)?;
    if plan.layers.has(Layer::PrivateProc) {
        devices::proc(&top, &root.root, plan, notes).layer(Layer::PrivateProc, "mounting a /proc of its own")?;
        force.add(Layer::PrivateProc);
    }
    for (at, target) in &layout.links {
        link(&top, at, target).layer(layer, &format!("making the link `{}`", at.display()))?;
    }
    calls::add_mount_attributes(top.as_fd(), libc::MOUNT_ATTR_RDONLY, false).layer(layer, "closing the new root")?;
    enter(&top).layer(layer, "entering the new root")?;
    force.add(layer);
    Ok(place(plan, &layout))
}

fn place(plan: &Plan, layout: &Layout) -> Place {
    let mut place = Place::default();
    for entry in &layout.entries {
        match entry.what {
            What::Read => place.read.push(entry.at.clone()),
            What::Temporary | What::Workspace | What::Write => place.write.push(entry.at.clone()),
            // Within the workspace; the mount says what may be done.
            What::Shown | What::Passed => {}
        }
    }
    if plan.layers.has(Layer::PrivateProc) {
        place.read.push("/proc".into());
    }
    place.listed.push("/".into());
    place.devices.extend(devices::paths());
    place.write.push("/dev/shm".into());
    place
}

fn take_all<'a>(
    layout: &'a Layout,
    root: &NewRoot,
    force: &mut Layers,
    notes: &mut Vec<String>,
) -> Result<Vec<Taken<'a>>, Fault> {
    let mut taken = Vec::new();
    for entry in &layout.entries {
        let tried = format!("taking `{}`", entry.source.display());
        if let (What::Workspace, Source::Overlay { upper, work }) = (entry.what, &root.source) {
            let tree = overlay(&entry.source, upper, work).layer(Layer::Overlay, "mounting the overlay")?;
            force.add(Layer::Overlay);
            taken.push(Taken {
                entry,
                tree,
                folder: true,
            });
            continue;
        }
        let within = matches!(entry.what, What::Shown | What::Passed);
        let opened = if within {
            open_within(&layout.workspace, &entry.source)
        } else {
            open_path(&entry.source)
        };
        let opened = match opened {
            // Of the workspace, whose content is anybody's: a link there leads nowhere.
            Err(error) if within => {
                notes.push(format!("`{}` was left out: {error}", entry.at.display()));
                continue;
            }
            other => other.layer(Layer::MountNamespace, &tried)?,
        };
        let folder = match kind(&opened).layer(Layer::MountNamespace, &tried)? {
            FileType::Directory => true,
            FileType::RegularFile => false,
            _ => {
                notes.push(format!(
                    "`{}` was left out: it is neither a file nor a folder",
                    entry.at.display()
                ));
                continue;
            }
        };
        let attributes = match entry.what {
            What::Read | What::Shown => READ_ONLY,
            _ => INERT,
        };
        let tree = clone_tree(&opened, attributes).layer(Layer::MountNamespace, &tried)?;
        taken.push(Taken { entry, tree, folder });
    }
    Ok(taken)
}

fn kind(fd: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode))
}

fn open_path(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(
        path,
        OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

/// Opens a path below a folder by no link at all.
fn open_within(folder: &Path, path: &Path) -> io::Result<OwnedFd> {
    let below = path.strip_prefix(folder).map_err(io::Error::other)?;
    let folder = open_path(folder)?;
    Ok(rustix::fs::openat2(
        &folder,
        below,
        OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
    )?)
}

/// The mounts from a path on, apart from where they are, with attributes that all of them get (Linux 5.12).
pub(super) fn clone_tree(from: &OwnedFd, attributes: u64) -> io::Result<OwnedFd> {
    let tree = rustix::mount::open_tree(
        from,
        "",
        OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE
            | OpenTreeFlags::AT_EMPTY_PATH,
    )?;
    calls::add_mount_attributes(tree.as_fd(), attributes, true)?;
    Ok(tree)
}

/// A new file system, mounted nowhere yet. An error holds what the file system itself says.
pub(super) fn new_file_system(name: &str, options: &[(&str, &str)], attributes: u64) -> io::Result<OwnedFd> {
    let context = rustix::mount::fsopen(name, FsOpenFlags::FSOPEN_CLOEXEC)?;
    let made = options
        .iter()
        .try_for_each(|(key, value)| match *value {
            "" => rustix::mount::fsconfig_set_flag(&context, *key),
            value => rustix::mount::fsconfig_set_string(&context, *key, value),
        })
        .and_then(|()| rustix::mount::fsconfig_create(&context));
    if let Err(error) = made {
        let mut said = vec![0; 512];
        let n = rustix::io::read(&context, &mut said).unwrap_or(0);
        let said = snodo_workspace::escape::one_line(String::from_utf8_lossy(&said[..n]).trim(), 300);
        return Err(io::Error::new(
            io::Error::from(error).kind(),
            format!("{}{}{said}", io::Error::from(error), if n == 0 { "" } else { ": " }),
        ));
    }
    let attributes = u32::try_from(attributes).map_err(io::Error::other)?;
    Ok(rustix::mount::fsmount(
        &context,
        FsMountFlags::FSMOUNT_CLOEXEC,
        MountAttrFlags::from_bits_retain(attributes),
    )?)
}

/// The workspace under an upper layer. Folders are named by handle: overlayfs reads some characters of a path as its own.
fn overlay(workspace: &Path, upper: &Path, work: &Path) -> io::Result<OwnedFd> {
    let (lower, upper, work) = (open_path(workspace)?, open_path(upper)?, open_path(work)?);
    let name = |fd: &OwnedFd| format!("/proc/self/fd/{}", fd.as_raw_fd());
    new_file_system(
        "overlay",
        &[
            ("lowerdir", &name(&lower)),
            ("upperdir", &name(&upper)),
            ("workdir", &name(&work)),
            // What overlayfs notes it writes where an ordinary user may.
            ("userxattr", ""),
            // It is thrown away: nothing has to reach the disk.
            ("volatile", ""),
        ],
        INERT,
    )
}

/// Mounts at a path of the new root; what is missing on the way is made.
pub(super) fn put(top: &OwnedFd, tree: BorrowedFd<'_>, at: &Path, folder: bool) -> io::Result<()> {
    let target = make(top, at, folder)?;
    rustix::mount::move_mount(
        tree,
        "",
        &target,
        "",
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH,
    )?;
    Ok(())
}

/// Opens a path of the new root by no link; what is missing of it is made.
fn make(top: &OwnedFd, at: &Path, folder: bool) -> io::Result<OwnedFd> {
    let mut here = top.try_clone()?;
    let mut names = at
        .components()
        .filter_map(|c| match c {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .peekable();
    while let Some(name) = names.next() {
        let folder = folder || names.peek().is_some();
        here = match step(&here, name, folder) {
            Err(Errno::NOENT) => {
                if folder {
                    rustix::fs::mkdirat(&here, name, Mode::from_raw_mode(0o755))?;
                } else {
                    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                    rustix::fs::openat(&here, name, flags, Mode::from_raw_mode(0o444))?;
                }
                step(&here, name, folder)?
            }
            other => other?,
        };
    }
    Ok(here)
}

fn step(here: &OwnedFd, name: &OsStr, folder: bool) -> Result<OwnedFd, Errno> {
    let kind = if folder { OFlags::DIRECTORY } else { OFlags::empty() };
    rustix::fs::openat2(
        here,
        name,
        OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC | kind,
        Mode::empty(),
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
    )
}

/// Makes a link, where nothing stands yet: below a folder that is mounted, it is there already.
pub(super) fn link(top: &OwnedFd, at: &Path, target: &Path) -> io::Result<()> {
    let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else {
        return Ok(());
    };
    let parent = make(top, parent, true)?;
    match rustix::fs::symlinkat(target, &parent, name) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes the new root the root, and lets go of the old one.
fn enter(top: &OwnedFd) -> io::Result<()> {
    rustix::process::fchdir(top.as_fd())?;
    // On top of each other, so that no folder for the old one is needed; the old one is then the upper, and goes.
    rustix::process::pivot_root(".", ".")?;
    rustix::mount::unmount(".", UnmountFlags::DETACH)?;
    rustix::process::chdir("/")?;
    Ok(())
}

/// Where a path of the new root is before it is the root.
pub(super) fn before_entering(root: &Path, at: &Path) -> PathBuf {
    root.join(at.strip_prefix("/").unwrap_or(at))
}
