//! What the harness says for itself is what the host's own code says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use snodo_config::host_config::{Limits, RunnerConfig};
use snodo_config::settings::{GivenSetting, GivenValue, Origin, typed_settings};
use snodo_workspace::role;

use super::limits::{STANDARD, TEST_RUN_MS, TEST_RUNS};
use super::settings::{Given, typed};
use crate::types::{Setting, SettingValue};
use crate::{Description, Setting as Declared};

#[test]
fn limits_are_the_hosts() {
    assert_eq!(STANDARD, Limits::standard().invocation().into());
    let runner = RunnerConfig::standard();
    assert_eq!(
        (TEST_RUNS, TEST_RUN_MS),
        (runner.calls, u64::from(runner.timeout_seconds) * 1000)
    );
}

#[test]
fn settings_are_read_as_the_host_reads_flags() {
    let declared = Description::new("p", "1", "…")
        .setting(Declared::text("text", "t").default("d"))
        .setting(Declared::boolean("flag", "f"))
        .setting(Declared::integer("number", "n").default(7))
        .setting(Declared::text_list("list", "l").default(["x", "y"]))
        .settings;
    let of_host: Vec<role::SettingDeclaration> = declared
        .iter()
        .map(|one| role::SettingDeclaration {
            name: one.name.clone(),
            value_type: match one.value_type {
                crate::SettingType::Text => role::SettingType::Text,
                crate::SettingType::Boolean => role::SettingType::Boolean,
                crate::SettingType::Integer => role::SettingType::Integer,
                crate::SettingType::TextList => role::SettingType::TextList,
            },
            default: one.default.clone().map(domain),
            meaning: one.meaning.clone(),
        })
        .collect();
    let words = [
        "",
        " ",
        "true",
        "True",
        "1",
        " 12 ",
        "-3",
        "a, b",
        "a,,b",
        ",",
        "9223372036854775808",
        "text",
    ];
    for name in ["text", "flag", "number", "list", "other"] {
        for first in words {
            for second in [None, Some("true"), Some("b,c")] {
                let given: Vec<&str> = std::iter::once(first).chain(second).collect();
                let ours: Vec<(String, Given)> = std::iter::once(("flag", "false"))
                    .chain(given.iter().map(|value| (name, *value)))
                    .map(|(name, value)| (name.to_owned(), Given::Raw(value.to_owned())))
                    .collect();
                let theirs: Vec<GivenSetting> = ours
                    .iter()
                    .map(|(key, value)| GivenSetting {
                        plugin: "p".to_owned(),
                        key: key.clone(),
                        value: match value {
                            Given::Raw(raw) => GivenValue::Raw(raw.clone()),
                            Given::Typed(_) => unreachable!(),
                        },
                        origin: Origin::Flag,
                    })
                    .collect();
                let ours = typed("p", &declared, &ours).ok().map(|settings| {
                    let as_theirs = |setting: Setting| role::Setting {
                        name: setting.name,
                        value: domain(setting.value),
                    };
                    settings.into_iter().map(as_theirs).collect::<Vec<_>>()
                });
                let theirs = typed_settings("p", &of_host, &theirs).ok();
                assert_eq!(ours, theirs, "{name} {given:?}");
            }
        }
    }
}

fn domain(value: SettingValue) -> role::SettingValue {
    match value {
        SettingValue::Text(text) => role::SettingValue::Text(text),
        SettingValue::Boolean(flag) => role::SettingValue::Boolean(flag),
        SettingValue::Integer(number) => role::SettingValue::Integer(number),
        SettingValue::TextList(list) => role::SettingValue::TextList(list),
    }
}
