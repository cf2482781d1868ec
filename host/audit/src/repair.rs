//! Repair of a damaged log, only when it is asked for.
//!
//! Nothing is deleted. From the first damage on nothing of a chain can be believed, so that:
//!
//! 1. The damaged file, and all files after it, are kept beside the log under `<name>.damaged-<n>`, which neither snodo nor this crate takes for a
//!    part of the log.
//! 2. What stands before the damage stays, byte for byte.
//! 3. An event `audit_log_repaired` follows it in the chain: what was damaged where and how, the kept files with their sizes and hashes, the
//!    first lost sequence, and those of the given heads that are lost. So the damage stays to be seen in the log itself; verification names the
//!    event in its notes, and takes a known head for lost instead of a removed tail only if such an event names it.
//!
//! The result is a log that snodo's verifier accepts and snodo continues. The last step is one rename: whatever ends the repair before it leaves
//! the log damaged at the same place, for another repair.
//!
//! A tail that was taken away, or a chain that was written anew (found against known heads), is not cut: nothing there is known to be wrong but what
//! is missing. Only the event is appended.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::time::SystemTime;

use cap_std::fs::Dir;
use sha2::{Digest as _, Sha256};

use crate::append::{AuditError, write};
use crate::chain::{Chain, Damage};
use crate::event::{Event, Head, hex};
use crate::files::{Act, ArchiveName, FileFault, Identity, LOG, archives, make_new, open_to_read, sync_folder};
use crate::lock::{LogLock, settle};
use crate::rotation::first_stamp;
use crate::time;
use crate::value::{Object, Value};
use crate::verify::Verified;
use crate::vocabulary::REPAIRED;
use crate::walk::{Broken, LogPlace, Walk, WalkError};

/// A file in which what stays is put together.
const DRAFT: &str = "audit.log.repairing";

/// What a repair did.
#[derive(Debug)]
pub enum Repair {
    /// The log verifies: there was nothing to do, and nothing was done.
    NotNeeded(Verified),
    /// It was repaired.
    Done(Repaired),
}

/// A repaired log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// What was wrong, and where.
    pub damage: Broken,
    /// The damaged files, and where they are now.
    pub kept: Vec<Kept>,
    /// Given heads that are not in the log any more.
    pub lost: Vec<Head>,
    /// The event that tells of the repair: the new end.
    pub head: Head,
}

/// A file that was put aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its name before.
    pub was: String,
    /// Its name now.
    pub now: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// Repairs the log of a `.snodo` folder, if it does not verify against itself and the heads from run records.
pub fn repair(dir: &Dir, now: SystemTime, project_id: &str, known: &[Head]) -> Result<Repair, AuditError> {
    let now = time::micros(now).ok_or(AuditError::Clock)?;
    let mut lock = LogLock::acquire(dir)?;
    settle(&mut lock, dir)?;
    let (damage, met) = match Walk::whole(dir, known) {
        Ok(walk) => return Ok(Repair::NotNeeded(walk.into())),
        Err(WalkError::File(fault)) => return Err(fault.into()),
        Err(WalkError::Broken { broken, met }) => (*broken, met),
    };
    let lost: Vec<Head> = known.iter().copied().filter(|head| !met.contains(head)).collect();
    match damage.damage {
        Damage::TailRemoved { .. } | Damage::HeadDiffers { .. } => tell(dir, &lock, now, project_id, lost, damage),
        _ => cut(dir, now, project_id, lost, damage),
    }
    .map(Repair::Done)
}

/// Appends the event to a log whose chain is whole.
fn tell(
    dir: &Dir,
    lock: &LogLock,
    now: i64,
    project_id: &str,
    lost: Vec<Head>,
    damage: Broken,
) -> Result<Repaired, AuditError> {
    let walk = Walk::whole(dir, &[])?;
    let event = event(walk.chain, now, project_id, &damage, &[], &lost);
    let mut line = event.line();
    let LogPlace { bytes, ended, .. } = match walk.log {
        Some(place) => place,
        None => LogPlace::empty(Identity::of(lock.log(), LOG)?, walk.chain),
    };
    if !ended {
        line.insert(0, '\n');
    }
    write(lock.log(), &line, bytes)?;
    Ok(Repaired {
        head: head_of(&event, walk.chain),
        damage,
        kept: Vec::new(),
        lost,
    })
}

/// Puts everything from the damage on aside.
fn cut(dir: &Dir, now: i64, project_id: &str, lost: Vec<Head>, damage: Broken) -> Result<Repaired, AuditError> {
    let chain = damage.good.map_or(Chain::START, Chain::after);
    // From the damaged file to the log, in the order of the chain.
    let all = archives(dir)?;
    let from = ArchiveName::parse(&damage.file);
    let mut names: Vec<String> = all
        .iter()
        .filter(|archive| from.as_ref().is_some_and(|from| *archive >= from))
        .map(|archive| archive.as_str().to_owned())
        .collect();
    names.push(LOG.to_owned());
    let number = free_number(dir, &names);
    let mut kept = Vec::new();
    for name in &names {
        let Some(file) = open_to_read(dir, name)? else { continue };
        let (bytes, sha256) = digest(&file, name)?;
        kept.push(Kept {
            was: name.clone(),
            now: format!("{name}.damaged-{number}"),
            bytes,
            sha256,
        });
    }
    let is_log = damage.file == LOG;
    let log_start = if is_log { damage.at } else { 0 };
    let stays = |archive: &&ArchiveName| {
        from.as_ref()
            .is_none_or(|from| *archive < from || *archive == from && damage.at > 0)
    };
    let newest = all.iter().rfind(stays).filter(|_| log_start == 0);
    let event = event(chain, first_stamp(now, newest), project_id, &damage, &kept, &lost);
    // Of what was kept when an earlier repair did not come to its end.
    remove_draft(dir)?;

    // The log first, if the damage is in an archive: as long as that one stands, the whole is as damaged as before.
    draft(dir, LOG, log_start, event.line().as_bytes())?;
    if is_log {
        put_aside_and_replace(dir, LOG, number)?;
    } else {
        put_aside_and_replace(dir, LOG, number)?;
        for later in names.iter().filter(|name| **name != LOG && **name != damage.file).rev() {
            rename(dir, later, &format!("{later}.damaged-{number}"))?;
        }
        if damage.at == 0 {
            // An archive without an event would stand in the way of snodo, which looks at the newest one's last line.
            rename(dir, &damage.file, &format!("{}.damaged-{number}", damage.file))?;
        } else {
            draft(dir, &damage.file, damage.at, b"")?;
            put_aside_and_replace(dir, &damage.file, number)?;
        }
    }
    sync_folder(dir)?;
    Ok(Repaired {
        head: head_of(&event, chain),
        damage,
        kept,
        lost,
    })
}

fn event(chain: Chain, now: i64, project_id: &str, damage: &Broken, kept: &[Kept], lost: &[Head]) -> Event {
    let files = kept.iter().map(|kept| {
        Value::Object(Object::from([
            ("was".into(), kept.was.as_str().into()),
            ("now".into(), kept.now.as_str().into()),
            ("bytes".into(), kept.bytes.into()),
            ("sha256".into(), kept.sha256.as_str().into()),
        ]))
    });
    let heads = lost.iter().map(|head| {
        Value::Object(Object::from([
            ("sequence".into(), head.sequence.into()),
            ("hash".into(), head.hash.to_string().into()),
        ]))
    });
    let data = Object::from([
        ("op".into(), REPAIRED.into()),
        ("file".into(), damage.file.as_str().into()),
        ("line".into(), damage.line.into()),
        ("reason".into(), damage.damage.code().into()),
        ("detail".into(), damage.damage.to_string().into()),
        ("first_lost_sequence".into(), chain.events().into()),
        ("kept".into(), files.collect::<Vec<_>>().into()),
        ("lost_heads".into(), heads.collect::<Vec<_>>().into()),
    ]);
    Event::next(chain, now, REPAIRED, project_id, data.into())
}

fn head_of(event: &Event, chain: Chain) -> Head {
    Head {
        sequence: chain.events(),
        hash: event.hash(),
    }
}

/// The first number under which none of the names is taken.
fn free_number(dir: &Dir, names: &[String]) -> u64 {
    let taken = |number: u64| {
        names
            .iter()
            .any(|name| dir.symlink_metadata(format!("{name}.damaged-{number}")).is_ok())
    };
    let mut number = 1;
    while taken(number) {
        number += 1;
    }
    number
}

fn digest(mut file: &File, name: &str) -> Result<(u64, String), FileFault> {
    let fault = |error| FileFault::new(name, Act::Read, error);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut bytes = 0;
    file.seek(SeekFrom::Start(0)).map_err(fault)?;
    loop {
        let read = file.read(&mut buffer).map_err(fault)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
    Ok((bytes, hex(&hasher.finalize())))
}

/// A new file with the first bytes of another and more, on the disk.
fn draft(dir: &Dir, of: &str, bytes: u64, more: &[u8]) -> Result<(), FileFault> {
    let mut draft = make_new(dir, DRAFT)?;
    let write = |error| FileFault::new(DRAFT, Act::Write, error);
    if bytes > 0 {
        let from = open_to_read(dir, of)?.ok_or_else(|| {
            let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
            FileFault::new(of, Act::Open, gone)
        })?;
        std::io::copy(&mut from.take(bytes), &mut draft).map_err(write)?;
    }
    draft.write_all(more).map_err(write)?;
    draft
        .sync_all()
        .map_err(|error| FileFault::new(DRAFT, Act::Sync, error))
}

fn remove_draft(dir: &Dir) -> Result<(), FileFault> {
    match dir.remove_file(DRAFT) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(FileFault::new(DRAFT, Act::Rename, error)),
        _ => Ok(()),
    }
}

/// A second name for the damaged file, then the draft in its place, by one rename.
fn put_aside_and_replace(dir: &Dir, name: &str, number: u64) -> Result<(), FileFault> {
    let aside = format!("{name}.damaged-{number}");
    match dir.hard_link(name, dir, &aside) {
        Ok(()) => {}
        // There was no log, or only archives.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        // A file system without hard links.
        Err(_) => copy(dir, name, &aside)?,
    }
    sync_folder(dir)?;
    rename(dir, DRAFT, name)
}

fn copy(dir: &Dir, name: &str, to: &str) -> Result<(), FileFault> {
    let Some(mut from) = open_to_read(dir, name)? else {
        return Ok(());
    };
    let mut copy = make_new(dir, to)?;
    std::io::copy(&mut from, &mut copy)
        .and_then(|_| copy.sync_all())
        .map_err(|error| FileFault::new(to, Act::Write, error))
}

fn rename(dir: &Dir, from: &str, to: &str) -> Result<(), FileFault> {
    dir.rename(from, dir, to)
        .map_err(|error| FileFault::new(from, Act::Rename, error))?;
    sync_folder(dir)
}
