//! Case C08: patterns that make other engines hang, and names that are no patterns.

use std::time::{Duration, Instant};

use snodo_workspace::capability::{BadParameter, Cancel, Search as _, SearchError, SymbolQuery, Syntax, TextQuery};

use super::world::{World, literal, places, search, search_error};

fn regex(pattern: &str) -> TextQuery {
    TextQuery {
        syntax: Syntax::Regex,
        ..literal(pattern)
    }
}

fn bad(error: &SearchError) -> &BadParameter {
    match error {
        SearchError::BadParameter(bad) => bad,
        other => panic!("{other:?}"),
    }
}

/// A matcher that tries one way after another: what `(a+)+$` takes with it doubles with each letter.
fn backtracking_steps(text: &[u8]) -> u64 {
    fn group(text: &[u8], at: usize, steps: &mut u64) -> bool {
        *steps += 1;
        let run = text[at..].iter().take_while(|b| **b == b'a').count();
        (1..=run)
            .rev()
            .any(|n| group(text, at + n, steps) || at + n == text.len())
    }
    let mut steps = 0;
    group(text, 0, &mut steps);
    steps
}

#[test]
fn c08_a_regex_that_backtracks_elsewhere_is_linear_here() {
    let text = format!("{}!\nplain\n", "a".repeat(50_000));
    let world = World::with(&[("a.txt", &text), ("b.txt", "aaa")]);
    // Control: with backtracking, each letter doubles the work.
    let (few, more) = (
        backtracking_steps(b"aaaaaaaaaaaaaaaa!"),
        backtracking_steps(b"aaaaaaaaaaaaaaaaaaaa!"),
    );
    assert!(more > 15 * few);

    let start = Instant::now();
    assert_eq!(places(&search(&world.view(), &regex("(a+)+$"))), ["b.txt:1"]);
    assert_eq!(places(&search(&world.view(), &regex("(a|aa)+$"))), ["b.txt:1"]);
    assert_eq!(places(&search(&world.view(), &regex("(.*)*x"))), [""; 0]);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn c08_patterns_that_cannot_be_used_are_refused() {
    let world = World::with(&[("a.txt", "x\n")]);
    let view = world.view();
    let too_long = "x".repeat(1024 * 1024);
    for query in [
        literal(""),
        regex(""),
        literal(&too_long),
        regex(&too_long),
        regex("(unclosed"),
        regex("a{1000}{1000}"),
        regex(r"\w{5000}"),
        regex(r"(?:\pL{100}){100}"),
        regex(r"(?=look)"),
        regex(r"(x)\1"),
        literal("two\nlines"),
        regex(r"two\nlines"),
        regex(&"(".repeat(4000)),
    ] {
        let error = search_error(&view, &query);
        assert_eq!(bad(&error).field, "pattern");
        assert!(bad(&error).reason.len() < 10_000, "{}", bad(&error).reason.len());
    }
    // Control: what is long and can be used is.
    assert_eq!(places(&search(&view, &literal(&"y".repeat(4000)))), [""; 0]);
    assert_eq!(places(&search(&view, &regex(r"^\w{1,50}$"))), ["a.txt:1"]);
}

/// Patterns that keep as many states alive as they have.
const WORST: [&str; 7] = [
    r"(?:a?){4000}\pN",
    r"(?:(?:a|aa|aaa){0,50}){1,40}\pN",
    r"(?:a{0,200}){1,50}\pN",
    r"(?:.{0,100}a){1,20}\pN",
    r"(?i)(?:[^x]{1,50}[^y]{1,50}){1,10}\pN",
    r"\b(?:.{0,50}a\b){1,20}\pN",
    r"(?:x*y*z*a*b*c*){1,1000}\pN",
];

#[test]
fn c08_the_worst_patterns_can_be_given_up_at_once() {
    // As lines, and as one line of the largest size that is searched.
    for text in [
        format!("{}\n", "a".repeat(2_000)).repeat(8_000),
        "a".repeat(16 << 20),
        "aé".repeat(5 << 20),
    ] {
        let world = World::with(&[("f.txt", &text)]);
        let view = world.view();
        for pattern in WORST {
            let cancel = Cancel::default();
            let (query, sent) = (regex(pattern), cancel.clone());
            let (outcome, late) = std::thread::scope(|scope| {
                let search = scope.spawn(|| view.search_text(&query, &cancel));
                std::thread::sleep(Duration::from_millis(300));
                sent.cancel();
                let start = Instant::now();
                (search.join().unwrap(), start.elapsed())
            });
            assert!(late < Duration::from_secs(10), "{pattern}: {late:?}");
            match outcome {
                Err(SearchError::Cancelled) => {}
                // Fast enough, or beyond what the engine for long lines can do, which is said.
                Ok(found) => {
                    assert!(found.matches.is_empty() && found.files_searched + found.skipped.len() as u64 == 1);
                }
                Err(other) => panic!("{pattern}: {other:?}"),
            }
        }
    }
}

#[test]
fn c08_what_is_found_in_a_long_line_does_not_depend_on_its_length() {
    for pattern in [
        r"fn\s+\w+_bytes\b",
        r"needle\d+",
        r"(?i)NEEDLE",
        r"[[:punct:]]\w+7$",
        r"^a.*needle",
        r"x*needle\w*",
        r"(a|needle)\d",
    ] {
        let short = "a needle12 fn  read_bytes (needle7";
        let engine = regex::RegexBuilder::new(pattern).multi_line(true).build().unwrap();
        for shift in [0, 10, 2_000, 70_000, 300_000] {
            let line = format!("{}{short}", "a ".repeat(shift / 2));
            let world = World::with(&[("f.txt", &format!("first\n{line}\nlast\n"))]);
            let found = search(&world.view(), &regex(pattern));
            let expected = engine.find(&line);
            let hit = found
                .matches
                .first()
                .map(|m| (m.line, usize::try_from(m.column).unwrap() - 1));
            assert_eq!(hit, expected.map(|m| (2, m.start())), "{pattern} at {shift}");
        }
    }
}

#[test]
fn a_search_that_was_given_up_before_it_began_reads_nothing() {
    let world = World::with(&[("a.txt", "x\n")]);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(
        world.view().search_text(&literal("x"), &cancel),
        Err(SearchError::Cancelled)
    );
    let query = SymbolQuery {
        name: "x".to_owned(),
        limit: 1,
        ..SymbolQuery::default()
    };
    assert_eq!(world.view().search_symbol(&query, &cancel), Err(SearchError::Cancelled));
}
