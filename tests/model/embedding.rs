//! The example of embedding: what it says is what happens.

use crate::support::Sandbox;

#[path = "../../examples/embed/main.rs"]
#[allow(
    clippy::doc_markdown,
    unreachable_pub,
    reason = "it is written for whoever reads it alone"
)]
mod example;

#[test]
fn a_coder_of_an_embedders_is_judged_by_the_client_that_came_with_it() {
    let sandbox = Sandbox::empty();
    let report = example::embedded("Water the plants", &sandbox.workspace(), sandbox.path()).unwrap();
    assert_eq!((report.exit_code, report.applied), (0, true), "{}", report.reason);
    assert_eq!(sandbox.read("NOTES.md"), "* Water the plants\n");
    let judged = report.gates.iter().flat_map(|gate| &gate.results).next().unwrap();
    assert_eq!((judged.model.as_deref(), judged.mock), (Some("strict"), false));
    let report = example::embedded("WATER THE PLANTS!!!", &sandbox.workspace(), sandbox.path()).unwrap();
    assert_eq!((report.exit_code, report.applied), (1, false), "{}", report.reason);
    assert_eq!(sandbox.read("NOTES.md"), "* Water the plants\n");
}
