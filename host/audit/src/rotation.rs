//! When a log becomes an archive, and under which name: snodo's rule.
//!
//! Under the lock, before an append: when the log's first event is more than seven days old, or the log is larger than 256 MiB. It is
//! named after the ISO week of its first event, with `.2`, `.3` and so on when the name is taken. A log whose first line tells no time is
//! never renamed, in snodo neither.
//!
//! **The order of names must be that of the chain**, since archives are read in it: year, week, suffix. A clock that was set back breaks
//! that in snodo. Here a name is never before that of an archive that exists: the newest archive's week with the next suffix is taken
//! instead. That snodo, too, goes on safely with a log begun under such a clock, its first event is not stamped before the week of the
//! newest archive; all other events are stamped as the clock says, which may go backwards.

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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on fails.
mod tests {
    use super::{MAX_LOG_BYTES, archive_name, is_due};
    use crate::files::ArchiveName;
    use crate::time;

    #[test]
    fn a_large_log_is_due_whatever_its_age() {
        let first = time::parse("2026-11-18T10:00:00+00:00").unwrap();
        assert!(!is_due(first, MAX_LOG_BYTES, first.micros));
        assert!(is_due(first, MAX_LOG_BYTES + 1, first.micros));
    }

    #[test]
    fn a_name_is_free_and_never_before_an_archive() {
        let name = |stamp: &str, archives: &[&str], taken: &[&str]| {
            let first = time::parse(stamp).unwrap();
            let mut archives: Vec<ArchiveName> =
                archives.iter().map(|name| ArchiveName::parse(name).unwrap()).collect();
            archives.sort();
            let taken = |name: &str| taken.contains(&name);
            archive_name(first, &archives, taken).as_str().to_owned()
        };
        let (this, next) = ("2026-11-18", "2026-11-25T00:00:00+00:00");
        assert_eq!(name(this, &[], &[]), "audit.log.2026-w47");
        assert_eq!(name(this, &[], &["audit.log.2026-w47"]), "audit.log.2026-w47.2");
        assert_eq!(name(this, &["audit.log.2026-w47"], &[]), "audit.log.2026-w47.2");
        // A number between two that exist would be in the wrong place, though it is free.
        assert_eq!(
            name(this, &["audit.log.2026-w47", "audit.log.2026-w47.7"], &[]),
            "audit.log.2026-w47.8"
        );
        assert_eq!(name(next, &["audit.log.2026-w47"], &[]), "audit.log.2026-w48");
        assert_eq!(name("1970-01-01", &["audit.log.2026-w47"], &[]), "audit.log.2026-w47.2");
    }
}
