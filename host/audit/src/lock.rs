//! The two locks of a log, in snodo's order: first the file beside it, which is never renamed, then the log itself, for holders of a time before
//! there was the other one. BSD locks (`flock`): they end with the process that holds them.
//!
//! Each is tried every 10 ms, for 10 s at most. Never wait for one in an asynchronous task: see [`crate::writer`].

use std::fs::File;
use std::time::Duration;

use cap_std::fs::Dir;
use rustix::fs::{FlockOperation, flock};

use crate::files::{Act, FileFault, Identity, LOG, SIDECAR, open_to_append, open_to_read, sync_folder};

const RETRY: Duration = Duration::from_millis(10);
/// 10 s for each lock. Tries are counted: a clock would be one more thing to come in.
const TRIES: u32 = 1000;

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it, for 10 s already.
    #[error(
        "another process holds the lock `.snodo/{file}` for more than 10 s: see whether a snodo hangs, and stop it"
    )]
    Held {
        /// The locked file.
        file: &'static str,
    },
    /// The log is replaced again and again, by something that does not heed the lock.
    #[error("`.snodo/{LOG}` is replaced by a process that does not lock it: find out which, and stop it")]
    Replaced,
    /// One of the files cannot be used.
    #[error(transparent)]
    File(#[from] FileFault),
}

/// Both locks, and the log, opened after the first one was taken. Given up when it is dropped: first the log, then the file beside it.
#[derive(Debug)]
pub struct LogLock {
    log: File,
    made: bool,
    _sidecar: File,
}

impl LogLock {
    /// Takes both locks; makes the files that are missing.
    pub fn acquire(dir: &Dir) -> Result<Self, LockError> {
        let (sidecar, _) = open_to_append(dir, SIDECAR)?;
        wait(&sidecar, SIDECAR, FlockOperation::NonBlockingLockExclusive)?;
        let (log, made) = open_log(dir)?;
        Ok(Self {
            log,
            made,
            _sidecar: sidecar,
        })
    }

    /// The log. Locked, and not the file that stood there before another writer made an archive of it.
    pub(crate) fn log(&self) -> &File {
        &self.log
    }

    /// After the log was renamed or replaced: opens and locks what bears its name now.
    pub(crate) fn reopen(&mut self, dir: &Dir) -> Result<(), LockError> {
        (self.log, self.made) = open_log(dir)?;
        Ok(())
    }

    /// Whether the log is a file that this lock made, so that its name is not on the disk yet; says so once.
    pub(crate) fn take_made(&mut self) -> bool {
        std::mem::take(&mut self.made)
    }
}

fn open_log(dir: &Dir) -> Result<(File, bool), LockError> {
    // Nobody who takes the first lock renames it now. Somebody else may; then there is something new to lock.
    for _ in 0..3 {
        let (log, made) = open_to_append(dir, LOG)?;
        wait(&log, LOG, FlockOperation::NonBlockingLockExclusive)?;
        let there = open_to_read(dir, LOG)?;
        let there = there.map(|file| Identity::of(&file, LOG)).transpose()?;
        if there == Some(Identity::of(&log, LOG)?) {
            return Ok((log, made));
        }
    }
    Err(LockError::Replaced)
}

/// Keeps writers out while a log is read, where they have left a file to lock. Makes nothing, so that it also works where nothing may be
/// written.
#[derive(Debug)]
pub(crate) struct ReadLock(#[expect(dead_code, reason = "held until it is dropped")] Option<File>);

impl ReadLock {
    pub(crate) fn acquire(dir: &Dir) -> Result<Self, LockError> {
        let sidecar = open_to_read(dir, SIDECAR)?;
        if let Some(file) = &sidecar {
            wait(file, SIDECAR, FlockOperation::NonBlockingLockShared)?;
        }
        Ok(Self(sidecar))
    }
}

fn wait(file: &File, name: &'static str, operation: FlockOperation) -> Result<(), LockError> {
    for _ in 0..TRIES {
        match flock(file, operation) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => std::thread::sleep(RETRY),
            Err(error) => return Err(FileFault::new(name, Act::Lock, error).into()),
        }
    }
    Err(LockError::Held { file: name })
}

/// Syncs the folder when the log was made just now.
pub(crate) fn settle(lock: &mut LogLock, dir: &Dir) -> Result<(), FileFault> {
    if lock.take_made() { sync_folder(dir) } else { Ok(()) }
}
