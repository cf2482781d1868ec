//! `search-text`: what an answer holds.

use std::time::{Duration, Instant};

use snodo_workspace::capability::{LetterCase, SearchError, SkipReason, Syntax, TextMatch, TextQuery};

use super::world::{World, exact, literal, places, search, search_error, skipped};

#[test]
fn a_match_says_where_it_stands() {
    let world = World::with(&[("src/a.rs", "one\n  two needle, needle\r\nthree\nneedle")]);
    let found = search(
        &world.view(),
        &TextQuery {
            context_before: 1,
            context_after: 1,
            ..literal("needle")
        },
    );
    assert_eq!(exact(found.total), 2);
    assert!(!found.truncated);
    assert_eq!(found.files_searched, 1);
    assert_eq!(
        found.matches,
        [
            TextMatch {
                path: "src/a.rs".to_owned(),
                line: 2,
                column: 7,
                text: "  two needle, needle\r".to_owned(),
                clipped: false,
                before: vec!["one".to_owned()],
                after: vec!["three".to_owned()],
            },
            TextMatch {
                path: "src/a.rs".to_owned(),
                line: 4,
                column: 1,
                text: "needle".to_owned(),
                clipped: false,
                before: vec!["three".to_owned()],
                after: vec![],
            },
        ]
    );
}

#[test]
fn context_ends_with_the_file() {
    let world = World::with(&[("a", "1\n\n3\nneedle\n5\n")]);
    let found = search(
        &world.view(),
        &TextQuery {
            context_before: 20,
            context_after: 20,
            ..literal("needle")
        },
    );
    assert_eq!(found.matches[0].before, ["1", "", "3"]);
    assert_eq!(found.matches[0].after, ["5"]);
    let world = World::with(&[("a", "needle"), ("b", "needle\n\n")]);
    let found = search(
        &world.view(),
        &TextQuery {
            context_before: 20,
            context_after: 20,
            ..literal("needle")
        },
    );
    assert_eq!(found.matches[0].after, [""; 0]);
    assert_eq!(found.matches[1].after, [""]);
}

#[test]
fn too_much_context_is_a_bad_parameter() {
    let world = World::with(&[("a", "x")]);
    for query in [
        TextQuery {
            context_before: 21,
            ..literal("x")
        },
        TextQuery {
            context_after: u32::MAX,
            ..literal("x")
        },
    ] {
        assert!(
            matches!(search_error(&world.view(), &query), SearchError::BadParameter(p) if p.field.starts_with("context"))
        );
    }
}

#[test]
fn a_pattern_is_literal_unless_a_regex_is_asked_for() {
    let world = World::with(&[("a", "a.c\nabc\n(a+)+$\n[x]\n")]);
    let view = world.view();
    assert_eq!(places(&search(&view, &literal("a.c"))), ["a:1"]);
    assert_eq!(places(&search(&view, &literal("(a+)+$"))), ["a:3"]);
    assert_eq!(places(&search(&view, &literal("[x]"))), ["a:4"]);
    let regex = |pattern: &str| TextQuery {
        syntax: Syntax::Regex,
        ..literal(pattern)
    };
    assert_eq!(places(&search(&view, &regex("a.c"))), ["a:1", "a:2"]);
    assert_eq!(places(&search(&view, &regex("^.{3}$"))), ["a:1", "a:2", "a:4"]);
    assert_eq!(places(&search(&view, &regex(r"\Aabc\z"))), ["a:2"]);
}

#[test]
fn letter_case() {
    let world = World::with(&[("a", "Needle\nneedle\nNEEDLE\nÉcole\nécole\n")]);
    let view = world.view();
    let lines = |pattern: &str, letter_case| {
        places(&search(
            &view,
            &TextQuery {
                letter_case,
                ..literal(pattern)
            },
        ))
        .len()
    };
    assert_eq!(lines("needle", LetterCase::Sensitive), 1);
    assert_eq!(lines("needle", LetterCase::Insensitive), 3);
    assert_eq!(lines("needle", LetterCase::Smart), 3);
    assert_eq!(lines("Needle", LetterCase::Smart), 1);
    assert_eq!(lines("ÉCOLE", LetterCase::Insensitive), 2);
    assert_eq!(lines("école", LetterCase::Smart), 2);
}

#[test]
fn whole_words() {
    let world = World::with(&[("a", "cat\nconcat\ncat's\ncats\n-cat-\ncat_\n")]);
    let found = search(
        &world.view(),
        &TextQuery {
            whole_word: true,
            ..literal("cat")
        },
    );
    assert_eq!(places(&found), ["a:1", "a:3", "a:5"]);
    // Also where the pattern itself does not end in letters.
    let world = World::with(&[("a", "x -1 y\nx--1 y\n3-1\n")]);
    let found = search(
        &world.view(),
        &TextQuery {
            whole_word: true,
            ..literal("-1")
        },
    );
    assert_eq!(places(&found), ["a:1", "a:2"]);
}

#[test]
fn the_column_is_that_of_the_first_match_in_bytes() {
    let world = World::with(&[("a", "ééé needle\n\tneedle needle\n")]);
    let found = search(&world.view(), &literal("needle"));
    let columns: Vec<_> = found.matches.iter().map(|m| m.column).collect();
    assert_eq!(columns, [8, 2]);
}

#[test]
fn a_byte_order_mark_stays_and_is_not_in_the_way() {
    let world = World::with(&[("a", "\u{feff}use x;\nuse x;\n")]);
    let found = search(
        &world.view(),
        &TextQuery {
            syntax: Syntax::Regex,
            ..literal("^use")
        },
    );
    assert_eq!(places(&found), ["a:1", "a:2"]);
    assert_eq!(
        (found.matches[0].text.as_str(), found.matches[0].column),
        ("\u{feff}use x;", 4)
    );
    assert_eq!(found.matches[1].column, 1);
}

#[test]
fn include_and_exclude() {
    let world = World::with(&[
        ("a.rs", "x"),
        ("src/b.rs", "x"),
        ("src/deep/c.rs", "x"),
        ("src/deep/c.py", "x"),
        ("src/gen/d.rs", "x"),
        ("other/e.rs", "x"),
    ]);
    let view = world.view();
    let find = |include: &[&str], exclude: &[&str], under: &str| {
        let own = |globs: &[&str]| globs.iter().map(|g| (*g).to_owned()).collect();
        let query = TextQuery {
            include: own(include),
            exclude: own(exclude),
            under: under.to_owned(),
            ..literal("x")
        };
        search(&view, &query)
            .matches
            .into_iter()
            .map(|m| m.path)
            .collect::<Vec<_>>()
            .join(" ")
    };
    // Without `/` a glob is held against names in every folder,
    assert_eq!(find(&["*.py"], &[], ""), "src/deep/c.py");
    // with one against the path from the folder searched; `*` stops at `/`.
    assert_eq!(find(&["src/*.rs"], &[], ""), "src/b.rs");
    assert_eq!(find(&["src/**/*.rs"], &[], ""), "src/b.rs src/deep/c.rs src/gen/d.rs");
    assert_eq!(find(&["deep/*.rs"], &[], "src"), "src/deep/c.rs");
    assert_eq!(find(&["*.{py,txt}", "other/*"], &[], ""), "other/e.rs src/deep/c.py");
    // One that names a folder holds for all below.
    assert_eq!(find(&["deep"], &[], ""), "src/deep/c.py src/deep/c.rs");
    assert_eq!(find(&[], &["src"], ""), "a.rs other/e.rs");
    assert_eq!(
        find(&["*.rs"], &["gen/", "other/**"], ""),
        "a.rs src/b.rs src/deep/c.rs"
    );
    assert_eq!(find(&["*.rs"], &[], "src/b.rs"), "src/b.rs");
    assert_eq!(find(&["*.py"], &[], "src/b.rs"), "");
    for (globs, field) in [
        (vec!["{a".to_owned()], "include"),
        (vec![String::new()], "include"),
        (vec!["/a".to_owned()], "include"),
    ] {
        let query = TextQuery {
            include: globs,
            ..literal("x")
        };
        assert!(matches!(search_error(&view, &query), SearchError::BadParameter(p) if p.field == field));
    }
    let query = TextQuery {
        exclude: vec!["x".repeat(5000)],
        ..literal("x")
    };
    assert!(matches!(search_error(&view, &query), SearchError::BadParameter(p) if p.field == "exclude"));
}

#[test]
fn where_to_search() {
    let world = World::with(&[("src/a", "x"), ("src/b/c", "x"), ("srcx/d", "x")]);
    world.link("src", "to-src");
    let view = world.view();
    let under = |under: &str| TextQuery {
        under: under.to_owned(),
        ..literal("x")
    };
    for spelled in ["src", "src/", "./src", "srcx/../src"] {
        assert_eq!(
            places(&search(&view, &under(spelled))),
            ["src/a:1", "src/b/c:1"],
            "{spelled}"
        );
    }
    assert_eq!(places(&search(&view, &under("src/a"))), ["src/a:1"]);
    assert_eq!(places(&search(&view, &under("."))).len(), 3);
    assert!(matches!(search_error(&view, &under("no")), SearchError::NotFound(p) if p == "no"));
    assert!(matches!(search_error(&view, &under("to-src")), SearchError::Symlink(p) if p == "to-src"));
    assert!(matches!(search_error(&view, &under("to-src/b")), SearchError::Symlink(p) if p == "to-src/b"));
    assert!(matches!(
        search_error(&view, &under("src/a/")),
        SearchError::WrongKind { .. }
    ));
    assert!(matches!(search_error(&view, &under("../out")), SearchError::BadPath(_)));
    // Refused whether or not it is there.
    for refused in [".git", "src/.git/config", ".GIT", ".snodo/audit.log", "deep/.env"] {
        assert!(
            matches!(search_error(&view, &under(refused)), SearchError::Refused(r) if r.path == refused),
            "{refused}"
        );
    }
}

/// Case C02: the hit in a minified file is neither dropped nor a flood.
#[test]
fn c02_a_hit_in_a_very_long_line_is_clipped_around_the_match() {
    let mut line = vec![b'x'; 650_000];
    for at in [400_000, 450_000, 500_000, 600_000] {
        line[at..at + 6].copy_from_slice(b"needle");
    }
    let world = World::with(&[("short.js", "a needle\n"), ("near.txt", "needle")]);
    world.write("min.js", &line);
    world.write(
        "context.txt",
        format!("{}\nneedle in a short line\n{}\n", "y".repeat(5_000), "z".repeat(5_000)),
    );
    // Control: the file holds the whole line, which is what a plain search would give.
    assert_eq!(std::fs::read(world.path("min.js")).unwrap().len(), 650_000);

    let start = Instant::now();
    let found = search(
        &world.view(),
        &TextQuery {
            context_before: 1,
            context_after: 1,
            ..literal("needle")
        },
    );
    assert!(start.elapsed() < Duration::from_secs(1));
    assert!(!found.truncated, "clipped is not truncated");
    let of = |path: &str| found.matches.iter().find(|m| m.path == path).unwrap();
    let hit = of("min.js");
    assert!(hit.clipped && hit.text.len() <= 400 && hit.text.contains("needle"));
    assert_eq!((hit.line, hit.column), (1, 400_001));
    assert!(!of("short.js").clipped);
    // A long line of context is cut too, and that is said.
    let hit = of("context.txt");
    assert!(
        hit.clipped && hit.text == "needle in a short line" && hit.before[0].len() == 400 && hit.after[0].len() == 400
    );
}

/// Case C02: however much matches, the answer has a ceiling.
#[test]
fn c02_an_answer_has_a_ceiling_in_bytes() {
    let world = World::new();
    let text = format!("12345 needle {}\n", "x".repeat(380)).repeat(20_000);
    world.write("a.txt", &text);
    world.write("b.txt", &text);
    let found = search(
        &world.view(),
        &TextQuery {
            context_before: 20,
            context_after: 20,
            ..literal("needle")
        },
    );
    assert!(found.truncated);
    assert_eq!(exact(found.total), 40_000);
    let bytes: usize = found
        .matches
        .iter()
        .map(|m| m.text.len() + m.before.iter().chain(&m.after).map(String::len).sum::<usize>())
        .sum();
    assert!(bytes < 4 * 1024 * 1024 && bytes > 3 * 1024 * 1024, "{bytes}");
    // What is given is the beginning, without a gap.
    let lines: Vec<_> = found.matches.iter().map(|m| m.line).collect();
    assert_eq!(lines, (1..=lines.len() as u64).collect::<Vec<_>>());
}

/// Case C11: what is not text is not searched, and that is said; nothing is ever decoded by guess.
#[test]
fn c11_what_is_not_text_is_counted_and_never_shown() {
    let world = World::with(&[("control.txt", "needle\n"), ("utf8.txt", "é needle\n")]);
    let mut late = vec![b'a'; 9000];
    late[10..16].copy_from_slice(b"needle");
    late.push(0);
    late.extend(b"\nneedle\n");
    world.write("zero.bin", &late);
    let utf16: Vec<u8> = "\u{feff}needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    world.write("utf16.txt", utf16);
    world.write("latin1.txt", b"caf\xE9 needle\n");
    // The head of a gzip file, and the plain text after it.
    world.write("a.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03needle\n");
    let mut beyond = vec![b'\n'; 3 * 1024 * 1024];
    beyond[..6].copy_from_slice(b"needle");
    beyond.extend([0xC3]);
    world.write("cut.txt", beyond);
    // Control: a plain search over bytes finds it in all of them but the UTF-16 file.
    let plain = std::fs::read_dir(world.root())
        .unwrap()
        .filter(|e| {
            std::fs::read(e.as_ref().unwrap().path())
                .unwrap()
                .windows(6)
                .any(|w| w == b"needle")
        })
        .count();
    assert_eq!(plain, 6);

    let found = search(
        &world.view(),
        &TextQuery {
            context_before: 5,
            context_after: 5,
            ..literal("needle")
        },
    );
    assert_eq!(places(&found), ["control.txt:1", "utf8.txt:1"]);
    assert_eq!(found.files_searched, 2);
    assert_eq!(skipped(&found.skipped, SkipReason::Binary), 5, "{:?}", found.skipped);
    assert!(!format!("{found:?}").contains(['\0', '\u{fffd}']));
    // A regex that could match any byte does not open them either.
    let found = search(
        &world.view(),
        &TextQuery {
            syntax: Syntax::Regex,
            ..literal(r"(?-u)[\x00-\xff]")
        },
    );
    assert_eq!(paths_of(&found), ["control.txt", "utf8.txt"]);
}

fn paths_of(found: &snodo_workspace::capability::TextMatches) -> Vec<&str> {
    super::world::paths(found)
}

#[test]
fn a_hit_within_a_character_does_not_cut_it() {
    let world = World::with(&[("a", &"é".repeat(1_000))]);
    let found = search(
        &world.view(),
        &TextQuery {
            syntax: Syntax::Regex,
            ..literal(r"(?-u)\xA9\xC3(?-u:[\xA9]){1}$")
        },
    );
    assert_eq!(found.matches.len(), 1);
    assert!(found.matches[0].clipped && found.matches[0].text.chars().all(|c| c == 'é'));
}
