//! Copying one file, link or folder.

use std::ffi::OsStr;
use std::fs::{File, FileTimes};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _, SystemTimeSpec};
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::{ScratchError, ScratchReport, kernel};
use crate::capability::{Cancel, EntryKind};
use crate::handle;
use crate::limits::ScratchLimits;
use crate::path::WorkspacePath;

/// Bytes copied at a time through memory; also up to which size nothing cleverer is tried.
const PIECE: usize = 128 * 1024;

/// A copy under way.
pub(super) struct Copier<'a> {
    pub(super) root: &'a Dir,
    pub(super) report: ScratchReport,
    limits: ScratchLimits,
    cancel: &'a Cancel,
    entries: u64,
    buffer: Vec<u8>,
    /// Cleared at the first refusal: the two folders are on different file systems, or on one that cannot.
    can_share_blocks: bool,
    can_copy_in_kernel: bool,
}

impl<'a> Copier<'a> {
    pub(super) fn new(root: &'a Dir, limits: ScratchLimits, cancel: &'a Cancel) -> Self {
        Self {
            root,
            report: ScratchReport::default(),
            limits,
            cancel,
            entries: 0,
            buffer: vec![0; PIECE],
            can_share_blocks: true,
            can_copy_in_kernel: true,
        }
    }

    pub(super) fn count_entry(&mut self) -> Result<(), ScratchError> {
        self.check_cancelled()?;
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(ScratchError::TooLarge {
                what: "files, folders and links",
                limit: self.limits.entries,
            });
        }
        Ok(())
    }

    fn count_bytes(&mut self, bytes: u64) -> Result<(), ScratchError> {
        self.check_cancelled()?;
        self.report.bytes += bytes;
        if self.report.bytes > self.limits.bytes {
            return Err(ScratchError::TooLarge {
                what: "bytes",
                limit: self.limits.bytes,
            });
        }
        Ok(())
    }

    fn check_cancelled(&self) -> Result<(), ScratchError> {
        if self.cancel.is_cancelled() {
            Err(ScratchError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// What was opened; none, and counted, when the user may not read it; none when it is gone by now.
    pub(super) fn readable<T>(&mut self, opened: io::Result<T>, path: &OsStr) -> Result<Option<T>, ScratchError> {
        match opened {
            Ok(opened) => Ok(Some(opened)),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.report.unreadable += 1;
                Ok(None)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ScratchError::io(path, error)),
        }
    }

    /// A folder that can be worked in until it is finished.
    pub(super) fn make_folder(&mut self, to: &Dir, name: &Path, path: &OsStr) -> Result<Dir, ScratchError> {
        to.create_dir(name).map_err(|e| ScratchError::io(path, e))?;
        self.report.folders += 1;
        to.open_dir_nofollow(name).map_err(|e| ScratchError::io(path, e))
    }

    pub(super) fn link(
        &mut self,
        from: &Dir,
        to: &Dir,
        name: &Path,
        like: &Metadata,
        path: &OsStr,
    ) -> Result<(), ScratchError> {
        let target = from.read_link_contents(name).map_err(|e| ScratchError::io(path, e))?;
        make_link(to, &target, name).map_err(|e| ScratchError::io(path, e))?;
        self.report.links += 1;
        let time = |t: io::Result<cap_std::time::SystemTime>| t.ok().map(SystemTimeSpec::Absolute);
        // Not all systems keep times for links.
        let _ = to.set_symlink_times(name, time(like.accessed()), time(like.modified()));
        Ok(())
    }

    pub(super) fn file(
        &mut self,
        from: &Dir,
        to: &Dir,
        name: &Path,
        like: &Metadata,
        path: &OsStr,
    ) -> Result<(), ScratchError> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        if cfg!(unix) {
            options.nonblock(true);
        }
        let Some(source) = self.readable(from.open_with(name, &options), path)? else {
            return Ok(());
        };
        let source = source.into_std();
        if !source.metadata().map_err(|e| ScratchError::io(path, e))?.is_file() {
            // It was one a moment ago.
            self.report.special += 1;
            return Ok(());
        }
        let copy = create(to, name, path)?;
        self.content(&source, &copy, like, path)?;
        set_mode(&copy, mode_of(like, 0o777)).map_err(|e| ScratchError::io(path, e))?;
        set_times(&copy, like).map_err(|e| ScratchError::io(path, e))?;
        self.report.files += 1;
        Ok(())
    }

    /// The file of the base whose mode a file of the pending change has: the one that it replaces, or was moved from.
    pub(super) fn like(&self, path: &OsStr, renamed_from: Option<&WorkspacePath>) -> Option<Metadata> {
        let like = match renamed_from {
            Some(old) => handle::stat(self.root, old),
            None => handle::stat(self.root, &WorkspacePath::parse(path.to_str()?).ok()?),
        };
        like.ok().filter(|like| handle::kind_of(like) == EntryKind::File)
    }

    /// The base's folder of this path, if it has one.
    pub(super) fn folder_like(&self, path: &OsStr) -> Option<Metadata> {
        let path = WorkspacePath::parse(path.to_str()?).ok()?;
        handle::stat(self.root, &path).ok().filter(Metadata::is_dir)
    }

    /// A file of the pending change. `like` is the file of the base that it replaces, or was moved from.
    pub(super) fn write_pending(
        &mut self,
        to: &Dir,
        name: &str,
        bytes: &[u8],
        executable: bool,
        like: Option<&Metadata>,
        path: &OsStr,
    ) -> Result<(), ScratchError> {
        self.count_bytes(bytes.len() as u64)?;
        let mut copy = create(to, Path::new(name), path)?;
        copy.write_all(bytes).map_err(|e| ScratchError::io(path, e))?;
        let made = cap_std::fs::File::from_std(copy.try_clone().map_err(|e| ScratchError::io(path, e))?);
        let mode = match like {
            Some(like) => mode_of(like, 0o777),
            None => mode_of(&made.metadata().map_err(|e| ScratchError::io(path, e))?, 0o777),
        };
        let mode = match (executable, mode & 0o111 != 0) {
            (true, false) => mode | (mode & 0o444) >> 2,
            (false, true) => mode & !0o111,
            _ => mode,
        };
        set_mode(&copy, mode).map_err(|e| ScratchError::io(path, e))?;
        self.report.files += 1;
        Ok(())
    }

    fn content(&mut self, source: &File, copy: &File, like: &Metadata, path: &OsStr) -> Result<(), ScratchError> {
        if like.len() > PIECE as u64 {
            if self.can_share_blocks {
                match kernel::share_blocks(source, copy) {
                    Ok(()) => return Ok(()),
                    Err(_) => self.can_share_blocks = false,
                }
            }
            if kernel::has_holes(like) && self.without_holes(source, copy, like.len(), path)? {
                return Ok(());
            }
            if self.in_kernel(source, copy, path)? {
                return Ok(());
            }
        }
        let mut source = source;
        self.pump(&mut source, copy, path)
    }

    /// Only the parts of a sparse file that hold data. False when the system cannot tell them; then nothing was copied.
    fn without_holes(&mut self, source: &File, copy: &File, size: u64, path: &OsStr) -> Result<bool, ScratchError> {
        let (mut source, mut copy) = (source, copy);
        let mut at = 0;
        loop {
            let data = match kernel::next_data(source, at) {
                Ok(Some(data)) => data,
                Ok(None) => break,
                Err(_) if at == 0 => {
                    source.rewind().map_err(|e| ScratchError::io(path, e))?;
                    return Ok(false);
                }
                Err(error) => return Err(ScratchError::io(path, error)),
            };
            source
                .seek(SeekFrom::Start(data.start))
                .map_err(|e| ScratchError::io(path, e))?;
            copy.seek(SeekFrom::Start(data.start))
                .map_err(|e| ScratchError::io(path, e))?;
            let mut part = source.take(data.end - data.start);
            self.pump(&mut part, copy, path)?;
            at = data.end;
        }
        copy.set_len(size).map_err(|e| ScratchError::io(path, e))?;
        Ok(true)
    }

    /// From file to file, without a detour through this process. False when the system cannot; then nothing was copied.
    fn in_kernel(&mut self, source: &File, copy: &File, path: &OsStr) -> Result<bool, ScratchError> {
        let mut begun = false;
        while self.can_copy_in_kernel {
            match kernel::copy_piece(source, copy) {
                Ok(0) => return Ok(true),
                Ok(count) => self.count_bytes(count)?,
                Err(_) if !begun => self.can_copy_in_kernel = false,
                Err(error) => return Err(ScratchError::io(path, error)),
            }
            begun = true;
        }
        Ok(false)
    }

    fn pump(&mut self, source: &mut impl io::Read, mut copy: &File, path: &OsStr) -> Result<(), ScratchError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let done = loop {
            match source.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(count) => {
                    let counted = self.count_bytes(count as u64);
                    let written =
                        counted.and_then(|()| copy.write_all(&buffer[..count]).map_err(|e| ScratchError::io(path, e)));
                    if written.is_err() {
                        break written;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(ScratchError::io(path, error)),
            }
        };
        self.buffer = buffer;
        done
    }
}

/// Gives a folder the mode and times of the one that it is a copy of. After everything is in it.
pub(super) fn finish_folder(copy: &Dir, like: &Metadata, path: &OsStr) -> Result<(), ScratchError> {
    // A handle to go on from is not one to change the folder by.
    let copy = copy.open(".").map_err(|e| ScratchError::io(path, e))?.into_std();
    set_times(&copy, like).map_err(|e| ScratchError::io(path, e))?;
    set_mode(&copy, mode_of(like, 0o1777)).map_err(|e| ScratchError::io(path, e))
}

fn create(to: &Dir, name: &Path, path: &OsStr) -> Result<File, ScratchError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    to.open_with(name, &options)
        .map(cap_std::fs::File::into_std)
        .map_err(|e| ScratchError::io(path, e))
}

/// A link with this text, whatever the text leads to.
fn make_link(to: &Dir, target: &Path, name: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        to.symlink_contents(target, name)
    }
    #[cfg(not(unix))]
    {
        to.symlink(target, name)
    }
}

/// The permission bits that are kept.
fn mode_of(metadata: &Metadata, kept: u32) -> u32 {
    #[cfg(unix)]
    {
        use cap_std::fs::PermissionsExt as _;
        metadata.permissions().mode() & kept
    }
    #[cfg(not(unix))]
    {
        let _ = (metadata, kept);
        0
    }
}

fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(std::fs::Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, mode);
        Ok(())
    }
}

fn set_times(file: &File, like: &Metadata) -> io::Result<()> {
    let mut times = FileTimes::new();
    if let Ok(modified) = like.modified() {
        times = times.set_modified(modified.into_std());
    }
    if let Ok(accessed) = like.accessed() {
        times = times.set_accessed(accessed.into_std());
    }
    file.set_times(times)
}
