//! JSON as Python reads and writes it: held against itself, and against Python where there is one.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use snodo_audit::canonical::canonical;
use snodo_audit::parse::parse;
use snodo_audit::value::Value;

fn text() -> impl Strategy<Value = String> {
    let interesting = "[\u{0}-\u{20}\"\\\\/\u{7e}-\u{a0}\u{2028}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}a-c]{0,8}";
    prop_oneof![interesting, any::<String>()]
}

/// JSON text, in many spellings.
fn spelled() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        "-?[1-9][0-9]{0,40}",
        "-?(0|[1-9][0-9]{0,20})\\.[0-9]{1,20}",
        "-?[1-9](\\.[0-9]{1,18})?[eE][+-]?[0-9]{1,3}",
        any::<f64>()
            .prop_filter("finite", |f| f.is_finite())
            .prop_map(|f| format!("{f:e}")),
        Just("-0".to_owned()),
        Just("-0.0".to_owned()),
        Just("NaN".to_owned()),
        Just("Infinity".to_owned()),
        Just("-Infinity".to_owned()),
    ];
    let escaped = prop_oneof![
        text().prop_map(|text| serde_json::to_string(&text).unwrap()),
        "\"(\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\\\u[0-9a-fA-F]{4}|\\\\[bfnrt/\\\\\"]|é){0,6}\"",
    ];
    let leaf = prop_oneof![number, escaped.clone(), "null|true|false".prop_map(|word| word)];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let space = "[ \t\r]{0,2}";
        let member =
            (escaped.clone(), space, inner.clone()).prop_map(|(key, space, value)| format!("{key}:{space}{value}"));
        prop_oneof![
            (prop::collection::vec(inner, 0..5), space)
                .prop_map(|(items, space)| format!("[{}{space}]", items.join(","))),
            (prop::collection::vec(member, 0..5), space)
                .prop_map(|(members, space)| format!("{{{space}{}}}", members.join(", "))),
        ]
    })
}

/// Text that may be no JSON: valid text with a piece taken out, or put in.
fn damaged() -> impl Strategy<Value = String> {
    (
        spelled(),
        any::<prop::sample::Index>(),
        "[\\[\\]{}\",:0-9eE.+\\\\ud\u{1}-]{0,2}",
        any::<bool>(),
    )
        .prop_map(|(text, index, piece, out)| {
            let mut chars: Vec<char> = text.chars().collect();
            let at = index.index(chars.len() + 1);
            let end = if out { (at + 1).min(chars.len()) } else { at };
            chars.splice(at..end, piece.chars());
            chars.into_iter().collect()
        })
}

proptest! {
    #![proptest_config(Config::with_cases(1000))]

    #[test]
    fn what_is_written_reads_back_the_same(text in spelled()) {
        let value = parse(&text).unwrap();
        let written = canonical(&value);
        prop_assert!(written.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
        let again = parse(&written).unwrap();
        prop_assert_eq!(&again, &value);
        prop_assert_eq!(canonical(&again), written);
    }

    #[test]
    fn nothing_that_is_read_panics(text in prop_oneof![damaged(), any::<String>()]) {
        if let Err(error) = parse(&text) {
            prop_assert!((1..=text.len() + 1).contains(&error.column));
        }
    }

    /// serde_json is a third opinion on what is JSON, for text without what Python alone takes.
    #[test]
    fn values_are_those_of_another_reader(text in spelled().prop_filter("plain JSON", |text| {
        !text.contains("NaN") && !text.contains("Infinity") && !text.to_lowercase().contains("\\ud")
    })) {
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) {
            let ours = parse(&text).unwrap();
            prop_assert!(alike(&value.into(), &ours), "{:?}", ours);
        }
    }
}

/// It reads great integers as floats, and floats not to the last bit.
fn alike(other: &Value, ours: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Int(number) => number.as_str().parse::<f64>().ok(),
        Value::Float(number) => Some(number.0),
        _ => None,
    };
    match (other, ours) {
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.keys().eq(b.keys()) && a.values().zip(b.values()).all(|(a, b)| alike(a, b))
        }
        _ => match (number(other), number(ours)) {
            (Some(a), Some(b)) => a.to_bits() == b.to_bits() || (a - b).abs() <= a.abs() * 1e-14,
            _ => other == ours,
        },
    }
}

#[test]
fn floats_are_written_as_by_python() {
    for (given, written) in [
        ("1.0", "1.0"),
        ("1.00", "1.0"),
        ("1e0", "1.0"),
        ("0.1", "0.1"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("123456789012345680.0", "1.2345678901234568e+17"),
        ("9999999999999998.0", "9999999999999998.0"),
        ("1e16", "1e+16"),
        ("1e15", "1000000000000000.0"),
        ("1e22", "1e+22"),
        ("1.5e-7", "1.5e-07"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("-0.0", "-0.0"),
        ("-0", "0"),
        ("1E400", "Infinity"),
        ("-1E400", "-Infinity"),
        ("1e-400", "0.0"),
        ("2.5e-5", "2.5e-05"),
        // Two shortest texts are equally near: the even one.
        ("889905927383705.25", "889905927383705.2"),
        ("889905927383705.75", "889905927383705.8"),
        ("1e100", "1e+100"),
    ] {
        assert_eq!(canonical(&parse(given).unwrap()), written, "{given}");
    }
}

const PYTHON: &str = "
import json, sys
for line in sys.stdin:
    try:
        text = bytes.fromhex(line).decode('utf-8')
        print(json.dumps(json.loads(text), sort_keys=True))
    except ValueError:
        print('refused')
";

#[test]
fn python_reads_and_writes_the_same() {
    let mut runner = TestRunner::deterministic();
    let mut sample = |strategy: &dyn Fn() -> BoxedStrategy<String>, count: usize| -> Vec<String> {
        let strategy = strategy();
        (0..count)
            .map(|_| strategy.new_tree(&mut runner).unwrap().current())
            .collect()
    };
    let mut texts = sample(&|| spelled().boxed(), 1500);
    texts.extend(sample(&|| damaged().boxed(), 3000));
    texts.extend(
        [
            "",
            " ",
            "\u{feff}1",
            "01",
            "-",
            "+1",
            "1.",
            ".5",
            "1e",
            "-NaN",
            "nan",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "'a'",
            "\"\t\"",
            "\"\u{7f}\"",
            "\"\\ud800\"",
            "\"\\ud800\\ud800\\udc00\"",
            "\"\\udc00\\ud800\"",
            "\"\\u12\"",
            "\"\\uD83D\\uDE00\"",
            "\u{a0}1",
            "\u{c}1",
            "1 2",
            "[1 2]",
            "{\"a\" 1}",
            "\"\\x\"",
            "\"a",
            "\"\\",
            "tru",
            "truee",
            "[[[",
            "\0",
            "{\"\\uffff\": 1, \"\\ud800\\udc00\": 2, \"a\": 3, \"\\ud8ff\": 4}",
            "{\"a\": 1, \"a\": 2}",
        ]
        .map(str::to_owned),
    );
    texts.push("9".repeat(4300));
    texts.push("-".to_owned() + &"9".repeat(4301));
    texts.push("[".repeat(300) + &"]".repeat(300));
    let mut hex = String::new();
    for text in &texts {
        for byte in text.bytes() {
            write!(hex, "{byte:02x}").unwrap();
        }
        hex.push('\n');
    }
    let child = Command::new("python3")
        .args(["-I", "-c", PYTHON])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: there is no `python3` to ask");
        return;
    };
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || stdin.write_all(hex.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), texts.len());
    let refused = answers.iter().filter(|answer| **answer == "refused").count();
    assert!(
        (500..3500).contains(&refused),
        "{refused} refused: the texts are not what they were meant to be"
    );
    for (text, python) in texts.iter().zip(answers) {
        let ours = parse(text).map_or_else(|_| "refused".to_owned(), |value| canonical(&value));
        assert_eq!(ours, python, "{text:?}");
    }
}
