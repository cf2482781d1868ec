//! One run at a time in a workspace.
//!
//! A lock of the kernel on a file in the workspace's state folder: it ends with the process that holds it, however that ends, so a dead
//! holder never keeps anybody out. The file also holds the process id, for the message to whoever comes second. It stays when the
//! lock is given up, and is empty then; an id in a file that nobody holds is that of a process that died.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, OpenOptions};

/// In the workspace's state folder.
const FILE: &str = "lock";
/// More than any process id needs.
const LONGEST_ID: u64 = 20;

/// The right to change a workspace. Given up when it is dropped, or when the process ends.
#[derive(Debug)]
pub struct RunLock {
    file: File,
}

/// The lock of a process that died while it held it was taken over. Its apply, if it was at one, has to be recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenOver {
    /// The process that died.
    pub pid: u32,
}

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another run is at work.
    #[error("another run{} is at work in this workspace: wait for its end, or stop it", process(.pid.as_ref()))]
    Held {
        /// Its process; none in the moment before it has written its id.
        pid: Option<u32>,
    },
    /// The system would not.
    #[error("cannot lock the workspace's state: {0}")]
    Io(#[from] io::Error),
}

impl RunLock {
    /// Takes the lock or says who has it; never waits. `state` is the workspace's own folder in the user's state; `pid` is what others are
    /// told. Says when the one before died with the lock in its hands.
    pub fn acquire(state: &Dir, pid: u32) -> Result<(Self, Option<TakenOver>), LockError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = state.open_with(FILE, &options)?.into_std();
        match file.try_lock() {
            Ok(()) => {}
            // Where locks also keep readers out the id cannot be told.
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Held {
                    pid: written_id(&mut file).unwrap_or(None),
                });
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let before = written_id(&mut file)?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(format!("{pid}\n").as_bytes())?;
        Ok((Self { file }, before.map(|pid| TakenOver { pid })))
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // While it is still held: the next holder must not find an id. Should it fail, the next holder is told of a death that was none.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn written_id(file: &mut File) -> io::Result<Option<u32>> {
    let mut text = Vec::new();
    file.rewind()?;
    file.take(LONGEST_ID).read_to_end(&mut text)?;
    Ok(std::str::from_utf8(&text).ok().and_then(|t| t.trim().parse().ok()))
}

fn process(pid: Option<&u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}
