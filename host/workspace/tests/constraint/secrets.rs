//! `no_secrets_in_diff`.

use snodo_workspace::constraint::{ConstraintResult, Param, Params, Reason};

use crate::world::{World, delete, params, rename, text, write};

const PREDICATE: &str = "no_secrets_in_diff";

/// Joined here, so that no file of the repository looks like one.
fn key() -> String {
    ["AKIA", "QRSTUVWXYZ234567"].concat()
}

fn own(patterns: &[(&str, &str)]) -> Params {
    let entries = patterns
        .iter()
        .map(|(name, pattern)| ((*name).to_owned(), text(pattern)));
    params(&[("patterns", Param::Map(entries.collect()))])
}

/// Rule, path, line and what is shown.
fn found(result: &ConstraintResult) -> Vec<(String, String, Option<u64>, String)> {
    let evidence = serde_json::to_value(&result.evidence).unwrap();
    let all = evidence["findings"].as_array().cloned().unwrap_or_default();
    assert_eq!(result.violated, !all.is_empty(), "{result:?}");
    let word = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
    all.iter()
        .map(|f| {
            (
                word(f, "pattern"),
                word(f, "path"),
                f["line"].as_u64(),
                word(f, "matched"),
            )
        })
        .collect()
}

/// What one added line amounts to.
fn adding(line: &str, given: Params) -> ConstraintResult {
    let world = World::with(&[("f", b"first\nlast\n")]);
    world.submit(write("f", format!("first\n{line}\nlast\n")));
    world.look(PREDICATE, given)
}

/// Where snodo 0.26.0 answers over the same added line, the answer is the same.
#[test]
fn as_snodo_answers() {
    let key = key();
    let long = "q".repeat(21);
    for (line, count) in [
        (key.clone(), 1),
        // An added line that itself begins with a `+`, or with two.
        (format!("+{key}"), 1),
        (key.to_lowercase(), 0),
        ("AKIASHORT".to_owned(), 0),
        (format!("API-KEY: {long}"), 1),
        (format!("secret_key = \"{long}\""), 1),
        ("password = 'abc'".to_owned(), 0),
        ("Password: \"hunter22\"".to_owned(), 1),
        (["-----BEGIN ", "PRIVATE KEY-----"].concat(), 1),
        (["-----BEGIN EC ", "PRIVATE KEY-----"].concat(), 1),
        (format!("{key} {key}"), 2),
        ("nothing".to_owned(), 0),
    ] {
        let result = adding(&line, Params::default());
        assert_eq!(found(&result).len(), count, "{line}");
        assert!(
            found(&result)
                .iter()
                .all(|(_, path, at, _)| path == "f" && *at == Some(2))
        );
    }
    // A map takes the table's place, an empty one does not.
    assert_eq!(found(&adding("zzz", own(&[("x", "zzz")])))[0].0, "x");
    assert!(!adding(&key, own(&[("x", "zzz")])).violated);
    assert!(adding(&key, own(&[])).violated);
    // What people write: classes of Unicode, repeated.
    let token = own(&[("token", r"(?i)token['\x22]?\s*[:=]\s*['\x22]?([\w-]{40,})")]);
    assert!(adding(&format!("TOKEN = '{}'", "é".repeat(40)), token).violated);
    // One that is no expression is a violation.
    assert_eq!(adding("a", own(&[("x", "(")])).reason, Reason::BadParameter);
}

/// The places in which snodo is wrong, each with the reason.
#[test]
fn where_snodo_is_wrong() {
    // It takes an added line that begins with `++` for a header.
    assert!(adding(&format!("++ key = \"{}\"", key()), Params::default()).violated);
    // A file that git does not track is in no difference of the work tree; one that is committed is neither (11.3). Here there is
    // no git in between: this workspace is none of its repositories.
    let world = World::with(&[]);
    world.submit(write("new", key()));
    assert!(world.look(PREDICATE, Params::default()).violated);
    // A file that is not text is for git a line that says so.
    let world = World::with(&[]);
    world.submit(write("new", [b"\0\xff\n".as_slice(), key().as_bytes()].concat()));
    assert_eq!(found(&world.look(PREDICATE, Params::default()))[0].2, Some(2));
}

#[test]
fn no_value_is_told() {
    let key = key();
    let world = World::with(&[("d/x", b"old\n")]);
    world.submit(write(&format!("d/{key}"), format!("api_key = \"{key}abcd\" # {key}")));
    for given in [Params::default(), own(&[("mine", "AKIA[0-9A-Z]+")])] {
        let result = world.look(PREDICATE, given);
        assert!(result.violated);
        let told = serde_json::to_string(&result).unwrap();
        assert!(!told.contains(&key), "{told}");
        assert!(told.contains("AKIA…"), "{told}");
    }
}

#[test]
fn only_what_is_added_counts() {
    let key = key();
    let old = format!("a\n{key}\nb\n");
    let world = World::with(&[("f", old.as_bytes()), ("g", old.as_bytes())]);
    // A line beside it, its removal, its file's removal, its file's move.
    world.submit(write("f", format!("a\n{key}\nb\nc\n")));
    world.submit(delete("g"));
    assert!(!world.look(PREDICATE, Params::default()).violated);
    world.submit(write("f", "a\nb\n"));
    assert!(!world.look(PREDICATE, Params::default()).violated);
    let world = World::with(&[("f", old.as_bytes())]);
    world.submit(rename("f", "g"));
    assert!(!world.look(PREDICATE, Params::default()).violated);
    // The line again is one more.
    world.submit(write("g", format!("{old}{key}\n")));
    assert_eq!(found(&world.look(PREDICATE, Params::default()))[0].2, Some(4));
}

#[test]
fn in_a_file_that_is_not_text_what_stood_there_is_left_out() {
    let key = key();
    let old = [b"\0\n".as_slice(), key.as_bytes(), b"\n"].concat();
    let world = World::with(&[("f", &old)]);
    world.submit(write("f", [&old[..], b"more\0\n"].concat()));
    assert!(!world.look(PREDICATE, Params::default()).violated);
    let other = ["AKIA", "ZZZZZZZZZZZZZZZZ"].concat();
    world.submit(write("f", [&old[..], other.as_bytes()].concat()));
    assert_eq!(found(&world.look(PREDICATE, Params::default())).len(), 1);
    // UTF-16 is ASCII with something in between.
    let wide: Vec<u8> = key.bytes().flat_map(|byte| [byte, 0]).collect();
    let world = World::with(&[]);
    world.submit(write("f", wide));
    assert_eq!(found(&world.look(PREDICATE, Params::default())).len(), 1);
}

#[test]
fn line_ends_and_names_hide_nothing() {
    let key = key();
    for content in [
        format!("{key}\r\n"),
        format!("no line feed at the end: {key}"),
        format!("\\ No newline at end of file\n{key}\n"),
        format!("+++ b/f\n@@ -1 +1 @@\n{key}\n"),
    ] {
        let world = World::with(&[]);
        world.submit(write("a b/\"quoted\"\n b/f", content));
        assert!(world.look(PREDICATE, Params::default()).violated);
    }
    // A path holds it.
    let world = World::with(&[]);
    world.submit(write(&format!("keys/{key}.txt"), "x"));
    let result = world.look(PREDICATE, Params::default());
    assert_eq!(
        found(&result),
        [(
            "aws-access-key-id".to_owned(),
            "keys/AKIA….txt".to_owned(),
            None,
            "AKIA…".to_owned()
        )]
    );
}

#[test]
fn many_findings_are_cut_and_counted() {
    let world = World::with(&[]);
    world.submit(write("f", format!("{}\n", key()).repeat(300)));
    let result = world.look(PREDICATE, Params::default());
    assert_eq!(found(&result).len(), 200);
    let evidence = serde_json::to_value(&result.evidence).unwrap();
    assert_eq!(evidence["more"], 100);
    let start =
        "what is added holds what looks like 300 credentials of 1 kind: line 1 of `f` (`aws-access-key-id`: `AKIA…`), ";
    assert!(result.justification.starts_with(start), "{}", result.justification);
    assert!(
        result.justification.ends_with(", and 190 more"),
        "{}",
        result.justification
    );
}
