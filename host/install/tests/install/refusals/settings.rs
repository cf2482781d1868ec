//! What is said of descriptions and settings.

use snodo_config::settings::{GivenSetting, GivenValue, Origin, parse_set_flag, typed_settings};
use snodo_workspace::role::{Description, Phase, SettingDeclaration, SettingType, SettingValue, checked};

use super::Told;

fn declared(name: &str, value_type: SettingType, default: Option<SettingValue>) -> SettingDeclaration {
    SettingDeclaration {
        name: name.to_owned(),
        value_type,
        default,
        meaning: "How many.".to_owned(),
    }
}

fn text(name: &str, default: &str) -> SettingDeclaration {
    declared(name, SettingType::Text, Some(SettingValue::Text(default.to_owned())))
}

pub(crate) fn tell(told: &mut Told) {
    describe(told);
    flags(told);
    values(told);
}

fn describe(told: &mut Told) {
    let good = Description {
        name: "guest".to_owned(),
        version: "0.1.0".to_owned(),
        summary: "Does it.".to_owned(),
        settings: Vec::new(),
        phases: vec![Phase::PostExecute],
    };
    checked(good.clone(), true).unwrap();
    let with = |settings: Vec<SettingDeclaration>| Description {
        settings,
        ..good.clone()
    };
    let bad = [
        (
            Description {
                name: " ".to_owned(),
                ..good.clone()
            },
            true,
        ),
        (with((0..65).map(|n| text(&format!("s{n}"), "")).collect()), true),
        (
            Description {
                phases: Vec::new(),
                ..good.clone()
            },
            true,
        ),
        (good.clone(), false),
        (with(vec![text("Not_One", "")]), true),
        (with(vec![text("one", ""), text("one", "")]), true),
        (
            with(vec![declared("one", SettingType::Text, Some(SettingValue::Integer(1)))]),
            true,
        ),
        (with(vec![text("one", &"x".repeat(20_000))]), true),
    ];
    for (description, of_validator) in bad {
        told.say(&checked(description, of_validator).unwrap_err());
    }
}

fn flags(told: &mut Told) {
    for bad in ["guest.key", "key=1", ".key=1"] {
        let error = parse_set_flag(bad).unwrap_err();
        told.say(&error);
        told.by("SetFlagError", &error);
    }
}

fn values(told: &mut Told) {
    let flag = |argument: &str| parse_set_flag(argument).unwrap();
    let tooling = |key: &str| GivenSetting {
        plugin: "guest".to_owned(),
        key: key.to_owned(),
        value: GivenValue::Typed(SettingValue::Text("x".to_owned())),
        origin: Origin::Tooling { line: 7 },
    };
    let one = text("one", "");
    let cases: [(Vec<SettingDeclaration>, Vec<GivenSetting>); 8] = [
        (vec![one.clone()], vec![flag("guest.on=1")]),
        (vec![one.clone()], vec![flag("guest.entirely=1")]),
        (Vec::new(), vec![flag("guest.one=1")]),
        (vec![declared("one", SettingType::Integer, None)], Vec::new()),
        (
            vec![declared("one", SettingType::Integer, None)],
            vec![flag("guest.one=many")],
        ),
        (vec![one.clone()], vec![flag("guest.one=1"), flag("guest.one=2")]),
        (vec![one.clone()], vec![flag("guest.one=1"), tooling("one")]),
        (vec![one.clone(), one.clone()], Vec::new()),
    ];
    for (declared, given) in cases {
        let error = typed_settings("guest", &declared, &given).unwrap_err();
        told.say(&error);
        told.by("SettingError", &error);
    }
}
