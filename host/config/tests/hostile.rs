//! Files that are made to hurt: they cost little, and whatever they hold, reading them ends with an answer.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

mod common;

use std::fmt::Write as _;

use common::{SMALL, load};
use proptest::prelude::*;
use snodo_config::check::check_protocol;
use snodo_config::host_config::load_host_config;
use snodo_config::protocol::{PROTOCOL_BYTES, load_protocol};
use snodo_config::{FaultKind, FileError};

fn error(text: &str) -> FileError {
    load_protocol("p.yml", text.as_bytes()).unwrap_err()
}

fn first(text: &str) -> FaultKind {
    error(text).faults()[0].kind.clone()
}

fn graphical(error: FileError) -> String {
    let mut out = String::new();
    let report = miette::Report::from(error);
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
    handler.render_report(&mut out, report.as_ref()).unwrap();
    out
}

#[test]
fn a_carriage_return_is_not_drawn() {
    // Each of these is refused, by an error that shows the line: a terminal would hide its beginning.
    let bare = load_protocol("p.yml", b"secret: 1\rname: x\nversion: 2\n").unwrap_err();
    let before_a_bad_byte = load_host_config("host.toml", b"[read]\r\xff\n").unwrap_err();
    let at_line_ends = load_protocol("p.yml", b"a: 1\r\nb: {]\r\nc: 2\r\n").unwrap_err();
    for (error, line) in [
        (bare, "1 │ secret"),
        (before_a_bad_byte, "1 │ [read]"),
        (at_line_ends, "2 │ b: {]"),
    ] {
        let drawn = graphical(error);
        assert!(!drawn.contains('\r'), "{drawn:?}");
        assert!(drawn.contains(line), "{drawn}");
    }
}

#[test]
fn a_file_of_ten_megabytes_is_not_even_parsed() {
    let text = format!("{SMALL}# {}", "x".repeat(10 << 20));
    assert!(matches!(
        first(&text),
        FaultKind::TooLarge {
            allowed: PROTOCOL_BYTES,
            ..
        }
    ));
    // The cap itself is allowed.
    let padding = PROTOCOL_BYTES - SMALL.len() - 1;
    load(&format!("{SMALL}#{}", "x".repeat(padding)));
}

#[test]
fn aliases_have_a_budget() {
    let mut text = format!("{SMALL}metadata:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for i in 1..9 {
        let alias = format!("*a{}", i - 1);
        writeln!(text, "  a{i}: &a{i} [{}]", [alias.as_str(); 10].join(", ")).unwrap();
    }
    assert!(matches!(first(&text), FaultKind::AliasBudget { .. }));
    // The same by merge keys.
    let mut text = format!("{SMALL}metadata:\n  a0: &a0 {{k: {}}}\n  l:\n", "x".repeat(1000));
    for _ in 0..2000 {
        text.push_str("    - {<<: *a0}\n");
    }
    assert!(matches!(first(&text), FaultKind::AliasBudget { .. }));
    // Ordinary use is far within.
    let mut text = format!("{SMALL}metadata:\n  base: &base {{a: 1, b: two, c: [3]}}\n");
    for i in 0..100 {
        writeln!(text, "  k{i}: {{<<: *base, a: {i}}}").unwrap();
    }
    load(&text);
}

#[test]
fn nesting_has_a_bound() {
    for open in ["[", "{a: ", "- ", "? "] {
        let text = format!("{SMALL}metadata:\n  k:\n    {}", open.repeat(100_000));
        assert!(
            matches!(first(&text), FaultKind::TooDeep { .. }),
            "{open}: {}",
            error(&text).plain()
        );
    }
    let nested = |depth: usize| format!("{SMALL}metadata: {{k: {}{}}}\n", "[".repeat(depth), "]".repeat(depth));
    load(&nested(60));
    assert!(matches!(first(&nested(70)), FaultKind::TooDeep { .. }));
    // Depth that is put together by aliases counts too.
    let mut text = format!("{SMALL}metadata:\n  a0: &a0 [x]\n");
    for i in 1..80 {
        writeln!(text, "  a{i}: &a{i} [*a{}]", i - 1).unwrap();
    }
    assert!(matches!(first(&text), FaultKind::TooDeep { .. }));
}

#[test]
fn messages_have_a_bound() {
    let error = error(&format!("{SMALL}protected_paths: [{}]\n", "1,".repeat(20_000)));
    assert_eq!(error.faults().len(), 50);
    assert_eq!(error.more(), 20_000 - 50);
    assert!(error.plain().len() < 20_000);
    // A line of 40 KB is shown in part, beside each of the fifty faults.
    assert!(graphical(error).len() < 50_000);
    let warnings = load(&format!("{SMALL}{}", "x: 1\n".repeat(20_000))).warnings;
    assert_eq!(warnings.len(), 51);
}

#[test]
fn a_file_cannot_paint_on_the_terminal() {
    let hostile = "\u{202e}\u{2066}gnp.\u{200f}";
    let text = SMALL
        .replace("mode_id: bake", &format!("mode_id: \"{hostile}\\e[2J\""))
        .replace("name: Bakery", &format!("name: [{hostile}]"));
    let error = error(&text);
    let plain = error.plain();
    for shown in [plain, graphical(error)] {
        assert!(
            !shown
                .chars()
                .any(|c| matches!(c, '\u{1b}' | '\u{200f}' | '\u{202e}' | '\u{2066}')),
            "{shown:?}"
        );
    }
    let text = format!("{SMALL}disagreement_policy: \"\\e]0;owned\\a{hostile}\"\n");
    let plain = self::error(&text).plain();
    assert!(
        !plain.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
        "{plain:?}"
    );
}

#[test]
fn a_fault_at_the_very_end_can_be_shown() {
    for text in [
        "modes: [",
        "modes: [\n",
        "a: 'x",
        "a: \"",
        "a:\n  - b\n c",
        "é: [日",
        "\u{feff}",
        "a: |\n\n\n",
        "[",
        "a: *",
        "%",
        "---",
        "a: !",
        "a: &",
    ] {
        match load_protocol("p.yml", text.as_bytes()) {
            Ok(_) => panic!("{text:?}"),
            Err(error) => assert!(!graphical(error).contains("Failed to read"), "{text:?}"),
        }
    }
    for bytes in [
        &b"name: \xff"[..],
        b"\xff",
        b"\xff\xfe",
        b"a\nb\n\xc3",
        b"\xEF\xBB\xBF\xff",
    ] {
        let error = load_protocol("p.yml", bytes).unwrap_err();
        assert!(!graphical(error).contains("Failed to read"), "{bytes:?}");
    }
}

/// A text with pieces replaced, doubled, taken out and put in.
fn mutated() -> impl Strategy<Value = String> {
    let sources = prop::sample::select(vec![
        SMALL,
        include_str!("protocols/full.yml"),
        include_str!("protocols/faulty.yml"),
    ]);
    let piece = prop::sample::select(vec![
        "\t",
        " ",
        "\n",
        "#",
        ":",
        ": ",
        "- ",
        "-",
        "&a ",
        "*a ",
        "!x ",
        "!!str ",
        "|",
        ">",
        "'",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        "? ",
        "%",
        "@",
        "\n---\n",
        "...\n",
        "<<: ",
        "~",
        "\r\n",
        "é",
        "🦀",
        "\u{feff}",
        "\\",
        "null",
        "0x",
        "9999999999999999999999",
    ]);
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, piece), 1..8);
    (sources, edits).prop_map(|(source, edits)| {
        let mut chars: Vec<char> = source.chars().collect();
        for (at, removed, piece) in edits {
            let at = at.index(chars.len().max(1)).min(chars.len());
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, piece.chars());
        }
        chars.into_iter().collect()
    })
}

/// Whatever is said of a file is in it, and can be shown.
fn check(name: &str, text: &str, result: Result<(), FileError>) {
    let Err(error) = result else { return };
    assert!(!error.faults().is_empty(), "{name}");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for fault in error.faults() {
        let (start, length) = (fault.place.offset as usize, fault.place.length as usize);
        assert!(
            text.is_char_boundary(start) && text.is_char_boundary(start + length),
            "{name}: {fault:?} in {text:?}"
        );
        assert!(fault.place.line >= 1 && fault.place.column >= 1);
    }
    assert!(!error.plain().is_empty());
    serde_json::to_string(&error).unwrap();
    graphical(error);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_protocol_gets_an_answer(text in mutated()) {
        check("p.yml", &text, load_protocol("p.yml", text.as_bytes()).map(|_| ()));
    }

    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,200}") {
        check("p.yml", &text, load_protocol("p.yml", text.as_bytes()).map(|_| ()));
        check("host.toml", &text, load_host_config("host.toml", text.as_bytes()).map(|_| ()));
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = load_protocol("p.yml", &bytes);
        let _ = load_host_config("host.toml", &bytes);
    }

    /// What loads is what loads again: no state, no order of hashing.
    #[test]
    fn reading_is_a_function(text in mutated()) {
        let read = |text: &str| match load_protocol("p.yml", text.as_bytes()) {
            Ok(loaded) => serde_json::to_string(&loaded.protocol).unwrap(),
            Err(error) => error.plain(),
        };
        prop_assert_eq!(read(&text), read(&text));
    }
}

#[test]
fn a_file_full_of_patterns_and_modes_is_checked_in_bounds() {
    let mut text = SMALL.to_owned();
    text.push_str("global_constraints:\n");
    for i in 0..1000 {
        writeln!(
            text,
            "- {{constraint_id: c{i}, description: d, predicate: no_secrets_in_diff, params: {{patterns: {{p: '(?:\\w{{9}}){{9}}'}}}}}}"
        )
        .unwrap();
    }
    assert!(load(&text).warnings.len() > 50);
    // A name that is a megabyte long, of what cannot be used.
    let name = "n".repeat(900_000);
    let text = format!(
        "{SMALL}global_constraints: [{{constraint_id: c, description: d, expression: e, predicate: no_secrets_in_diff, params: {{patterns: {{{name}: '('}}}}}}]\n"
    );
    let told: Vec<usize> = load(&text).warnings.iter().map(|w| w.to_string().len()).collect();
    assert!(told.iter().all(|length| *length < 1000), "{told:?}");
    // Modes that each say all that the first one says.
    let settings: Vec<String> = (0..2_000).map(|i| format!("k{i}: 1.5")).collect();
    let mut text = SMALL.replace(
        "    name: Bake",
        &format!("    name: Bake\n    coder_config: {{{}}}", settings.join(", ")),
    );
    let modes: String = (0..2_000).fold(String::new(), |all, i| {
        all + &format!("  - {{mode_id: m{i}, name: M}}\n")
    });
    text = text.replace(
        "validators:\n  - validator_id: keys",
        &format!("{modes}validators:\n  - validator_id: keys"),
    );
    let report = check_protocol("p.yml", text.as_bytes(), &["secrets", "quality"]);
    assert!(report.is_ok());
    assert_eq!((report.effects.len(), report.more_effects), (500, 1_564));
}
