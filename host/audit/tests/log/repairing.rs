//! Repair, when it is asked for.

use std::fs;

use snodo_audit::repair::{Repair, Repaired};
use snodo_audit::{AuditError, AuditLog, Head, Note, repair, verify};

use crate::world::{DAY, PROJECT, World, at, event, now};

fn repaired(world: &World, known: &[Head]) -> Repaired {
    match repair(&world.dir, now(), PROJECT, known).unwrap() {
        Repair::Done(done) => done,
        Repair::NotNeeded(verified) => panic!("{verified:?}"),
    }
}

#[test]
fn a_good_log_is_left_alone() {
    let world = World::with_events(2);
    let before = world.text();
    assert!(matches!(
        repair(&world.dir, now(), PROJECT, &[]).unwrap(),
        Repair::NotNeeded(verified) if verified.events == 2
    ));
    assert_eq!((world.text(), world.names()), (before, vec!["audit.log".to_owned()]));
}

#[test]
fn a_torn_tail_is_cut_and_kept() {
    let world = World::with_events(3);
    let whole = world.text();
    let torn = format!("{whole}{{\"sequence\": 3, \"time");
    world.write(&torn);
    let done = repaired(&world, &[]);
    assert_eq!((done.damage.line, done.damage.damage.code()), (4, "torn_tail"));
    assert_eq!(done.kept[0].now, "audit.log.damaged-1");
    assert_eq!(fs::read_to_string(world.path("audit.log.damaged-1")).unwrap(), torn);
    assert_eq!(done.kept[0].bytes, torn.len() as u64);
    assert!(world.text().starts_with(&whole));
    assert_eq!(done.head.sequence, 3);
    let verified = world.verify();
    assert_eq!((verified.events, verified.head), (4, Some(done.head)));
    let kept = vec!["audit.log.damaged-1".to_owned()];
    assert_eq!(verified.notes, [Note::Repaired { sequence: 3, kept }]);
    let line = &world.lines()[3];
    for said in [
        "\"event_type\": \"audit_log_repaired\"",
        "\"reason\": \"torn_tail\"",
        "\"line\": 4",
        "\"first_lost_sequence\": 3",
        &done.kept[0].sha256,
    ] {
        assert!(line.contains(said), "{said}: {line}");
    }
    world.log().append(now(), &event(4)).unwrap();
    assert_eq!(world.verify().events, 5);
}

#[test]
fn damage_in_the_middle_loses_what_follows_and_says_which_heads() {
    let world = World::with_events(10);
    let head = world.verify().head.unwrap();
    let early = Head {
        sequence: 2,
        hash: world.lines()[3].split("\"previous_hash\": \"").nth(1).unwrap()[..64]
            .parse()
            .unwrap(),
    };
    world.write(world.text().replace("\"n\": 5", "\"n\": 6"));
    let known = [early, head];
    assert!(matches!(
        AuditLog::open(&world.dir, PROJECT, &known),
        Err(AuditError::Broken(_))
    ));
    let done = repaired(&world, &known);
    assert_eq!(done.lost, [head]);
    assert_eq!(done.damage.good.map(|good| good.sequence), Some(4));
    // A head that a repair names as lost is not taken for a tail that somebody took away.
    let verified = verify(&world.dir, &known).unwrap();
    assert_eq!(verified.events, 6);
    assert!(verified.notes.contains(&Note::Lost(head)));
    // One that it does not name is.
    let other = Head { sequence: 8, ..head };
    assert!(verify(&world.dir, &[other]).is_err());
    AuditLog::open(&world.dir, PROJECT, &known)
        .unwrap()
        .append(now(), &event(0))
        .unwrap();
    // A second one keeps the first one's file.
    world.write(format!("{}x\n", world.text()));
    let done = repaired(&world, &known);
    assert_eq!(done.kept[0].now, "audit.log.damaged-2");
    assert_eq!(verify(&world.dir, &known).unwrap().events, 8);
}

#[test]
fn a_tail_that_is_missing_is_told_and_nothing_is_cut() {
    let world = World::with_events(5);
    let head = world.verify().head.unwrap();
    let lines = world.lines();
    world.write_lines(&lines[..3]);
    let before = world.text();
    let done = repaired(&world, &[head]);
    assert_eq!((done.kept, done.lost), (Vec::new(), vec![head]));
    assert!(world.text().starts_with(&before));
    assert_eq!(verify(&world.dir, &[head]).unwrap().events, 4);
}

/// Two archives and a log; damage in the first archive.
#[test]
fn damage_in_an_archive_puts_all_that_follows_aside() {
    for first_line in [false, true] {
        let world = World::new();
        let mut log = world.log();
        for (number, day) in [(0, 0), (1, 1), (2, 8), (3, 16)] {
            log.append(at(day * DAY), &event(number)).unwrap();
        }
        assert_eq!(world.names(), ["audit.log", "audit.log.2026-w47", "audit.log.2026-w48"]);
        let archive = world.path("audit.log.2026-w47");
        let text = fs::read_to_string(&archive).unwrap();
        let damaged = text.replace(if first_line { "\"n\": 0" } else { "\"n\": 1" }, "\"n\": 9");
        fs::write(&archive, &damaged).unwrap();
        let done = repaired(&world, &[]);
        assert_eq!(done.kept.len(), 3);
        assert_eq!(
            fs::read_to_string(world.path("audit.log.2026-w47.damaged-1")).unwrap(),
            damaged
        );
        let mut expected = vec![
            "audit.log",
            "audit.log.2026-w47",
            "audit.log.2026-w47.damaged-1",
            "audit.log.2026-w48.damaged-1",
            "audit.log.damaged-1",
        ];
        if first_line {
            expected.remove(1);
        }
        assert_eq!(world.names(), expected);
        assert_eq!(world.verify().events, if first_line { 1 } else { 2 });
        world.log().append(now(), &event(5)).unwrap();
    }
}

/// A repair that ends at any of its steps leaves a log that is as damaged as before, or good; the next one brings it to its end.
#[test]
fn a_repair_that_did_not_come_to_its_end_is_repeated() {
    let world = World::with_events(3);
    let torn = format!("{}{{", world.text());
    world.write(&torn);
    fs::write(world.path("audit.log.repairing"), "half a draft").unwrap();
    fs::hard_link(world.path("audit.log"), world.path("audit.log.damaged-1")).unwrap();
    assert_eq!(world.broken().damage.code(), "torn_tail");
    let done = repaired(&world, &[]);
    assert_eq!(done.kept[0].now, "audit.log.damaged-2");
    assert_eq!(fs::read_to_string(world.path("audit.log.damaged-1")).unwrap(), torn);
    assert_eq!(world.verify().events, 4);
    assert!(!world.path("audit.log.repairing").exists());
}

/// A writer that has the log open goes on behind the repair, if what it knows is still there.
#[test]
fn an_open_log_goes_on_after_a_repair() {
    let world = World::with_events(3);
    let mut log = world.log();
    world.write(format!("{}{{", world.text()));
    assert!(log.append(now(), &event(3)).is_err());
    repaired(&world, &[]);
    assert_eq!(log.append(now(), &event(4)).unwrap().sequence, 4);
    assert_eq!(world.verify().events, 5);
}
