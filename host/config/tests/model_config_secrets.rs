//! `config.yml` holds keys: whatever is wrong with it, none is shown.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking
#![allow(clippy::format_push_string)] // shorter, and nobody waits

use proptest::prelude::*;
use snodo_config::model_config::load_model_config;
use snodo_config::{FileError, Warning, plain_warnings};

/// Looks like a key, and no part of it is a word of ours.
const SENTINEL: &str = "sk-Zq7XvK9wJ2";

/// Every text that comes out of loading.
fn everything_said(bytes: &[u8], also_config: bool) -> String {
    match load_model_config("config.yml", bytes) {
        Ok((config, warnings)) => {
            let mut out = said_of_warnings(&warnings);
            if also_config {
                out.push_str(&format!("{config:?}{config:#?}"));
            }
            out
        }
        Err(error) => said_of(error),
    }
}

fn said_of_warnings(warnings: &[Warning]) -> String {
    let mut out = plain_warnings("config.yml", warnings);
    out.push_str(&serde_json::to_string(warnings).unwrap());
    out.push_str(&format!("{warnings:?}"));
    out
}

fn said_of(error: FileError) -> String {
    let mut out = error.plain();
    out.push_str(&format!("{error}{error:?}{error:#?}"));
    out.push_str(&serde_json::to_string(&error).unwrap());
    let report = miette::Report::from(error);
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .with_context_lines(100)
        .render_report(&mut out, report.as_ref())
        .unwrap();
    miette::NarratableReportHandler::new()
        .with_context_lines(100)
        .render_report(&mut out, report.as_ref())
        .unwrap();
    out.push_str(&format!("{report:?}"));
    out
}

/// Four signs of it in a row are too many already.
fn shows(said: &str) -> Option<&'static str> {
    let starts = 0..=SENTINEL.len() - 4;
    starts.map(|at| &SENTINEL[at..at + 4]).find(|part| said.contains(part))
}

fn check(bytes: &[u8]) {
    let said = everything_said(bytes, true);
    if let Some(part) = shows(&said) {
        panic!(
            "{part} of the key is shown for\n{}\n{said}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn the_check_sees_what_it_looks_for() {
    assert!(shows("a 7XvK b").is_some());
    // The name of a file is ours to say.
    let error = load_model_config(SENTINEL, b"- x").unwrap_err();
    assert!(shows(&said_of(error)).is_some());
}

/// The control: the loader of protocols, which hold no keys, repeats what is wrong and shows the lines around it.
#[test]
fn the_same_text_as_a_protocol_is_shown() {
    let mut shown = 0;
    for place in PLACES {
        let text = format!("{}\n  bad: [", place.replace("KEY", SENTINEL));
        let error = snodo_config::protocol::load_protocol("protocol.yml", text.as_bytes()).unwrap_err();
        shown += usize::from(shows(&said_of(error)).is_some());
    }
    assert_eq!(shown, PLACES.len());
}

/// The places of credentials; `KEY` stands for one.
const PLACES: [&str; 22] = [
    "providers: {p: {api_key: KEY}}",
    "providers:\n  p:\n    api_key: KEY",
    "providers:\n  p:\n    api_key: 'KEY'",
    "providers:\n  p:\n    api_key: \"KEY\"",
    "providers:\n  p:\n    api_key: |\n      KEY",
    "providers:\n  p:\n    api_key: &k KEY\n    api_key_ref: *k",
    "providers:\n  p:\n    api_key: [KEY]",
    "providers:\n  p:\n    api_key: {a: KEY}",
    "providers:\n  p:\n    api_key: {KEY: a}",
    "providers:\n  p:\n    api_key: KEY two",
    "providers:\n  p:\n    api_key_ref: KEY",
    "providers:\n  p:\n    api_key_ref: command:pass --token KEY",
    "providers:\n  p:\n    api_key_env: KEY",
    "providers:\n  p:\n    base_url: https://user:KEY@host/v1",
    "providers:\n  p:\n    base_url: https://host/v1?key=KEY",
    "providers:\n  p:\n    extra_headers:\n      authorization: Bearer KEY",
    "providers:\n  p:\n    extra_headers:\n      authorization: [KEY]",
    "providers:\n  p: KEY",
    "providers: KEY",
    "api_keys: {openai: KEY}",
    "cloud:\n  api_key: KEY",
    "notifications:\n  targets:\n    - {type: slack, token: KEY, headers: {a: KEY}}",
];

/// What else may be wrong around it.
const AROUND: [&str; 14] = [
    "@",
    "@\nllm: x\n",
    "- x\n@",
    "@\n  bad: [",
    "@ : : x\n",
    "@\n@\n",
    "\u{feff}@\n\tx: y\n",
    "@\n\tx: y\n",
    "@\"\n",
    "@'\n",
    "@ }\n",
    "x: !foo bar\n@\n",
    "# KEY\n@ # KEY\nllm: {x: KEY}\n",
    "@\n---\n@\n",
];

#[test]
fn no_key_is_shown_from_any_place_with_anything_wrong_around_it() {
    for place in PLACES {
        for around in AROUND {
            check(around.replace('@', place).replace("KEY", SENTINEL).as_bytes());
        }
    }
}

#[test]
fn no_key_is_shown_where_the_fault_is_in_the_key_itself() {
    for line in [
        "api_key: @KEY",
        "api_key: `KEY",
        "api_key: %KEY",
        "api_key: !KEY x",
        "api_key: !!int KEY",
        "api_key: &KEY x",
        "api_key: &a.KEY x",
        "api_key: *KEY",
        "api_key: 'KEY",
        "api_key: \"KEY",
        "api_key: \"KEY\\q\"",
        "api_key: [KEY",
        "api_key: {KEY",
        "api_key:KEY",
        "api_key KEY",
        "api_key: KEY: x",
        "api_key: KEY\n    api_key: KEY",
        "api_key:\tKEY\tx: y",
        "\tapi_key: KEY",
        "api_key: KEY\u{7}",
        "api_key: KEYé",
        "api_key: |KEY",
        "api_key: >-\n  KEY",
        "? KEY\n    : x",
        "KEY: x",
        "<<: KEY",
        "<<: {api_key: KEY}\n    api_key: 3",
        "extra_headers: {KEY: [x]}",
        "extra_headers: {KEY: x, KEY: y}",
        "litellm_provider: KEY KEY",
        "account_id: KEY/KEY",
        "model_routes: [{match: [KEY], litellm_provider: KEY KEY}]",
        "unknown: KEY",
    ] {
        let text = format!("model: fake/m\nproviders:\n  p:\n    {line}\nllm: x\n").replace("KEY", SENTINEL);
        // A header's name is no secret to its owner's own debugging, only to messages.
        let said = everything_said(text.as_bytes(), false);
        assert_eq!(shows(&said), None, "{text}\n{said}");
    }
}

#[test]
fn no_key_is_shown_where_bytes_are_no_text_or_there_are_too_many() {
    let of = |tail: &[u8]| [b"providers: {p: {api_key: ", SENTINEL.as_bytes(), tail].concat();
    check(&of(b"\xff}}"));
    check(&of(b"\0}}"));
    check(&of(b"}}\n# \xe9"));
    check(&of(&vec![b' '; 10 << 20]));
    let utf16: Vec<u8> = "\u{feff}api_key: x".encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&utf16);
    // Digits only, as a number that is no text.
    let digits = "98765432101234567890123";
    let said = everything_said(
        format!("providers: {{p: {{api_key: {digits}}}}}\nllm: {{coder: {{max_tokens: {digits}}}}}\n").as_bytes(),
        true,
    );
    assert!(!said.contains("98765"), "{said}");
}

#[test]
fn where_a_key_comes_from_is_said_without_it() {
    use snodo_config::model::bind;
    for (block, expected) in [
        ("api_key: KEY", "the key in config.yml:3"),
        ("api_key_ref: env:NAME", "the variable `NAME` (config.yml:3)"),
        (
            "api_key_ref: command:pass show KEY",
            "what the program `pass` prints (config.yml:3)",
        ),
        ("api_key_env: NAME", "the variable `NAME` (config.yml:3)"),
        (
            "api_key: '@keys/openai.key'",
            "snodo's encrypted store (config.yml:3), which is not opened here",
        ),
        ("probe_model: x", "the variable `OPENAI_API_KEY` (the catalogue)"),
        ("base_url: http://127.0.0.1:9", "no key"),
    ] {
        let text = format!("providers:\n  openai:\n    {block}\n").replace("KEY", SENTINEL);
        let (config, _) = load_model_config("config.yml", text.as_bytes()).unwrap();
        let binding = bind(&config, "gpt-4o").unwrap();
        assert_eq!(binding.key.to_string(), expected);
        assert_eq!(shows(&format!("{binding:?}{config:?}")), None);
    }
}

const WHOLE: &str = "model: fake/m\nproviders:\n  fake:\n    api_key: KEY\n    base_url: https://h/v1\n    extra_headers:\n      \
                     authorization: \"Bearer KEY\"\n  other:\n    api_key_ref: 'command:pass KEY'\nllm:\n  coder:\n    max_tokens: \
                     5\ncloud: {api_key: KEY}\n";

proptest! {
    /// However a file is cut, doubled and broken.
    #[test]
    fn no_message_shows_a_key_of_a_broken_file(
        edits in prop::collection::vec((0usize..300, 0usize..12, prop::sample::select(vec![
            "", "\n", "  ", ":", ": ", "- ", "'", "\"", "{", "}", "[", "]", "#", "&a ", "*a", "!", "|\n", "\t", ",", "?", "<<: ", "%", "llm: x\n",
        ])), 1..5)
    ) {
        let mut text = WHOLE.replace("KEY", SENTINEL);
        for (at, length, put) in edits {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            text.replace_range(at..end, put);
        }
        let said = everything_said(text.as_bytes(), false);
        prop_assert_eq!(shows(&said), None, "{}\n{}", text, said);
    }
}
