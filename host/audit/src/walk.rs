//! Following the chain through the archives and the log: what verification, appending and repair have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;

use cap_std::fs::Dir;
use snodo_workspace::escape::one_line;

use crate::chain::{Chain, Damage};
use crate::event::{Event, Head};
use crate::files::{Act, ArchiveName, FileFault, Identity, LOG, archives, open_to_read};
use crate::lines::Lines;
use crate::time::{self, Stamp};
use crate::value::Value;
use crate::vocabulary::REPAIRED;

/// Where a log is damaged: the first place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`.snodo/{file}`, line {line}: {damage}", file = one_line(.file, 200))]
pub struct Broken {
    /// The file: the log, or an archive.
    pub file: String,
    /// The line in it; the first one is 1. One more than there are when something is missing at the end.
    pub line: u64,
    /// Where that line begins, in bytes.
    pub at: u64,
    /// What is wrong there.
    pub damage: Damage,
    /// The last event before it, up to which all is good; none when it is the first.
    pub good: Option<Head>,
}

/// What is no damage, and worth knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The file's last line is whole, but has no line feed. A snodo that appends would glue its event to it; the append of this crate puts the
    /// line feed first.
    NoFinalNewline {
        /// The file.
        file: String,
    },
    /// There are archives, but no log: either the writer stopped between making an archive of it and the next event, or the log was removed.
    LogMissing,
    /// The log was repaired once: see the event.
    Repaired {
        /// The event's sequence.
        sequence: u64,
        /// Under which names the damaged files are kept.
        kept: Vec<String>,
    },
    /// An event that is known from a run is not there, and a repair says so.
    Lost(Head),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFinalNewline { file } => write!(
                f,
                "the last line of `.snodo/{}` has no line feed: it is whole, and the next append here puts the line feed in",
                one_line(file, 200)
            ),
            Self::LogMissing => write!(
                f,
                "there are archives and no `.snodo/{LOG}`: a writer stopped when it had renamed it, or it was removed"
            ),
            Self::Repaired { sequence, kept } if kept.is_empty() => {
                write!(f, "the log was repaired: event {sequence} says what was missing")
            }
            Self::Repaired { sequence, kept } => write!(
                f,
                "the log was repaired: event {sequence} says what was damaged, and it is kept as {}",
                kept.join(", ")
            ),
            Self::Lost(head) => write!(
                f,
                "event {} of a run is not in the log any more, as a repair says",
                head.sequence
            ),
        }
    }
}

/// How far the chain was followed, and what was met.
#[derive(Debug)]
pub(crate) struct Walk {
    pub(crate) chain: Chain,
    pub(crate) notes: Vec<Note>,
    /// Known heads that have not been met yet.
    due: BTreeMap<u64, BTreeSet<Head>>,
    /// Known heads in whose place another event stands, and where.
    differing: Vec<(Head, Broken)>,
    /// Known heads that were met.
    met: BTreeSet<Head>,
    /// What repairs say to be lost.
    lost: BTreeSet<Head>,
    pub(crate) log: Option<LogPlace>,
    pub(crate) newest_archive: Option<ArchiveName>,
    /// Behind the last line of the last file.
    end: (String, u64, u64),
}

/// What is remembered of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogPlace {
    pub(crate) identity: Identity,
    /// How long it was.
    pub(crate) bytes: u64,
    /// Whether its last byte is a line feed; true when there is none.
    pub(crate) ended: bool,
    /// From where to go on: the beginning of the last event, so that it is looked at again.
    pub(crate) resume: Resume,
    /// What its first event tells of the time.
    pub(crate) first: Option<Stamp>,
    /// Whether there is an event in it.
    pub(crate) has_events: bool,
    /// The number of the line that comes next.
    pub(crate) next_line: u64,
}

impl LogPlace {
    /// A log without a line, after a chain that ends in an archive or has not begun.
    pub(crate) fn empty(identity: Identity, chain: Chain) -> Self {
        let resume = Resume {
            at: 0,
            number: 1,
            chain,
        };
        Self {
            identity,
            bytes: 0,
            ended: true,
            resume,
            first: None,
            has_events: false,
            next_line: 1,
        }
    }
}

/// A place between two lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resume {
    pub(crate) at: u64,
    pub(crate) number: u64,
    pub(crate) chain: Chain,
}

/// Why the chain could not be followed to its end.
#[derive(Debug)]
pub(crate) enum WalkError {
    /// Damage, and the known heads that were met before it.
    Broken {
        broken: Box<Broken>,
        met: BTreeSet<Head>,
    },
    File(FileFault),
}

impl From<FileFault> for WalkError {
    fn from(fault: FileFault) -> Self {
        Self::File(fault)
    }
}

impl Walk {
    /// Follows the whole chain. Archives that vanish meanwhile, and a log that was renamed, are for the caller to tell from damage, by the lock.
    pub(crate) fn whole(dir: &Dir, known: &[Head]) -> Result<Self, WalkError> {
        let mut walk = Self::new(Chain::START, known);
        let archives = archives(dir)?;
        for archive in &archives {
            if let Some(file) = open_to_read(dir, archive.as_str())? {
                walk.file(&file, archive.as_str(), None)?;
            }
        }
        match open_to_read(dir, LOG)? {
            Some(file) => {
                let place = walk.file(&file, LOG, None)?;
                walk.log = Some(place);
            }
            None if !archives.is_empty() => walk.notes.push(Note::LogMissing),
            None => {}
        }
        walk.newest_archive = archives.into_iter().next_back();
        walk.finish()
    }

    /// Follows a log on from where it was left, looking at its last event again.
    pub(crate) fn on(log: &File, place: &LogPlace, head: Option<Head>) -> Result<Self, WalkError> {
        let mut walk = Self::new(place.resume.chain, head.as_slice());
        let place = walk.file(log, LOG, Some(place))?;
        walk.log = Some(place);
        walk.finish()
    }

    fn new(chain: Chain, known: &[Head]) -> Self {
        let mut due: BTreeMap<u64, BTreeSet<Head>> = BTreeMap::new();
        // What is known from before this place cannot be met.
        for head in known {
            due.entry(head.sequence).or_default().insert(*head);
        }
        if let Some(head) = chain.head() {
            due.retain(|sequence, _| *sequence > head.sequence);
        }
        Self {
            chain,
            notes: Vec::new(),
            due,
            differing: Vec::new(),
            met: BTreeSet::new(),
            lost: BTreeSet::new(),
            log: None,
            newest_archive: None,
            end: (LOG.to_owned(), 1, 0),
        }
    }

    fn file(&mut self, file: &File, name: &str, from: Option<&LogPlace>) -> Result<LogPlace, WalkError> {
        let fault = |error| FileFault::new(name, Act::Read, error);
        let mut place = match from {
            Some(place) => *place,
            None => LogPlace::empty(Identity::of(file, name)?, self.chain),
        };
        place.ended = true;
        let mut lines = Lines::from(file, place.resume.at, place.resume.number).map_err(fault)?;
        while let Some(line) = lines.next().map_err(fault)? {
            place.ended = line.ended;
            if line.is_blank() {
                continue;
            }
            let before = self.chain;
            let here = |damage| Broken {
                file: name.to_owned(),
                line: line.number,
                at: line.at,
                damage,
                good: before.head(),
            };
            let event = self.chain.follow(line.bytes).map_err(|damage| {
                let torn = !line.ended && damage.may_be_torn();
                self.broken(here(if torn { damage.torn(line.bytes) } else { damage }))
            })?;
            place.resume = Resume {
                at: line.at,
                number: line.number,
                chain: before,
            };
            if !place.has_events {
                place.first = event.timestamp.as_str().and_then(time::parse);
                place.has_events = true;
            }
            self.meet(&event, here);
        }
        (place.bytes, place.next_line) = lines.place();
        self.end = (name.to_owned(), place.next_line, place.bytes);
        if !place.ended {
            self.notes.push(Note::NoFinalNewline { file: name.to_owned() });
        }
        Ok(place)
    }

    fn meet(&mut self, event: &Event, here: impl Fn(Damage) -> Broken) {
        let Some(head) = self.chain.head() else { return };
        for known in self.due.remove(&head.sequence).into_iter().flatten() {
            if known == head {
                self.met.insert(known);
            } else {
                self.differing.push((known, here(Damage::HeadDiffers { known })));
            }
        }
        if event.event_type.as_str() == Some(REPAIRED) {
            self.note_repair(head.sequence, &event.data);
        }
    }

    fn note_repair(&mut self, sequence: u64, data: &Value) {
        let list = |key: &str| match data.get(key) {
            Some(Value::List(items)) => items.as_slice(),
            _ => &[],
        };
        let names = list("kept").iter().filter_map(|kept| kept.get("now")?.as_str());
        let kept = names.map(|name| one_line(name, 200)).collect();
        self.notes.push(Note::Repaired { sequence, kept });
        self.lost.extend(list("lost_heads").iter().filter_map(|lost| {
            Some(Head {
                sequence: lost.get("sequence")?.as_u64()?,
                hash: lost.get("hash")?.as_str()?.parse().ok()?,
            })
        }));
    }

    /// After the last line: known heads that were not met are a removed tail, unless a repair says that they are lost.
    fn finish(mut self) -> Result<Self, WalkError> {
        let events = self.chain.events();
        let missing = std::mem::take(&mut self.due).into_values().flatten().map(|known| {
            let (file, line, at) = self.end.clone();
            let broken = Broken {
                file,
                line,
                at,
                damage: Damage::TailRemoved { known, events },
                good: self.chain.head(),
            };
            (known, broken)
        });
        let absent: Vec<_> = std::mem::take(&mut self.differing).into_iter().chain(missing).collect();
        for (known, broken) in absent {
            if !self.lost.contains(&known) {
                return Err(self.broken(broken));
            }
            self.notes.push(Note::Lost(known));
        }
        Ok(self)
    }

    fn broken(&self, broken: Broken) -> WalkError {
        WalkError::Broken {
            broken: Box::new(broken),
            met: self.met.clone(),
        }
    }
}
