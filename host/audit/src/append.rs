//! Appending: the log as a writer sees it.
//!
//! A log is verified as a whole when it is opened. Each append then looks, under both locks, at the last event that it knows and at all that
//! others have appended since, and refuses a log that does not verify. (An event further back that is changed while the log is open
//! is found when it is opened the next time, or by [`crate::verify()`].) When another writer made an archive of the log, it is verified as a
//! whole again, which must still have what was known.
//!
//! What was written is on the disk when [`AuditLog::append`] returns. When it fails, what it wrote is cut off again, under the same
//! locks.

use std::fs::File;
use std::io::Write as _;
use std::time::SystemTime;

use cap_std::fs::Dir;

use crate::cap::cap;
use crate::chain::Chain;
use crate::event::{Event, Head, MAX_LINE_BYTES, NewEvent};
use crate::files::{Act, FileFault, Identity, LOG, archives, sync_folder};
use crate::lock::{LockError, LogLock, settle};
use crate::parse::MAX_DEPTH;
use crate::rotation::{archive_name, first_stamp, is_due};
use crate::time;
use crate::value::Value;
use crate::walk::{Broken, LogPlace, Note, Resume, Walk, WalkError};

/// Why nothing was appended, or the log could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The log does not verify: nothing is appended to it.
    #[error(
        "the audit log does not verify: {0}. Nothing is appended to it; `snodo-host audit repair` keeps what is there and goes on from the last good event"
    )]
    Broken(Box<Broken>),
    /// There is no lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file cannot be used; nothing is left of what was to be appended.
    #[error(transparent)]
    File(#[from] FileFault),
    /// Writing failed, and what was written could not be cut off: the log may end in the middle of a line.
    #[error("{write}; and then: {cut}. The log may end in the middle of a line now: `snodo-host audit verify` says so")]
    Torn {
        /// Why writing failed.
        write: FileFault,
        /// Why cutting back failed.
        cut: FileFault,
    },
    /// An event that could not be read back: too long a line, though its texts were cut.
    #[error("an event `{event_type}` makes a line of {bytes} bytes, and {MAX_LINE_BYTES} are the most")]
    TooLong {
        /// Its type.
        event_type: &'static str,
        /// Of the line.
        bytes: usize,
    },
    /// An event that could not be read back.
    #[error("the data of an event `{event_type}` is more than {} deep", MAX_DEPTH - 1)]
    TooDeep {
        /// Its type.
        event_type: &'static str,
    },
    /// The clock is outside of the years that a timestamp can say.
    #[error("the clock is outside of the years 1 to 9999: set it")]
    Clock,
}

impl From<WalkError> for AuditError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Broken { broken, .. } => Self::Broken(broken),
            WalkError::File(fault) => Self::File(fault),
        }
    }
}

/// A log that is appended to. Several of them, in one process or in many, may be open on the same folder.
#[derive(Debug)]
pub struct AuditLog {
    dir: Dir,
    project_id: String,
    chain: Chain,
    place: Option<LogPlace>,
    notes: Vec<Note>,
}

impl AuditLog {
    /// Opens the log of a `.snodo` folder, and makes its files when they are missing. The log is verified as a whole; `known` are heads from run
    /// records that it must still have. `project_id` is what events are marked with: see [`crate::project`].
    pub fn open(dir: &Dir, project_id: &str, known: &[Head]) -> Result<Self, AuditError> {
        let own = dir.try_clone().map_err(|error| FileFault::new("", Act::Open, error))?;
        // Verified before the lock is taken, so that nobody waits for it; what others append meanwhile is looked at under the lock.
        let before = Walk::whole(dir, known);
        let mut lock = LogLock::acquire(dir)?;
        settle(&mut lock, dir)?;
        let walk = match before {
            Ok(walk) => walk,
            // What looked like damage may have been another writer at work.
            Err(_) => Walk::whole(dir, known)?,
        };
        let mut log = Self {
            dir: own,
            project_id: project_id.to_owned(),
            chain: walk.chain,
            place: walk.log,
            notes: walk.notes,
        };
        log.catch_up(&lock)?;
        if log.place.is_some_and(|place| place.ended) {
            // It was being written when it was looked at.
            let of_log = |note: &Note| matches!(note, Note::NoFinalNewline { file } if file == LOG);
            log.notes.retain(|note| !of_log(note));
        }
        Ok(log)
    }

    /// The last event that is known.
    pub fn head(&self) -> Option<Head> {
        self.chain.head()
    }

    /// What was met when it was opened that is no damage, and worth knowing.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Appends an event. It is on the disk when this returns.
    pub fn append(&mut self, now: SystemTime, event: &NewEvent) -> Result<Head, AuditError> {
        let now = time::micros(now).ok_or(AuditError::Clock)?;
        let event_type = event.event_type;
        let data = Value::Object(event.data.clone());
        if data.depth() >= MAX_DEPTH {
            return Err(AuditError::TooDeep { event_type });
        }
        let data = cap(data, event_type, &self.project_id);

        let mut lock = LogLock::acquire(&self.dir)?;
        self.catch_up(&lock)?;
        self.rotate_if_due(&mut lock, now)?;
        settle(&mut lock, &self.dir)?;
        let place = match self.place {
            Some(place) => place,
            None => LogPlace::empty(Identity::of(lock.log(), LOG)?, self.chain),
        };
        let newest = if place.has_events {
            None
        } else {
            archives(&self.dir)?.pop()
        };
        let stamp = first_stamp(now, newest.as_ref());
        let event = Event::next(self.chain, stamp, event_type, &self.project_id, data);
        let mut line = event.line();
        // One less, for the line feed that may be put before it.
        if line.len() >= MAX_LINE_BYTES {
            let bytes = line.len();
            return Err(AuditError::TooLong { event_type, bytes });
        }
        if !place.ended {
            line.insert(0, '\n');
        }
        write(lock.log(), &line, place.bytes)?;

        let before = self.chain;
        let head = Head {
            sequence: before.events(),
            hash: event.hash(),
        };
        let line_feed = u64::from(!place.ended);
        self.chain = Chain::after(head);
        self.place = Some(LogPlace {
            bytes: place.bytes + line.len() as u64,
            ended: true,
            resume: Resume {
                at: place.bytes + line_feed,
                number: place.next_line,
                chain: before,
            },
            first: if place.has_events {
                place.first
            } else {
                event.timestamp.as_str().and_then(time::parse)
            },
            has_events: true,
            next_line: place.next_line + 1,
            ..place
        });
        Ok(head)
    }

    /// Under the lock: looks at what is known and at what others have done since.
    fn catch_up(&mut self, lock: &LogLock) -> Result<(), AuditError> {
        let identity = Identity::of(lock.log(), LOG)?;
        let metadata = lock.log().metadata();
        let bytes = metadata.map_err(|error| FileFault::new(LOG, Act::Stat, error))?.len();
        let walk = match &self.place {
            Some(place) if place.identity == identity && place.bytes <= bytes => {
                Walk::on(lock.log(), place, self.chain.head())?
            }
            // Made an archive of by another, or not there when it was looked at, or cut. (An inode's number alone tells little: it is given
            // to the next file.)
            _ => Walk::whole(&self.dir, self.chain.head().as_slice())?,
        };
        self.chain = walk.chain;
        self.place = walk.log;
        Ok(())
    }

    fn rotate_if_due(&mut self, lock: &mut LogLock, now: i64) -> Result<(), AuditError> {
        let Some(LogPlace {
            first: Some(first),
            bytes,
            ..
        }) = self.place
        else {
            return Ok(());
        };
        if !is_due(first, bytes, now) {
            return Ok(());
        }
        let taken = |name: &str| self.dir.symlink_metadata(name).is_ok();
        let name = archive_name(first, &archives(&self.dir)?, taken);
        let renamed = self.dir.rename(LOG, &self.dir, name.as_str());
        if let Err(error) = renamed {
            // As in snodo: an event in a log that is too old is worth more than no event.
            tracing::warn!(archive = name.as_str(), %error, "the audit log could not be made an archive of, and is appended to");
            return Ok(());
        }
        sync_folder(&self.dir)?;
        lock.reopen(&self.dir)?;
        self.place = Some(LogPlace::empty(Identity::of(lock.log(), LOG)?, self.chain));
        Ok(())
    }
}

/// Writes at the end of a log that has so many bytes, and brings it to the disk. When that fails, cuts it back to those.
pub(crate) fn write(log: &File, line: &str, before: u64) -> Result<(), AuditError> {
    let mut at_end = log;
    let written = at_end.write_all(line.as_bytes()).map_err(|error| (Act::Write, error));
    let Err((act, error)) = written.and_then(|()| log.sync_all().map_err(|error| (Act::Sync, error))) else {
        return Ok(());
    };
    let write = FileFault::new(LOG, act, error);
    let cut = || {
        // More than this append can have written is another's, who does not heed the lock: not to be cut.
        if log.metadata()?.len() > before + line.len() as u64 {
            return Err(std::io::Error::other("another process wrote to it without the lock"));
        }
        log.set_len(before)?;
        log.sync_all()
    };
    match cut() {
        Ok(()) => Err(write.into()),
        Err(error) => Err(AuditError::Torn {
            write,
            cut: FileFault::new(LOG, Act::CutBack, error),
        }),
    }
}
