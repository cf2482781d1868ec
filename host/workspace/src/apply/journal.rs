//! The record of an apply, kept in the user's state folder, from which a later start undoes or finishes it.
//!
//! Lines of JSON, in this order, each synced before what it speaks of is done:
//!
//! 1. `journal`: the layout's version, the change, the root's identity; then one `intent` for each step; then `intended` with their number.
//!    Only then are new files and folders made, under the temporary names of the intents.
//! 2. `staged`: what the new files and folders are (device and inode); then `applying`. Only then does anything in the workspace move.
//! 3. `done`: everything is in place. Only then is what was displaced removed.
//!
//! The end may be torn off: a line that is not whole is not there, and what it would have allowed has not been done.

use std::io::{self, Read as _, Write as _};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, OpenOptions};
use serde::{Deserialize, Serialize};

use super::intent::Intent;
use super::sys::Id;
use super::watch::{Moment, Watch};
use crate::root::Identity;
use crate::seen::Stat;

/// The layout written here, and the only one that is read.
const VERSION: u32 = 1;
/// In the folder that is given for it.
const FILE: &str = "apply.jsonl";

/// How far an apply got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing was made: the intents are not all there.
    Intending,
    /// Temporary files and folders may be there; nothing else has been touched.
    Staging,
    /// Anything between all before and all after.
    Applying,
    /// All after; what was displaced may still be there.
    Done,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Journal {
        version: u32,
        change: String,
        device: u64,
        inode: u64,
    },
    Intent(Intent),
    Intended(usize),
    Staged(Vec<(usize, Id)>),
    Applying,
    Done,
}

/// A journal that is being written.
pub(super) struct Journal<'a> {
    dir: &'a Dir,
    file: File,
    /// How long it was before it was to say that all is done.
    before_done: Option<u64>,
    watch: &'a dyn Watch,
}

/// A journal as found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) change: String,
    pub(super) root: Identity,
    pub(super) intents: Vec<Intent>,
    /// By intent.
    pub(super) staged: Vec<Option<Id>>,
    pub(super) progress: Progress,
}

/// A journal that cannot be followed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("it has layout {0}; this build knows {VERSION}")]
    Version(u32),
    #[error("line {0} is none of a journal")]
    Line(usize),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl<'a> Journal<'a> {
    /// Begins a journal for a change. `AlreadyExists` when there is one. Also gives a token that no other apply has: it
    /// is made of the change and of when and where this journal was made.
    pub(super) fn begin(dir: &'a Dir, change: &str, watch: &'a dyn Watch) -> io::Result<(Self, String)> {
        let file = super::sys::create(dir, FILE, 0o600)?;
        let made = Stat::of(&file.metadata()?);
        let mut hasher = blake3::Hasher::new();
        hasher.update(change.as_bytes());
        hasher.update(&made.device.to_le_bytes());
        hasher.update(&made.inode.to_le_bytes());
        hasher.update(&made.ctime.seconds.to_le_bytes());
        hasher.update(&made.ctime.nanoseconds.to_le_bytes());
        let token = hasher.finalize().to_hex()[..16].to_owned();
        let journal = Self {
            dir,
            file,
            before_done: None,
            watch,
        };
        Ok((journal, token))
    }

    /// Goes on with the journal that was found, after its last whole line.
    pub(super) fn resume(dir: &'a Dir, watch: &'a dyn Watch) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).follow(FollowSymlinks::No);
        let mut file = dir.open_with(FILE, &options)?;
        // A torn line, if there is one, is ended: it cannot be completed by accident.
        file.write_all(b"\n")?;
        Ok(Self {
            dir,
            file,
            before_done: None,
            watch,
        })
    }

    pub(super) fn intend(&mut self, change: &str, root: Identity, intents: &[Intent]) -> io::Result<()> {
        self.watch.at(Moment::JournalMade)?;
        let mut lines = vec![Line::Journal {
            version: VERSION,
            change: change.to_owned(),
            device: root.device,
            inode: root.inode,
        }];
        lines.extend(intents.iter().cloned().map(Line::Intent));
        lines.push(Line::Intended(intents.len()));
        self.write(&lines)?;
        // The file's own name has to be durable, too.
        self.sync_name()
    }

    pub(super) fn applying(&mut self, staged: &[Option<Id>]) -> io::Result<()> {
        let staged = staged
            .iter()
            .enumerate()
            .filter_map(|(n, id)| id.map(|id| (n, id)))
            .collect();
        self.write(&[Line::Staged(staged), Line::Applying])
    }

    pub(super) fn done(&mut self) -> io::Result<()> {
        self.before_done = Some(self.file.metadata()?.len());
        self.write(&[Line::Done])
    }

    /// [`Self::done`] failed, and it is not known what of it reached the disk: nothing of it may be there when things are undone.
    pub(super) fn take_back_done(&mut self) -> io::Result<()> {
        if let Some(length) = self.before_done.take() {
            self.file.set_len(length)?;
            self.file.sync_all()?;
        }
        Ok(())
    }

    /// Nothing is left to be recovered.
    pub(super) fn remove(self) -> io::Result<()> {
        self.watch.at(Moment::RemoveJournal)?;
        self.dir.remove_file(FILE)?;
        self.sync_name()
    }

    fn write(&mut self, lines: &[Line]) -> io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        let (first, second) = text.split_at(text.len() / 2);
        self.file.write_all(first)?;
        self.watch.at(Moment::JournalTorn)?;
        self.file.write_all(second)?;
        self.watch.at(Moment::JournalWritten)?;
        self.file.sync_all()?;
        self.watch.at(Moment::JournalSynced)
    }

    fn sync_name(&self) -> io::Result<()> {
        super::sys::sync_folder(self.dir)
    }
}

/// Reads the journal, if there is one.
pub(super) fn find(dir: &Dir) -> Result<Option<Found>, Unreadable> {
    let mut text = Vec::new();
    match super::sys::open(dir, FILE) {
        Ok(mut file) => file.read_to_end(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut found = Found {
        change: String::new(),
        root: Identity { device: 0, inode: 0 },
        intents: Vec::new(),
        staged: Vec::new(),
        progress: Progress::Intending,
    };
    let mut torn: Option<(usize, u8)> = None;
    // What follows the last LF was torn off.
    let whole = text
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(&[][..], |end| &text[..end]);
    for (index, line) in whole.split(|b| *b == b'\n').enumerate().filter(|(_, l)| !l.is_empty()) {
        match (serde_json::from_slice::<Line>(line), torn) {
            (Err(_), _) => torn = torn.or(Some((index, found.expected_piece()))),
            // The rest of a piece whose sync never returned; or the end of a journal that was resumed.
            (Ok(line), Some((_, piece))) if line.piece() == piece => {
                if piece == 3 {
                    found.take(line, index)?;
                }
            }
            // Something synced later is there: the line was whole once.
            (Ok(_), Some((bad, _))) => return Err(Unreadable::Line(bad + 1)),
            (Ok(line), None) => found.take(line, index)?,
        }
    }
    Ok(Some(found))
}

impl Line {
    /// Which of the three pieces it belongs to; each is written and synced as one.
    fn piece(&self) -> u8 {
        match self {
            Self::Journal { .. } | Self::Intent(_) | Self::Intended(_) => 1,
            Self::Staged(_) | Self::Applying => 2,
            Self::Done => 3,
        }
    }
}

impl Found {
    fn expected_piece(&self) -> u8 {
        match self.progress {
            Progress::Intending => 1,
            Progress::Staging => 2,
            Progress::Applying | Progress::Done => 3,
        }
    }

    fn take(&mut self, line: Line, index: usize) -> Result<(), Unreadable> {
        match (line, self.progress) {
            (Line::Journal { version, .. }, _) if version != VERSION => return Err(Unreadable::Version(version)),
            (
                Line::Journal {
                    change, device, inode, ..
                },
                Progress::Intending,
            ) if index == 0 => {
                self.change = change;
                self.root = Identity { device, inode };
            }
            (Line::Intent(intent), Progress::Intending) if index > 0 => self.intents.push(intent),
            (Line::Intended(count), Progress::Intending) if count == self.intents.len() => {
                self.staged = vec![None; count];
                self.progress = Progress::Staging;
            }
            (Line::Staged(staged), Progress::Staging) => {
                for (n, id) in staged {
                    *self.staged.get_mut(n).ok_or(Unreadable::Line(index + 1))? = Some(id);
                }
            }
            (Line::Applying, Progress::Staging) => {
                let complete = |(intent, id): (&Intent, &Option<Id>)| !intent.is_staged() || id.is_some();
                if !self.intents.iter().zip(&self.staged).all(complete) {
                    return Err(Unreadable::Line(index + 1));
                }
                self.progress = Progress::Applying;
            }
            (Line::Done, Progress::Applying) => self.progress = Progress::Done,
            _ => return Err(Unreadable::Line(index + 1)),
        }
        Ok(())
    }
}
