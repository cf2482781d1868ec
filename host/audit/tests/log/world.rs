//! A folder with a log, and hands to harm it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use snodo_audit::value::{Object, Value};
use snodo_audit::{AuditError, AuditLog, Broken, Head, NewEvent, Verified, VerifyError, verify};

pub(crate) const PROJECT: &str = "github.com/o/r";

pub(crate) struct World {
    pub(crate) temp: tempfile::TempDir,
    pub(crate) dir: Dir,
}

/// 2026-11-18, a Wednesday of week 47, 10:00 UTC.
pub(crate) fn now() -> SystemTime {
    at(0)
}

/// So many seconds later.
pub(crate) fn at(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs((1_794_996_000 + seconds).try_into().unwrap())
}

pub(crate) const DAY: i64 = 24 * 60 * 60;

pub(crate) fn open(path: &Path) -> Dir {
    Dir::open_ambient_dir(path, ambient_authority()).unwrap()
}

pub(crate) fn event(number: u64) -> NewEvent {
    with([("op", "transition".into()), ("n", number.into())])
}

pub(crate) fn with<const N: usize>(members: [(&str, Value); N]) -> NewEvent {
    NewEvent {
        event_type: "transition",
        data: members.into_iter().map(|(key, value)| (key.into(), value)).collect(),
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let dir = open(temp.path());
        Self { temp, dir }
    }

    /// With a log of so many events.
    pub(crate) fn with_events(count: u64) -> Self {
        let world = Self::new();
        let mut log = world.log();
        for number in 0..count {
            log.append(now(), &event(number)).unwrap();
        }
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.path("audit.log")).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.text().lines().map(str::to_owned).collect()
    }

    pub(crate) fn write(&self, text: impl AsRef<[u8]>) {
        fs::write(self.path("audit.log"), text).unwrap();
    }

    pub(crate) fn write_lines<S: AsRef<str>>(&self, lines: &[S]) {
        let lines: Vec<&str> = lines.iter().map(AsRef::as_ref).collect();
        let end = if lines.is_empty() { "" } else { "\n" };
        self.write(lines.join("\n") + end);
    }

    pub(crate) fn log(&self) -> AuditLog {
        self.try_log().unwrap()
    }

    pub(crate) fn try_log(&self) -> Result<AuditLog, AuditError> {
        AuditLog::open(&self.dir, PROJECT, &[])
    }

    pub(crate) fn verify(&self) -> Verified {
        verify(&self.dir, &[]).unwrap()
    }

    pub(crate) fn broken(&self) -> Broken {
        self.broken_against(&[])
    }

    pub(crate) fn broken_against(&self, known: &[Head]) -> Broken {
        match verify(&self.dir, known) {
            Err(VerifyError::Broken(broken)) => *broken,
            other => panic!("{other:?}"),
        }
    }

    /// The names of the folder, sorted, less the file that is locked.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.temp.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "audit.log.lock")
            .collect();
        names.sort();
        names
    }
}

pub(crate) fn object(value: &Value) -> &Object {
    match value {
        Value::Object(object) => object,
        other => panic!("{other:?}"),
    }
}
