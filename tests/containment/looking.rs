//! Searching: long lines, evil patterns, order, and what is not text.

use serde_json::{Value, json};

use crate::support::script::{answers, steps};
use crate::world::{Place, World, found, in_calls, lines, search};

#[test]
fn c02_a_hit_in_a_very_long_line_is_clipped_around_the_hit() {
    const LONG: usize = 650_000;
    let make = |place: &Place| {
        let mut line = "x".repeat(LONG).into_bytes();
        for at in [100_000, 400_000, 500_000, 600_000] {
            line[at..at + 6].copy_from_slice(b"needle");
        }
        line.push(b'\n');
        place.put("min.js", line);
        place.put("short.js", "a needle\n");
    };
    let world = World::new(make);
    let mut range = lines("min.js", 1, 1);
    range["take"] = json!(["/ok/first", "/ok/last", "/ok/truncated"]);
    let (report, answers) = world.run(json!([search("needle"), range]));
    let matches = answers[0]["ok"]["matches"].as_array().unwrap();
    assert_eq!(found(&answers[0]), ["min.js", "short.js"], "{}", answers[0]);
    assert_eq!(
        (&matches[0]["column"], &matches[0]["clipped"]),
        (&json!(100_001), &json!(true))
    );
    let text = matches[0]["text"].as_str().unwrap();
    assert!(text.contains("needle") && text.len() < 1000, "{text}");
    assert_eq!(
        (&matches[1]["clipped"], &answers[0]["ok"]["truncated"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        (&answers[1]["/ok/first"], &answers[1]["/ok/truncated"]),
        (&json!(1), &json!(false))
    );
    assert!(in_calls(&report) < 1000);
    // Control: the line itself is what floods.
    assert!(
        world
            .twin
            .read("min.js")
            .lines()
            .find(|line| line.contains("needle"))
            .unwrap()
            .len()
            >= LONG
    );
}

#[test]
fn c08_no_pattern_hangs_and_no_name_is_a_pattern() {
    let make = |place: &Place| {
        place.put("a.txt", format!("{}!\n", "a".repeat(50_000)));
        place.put("s.py", "def a_b():\n    pass\n\n\ndef axb():\n    pass\n");
        place.put("s.cpp", "struct C {};\nint operator_x;\n");
        place.put("s.php", "<?php\nfunction x() {}\n$x = 1;\n");
    };
    let world = World::new(make);
    let evil = json!({ "do": "search-text", "pattern": "(a+)+$", "syntax": "regex", "take": ["/error", "/ok/total"] });
    let literal = search("(a+)+$");
    let symbol = |name: &str| json!({ "do": "search-symbol", "name": name });
    let (report, answers) = world.run(json!([
        evil,
        literal,
        symbol("C++"),
        symbol("a.b"),
        symbol("$x"),
        symbol("operator[]"),
        symbol("axb"),
        search(""),
        symbol(""),
        { "do": "search-text", "pattern": "a{1000}{1000}{1000}", "syntax": "regex" },
        { "do": "search-text", "pattern": "(", "syntax": "regex" },
    ]));
    assert_eq!(answers[0]["/error"], Value::Null, "{}", answers[0]);
    assert_eq!(found(&answers[1]), [] as [&str; 0], "a literal is no expression");
    for (n, wrong) in [(2, "struct C"), (3, "axb"), (3, "a_b"), (5, "operator_x")] {
        assert!(
            answers[n]["ok"].is_object() && !answers[n].to_string().contains(wrong),
            "{}",
            answers[n]
        );
    }
    assert!(answers[4]["ok"].is_object(), "{}", answers[4]);
    assert_eq!(answers[6]["ok"]["symbols"][0]["path"], "s.py", "{}", answers[6]);
    for answer in &answers[7..] {
        let error = &answer["error"];
        assert!(error["kind"] == "bad-parameter" || error["kind"] == "limit", "{answer}");
    }
    assert!(in_calls(&report) < 5000, "{}", in_calls(&report));

    // A pattern of a megabyte, which no command line takes.
    let answers = world.ask(json!([search(&"x".repeat(900_000))]));
    assert_eq!(answers[0]["error"]["kind"], "bad-parameter");
    // Control: an engine that goes back does not come to an end, which a count of its steps shows: it doubles with each letter.
    let steps_for = |letters: u32| backtracking(&"a".repeat(letters as usize));
    assert!(steps_for(20) > 1_000 * steps_for(10));
}

/// A search of one file.
fn one(path: &str) -> Value {
    json!({ "do": "search-text", "pattern": "needle", "include": [path] })
}

/// Steps of the textbook matcher for `(a+)+$` on letters that are followed by `!`.
fn backtracking(letters: &str) -> u64 {
    (1..=letters.len())
        .map(|taken| 1 + backtracking(&letters[taken..]))
        .sum()
}

#[test]
fn c09_the_same_search_gives_the_same_bytes_each_time() {
    const FILES: usize = 2000;
    let name = |n: usize| format!("d{}/f{n:04}.txt", n % 7);
    let first = World::new(|place| (0..FILES).for_each(|n| place.put(&name(n), format!("needle {n}\n"))));
    let second = World::new(|place| {
        (0..FILES)
            .rev()
            .for_each(|n| place.put(&name(n), format!("needle {n}\n")));
    });
    let step = json!({ "do": "search-text", "pattern": "needle", "limit": 50 });
    let several: Vec<Value> = std::iter::repeat_n(step, 10).collect();
    let mut all: Vec<Value> = Vec::new();
    for world in [&first, &second] {
        all.extend(world.ask(Value::from(several.clone())));
    }
    // In another language of the user's.
    let task = steps(Value::from(several));
    let probe = crate::support::guest("guest_probe");
    let mut command = second
        .sandbox
        .command(&["run", "--json", &task, "--coder", &probe, "--expect", "findings"]);
    command.env("LC_ALL", "sv_SE.UTF-8").env("LANG", "tr_TR.UTF-8");
    let finished = crate::support::Finished::of(&command.output().unwrap());
    all.extend(answers(&finished.completed()));
    assert_eq!(all.len(), 30);
    assert!(all.iter().all(|answer| *answer == all[0]), "they differ");
    let paths = found(&all[0]);
    assert_eq!(paths.len(), 50);
    assert!(
        paths.is_sorted() && paths[0] == "d0/f0000.txt" && paths[1] == "d0/f0007.txt",
        "{paths:?}"
    );
    assert_eq!(all[0]["ok"]["truncated"], true);
    // Control: the order in which a folder gives its entries is another one.
    let order: Vec<_> = std::fs::read_dir(first.twin.root.join("d0"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert!(!order.is_sorted(), "this file system sorts");
}

#[test]
fn c11_what_is_not_text_is_counted_and_never_dumped() {
    let make = |place: &Place| {
        let mut late = vec![b'x'; 9000];
        late[100..106].copy_from_slice(b"needle");
        late[107] = b'\n';
        late.extend_from_slice(b"\0\nneedle\n");
        // Not `nul.bin`: a name that is no path of ours is passed over before anybody looks into it, and as `unreadable`.
        place.put("late.bin", late);
        let wide: Vec<u8> = "\u{feff}needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        place.put("wide.txt", wide);
        place.put("latin.txt", b"caf\xe9 needle\n");
        place.put("z.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff, 0]);
        place.put("plain.txt", "needle\n");
    };
    let world = World::new(make);
    let (_, answers) = world.run(json!([
        search("needle"),
        // One at a time, so that each is known by its own reason.
        one("late.bin"),
        one("wide.txt"),
        one("latin.txt"),
        one("z.gz"),
        one("plain.txt"),
        // Not even an expression that any byte would match gets at them.
        { "do": "search-text", "pattern": "(?-u)[\\x00-\\xff]+", "syntax": "regex" },
        { "do": "search-symbol", "name": "needle" },
    ]));
    for answer in &answers {
        let text = answer.to_string();
        assert!(!text.contains('\u{fffd}') && !text.contains("\\u0000"), "{text}");
    }
    for (n, answer) in answers[..7].iter().enumerate() {
        let (matches, skipped) = match n {
            0 => (vec!["plain.txt"], json!([{ "reason": "binary", "files": 4 }])),
            5 => (vec!["plain.txt"], json!([])),
            6 => (vec!["ok.txt", "plain.txt"], json!([{ "reason": "binary", "files": 4 }])),
            _ => (vec![], json!([{ "reason": "binary", "files": 1 }])),
        };
        assert_eq!(found(answer), matches, "{n}: {answer}");
        assert_eq!(answer["ok"]["skipped"], skipped, "{n}: {answer}");
        assert_eq!(answer["ok"]["truncated"], false, "{n}: {answer}");
    }
    // No language says that it is its file: each is told so, once.
    assert_eq!(
        answers[7]["ok"]["skipped"],
        json!([{ "reason": "not-covered", "files": 6 }]),
        "{}",
        answers[7]
    );
    // Control: what is dumped by name is no text.
    assert!(String::from_utf8_lossy(&std::fs::read(world.twin.root.join("late.bin")).unwrap()).contains('\0'));
}
