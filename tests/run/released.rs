//! A plugin that was built against a released version of the contract stays loadable.

use std::fs;

use crate::support::{Sandbox, repository};

#[test]
fn plugins_of_every_released_version_still_run() {
    let mut versions = 0;
    for entry in fs::read_dir(repository().join("tests/released")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        versions += 1;
        let sandbox = Sandbox::new();
        // Names that no built-in has.
        let [coder, validator] = ["greeter", "judge"].map(|name| {
            let path = sandbox.path().join(format!("released-{name}.wasm"));
            fs::copy(folder.join(format!("{name}.wasm")), &path).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let report = sandbox
            .run(&["Hello", "--coder", &coder, "--validator", &validator])
            .completed();
        assert_eq!(sandbox.read("GREETING.md"), "# Hello\n", "{}", folder.display());
        let judged = report["gates"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|gate| gate["results"].as_array().unwrap());
        assert!(judged.count() >= 1, "{report:#}");
    }
    let current = snodo_admission::contract_version();
    assert!(
        versions >= 1 && repository().join("tests/released").join(&current).is_dir(),
        "keep plugins of {current}"
    );
}
