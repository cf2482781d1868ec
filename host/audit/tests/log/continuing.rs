//! Logs that a snodo 0.26.0 wrote: verified, and continued.

use std::fs;

use crate::world::{World, at, event, now};

const BY_SNODO: &str = r#"{"sequence": 0, "timestamp": "2026-11-30T18:32:54.911613+00:00", "event_type": "halt", "project_id": "github.com/o/r", "data": {"op": "halt", "b\u00fc": "\u007f\u2028\ud83d\ude00", "a": [1, 2.0, 1e-05, 1e+16, NaN, 1000000000000000000000000000000, null, true, {}]}, "previous_hash": "0000000000000000000000000000000000000000000000000000000000000000", "event_hash": "a44878d3bc4b2eb0b6dc4e8247bd6a752b616ee3e261d9f80d7c51fd857f44f4"}
{"sequence": 1, "timestamp": "2026-11-30T18:32:54.912148+00:00", "event_type": "validate", "project_id": "github.com/o/r", "data": {"z": "x", "\uffff": 1, "\ud800\udc00": 2}, "previous_hash": "a44878d3bc4b2eb0b6dc4e8247bd6a752b616ee3e261d9f80d7c51fd857f44f4", "event_hash": "738fdd7590043d310c3426d56ff4ee89d0aab67e7a659da97b7ec7d47bc03d4a"}
"#;

const ARCHIVE_BY_SNODO: &str = r#"{"sequence": 0, "timestamp": "2026-11-18T10:00:00+00:00", "event_type": "dispatch", "project_id": "github.com/o/r", "data": {"op": "dispatch", "n": 1}, "previous_hash": "0000000000000000000000000000000000000000000000000000000000000000", "event_hash": "7d05e53bea917aff3a575a99f1a885533dd791493b171c21be8c6c7a2e5e2e3a"}
"#;

const AFTER_ARCHIVE_BY_SNODO: &str = r#"{"sequence": 1, "timestamp": "2026-11-26T10:00:00+00:00", "event_type": "dispatch", "project_id": "github.com/o/r", "data": {"op": "dispatch", "n": 2}, "previous_hash": "7d05e53bea917aff3a575a99f1a885533dd791493b171c21be8c6c7a2e5e2e3a", "event_hash": "d981347f51c80b58c47d888f9d351ae83f0f9d8708ca2cee1f461cda878503c3"}
"#;

#[test]
fn a_log_by_snodo_is_continued() {
    let world = World::new();
    world.write(BY_SNODO);
    assert_eq!(
        world.verify().head.unwrap().hash.to_string(),
        "738fdd7590043d310c3426d56ff4ee89d0aab67e7a659da97b7ec7d47bc03d4a"
    );
    world.log().append(now(), &event(0)).unwrap();
    assert!(world.text().starts_with(BY_SNODO), "what was there stays byte for byte");
    assert_eq!(world.verify().events, 3);
}

#[test]
fn a_log_by_snodo_with_an_archive_is_continued_and_rotated() {
    let world = World::new();
    fs::write(world.path("audit.log.2026-w47"), ARCHIVE_BY_SNODO).unwrap();
    world.write(AFTER_ARCHIVE_BY_SNODO);
    world.log().append(at(9 * 24 * 3600), &event(2)).unwrap();
    assert_eq!((world.verify().events, world.lines().len()), (3, 2));
    world.log().append(at(16 * 24 * 3600), &event(3)).unwrap();
    assert_eq!((world.verify().events, world.lines().len()), (4, 1));
    assert_eq!(world.names(), ["audit.log", "audit.log.2026-w47", "audit.log.2026-w48"]);
}

/// Other spelling, other order of keys, other spaces: as long as it is the same to a reader of JSON.
#[test]
fn a_log_in_another_hand_is_continued() {
    let world = World::new();
    let other = BY_SNODO
        .replace("\\u00fc", "ü")
        .replace("\\ud83d\\ude00", "😀")
        .replace("\\u2028", "\\U2028".to_lowercase().as_str())
        .replace("1e-05", "0.00001")
        .replace("\"op\": \"halt\", ", "\"op\":\"nothing\",\"op\":\"halt\",")
        .replace("}\n", " }\r\n");
    assert_ne!(other, BY_SNODO);
    world.write(format!("\n{other}\n"));
    assert_eq!(world.verify().events, 2);
    world.log().append(now(), &event(0)).unwrap();
    assert_eq!(world.verify().events, 3);
    assert!(world.text().starts_with(&format!("\n{other}\n")));
}
