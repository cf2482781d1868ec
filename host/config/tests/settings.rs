//! Settings: from flags and the protocol to typed values.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use snodo_config::settings::{
    GivenSetting, GivenValue, Origin, SetFlagError, SettingError, parse_set_flag, typed_settings,
};
use snodo_workspace::role::{SettingDeclaration, SettingType, SettingValue};

fn declared(name: &str, value_type: SettingType, default: Option<SettingValue>) -> SettingDeclaration {
    SettingDeclaration {
        name: name.to_owned(),
        value_type,
        default,
        meaning: format!("what {name} means"),
    }
}

fn scope() -> Vec<SettingDeclaration> {
    vec![
        declared(
            "allow-paths",
            SettingType::TextList,
            Some(SettingValue::TextList(vec!["**".to_owned()])),
        ),
        declared("label", SettingType::Text, Some(SettingValue::Text("scope".to_owned()))),
        declared("strict", SettingType::Boolean, Some(SettingValue::Boolean(false))),
        declared("depth", SettingType::Integer, Some(SettingValue::Integer(3))),
    ]
}

fn flags(arguments: &[&str]) -> Vec<GivenSetting> {
    arguments
        .iter()
        .map(|argument| parse_set_flag(argument).unwrap())
        .collect()
}

fn of_protocol(key: &str, value: SettingValue, origin: Origin) -> GivenSetting {
    GivenSetting {
        plugin: "scope".to_owned(),
        key: key.to_owned(),
        value: GivenValue::Typed(value),
        origin,
    }
}

fn value(given: &[GivenSetting], name: &str) -> SettingValue {
    let settings = typed_settings("scope", &scope(), given).unwrap();
    settings.into_iter().find(|s| s.name == name).unwrap().value
}

fn list(items: &[&str]) -> SettingValue {
    SettingValue::TextList(items.iter().map(|item| (*item).to_owned()).collect())
}

#[test]
fn every_declared_setting_has_a_value_in_declared_order() {
    let settings = typed_settings("scope", &scope(), &[]).unwrap();
    let names: Vec<_> = settings.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["allow-paths", "label", "strict", "depth"]);
    assert_eq!(settings[3].value, SettingValue::Integer(3));
    assert!(typed_settings("scope", &[], &[]).unwrap().is_empty());
}

#[test]
fn flags_are_read_by_the_declared_type() {
    assert_eq!(
        value(&flags(&["scope.label=a=b, c"]), "label"),
        SettingValue::Text("a=b, c".to_owned())
    );
    assert_eq!(
        value(&flags(&["scope.label="]), "label"),
        SettingValue::Text(String::new())
    );
    assert_eq!(
        value(&flags(&["scope.strict=true"]), "strict"),
        SettingValue::Boolean(true)
    );
    assert_eq!(value(&flags(&["scope.depth=-7"]), "depth"), SettingValue::Integer(-7));
    assert_eq!(
        value(&flags(&["scope.allow-paths=src/**, docs"]), "allow-paths"),
        list(&["src/**", "docs"])
    );
    assert_eq!(
        value(&flags(&["scope.allow_paths=a", "scope.allow-paths=b,c"]), "allow-paths"),
        list(&["a", "b", "c"])
    );
    assert_eq!(value(&flags(&["scope.allow-paths="]), "allow-paths"), list(&[]));
}

#[test]
fn values_of_another_type_are_refused() {
    for argument in [
        "scope.strict=yes",
        "scope.strict=",
        "scope.depth=3.5",
        "scope.depth=",
        "scope.depth=99999999999999999999",
        "scope.allow-paths=a,,b",
    ] {
        let error = typed_settings("scope", &scope(), &flags(&[argument])).unwrap_err();
        assert!(matches!(error, SettingError::WrongType { .. }), "{argument}: {error}");
    }
    let origin = Origin::Tooling { line: 9 };
    for (key, wrong) in [
        ("label", SettingValue::Integer(1)),
        ("strict", SettingValue::Text("true".to_owned())),
        ("depth", SettingValue::Text("3".to_owned())),
        ("allow_paths", SettingValue::Text("src".to_owned())),
    ] {
        let error = typed_settings("scope", &scope(), &[of_protocol(key, wrong, origin)]).unwrap_err();
        assert!(matches!(error, SettingError::WrongType { .. }), "{key}: {error}");
    }
}

#[test]
fn a_required_setting_must_be_given() {
    let needed = [declared("allow", SettingType::TextList, None)];
    let error = typed_settings("scope", &needed, &[]).unwrap_err();
    insta::assert_snapshot!(error, @r#"`scope` needs the setting `allow` (a list of texts): what allow means; give it by `--set scope.allow=…`"#);
    typed_settings("scope", &needed, &flags(&["scope.allow=src"])).unwrap();
}

#[test]
fn an_unknown_key_names_the_nearest_and_the_declared_ones() {
    let error = typed_settings("scope", &scope(), &flags(&["scope.alow_paths=src"])).unwrap_err();
    insta::assert_snapshot!(error, @r#"`scope` has no setting `alow_paths` (given by --set); did you mean `allow-paths`?"#);
    let error = typed_settings("scope", &scope(), &flags(&["scope.colour=blue"])).unwrap_err();
    insta::assert_snapshot!(error, @r#"`scope` has no setting `colour` (given by --set); it has `allow-paths`, `label`, `strict`, `depth`"#);
    let error = typed_settings(
        "secrets",
        &[],
        &[of_protocol(
            "x",
            SettingValue::Boolean(true),
            Origin::Tooling { line: 4 },
        )],
    )
    .unwrap_err();
    insta::assert_snapshot!(error, @r#"`secrets` has no setting `x` (given by `tooling`, line 4 of the protocol); it has none"#);
}

#[test]
fn whose_word_counts() {
    let config = of_protocol(
        "label",
        SettingValue::Text("team".to_owned()),
        Origin::CoderConfig { line: 3 },
    );
    assert_eq!(
        value(std::slice::from_ref(&config), "label"),
        SettingValue::Text("team".to_owned())
    );
    let mut given = flags(&["scope.label=mine"]);
    given.push(config);
    assert_eq!(value(&given, "label"), SettingValue::Text("mine".to_owned()));

    // A gate's setting is not the runner's to change, neither by replacing nor by adding.
    let gate = of_protocol("allow_paths", list(&["src/**"]), Origin::Tooling { line: 5 });
    assert_eq!(value(std::slice::from_ref(&gate), "allow-paths"), list(&["src/**"]));
    let mut given = flags(&["scope.allow-paths=**"]);
    given.push(gate);
    let error = typed_settings("scope", &scope(), &given).unwrap_err();
    insta::assert_snapshot!(error, @r#"the protocol sets `scope.allow-paths` (line 5); a flag cannot replace what a gate is given"#);
}

#[test]
fn one_value_is_given_once() {
    let error = typed_settings("scope", &scope(), &flags(&["scope.depth=1", "scope.depth=2"])).unwrap_err();
    assert!(matches!(error, SettingError::Twice { .. }), "{error}");
}

#[test]
fn knobs_of_snodos_coders_do_not_bother_others() {
    let knob = of_protocol(
        "max_tokens",
        SettingValue::Integer(16_000),
        Origin::CoderConfig { line: 3 },
    );
    assert_eq!(
        typed_settings("patch", &scope(), std::slice::from_ref(&knob))
            .unwrap()
            .len(),
        4
    );
    let honouring = [declared(
        "max-tokens",
        SettingType::Integer,
        Some(SettingValue::Integer(1)),
    )];
    let settings = typed_settings("agent", &honouring, &[knob]).unwrap();
    assert_eq!(settings[0].value, SettingValue::Integer(16_000));
    // From a flag it is a typing error like any other.
    assert!(typed_settings("patch", &scope(), &flags(&["patch.max_tokens=1"])).is_err());
}

#[test]
fn a_plugin_that_contradicts_itself_is_refused() {
    let wrong_default = [declared("a", SettingType::Integer, Some(SettingValue::Boolean(true)))];
    assert!(matches!(
        typed_settings("x", &wrong_default, &[]),
        Err(SettingError::BadDeclaration { .. })
    ));
    let twice = [
        declared("a", SettingType::Integer, Some(SettingValue::Integer(1))),
        declared("a", SettingType::Text, None),
    ];
    assert!(matches!(
        typed_settings("x", &twice, &[]),
        Err(SettingError::BadDeclaration { .. })
    ));
}

#[test]
fn the_flag_itself() {
    let parsed = parse_set_flag("my.plugin.key=v.w=x").unwrap();
    assert_eq!((parsed.plugin.as_str(), parsed.key.as_str()), ("my.plugin", "key"));
    assert_eq!(
        (parsed.value, parsed.origin),
        (GivenValue::Raw("v.w=x".to_owned()), Origin::Flag)
    );
    assert!(matches!(parse_set_flag("a.b"), Err(SetFlagError::NoValue(_))));
    assert!(matches!(parse_set_flag("ab=c.d"), Err(SetFlagError::NoPlugin(_))));
    for empty in [".b=c", "a.=c", ".=c"] {
        assert!(
            matches!(parse_set_flag(empty), Err(SetFlagError::EmptyName(_))),
            "{empty}"
        );
    }
    insta::assert_snapshot!(parse_set_flag("quality\u{1b}[2J").unwrap_err(), @r#"`--set quality\u{1b}[2J` has no `=`: write NAME.KEY=VALUE"#);
}

#[test]
fn text_from_a_plugin_is_printed_harmlessly() {
    let hostile = [declared("ok\u{1b}[31m\u{202e}", SettingType::Text, None)];
    let error = typed_settings("evil", &hostile, &[]).unwrap_err().to_string();
    assert!(!error.chars().any(|c| c.is_control() || c == '\u{202e}'), "{error:?}");
}
