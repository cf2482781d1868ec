//! An audit log and what stands in it: whatever the bytes are, they verify or are damaged at one place, a repair keeps them and makes a log of
//! what was good, and every value that is read is written so that it reads back the same.
#![no_main]

use std::path::Path;
use std::time::{Duration, SystemTime};

use cap_std::fs::Dir;
use libfuzzer_sys::fuzz_target;
use snodo_audit::canonical::canonical;
use snodo_audit::parse::parse;
use snodo_audit::repair::Repair;
use snodo_audit::value::{Object, Value};
use snodo_audit::{AuditError, AuditLog, Broken, NewEvent, VerifyError, repair, verify};

#[path = "../support/printed.rs"]
mod printed;

const NOW: SystemTime = SystemTime::UNIX_EPOCH;
const DAY: Duration = Duration::from_hours(24);

fuzz_target!(|data: &[u8]| {
    let values = values(data);
    whole_log(data);
    chain_of(values);
});

/// The values of the lines; each is written so that it reads back the same.
fn values(data: &[u8]) -> Vec<Value> {
    let mut values = Vec::new();
    for line in String::from_utf8_lossy(data).lines() {
        match parse(line) {
            Ok(value) => {
                let text = canonical(&value);
                assert!(text.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{text}");
                let again = parse(&text).expect("what was written is JSON");
                assert_eq!((&again, canonical(&again)), (&value, text));
                values.push(value);
            }
            Err(error) => {
                assert!((1..=line.len() + 1).contains(&error.column));
                printed::check(&error.to_string(), 200);
            }
        }
    }
    values
}

fn open(folder: &Path) -> Dir {
    Dir::open_ambient_dir(folder, cap_std::ambient_authority()).expect("a folder of our own")
}

fn check(broken: &Broken, data: &[u8]) {
    let at = usize::try_from(broken.at).expect("in memory");
    assert!(at <= data.len());
    let line = data[..at].split(|byte| *byte == b'\n').count();
    assert_eq!(broken.line, line as u64);
    printed::check(&broken.to_string(), 1000);
}

/// The bytes as a log.
fn whole_log(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("audit.log");
    std::fs::write(&path, data).expect("a file of our own");
    let dir = open(folder.path());
    let found = verify(&dir, &[]);
    let opened = AuditLog::open(&dir, "p", &[]);
    let broken = match (found, opened) {
        (Ok(verified), Ok(log)) => {
            assert_eq!(verified.head, log.head());
            return;
        }
        (Err(VerifyError::Broken(broken)), Err(AuditError::Broken(again))) => {
            assert_eq!(broken, again);
            broken
        }
        other => panic!("{other:?}"),
    };
    check(&broken, data);
    assert_eq!(std::fs::read(&path).expect("still there"), data);
    let Ok(Repair::Done(done)) = repair(&dir, NOW, "p", &[]) else {
        panic!("not repaired: {broken}")
    };
    let kept = std::fs::read(folder.path().join(&done.kept[0].now)).expect("kept");
    assert_eq!(kept, data);
    let at = usize::try_from(broken.at).expect("in memory");
    let repaired = std::fs::read(&path).expect("repaired");
    assert_eq!(repaired[..at], data[..at]);
    let verified = verify(&dir, &[done.head]).expect("good after the repair");
    assert_eq!(verified.events, broken.good.map_or(1, |good| good.sequence + 2));
}

/// The values as data of events, in a log that is made an archive of in between.
fn chain_of(values: Vec<Value>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = open(folder.path());
    let mut log = AuditLog::open(&dir, "p", &[]).expect("an empty log");
    let mut expected = 0;
    for (number, value) in (0..).zip(values.into_iter().take(4)) {
        let event = NewEvent {
            event_type: "fuzz",
            data: Object::from([("value".into(), value)]),
        };
        match log.append(NOW + DAY * 5 * number, &event) {
            Ok(head) => {
                assert_eq!(head.sequence, expected);
                expected += 1;
            }
            Err(AuditError::TooDeep { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let verified = verify(&dir, log.head().as_slice()).expect("what was appended verifies");
    assert_eq!((verified.events, verified.head), (expected, log.head()));
}
