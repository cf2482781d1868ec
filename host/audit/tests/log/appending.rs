//! One writer, others beside it, and clocks.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use snodo_audit::chain::{Chain, Damage};
use snodo_audit::{AuditError, AuditLog, Head, Note, verify};

use crate::world::{PROJECT, World, at, event, now, with};

#[test]
fn a_line_is_as_snodo_writes_it() {
    let world = World::new();
    let head = world
        .log()
        .append(at(0) + Duration::from_micros(25), &with([("ü", "a\u{7f}\n".into())]))
        .unwrap();
    assert_eq!(
        world.text(),
        format!(
            "{{\"sequence\": 0, \"timestamp\": \"2026-11-18T10:00:00.000025+00:00\", \"event_type\": \"transition\", \
             \"project_id\": \"github.com/o/r\", \"data\": {{\"\\u00fc\": \"a\\u007f\\n\"}}, \"previous_hash\": \"{:064}\", \
             \"event_hash\": \"{}\"}}\n",
            0, head.hash
        )
    );
    // No digits of a second when there are none, as Python.
    world.log().append(at(1), &event(1)).unwrap();
    assert!(world.text().contains("\"2026-11-18T10:00:01+00:00\""));
}

#[test]
fn an_empty_log_and_no_log_are_logs() {
    let world = World::new();
    assert_eq!((world.verify().events, world.verify().head), (0, None));
    assert!(world.names().is_empty(), "verification writes nothing");
    world.write("");
    assert_eq!(world.verify().events, 0);
    assert!(world.verify().notes.is_empty());
}

#[test]
fn two_open_logs_take_turns() {
    let world = World::new();
    let (mut one, mut other) = (world.log(), world.log());
    for number in 0..10 {
        let log = if number % 3 == 0 { &mut one } else { &mut other };
        let head = log.append(now(), &event(number)).unwrap();
        assert_eq!(head.sequence, number);
    }
    assert_eq!(world.verify().events, 10);
}

#[test]
fn what_others_append_wrongly_is_refused_by_a_log_that_is_open() {
    let world = World::with_events(3);
    let mut log = world.log();
    let mut text = world.text();
    text.push_str("{\"sequence\": 3}\n");
    world.write(&text);
    let error = log.append(now(), &event(3)).unwrap_err();
    let AuditError::Broken(broken) = error else {
        panic!("{error}")
    };
    assert_eq!((broken.line, broken.damage.code()), (4, "file_malformed"));
    assert_eq!(world.text(), text, "nothing was appended");
}

#[test]
fn the_last_event_that_a_log_knows_is_looked_at_again() {
    for change in [
        |text: &str| text.replace("\"n\": 2", "\"n\": 7"),
        |text: &str| text[..=text.trim_end().rfind('\n').unwrap()].to_owned(),
        |_: &str| String::new(),
    ] {
        let world = World::with_events(3);
        let mut log = world.log();
        // In place: the same file.
        world.write(change(&world.text()));
        assert!(matches!(log.append(now(), &event(3)), Err(AuditError::Broken(_))));
        // Another file.
        let world = World::with_events(3);
        let mut log = world.log();
        let text = change(&world.text());
        fs::remove_file(world.path("audit.log")).unwrap();
        world.write(text);
        assert!(matches!(log.append(now(), &event(3)), Err(AuditError::Broken(_))));
    }
}

#[test]
fn a_log_that_is_removed_while_it_is_open_is_missed() {
    let world = World::with_events(3);
    let mut log = world.log();
    fs::remove_file(world.path("audit.log")).unwrap();
    let AuditError::Broken(broken) = log.append(now(), &event(3)).unwrap_err() else {
        panic!()
    };
    assert!(
        matches!(broken.damage, Damage::TailRemoved { events: 0, .. }),
        "{broken}"
    );
}

#[test]
fn a_missing_line_feed_is_put_in_before_the_next_event() {
    let world = World::with_events(2);
    world.write(world.text().trim_end());
    let file = "audit.log".to_owned();
    assert_eq!(world.verify().notes, [Note::NoFinalNewline { file }]);
    let mut log = world.log();
    log.append(now(), &event(2)).unwrap();
    log.append(now(), &event(3)).unwrap();
    assert_eq!((world.verify().events, world.lines().len()), (4, 4));
    // The control: what a writer does that appends without looking.
    world.write(world.text().trim_end());
    let mut text = world.text();
    text.push_str(&world.lines()[0]);
    text.push('\n');
    world.write(text);
    assert_eq!(
        (world.broken().line, world.broken().damage.code()),
        (4, "file_malformed")
    );
}

#[test]
fn a_line_number_is_right_behind_blank_lines() {
    let world = World::with_events(2);
    world.write(format!("\n{}\n\n", world.text()));
    let mut log = world.log();
    log.append(now(), &event(2)).unwrap();
    let mut text = world.text();
    text.push_str("x\n");
    world.write(text);
    let AuditError::Broken(broken) = log.append(now(), &event(3)).unwrap_err() else {
        panic!()
    };
    assert_eq!(broken.line, 7);
    assert_eq!(broken.line, world.broken().line);
}

#[test]
fn a_clock_that_goes_backwards_is_told_as_it_is() {
    let world = World::with_events(1);
    world.log().append(at(-3600), &event(1)).unwrap();
    assert!(world.lines()[1].contains("2026-11-18T09:00:00+00:00"));
    assert_eq!(world.verify().events, 2);
    let mut log = world.log();
    let far = UNIX_EPOCH + Duration::from_secs(400_000_000_000);
    assert!(matches!(log.append(far, &event(2)), Err(AuditError::Clock)));
    log.append(UNIX_EPOCH - Duration::from_secs(1), &event(2)).unwrap();
    assert!(world.lines()[2].contains("\"1969-12-31T23:59:59+00:00\""));
}

#[test]
fn a_tail_that_was_taken_away_is_found_against_a_head() {
    let world = World::with_events(5);
    let head = world.verify().head.unwrap();
    let mut log = AuditLog::open(&world.dir, PROJECT, &[head]).unwrap();
    let next = log.append(now(), &event(5)).unwrap();
    assert_eq!(verify(&world.dir, &[head, next]).unwrap().events, 6);

    let lines = world.lines();
    world.write_lines(&lines[..3]);
    // Against itself the log is good: this is what a head is for.
    assert_eq!(world.verify().events, 3);
    let broken = world.broken_against(&[head]);
    assert_eq!((broken.line, broken.damage.code()), (4, "file_length_mismatch"));
    assert_eq!(
        broken.to_string(),
        "`.snodo/audit.log`, line 4: the log has 3 events, and event 4 is known from a run: events were taken away from the end"
    );
    assert!(matches!(
        AuditLog::open(&world.dir, PROJECT, &[head]),
        Err(AuditError::Broken(_))
    ));
    // Filled up with others: the same.
    let mut log = world.log();
    for number in 3..9 {
        log.append(at(60), &event(number)).unwrap();
    }
    let broken = world.broken_against(&[head]);
    assert_eq!((broken.line, broken.damage.code()), (5, "file_hash_mismatch"));
}

#[test]
fn a_head_is_kept_as_text() {
    let head = World::with_events(1).verify().head.unwrap();
    let json = serde_json::to_string(&head).unwrap();
    assert_eq!(json, format!("{{\"sequence\":0,\"hash\":\"{}\"}}", head.hash));
    assert_eq!(serde_json::from_str::<Head>(&json).unwrap(), head);
    assert!(serde_json::from_str::<Head>("{\"sequence\":0,\"hash\":\"00\"}").is_err());
    assert!(serde_json::from_str::<Head>(&json.to_uppercase().replace("SEQUENCE", "sequence")).is_err());
    assert_eq!(Chain::after(head).events(), 1);
}

#[test]
fn f08_a_message_cannot_make_a_line_of_its_own() {
    let world = World::new();
    let message = "ok\n{\"sequence\": 99, \"event\": \"verdict\"}\r\u{1b}[2J\u{202e}\0\u{2028}\u{85}";
    world.log().append(now(), &with([("error", message.into())])).unwrap();
    world.log().append(now(), &event(1)).unwrap();
    let text = world.text();
    assert_eq!(text.lines().count(), 2);
    assert!(text.bytes().all(|byte| byte == b'\n' || (0x20..0x7f).contains(&byte)));
    assert_eq!(world.verify().events, 2);
}
