//! When a log becomes an archive, under which name, and with which clock.

use std::fs;

use snodo_audit::files::ArchiveName;

use crate::world::{DAY, World, at, event, now};

#[test]
fn a_log_is_an_archive_when_its_first_event_is_more_than_seven_days_old() {
    let world = World::new();
    let mut log = world.log();
    log.append(at(0), &event(0)).unwrap();
    log.append(at(7 * DAY), &event(1)).unwrap();
    assert_eq!(world.names(), ["audit.log"]);
    log.append(at(7 * DAY + 1), &event(2)).unwrap();
    assert_eq!(world.names(), ["audit.log", "audit.log.2026-w47"]);
    log.append(at(7 * DAY + 2), &event(3)).unwrap();
    assert_eq!((world.lines().len(), world.verify().events), (2, 4));
}

#[test]
fn names_that_are_taken_get_a_number_and_archives_keep_the_order_of_the_chain() {
    let world = World::new();
    // Twelve logs of one week: those of the others were too large.
    let archives = [
        "w47", "w47.2", "w47.3", "w47.4", "w47.5", "w47.6", "w47.7", "w47.8", "w47.9", "w47.10", "w47.11",
    ];
    for (number, archive) in (0..).zip(archives) {
        world.log().append(at(number), &event(0)).unwrap();
        fs::rename(
            world.path("audit.log"),
            world.path(&format!("audit.log.2026-{archive}")),
        )
        .unwrap();
    }
    world.log().append(at(DAY), &event(0)).unwrap();
    world.log().append(at(9 * DAY), &event(0)).unwrap();
    assert!(world.path("audit.log.2026-w47.12").exists());
    assert_eq!(world.verify().events, 13);
}

#[test]
fn another_process_may_have_made_an_archive_of_an_open_log() {
    let world = World::new();
    let (mut one, mut other) = (world.log(), world.log());
    one.append(at(0), &event(0)).unwrap();
    other.append(at(0), &event(1)).unwrap();
    other.append(at(8 * DAY), &event(2)).unwrap();
    let head = one.append(at(8 * DAY), &event(3)).unwrap();
    assert_eq!((head.sequence, world.verify().events), (3, 4));
}

#[test]
fn a_clock_that_was_set_back_by_years_does_not_turn_archives_round() {
    let world = World::new();
    let mut log = world.log();
    log.append(at(0), &event(0)).unwrap();
    log.append(at(8 * DAY), &event(1)).unwrap();
    // The battery is empty: the log begins in 1970, and is an archive as soon as the clock is right again.
    fs::remove_file(world.path("audit.log")).unwrap();
    let mut log = world.log();
    log.append(at(-1_794_996_000), &event(1)).unwrap();
    // Its first event is stamped with the week of the newest archive, after which snodo would name it.
    assert!(
        world.text().contains("\"2026-11-16T00:00:00+00:00\""),
        "{}",
        world.text()
    );
    log.append(at(20 * DAY), &event(2)).unwrap();
    assert_eq!(
        world.names(),
        ["audit.log", "audit.log.2026-w47", "audit.log.2026-w47.2"]
    );
    assert_eq!(world.verify().events, 3);
}

#[test]
fn an_event_of_the_future_is_no_reason() {
    let world = World::new();
    world.log().append(at(100 * DAY), &event(0)).unwrap();
    world.log().append(now(), &event(1)).unwrap();
    assert_eq!(
        (world.names(), world.verify().events),
        (vec!["audit.log".to_owned()], 2)
    );
}

#[test]
fn archives_are_ordered_by_year_week_and_number() {
    let mut names: Vec<ArchiveName> = ["2027-w01", "2026-w47.10", "2026-w47.2", "2026-w47", "2026-w05"]
        .iter()
        .map(|week| ArchiveName::parse(&format!("audit.log.{week}")).unwrap())
        .collect();
    names.sort();
    let names: Vec<&str> = names.iter().map(ArchiveName::as_str).collect();
    assert_eq!(
        names,
        [
            "audit.log.2026-w05",
            "audit.log.2026-w47",
            "audit.log.2026-w47.2",
            "audit.log.2026-w47.10",
            "audit.log.2027-w01"
        ]
    );
    for other in [
        "audit.log",
        "audit.log.lock",
        "audit.log.2026-w47.damaged-1",
        "audit.log.2026-w7",
        "audit.log.2026-w47.",
        "audit.log.26-w47",
        "audit.log.2026-w47.x",
        "xaudit.log.2026-w47",
        "audit.log.2026-w47.2.gz",
    ] {
        assert_eq!(ArchiveName::parse(other), None, "{other}");
    }
}
