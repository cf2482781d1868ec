//! Every case of which snodo's own verifier was asked, by the name that it has in the list of its answers.

use std::fs;

use snodo_audit::{Note, VerifyError, verify};

use crate::reference::{STAMP, ZEROS, chain, sealed};
use crate::world::{DAY, World, at, event, now, with};

/// How many events, or where the first damage is and of which kind.
type Answer = Result<u64, (u64, &'static str)>;

fn answer(world: &World) -> Answer {
    match verify(&world.dir, &[]) {
        Ok(verified) => Ok(verified.events),
        Err(VerifyError::Broken(broken)) => {
            assert_eq!(broken.file, "audit.log");
            Err((broken.line, broken.damage.code()))
        }
        Err(error) => panic!("{error}"),
    }
}

/// What is done to the lines of a log of 18 events.
type Harm = fn(&mut Vec<String>);

fn change(line: &mut String, from: &str, to: &str) {
    assert!(line.contains(from), "{line}");
    *line = line.replacen(from, to, 1);
}

/// One digit of a hash, for another.
fn other_digit(line: &mut String, key: &str) {
    let at = line.find(key).unwrap() + key.len() + 4;
    let other = if &line[at..=at] == "0" { "1" } else { "0" };
    line.replace_range(at..=at, other);
}

const CASES: &[(&str, Harm, Answer)] = &[
    ("untouched", |_| (), Ok(18)),
    ("empty_file", Vec::clear, Ok(0)),
    (
        "edited_data",
        |l| change(&mut l[7], "\"n\": 7", "\"n\": 8"),
        Err((8, "event_hash_mismatch")),
    ),
    (
        "edited_timestamp",
        |l| change(&mut l[7], "T10:", "T11:"),
        Err((8, "event_hash_mismatch")),
    ),
    (
        "edited_event_type",
        |l| change(&mut l[7], "\"event_type\": \"t", "\"event_type\": \"T"),
        Err((8, "event_hash_mismatch")),
    ),
    (
        "edited_project_id",
        |l| change(&mut l[7], "github.com/o/r", "github.com/o/x"),
        Err((8, "event_hash_mismatch")),
    ),
    (
        "edited_event_hash",
        |l| other_digit(&mut l[7], "event_hash"),
        Err((8, "event_hash_mismatch")),
    ),
    (
        "edited_previous_hash",
        |l| other_digit(&mut l[7], "previous_hash"),
        Err((8, "link_break")),
    ),
    (
        "edited_sequence",
        |l| change(&mut l[7], "\"sequence\": 7", "\"sequence\": 70"),
        Err((8, "sequence_gap")),
    ),
    (
        "genesis_changed",
        |l| other_digit(&mut l[0], "previous_hash"),
        Err((1, "genesis_hash")),
    ),
    (
        "project_id_removed",
        |l| change(&mut l[7], "\"project_id\": \"github.com/o/r\", ", ""),
        Err((8, "event_hash_mismatch")),
    ),
    (
        "extra_key",
        |l| change(&mut l[7], "{\"seq", "{\"extra\": 1, \"seq"),
        Err((8, "file_malformed")),
    ),
    (
        "missing_key_data",
        |l| change(&mut l[7], "\"data\": {\"n\": 7, \"op\": \"transition\"}, ", ""),
        Err((8, "file_malformed")),
    ),
    ("truncated_tail_events", |l| l.truncate(15), Ok(15)),
    ("deleted_middle", |l| drop(l.remove(5)), Err((6, "sequence_gap"))),
    ("deleted_first", |l| drop(l.remove(0)), Err((1, "sequence_gap"))),
    ("reordered", |l| l.swap(5, 6), Err((6, "sequence_gap"))),
    (
        "duplicated_line",
        |l| l.insert(6, l[5].clone()),
        Err((7, "sequence_gap")),
    ),
    ("duplicated_last", |l| l.push(l[17].clone()), Err((19, "sequence_gap"))),
    (
        "blank_lines",
        |l| {
            l.insert(3, String::new());
            l.insert(9, " \t\u{a0}\x0c".to_owned());
            l.push(String::new());
        },
        Ok(18),
    ),
    ("crlf", |l| l.iter_mut().for_each(|line| line.push('\r')), Ok(18)),
    ("bom", |l| l[0].insert(0, '\u{feff}'), Err((1, "file_malformed"))),
    ("key_order_changed", |l| l.iter_mut().for_each(turned), Ok(18)),
    (
        "compact_separators",
        |l| {
            for line in l {
                *line = line.replace(": ", ":").replace(", ", ",");
            }
        },
        Ok(18),
    ),
    (
        "pretty_two_lines",
        |l| change(&mut l[3], ", ", ",\n"),
        Err((4, "file_malformed")),
    ),
    (
        "garbage_line",
        |l| l.insert(4, "garbage".to_owned()),
        Err((5, "file_malformed")),
    ),
    (
        "array_line",
        |l| l.insert(4, "[1, 2]".to_owned()),
        Err((5, "file_malformed")),
    ),
    (
        "string_line",
        |l| l.insert(4, "\"text\"".to_owned()),
        Err((5, "file_malformed")),
    ),
    // Of our own making.
    (
        "a carriage return between two values",
        |l| change(&mut l[7], ", \"data", ",\r\"data"),
        Err((8, "file_malformed")),
    ),
    (
        "a sequence that is a float",
        |l| change(&mut l[7], "\"sequence\": 7", "\"sequence\": 7.0"),
        Err((8, "sequence_gap")),
    ),
    (
        "a sequence that is a truth value",
        |l| change(&mut l[1], "\"sequence\": 1", "\"sequence\": true"),
        Err((2, "sequence_gap")),
    ),
    (
        "a sequence beyond all bounds",
        |l| change(&mut l[7], "\"sequence\": 7", "\"sequence\": 99999999999999999999"),
        Err((8, "sequence_gap")),
    ),
    (
        "a key twice, the last one counts",
        |l| change(&mut l[7], "{\"seq", "{\"data\": 5, \"seq"),
        Ok(18),
    ),
    ("zeros", |l| l.push("\0".repeat(500)), Err((19, "file_malformed"))),
];

/// The members of the line in another order.
fn turned(line: &mut String) {
    let (first, rest) = line.trim_start_matches('{').split_once(", ").unwrap();
    *line = format!("{{{}, {first}}}", rest.trim_end_matches('}'));
    assert!(line.ends_with('}'));
}

#[test]
fn a_changed_log_is_answered_as_by_snodo_and_more_precisely() {
    let original = World::with_events(18).lines();
    for (name, harm, expected) in CASES {
        let world = World::new();
        let mut lines = original.clone();
        harm(&mut lines);
        world.write_lines(&lines);
        assert_eq!(answer(&world), *expected, "{name}");
        // What does not verify is not appended to, and nothing of it is changed; what does, is.
        let before = world.text();
        match (world.try_log(), expected) {
            (Ok(mut log), Ok(events)) => {
                log.append(now(), &event(0)).unwrap();
                assert_eq!(answer(&world), Ok(events + 1), "{name}");
                assert!(world.text().starts_with(&before));
            }
            (Err(_), Err(_)) => assert_eq!(world.text(), before, "{name}"),
            (log, _) => panic!("{name}: {log:?}"),
        }
    }
}

#[test]
fn truncated_mid_line_is_a_torn_tail() {
    let whole = World::with_events(18).text();
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    let world = World::new();
    for end in last + 1..whole.len() - 1 {
        world.write(&whole[..end]);
        assert_eq!(answer(&world), Err((18, "torn_tail")), "{end}");
    }
    world.write(&whole[..last + 40]);
    assert_eq!(
        world.broken().to_string(),
        "`.snodo/audit.log`, line 18: the last line ends after 40 bytes, without being an event: \
         writing it was cut off (not JSON: text has no end at byte 31)"
    );
    // Zeros of a file system that had the length on the disk, and not the bytes.
    world.write(format!("{}{}", &whole[..last], "\0".repeat(4000)));
    assert_eq!(answer(&world), Err((18, "torn_tail")));
}

#[test]
fn last_newline_missing_verifies_and_is_noted() {
    let world = World::with_events(18);
    world.write(world.text().trim_end());
    assert_eq!(answer(&world), Ok(18));
    let file = "audit.log".to_owned();
    assert_eq!(world.verify().notes, [Note::NoFinalNewline { file }]);
}

#[test]
fn append_after_missing_newline_by_snodo_is_found() {
    let mut lines = World::with_events(19).lines();
    let glued = lines.pop().unwrap();
    lines[17].push_str(&glued);
    let world = World::new();
    world.write_lines(&lines);
    assert_eq!(answer(&world), Err((18, "file_malformed")));
}

#[test]
fn truncated_tail_events_and_a_forged_chain_need_a_head() {
    let world = World::with_events(18);
    let head = world.verify().head.unwrap();
    // A chain hashed anew: good in itself.
    let data: Vec<String> = (0..18).map(|n| format!("{{\"n\": {}}}", n + 100)).collect();
    let data: Vec<&str> = data.iter().map(String::as_str).collect();
    world.write_lines(&chain(0, ZEROS, Some("p"), &data).0);
    assert_eq!(answer(&world), Ok(18));
    let broken = world.broken_against(&[head]);
    assert_eq!((broken.line, broken.damage.code()), (18, "file_hash_mismatch"));
    assert_eq!(
        broken.damage.to_string(),
        "event 17 is not the one that is known from a run: the log was replaced or written anew"
    );
}

#[test]
fn legacy_events_have_no_project() {
    let world = World::new();
    let (old, last) = chain(0, ZEROS, None, &["{}", "{\"a\": 1}", "[]", "null", "\"x\""]);
    world.write_lines(&old);
    assert_eq!(answer(&world), Ok(5));
    let (new, _) = chain(5, &last, Some("p"), &["{}"]);
    world.write_lines(&[old, new].concat());
    assert_eq!(answer(&world), Ok(6));
    world.log().append(now(), &event(0)).unwrap();
    assert_eq!(answer(&world), Ok(7));
}

/// The reference writer's cases: what is free in spelling, and what is not.
#[test]
fn ref_writer_and_its_respellings() {
    let world = World::new();
    let data = [
        "{\"\\u00e9\": \"\\ud83d\\ude00\\u007f\\u2028\"}",
        "{\"f\": [1.0, 0.1, 1e-05, 1e+16, NaN, Infinity, -Infinity, -0.0, 1e+300]}",
        "{\"big\": 123456789012345678901234567890, \"neg\": -1}",
        "{\"lone\": \"\\ud800x\\udc00\", \"\\uffff\": 1, \"\\ud800\\udc00\": 2}",
    ];
    let (lines, _) = chain(0, ZEROS, Some("p"), &data);
    world.write_lines(&lines);
    assert_eq!(answer(&world), Ok(4));
    let respelled = |from: &str, to: &str| {
        let changed: Vec<String> = lines.iter().map(|line| line.replace(from, to)).collect();
        assert_ne!(changed, lines, "{from}");
        world.write_lines(&changed);
        answer(&world)
    };
    assert_eq!(respelled("\\u00e9", "é"), Ok(4), "raw_utf8_instead_of_escapes");
    assert_eq!(respelled("\\ud83d\\ude00", "😀"), Ok(4), "raw_utf8_instead_of_escapes");
    assert_eq!(respelled("[1.0,", "[1.00,"), Ok(4), "float_respelled");
    assert_eq!(respelled("1e-05", "0.00001"), Ok(4), "float_respelled");
    assert_eq!(respelled("1e+16", "10000000000000000.0"), Ok(4), "float_respelled");
    assert_eq!(respelled(" Infinity", " 1e999"), Ok(4), "float_respelled");
    assert_eq!(respelled("\\u00e9", "\\u00E9"), Ok(4), "uppercase_hex_escape");
    assert_eq!(respelled("-1}", "-01}"), Err((3, "file_malformed")));
    assert_eq!(
        respelled("[1.0,", "[1,"),
        Err((2, "event_hash_mismatch")),
        "int_for_float"
    );
    assert_eq!(respelled("-0.0", "0.0"), Err((2, "event_hash_mismatch")));
    assert_eq!(respelled("\\ud800x", "\\ufffdx"), Err((4, "event_hash_mismatch")));
}

#[test]
fn fields_are_hashed_as_they_are_and_not_typed() {
    for (name, stamp, data) in [
        ("ts_nanoseconds_z", "\"2026-11-20T10:00:00.123456789Z\"", "{}"),
        ("a time that is none", "\"yesterday\"", "{}"),
        ("a time that is a number", "17", "{}"),
        ("data_not_object", STAMP, "[1, \"x\", null]"),
    ] {
        let world = World::new();
        world.write_lines(&[sealed(0, stamp, Some("p"), data, ZEROS).0]);
        assert_eq!(answer(&world), Ok(1), "{name}");
        world.log().append(now(), &event(1)).unwrap();
        assert_eq!(answer(&world), Ok(2), "{name}");
    }
}

#[test]
fn foreign_append_while_open_and_interleaved() {
    let world = World::new();
    let mut log = world.log();
    let mut previous = ZEROS.to_owned();
    for turn in 0..3 {
        let (line, hash) = sealed(2 * turn, STAMP, Some("p"), "{}", &previous);
        world.write(format!("{}{line}\n", world.text()));
        let head = log.append(now(), &event(turn)).unwrap();
        assert_eq!(head.sequence, 2 * turn + 1);
        assert!(world.lines()[usize::try_from(head.sequence).unwrap()].contains(&hash));
        previous = head.hash.to_string();
    }
    assert_eq!(answer(&world), Ok(6));
}

fn rotated() -> World {
    let world = World::new();
    let mut log = world.log();
    log.append(at(0), &event(0)).unwrap();
    log.append(at(0), &event(1)).unwrap();
    log.append(at(8 * DAY), &event(2)).unwrap();
    assert_eq!(world.names(), ["audit.log", "audit.log.2026-w47"]);
    world
}

#[test]
fn rotation_goes_on_with_the_chain() {
    let world = rotated();
    assert_eq!(answer(&world), Ok(3));
    assert!(world.lines()[0].starts_with("{\"sequence\": 2,"));
}

#[test]
fn rotation_archive_edited_not_tail_is_found_in_the_archive() {
    let world = rotated();
    let archive = world.path("audit.log.2026-w47");
    let text = fs::read_to_string(&archive).unwrap();
    fs::write(&archive, text.replacen("\"n\": 0", "\"n\": 9", 1)).unwrap();
    let broken = world.broken();
    assert_eq!((broken.file.as_str(), broken.line), ("audit.log.2026-w47", 1));
    assert_eq!(broken.damage.code(), "event_hash_mismatch");
    assert!(world.try_log().is_err());
}

/// snodo takes this for whole; so does this crate, and says it. A writer that stops between renaming the log and the next event leaves the same.
#[test]
fn rotation_current_missing_is_noted_and_found_against_a_head() {
    let world = rotated();
    let head = world.verify().head.unwrap();
    fs::remove_file(world.path("audit.log")).unwrap();
    assert_eq!(
        (world.verify().events, world.verify().notes),
        (2, vec![Note::LogMissing])
    );
    assert_eq!(world.broken_against(&[head]).damage.code(), "file_length_mismatch");
    world.log().append(at(8 * DAY), &event(2)).unwrap();
    assert_eq!(world.verify().events, 3);
}

#[test]
fn rotation_current_empty_goes_on_from_the_archive() {
    let world = rotated();
    for empty in ["", "\n", " \n\n"] {
        world.write(empty);
        assert_eq!(answer(&world), Ok(2));
        world.log().append(at(8 * DAY), &event(2)).unwrap();
        assert_eq!(answer(&world), Ok(3), "{empty:?}");
    }
}

#[test]
fn big_event_capped_and_big_event_foreign_uncapped() {
    let world = World::new();
    let text = "z".repeat(300_000);
    let deep = [("deep".into(), text.as_str().into())]
        .into_iter()
        .collect::<snodo_audit::value::Object>();
    let data = with([("sub", deep.into()), ("top", text.as_str().into())]);
    world.log().append(now(), &data).unwrap();
    assert!(world.text().len() < 270_000);
    assert_eq!(answer(&world), Ok(1));

    let world = World::new();
    world.write_lines(&[sealed(0, STAMP, Some("p"), &format!("\"{text}\""), ZEROS).0]);
    assert_eq!(answer(&world), Ok(1));
    // Not without an end: nothing is checked that was not read.
    let most = "z".repeat(16 * 1024 * 1024);
    world.write_lines(&[sealed(0, STAMP, Some("p"), &format!("\"{most}\""), ZEROS).0]);
    assert_eq!(answer(&world), Err((1, "line_too_long")));
}
