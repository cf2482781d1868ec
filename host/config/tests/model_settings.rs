//! `[model]` of `host.toml`.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use snodo_config::host_config::{HostConfig, ModelSettings, Money, Price, load_host_config};
use snodo_config::{FaultKind, FileError};

fn load(text: &str) -> ModelSettings {
    match load_host_config("host.toml", text.as_bytes()) {
        Ok(config) => config.model,
        Err(error) => panic!("{}", error.plain()),
    }
}

fn refused(text: &str) -> FileError {
    load_host_config("host.toml", text.as_bytes()).unwrap_err()
}

#[test]
fn nothing_is_the_standard() {
    assert_eq!(load("[model]\n"), ModelSettings::standard());
    assert_eq!(HostConfig::standard().model, ModelSettings::standard());
    assert_eq!(
        load("[model]\nmoney = 'unbounded'\nprices = {}\n"),
        ModelSettings::standard()
    );
}

#[test]
fn every_key_arrives() {
    let settings = load(
        r#"
[model]
connect_seconds = 1
idle_seconds = 2
total_seconds = 3
answer_mib = 4
calls = 0
calls_per_plugin = 5
tokens = 0
tokens_per_plugin = 6
money = 0.1
currency = "EUR"

[model.prices."fake/a:b"]
input = 0.15
output = "0.000001"

[model.prices.b]
input = 3
output = 999999999
"#,
    );
    let micro = |micro: u64| Money { micro };
    let expected = ModelSettings {
        connect_seconds: 1,
        idle_seconds: 2,
        total_seconds: 3,
        answer_mib: 4,
        calls: 0,
        calls_per_plugin: 5,
        tokens: 0,
        tokens_per_plugin: 6,
        money: Some(micro(100_000)),
        currency: "EUR".to_owned(),
        prices: vec![
            (
                "fake/a:b".to_owned(),
                Price {
                    input: micro(150_000),
                    output: micro(1),
                },
            ),
            (
                "b".to_owned(),
                Price {
                    input: micro(3_000_000),
                    output: micro(999_999_999_000_000),
                },
            ),
        ],
    };
    assert_eq!(settings, expected);
    assert_eq!(settings.price("b").unwrap().input, micro(3_000_000));
    assert_eq!(settings.price("c"), None);
}

#[test]
fn numbers_are_bounded() {
    for (key, least, most) in [
        ("connect_seconds", 1, 300),
        ("idle_seconds", 1, 3600),
        ("total_seconds", 1, 86_400),
        ("answer_mib", 1, 256),
        ("calls", 0, 1_000_000),
        ("calls_per_plugin", 0, 1_000_000),
        ("tokens", 0, 1_000_000_000_000),
        ("tokens_per_plugin", 0, 1_000_000_000_000),
    ] {
        let with = |n: i64| load_host_config("host.toml", format!("[model]\n{key} = {n}\n").as_bytes());
        assert!(with(least).is_ok() && with(most).is_ok(), "{key}");
        for beyond in [least - 1, most + 1, i64::MAX, i64::MIN] {
            let error = with(beyond).unwrap_err();
            assert!(matches!(error.faults()[0].kind, FaultKind::OutOfRange { .. }), "{key}");
        }
        for wrong in ["'1'", "1.0", "true"] {
            let error = refused(&format!("[model]\n{key} = {wrong}\n"));
            assert!(matches!(error.faults()[0].kind, FaultKind::WrongType { .. }), "{key}");
        }
    }
}

#[test]
fn amounts_are_kept_as_they_are_written() {
    for (written, micro, shown) in [
        ("0", 0, "0.00"),
        ("0.1", 100_000, "0.10"),
        ("0.3", 300_000, "0.30"),
        ("2.50", 2_500_000, "2.50"),
        ("0.000001", 1, "0.000001"),
        ("1e-6", 1, "0.000001"),
        ("999999999.999999", 999_999_999_999_999, "999999999.999999"),
        ("123456789.123457", 123_456_789_123_457, "123456789.123457"),
        ("'0.075'", 75_000, "0.075"),
    ] {
        let settings = load(&format!(
            "[model]\nmoney = {written}\nprices = {{x = {{input = 1, output = 1}}}}\n"
        ));
        assert_eq!(settings.money, Some(Money { micro }), "{written}");
        assert_eq!(Money { micro }.to_string(), shown);
    }
    for written in [
        "-1",
        "-0.5",
        "0.0000001",
        "1000000000",
        "nan",
        "inf",
        "'1,5'",
        "''",
        "'.5'",
        "'5.'",
        "true",
        "'free'",
    ] {
        refused(&format!(
            "[model]\nmoney = {written}\nprices = {{x = {{input = 1, output = 1}}}}\n"
        ));
    }
}

#[test]
fn a_cost_is_rounded_up_and_never_overflows() {
    let price = Price {
        input: Money::parse("3").unwrap(),
        output: Money::parse("15").unwrap(),
    };
    assert_eq!(price.of(0, 0).micro, 0);
    assert_eq!(price.of(1, 0).micro, 3);
    assert_eq!(price.of(1_000_000, 1_000_000).to_string(), "18.00");
    let cheap = Price {
        input: Money { micro: 1 },
        output: Money { micro: 1 },
    };
    assert_eq!((cheap.of(1, 0).micro, cheap.of(500_000, 500_001).micro), (1, 2));
    let dear = Price {
        input: Money::parse("999999999").unwrap(),
        output: Money::parse("999999999").unwrap(),
    };
    assert_eq!(dear.of(u64::MAX, u64::MAX).micro, u64::MAX);
}

#[test]
fn what_is_wrong_is_said() {
    let text = "[model]\nmoney = 5\ncurrency = 'US dollars'\ntoken = 3\n";
    insta::assert_snapshot!(refused(text).plain(), @r#"
    host.toml:2:1: error[SCHEMA]: the field `prices` is missing in the table (`model`) with `money`
      help: add `prices`
    host.toml:3:12: error[SCHEMA]: `model.currency` cannot be `US dollars`: a currency is up to 8 letters, such as USD
      help: correct or remove the entry
    host.toml:4:1: error[SCHEMA]: the table (`model`) has no field `token`
      help: did you mean `tokens`?
    "#);
    let text = "[model]\nmoney = 'none'\n[model.prices.'a b']\ninput = 1\noutput = 1\n[model.prices.x]\ninput = -1\n";
    insta::assert_snapshot!(refused(text).plain(), @r#"
    host.toml:2:9: error[SCHEMA]: `model.money` cannot be `none`: it is an amount, or `unbounded`
      help: correct or remove the entry
    host.toml:3:15: error[SCHEMA]: `model.prices` cannot be `a b`: a model's name is of visible ASCII characters, without blanks
      help: correct or remove the entry
    host.toml:6:1: error[SCHEMA]: the field `output` is missing in the table (`model.prices."x"`)
      help: add `output`
    host.toml:7:9: error[SCHEMA]: `model.prices."x".input` cannot be `-1`: an amount is a decimal such as 2.5, from 0 to 999999999, with at most six digits behind the point
      help: correct or remove the entry
    "#);
    insta::assert_snapshot!(refused("[model]\nmoney = 5\n").plain(), @r#"
    host.toml:2:1: error[SCHEMA]: the field `prices` is missing in the table (`model`) with `money`
      help: add `prices`
    "#);
}
