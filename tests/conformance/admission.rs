//! What is seen on the file.

use std::path::PathBuf;

use snodo_admission::wit_sources;
use snodo_host::conform::{CheckResult, SubjectReport, SubjectRole};
use snodo_host::engine::Host;
use snodo_host::plugin::Compiler;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, SourceMap};

use crate::support::components::{component, of_world, plugin};
use crate::support::{Sandbox, guest};
use crate::world::{check, environment, ids, request, result};

/// The checks that are failed here.
pub(crate) const FAILED: [&str; 7] = [
    "admission.component",
    "admission.role",
    "admission.imports",
    "admission.version",
    "admission.size",
    "admission.loads",
    "verdict.severity",
];

/// Holds a file of these bytes to it, under these settings of the user.
fn of_bytes(bytes: &[u8], settings: &str) -> SubjectReport {
    let sandbox = Sandbox::new().host_toml(settings);
    let path: PathBuf = sandbox.path().join("stranger.wasm");
    std::fs::write(&path, bytes).unwrap();
    let host = Host::open(environment(&sandbox)).unwrap();
    check(&sandbox, &host, &request(path.to_str().unwrap()))
        .subjects
        .remove(0)
}

#[track_caller]
fn fails_by(report: &SubjectReport, id: &str, words: &str) {
    assert_eq!(ids(report, CheckResult::Fail), [id], "{report:#?}");
    let seen = &result(report, id).seen;
    assert!(seen.contains(words), "no `{words}` in: {seen}");
    assert!(!report.ok);
}

#[test]
fn a_file_that_is_no_plugin_fails_by_the_rule_that_keeps_it_out() {
    let report = of_bytes(b"no component", "");
    fails_by(&report, "admission.component", "component");
    assert_eq!(report.role, None);

    let report = of_bytes(&plugin("import snodo:plugin/read@0.1.0;"), "");
    fails_by(&report, "admission.role", "coding");
    let both = "export snodo:plugin/coding@0.1.0; export snodo:plugin/judging@0.1.0;";
    fails_by(&of_bytes(&plugin(both), ""), "admission.role", "judging");

    let network = "include snodo:plugin/coder@0.1.0; import wasi:sockets/tcp@0.2.6;";
    let report = of_bytes(&plugin(network), "");
    fails_by(&report, "admission.imports", "network");
    assert_eq!(report.role, Some(SubjectRole::Coder));
    assert_eq!(result(&report, "describe.answers").result, CheckResult::Skip);
    fails_by(
        &of_bytes(&of_world("model-coder"), ""),
        "admission.imports",
        "completion",
    );

    let newer = component("include snodo:plugin/coder@0.2.0;", |_, text| {
        text.replace("@0.1.0", "@0.2.0")
    });
    fails_by(&of_bytes(&newer, ""), "admission.version", "0.2.0");
}

#[test]
fn a_file_that_is_too_large_fails_by_its_size() {
    let large = vec![0; (1 << 20) + 1];
    let report = of_bytes(&large, "[limits]\ncomponent_mib = 1\n");
    fails_by(&report, "admission.size", "");
}

#[test]
fn what_cannot_be_compiled_is_not_asked_anything() {
    let sandbox = Sandbox::new().with_cache_of_its_own();
    let mut environment = environment(&sandbox);
    environment.compiler = Compiler::Child(sandbox.path().join("no-compiler"));
    let host = Host::open(environment).unwrap();
    let report = check(&sandbox, &host, &request(guest("guest_broken_coder")))
        .subjects
        .remove(0);
    fails_by(&report, "admission.loads", "compiler");
    assert_eq!(result(&report, "describe.answers").result, CheckResult::Skip);
}

/// A validator that was put together by hand: it answers a severity that the contract does not have.
#[test]
fn a_severity_of_its_own_is_none() {
    let module = r#"
(module
  (memory (export "memory") 16)
  (global $free (mut i32) (i32.const 65536))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 15)) (i32.const -16)))
    (global.set $free (i32.add (local.get $at) (local.get 3)))
    (local.get $at))
  (func (export "snodo:plugin/judging@0.1.0#describe") (result i32) (i32.const 1024))
  (func (export "snodo:plugin/judging@0.1.0#evaluate") (param i32) (result i32) (i32.const 2048))
  (data (i32.const 512) "grave")
  (data (i32.const 528) "\01")
  ;; name, version, summary, settings, phases: each a place and a length
  (data (i32.const 1024) "\00\02\00\00\05\00\00\00" "\00\02\00\00\05\00\00\00" "\00\02\00\00\05\00\00\00" "\00\00\00\00\00\00\00\00" "\10\02\00\00\01\00\00\00")
  ;; a verdict, and the severity 7
  (data (i32.const 2048) "\00\00\00\00\00\00\00\00\07"))
"#;
    let mut files = SourceMap::new();
    for (name, text) in wit_sources() {
        files.push_str(name, *text);
    }
    let mut resolve = Resolve::new();
    let group = files.parse().map_err(|(_, error)| error).unwrap();
    resolve.push_group(group).unwrap();
    let world = "package test:grave; world plugin { export snodo:plugin/judging@0.1.0; }";
    let package = resolve.push_source("grave.wit", world).unwrap();
    let world = resolve.select_world(&[package], Some("plugin")).unwrap();
    let mut module = wat::parse_str(module).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let component = ComponentEncoder::default().module(&module).unwrap().encode().unwrap();
    let report = of_bytes(&component, "");
    let severity = result(&report, "verdict.severity");
    assert_eq!(severity.result, CheckResult::Fail, "{report:#?}");
    assert!(severity.seen.contains("discriminant"), "{severity:#?}");
}
