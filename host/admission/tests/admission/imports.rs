//! Capability = imports: given to the role, granted, inert, or refused with one line each.

use snodo_admission::{Context, Grants, ImportClass, Interface, Limits, Role, Served, admit};

use crate::build::{answer, answer_in, context, look, name, of_world, plugin};

const CODING: &str = "export snodo:plugin/coding@0.1.0;";
const JUDGING: &str = "export snodo:plugin/judging@0.1.0;";
const ALL: Grants = Grants {
    model: true,
    runner: true,
};

fn with(name: &snodo_admission::PluginName, grants: Grants, completion: bool) -> Context<'_> {
    Context {
        grants,
        served: Served { completion },
        ..context(name)
    }
}

#[test]
fn the_base_sets_are_given_without_a_grant() {
    let bytes = of_world("coder");
    let name = name();
    let context = context(&name);
    let admitted = admit(&bytes, &context, &Limits::standard()).unwrap();
    assert_eq!(admitted.role(), Role::Coder);
    assert_eq!(
        admitted.bytes().as_ptr(),
        bytes.as_ptr(),
        "the bytes that were looked at"
    );
    let needs: Vec<_> = Interface::ALL
        .into_iter()
        .filter(|i| admitted.needs(*i))
        .map(Interface::name)
        .collect();
    assert_eq!(needs, ["types", "read", "search", "submit", "runner"]);
    assert_eq!(answer(&of_world("validator")), "admitted");
}

#[test]
fn each_import_is_put_in_a_plain_sentence() {
    let inspection = look(&of_world("coder"));
    let lines: Vec<_> = inspection.imports.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "`snodo:plugin/types@0.1.0`: use the records that the other interfaces share (this opens nothing) (given to the role)",
            "`snodo:plugin/read@0.1.0`: read files of the workspace (given to the role)",
            "`snodo:plugin/search@0.1.0`: search the files of the workspace (given to the role)",
            "`snodo:plugin/submit@0.1.0`: propose a change, and tell its progress (given to the role)",
            "`snodo:plugin/runner@0.1.0`: run the project's declared tests (given to the role)",
        ]
    );
    assert_eq!(
        inspection.imports[1].functions,
        ["read-file", "read-lines", "read-files", "list-files"]
    );
}

#[test]
fn a_validator_runs_tests_only_with_the_grant() {
    let bytes = of_world("runner-validator");
    assert_eq!(
        answer(&bytes),
        "plugin `guest` is refused: `snodo:plugin/runner@0.1.0`: to run the project's declared tests takes the grant `runner`; \
         `--grant guest:runner` gives it"
    );
    let name = name();
    assert_eq!(
        answer_in(
            &bytes,
            &with(
                &name,
                Grants {
                    model: false,
                    runner: true
                },
                false
            )
        ),
        "admitted"
    );
    assert!(
        answer_in(
            &bytes,
            &with(
                &name,
                Grants {
                    model: true,
                    runner: false
                },
                true
            )
        )
        .contains("takes the grant `runner`")
    );
    assert_eq!(look(&bytes).world, Some("runner-validator"));
}

#[test]
fn a_model_is_asked_only_with_the_grant_by_either_role() {
    let name = name();
    for (world, other) in [("model-coder", "coder"), ("model-validator", "validator")] {
        let bytes = of_world(world);
        assert_eq!(look(&bytes).world, Some(world));
        assert_eq!(
            answer_in(
                &bytes,
                &with(
                    &name,
                    Grants {
                        model: false,
                        runner: true
                    },
                    true
                )
            ),
            "plugin `guest` is refused: `snodo:plugin/completion@0.1.0`: to talk to a language model takes the grant `model`; \
             `--grant guest:model` gives it"
        );
        assert_eq!(
            answer_in(
                &bytes,
                &with(
                    &name,
                    Grants {
                        model: true,
                        runner: false
                    },
                    true
                )
            ),
            "admitted"
        );
        assert_eq!(
            answer_in(&of_world(other), &with(&name, Grants::NONE, true)),
            "admitted",
            "the control"
        );
    }
}

#[test]
fn what_this_build_does_not_serve_is_refused_with_a_grant_too() {
    let name = name();
    for world in ["model-coder", "model-validator"] {
        assert_eq!(
            answer_in(&of_world(world), &with(&name, ALL, false)),
            "plugin `guest` is refused: `snodo:plugin/completion@0.1.0`: this build does not serve `completion`; \
             use a plugin that does without it (it is there to talk to a language model)"
        );
    }
}

#[test]
fn a_judge_may_be_granted_both() {
    let bytes = plugin("include snodo:plugin/model-validator@0.1.0; include snodo:plugin/runner-validator@0.1.0;");
    let name = name();
    assert_eq!(answer_in(&bytes, &with(&name, ALL, true)), "admitted");
    let inspection = look(&bytes);
    assert_eq!(inspection.world, Some("model-validator + runner-validator"));
    assert_eq!(inspection.verdict.findings().len(), 2, "a line for each");
}

#[test]
fn a_validator_that_submits_is_refused_whatever_is_granted() {
    let bytes = plugin(&format!("import snodo:plugin/submit@0.1.0; {JUDGING}"));
    let name = name();
    assert_eq!(
        answer_in(&bytes, &with(&name, ALL, true)),
        "plugin `guest` is refused: `snodo:plugin/submit@0.1.0`: a validator may never propose a change, and tell its progress, \
         whatever is granted: it judges the change; leave the import out, or export `coding` to be a coder"
    );
    assert_eq!(look(&bytes).world, None);
    assert_eq!(
        answer(&plugin(&format!("import snodo:plugin/submit@0.1.0; {CODING}"))),
        "admitted",
        "the control"
    );
}

#[test]
fn a_coder_that_looks_at_the_judged_change_is_refused_whatever_is_granted() {
    let bytes = plugin(&format!("import snodo:plugin/change@0.1.0; {CODING}"));
    let name = name();
    assert_eq!(
        answer_in(&bytes, &with(&name, ALL, true)),
        "plugin `guest` is refused: `snodo:plugin/change@0.1.0`: a coder may never see the change that is judged, whatever is granted: \
         that is for validators; leave the import out"
    );
}

#[test]
fn without_a_role_what_depends_on_it_is_left_open() {
    let inspection = look(&plugin(
        "import snodo:plugin/read@0.1.0; import snodo:plugin/runner@0.1.0;",
    ));
    let labels: Vec<_> = inspection.imports.iter().map(|i| i.class.label()).collect();
    assert_eq!(
        labels,
        ["given to the role", "given to the role", "depends on the role"]
    );
    assert_eq!(inspection.verdict.findings().len(), 1);
}

#[test]
fn inert_wasi_is_taken() {
    let bytes = plugin(&format!(
        "import wasi:io/streams@0.2.6; import wasi:cli/stdout@0.2.6; {CODING}"
    ));
    assert_eq!(answer(&bytes), "admitted");
    let wasi: Vec<_> = look(&bytes)
        .imports
        .into_iter()
        .filter(|i| i.name.starts_with("wasi:"))
        .collect();
    assert!(
        wasi.len() >= 4 && wasi.iter().all(|i| i.class == ImportClass::InertWasi),
        "{wasi:?}"
    );
}

#[test]
fn a_function_that_inert_wasi_does_not_have_is_refused() {
    assert_eq!(
        answer(&plugin(&format!("import wasi:cli/environment@0.2.6; {CODING}"))),
        "plugin `guest` is refused: `wasi:cli/environment@0.2.6`: asks for `fork`, which this host's WASI does not have; leave it out"
    );
}

#[test]
fn the_network_is_never_given_and_each_import_has_its_line() {
    let bytes = plugin(&format!(
        "import wasi:sockets/network@0.2.6; import wasi:sockets/tcp@0.2.6; import wasi:http/outgoing-handler@0.2.6; {CODING}"
    ));
    let name = name();
    assert_eq!(
        answer_in(&bytes, &with(&name, ALL, true)),
        "plugin `guest` is refused:\n\
         \x20 `wasi:sockets/network@0.2.6`: asks to open network connections; no plugin is given the network\n\
         \x20 `wasi:sockets/tcp@0.2.6`: asks to open network connections; no plugin is given the network\n\
         \x20 `wasi:http/outgoing-handler@0.2.6`: asks to send HTTP requests; no plugin is given the network\n\
         \x20 hint: sockets: a Rust plugin has to do without `std::net`; for Python, `componentize-py componentize --stub-wasi` leaves them out\n\
         \x20 hint: HTTP: for JavaScript, `componentize-qjs --sync` never asks for it, and `componentize-js` leaves it out with \
         `disableFeatures: ['random', 'stdio', 'clocks', 'http', 'fetch-event']`"
    );
}

#[test]
fn the_rest_of_wasi_is_not_given() {
    assert_eq!(
        answer(&plugin(&format!("import wasi:keyvalue/store@0.2.0; {CODING}"))),
        "plugin `guest` is refused: `wasi:keyvalue/store@0.2.0`: this part of WASI is not given to plugins; \
         leave the import out: of WASI there are io, clocks, random, cli and filesystem, all without effect"
    );
    assert_eq!(
        answer(&plugin(&format!("import wasi:clocks/wall-clock@0.3.0; {CODING}"))),
        "plugin `guest` is refused: `wasi:clocks/wall-clock@0.3.0`: the plugin was built against version 0.3.0, this host offers 0.2.x; \
         build it with a toolchain for WASI 0.2 (`wasm32-wasip2`)"
    );
}

#[test]
fn f03_interfaces_of_other_packages_are_refused() {
    let needed = "a plugin may import interfaces of `snodo:plugin@0.1.0` and inert WASI 0.2, nothing else";
    assert_eq!(
        answer(&plugin(&format!("import snodo:host/tools@0.9.0; {CODING}"))),
        format!("plugin `guest` is refused: `snodo:host/tools@0.9.0`: this host offers no such interface; {needed}")
    );
    assert_eq!(
        answer(&plugin(&format!("import acme:tools/extra; {CODING}"))),
        format!("plugin `guest` is refused: `acme:tools/extra`: this host offers no such interface; {needed}")
    );
}

#[test]
fn what_is_imported_by_itself_is_refused() {
    let needed = "a plugin may import interfaces of `snodo:plugin@0.1.0` and inert WASI 0.2, nothing else";
    for (import, name, what) in [
        ("(import \"go\" (func))", "go", "a function"),
        ("(import \"mod\" (core module))", "mod", "a core module"),
        ("(import \"part\" (component))", "part", "a component"),
        ("(import \"handle\" (type (sub resource)))", "handle", "a type"),
        (
            "(import \"snodo:plugin/read@0.1.0\" (func))",
            "snodo:plugin/read@0.1.0",
            "a function",
        ),
        (
            "(import \"url=<https://example.com/x.wasm>\" (component))",
            "url=<https://example.com/x.wasm>",
            "a component",
        ),
    ] {
        let answer = answer(&crate::build::text(&format!("(component {import})")));
        let line = format!("\n  `{name}`: is imported as {what} by itself; {needed}");
        assert!(answer.contains(&line), "{answer}");
    }
    let answer = answer(&crate::build::text("(component (import \"bare\" (instance)))"));
    assert!(
        answer.contains("\n  `bare`: this host offers no such interface; "),
        "{answer}"
    );
}
