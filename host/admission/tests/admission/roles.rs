//! Role = exported interface: exactly one of `coding` and `judging`.

use snodo_admission::{Context, Role};

use crate::build::{answer, answer_in, context, look, name, of_world, plugin, text};

const CODING: &str = "export snodo:plugin/coding@0.1.0;";
const JUDGING: &str = "export snodo:plugin/judging@0.1.0;";

#[test]
fn the_role_is_the_exported_interface() {
    for (world, role) in [("coder", Role::Coder), ("validator", Role::Validator)] {
        let inspection = look(&of_world(world));
        assert_eq!((inspection.role, inspection.world), (Some(role), Some(world)));
        assert_eq!(inspection.built_against.as_deref(), Some("0.1.0"));
    }
}

#[test]
fn f03_neither_role_is_refused() {
    let line = "plugin `guest` is refused: it exports neither `snodo:plugin/coding` (a coder) nor `snodo:plugin/judging` (a validator); \
                build it for a world of `snodo:plugin@0.1.0`: `coder`, `validator`, or one that adds to them";
    assert_eq!(answer(&plugin("import snodo:plugin/read@0.1.0;")), line);
    assert_eq!(answer(&text("(component)")), line);
    // A function of the right name, or an interface of the right name in somebody else's package, is no role.
    assert_eq!(answer(&plugin("export implement: func();")), line);
    assert_eq!(answer(&plugin("export coding: interface { implement: func(); }")), line);
}

#[test]
fn a_command_line_program_is_told_for_what_it_is() {
    assert_eq!(
        answer(&plugin("export wasi:cli/run@0.2.6;")),
        "plugin `guest` is refused: it is a command-line program: it exports `wasi:cli/run`, and neither `snodo:plugin/coding` (a coder) nor \
         `snodo:plugin/judging` (a validator); build a library for a world of `snodo:plugin@0.1.0` (in Rust: `crate-type = [\"cdylib\"]`)"
    );
}

#[test]
fn f03_both_roles_are_refused() {
    let inspection = look(&plugin(&format!("{CODING} {JUDGING}")));
    assert_eq!((inspection.role, inspection.world), (None, None));
    assert_eq!(
        answer(&plugin(&format!("{CODING} {JUDGING}"))),
        "plugin `guest` is refused: it exports both `coding` and `judging`; a plugin has one role: build a coder and a validator from it"
    );
}

#[test]
fn another_role_than_the_one_asked_for_is_refused() {
    let name = name();
    let coder_wanted = Context {
        role_expected: Some(Role::Coder),
        ..context(&name)
    };
    assert_eq!(answer_in(&of_world("coder"), &coder_wanted), "admitted");
    assert_eq!(
        answer_in(&of_world("validator"), &coder_wanted),
        "plugin `guest` is refused: it is a validator, and a coder is asked for; a validator is named with `--validator`"
    );
}

#[test]
fn further_exports_are_tolerated() {
    // QuickJS exports a function `init`, Python an instance of its own.
    let bytes = plugin(&format!(
        "{CODING} export init: func(); export exports: interface {{ run: func(); }}"
    ));
    assert_eq!(answer(&bytes), "admitted");
    let roles: Vec<_> = look(&bytes).exports.iter().map(|e| e.role).collect();
    assert_eq!(roles.iter().flatten().count(), 1);
    assert_eq!(roles.len(), 3);
}

#[test]
fn a_role_that_is_no_interface_is_refused() {
    let bytes = text(
        r#"(component
            (core module $m (func (export "f")))
            (core instance $i (instantiate $m))
            (func $f (canon lift (core func $i "f")))
            (instance $empty)
            (export "snodo:plugin/coding@0.1.0" (instance $empty)))"#,
    );
    assert_eq!(
        answer(&bytes),
        "plugin `guest` is refused: `snodo:plugin/coding@0.1.0`: differs from this host's in function `describe`: the plugin has nothing, \
         the host a function; rebuild it against `snodo:plugin@0.1.0`"
    );
}
