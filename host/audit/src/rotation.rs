//! When a log becomes an archive, and under which name: snodo's rule.
//!
//! Under the lock, before an append: when the log's first event is more than seven days old, or the log is larger than 256 MiB. It is
//! named after the ISO week of its first event, with `.2`, `.3` and so on when the name is taken. A log whose first line tells no time is
//! never renamed, in snodo neither.
//!
//! **The order of names must be that of the chain**, since archives are read in it: year, week, suffix. A clock that was set back breaks
//! that in snodo. Here a name is never before that of an archive that exists: the newest archive's week with the next suffix is taken
//! instead. That snodo, too, goes on safely with a log begun under such a clock, its first event is not stamped before the week of the
//! newest archive ([`first_stamp`]); all other events are stamped as the clock says, which may go backwards.

use crate::files::ArchiveName;
use crate::time::{self, Stamp};

/// Seven days, in microseconds.
const MAX_AGE: i64 = 7 * 24 * 60 * 60 * 1_000_000;
/// The size of a log beyond which it becomes an archive.
pub const MAX_LOG_BYTES: u64 = 256 * 1024 * 1024;

/// Whether a log becomes an archive now.
pub(crate) fn is_due(first: Stamp, bytes: u64, now: i64) -> bool {
    now - first.micros > MAX_AGE || bytes > MAX_LOG_BYTES
}

/// The name for a log that becomes an archive. `taken` tells of other files that bear a name.
pub(crate) fn archive_name(first: Stamp, archives: &[ArchiveName], taken: impl Fn(&str) -> bool) -> ArchiveName {
    let newest = archives.last();
    let (week, mut suffix) = match newest {
        Some(newest) if newest.week() >= first.week => (newest.week(), (newest.suffix() + 1).max(2)),
        _ => (first.week, 0),
    };
    loop {
        let name = ArchiveName::new(week.0, week.1, suffix);
        if !taken(name.as_str()) {
            return name;
        }
        suffix = (suffix + 1).max(2);
    }
}

/// How the first event of a new log is stamped: as the clock says, but not before the week of the newest archive.
pub(crate) fn first_stamp(now: i64, newest: Option<&ArchiveName>) -> i64 {
    match newest {
        Some(archive) if time::week_of(now).is_some_and(|week| week < archive.week()) => {
            time::first_of_week(archive.week()).max(now)
        }
        _ => now,
    }
}
