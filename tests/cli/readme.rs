//! What the README promises.

use crate::support::{Sandbox, guest, repository};

fn readme() -> String {
    std::fs::read_to_string(repository().join("README.md")).unwrap()
}

#[test]
fn its_plugin_is_one_and_does_what_it_says() {
    let readme = readme();
    let shown = readme.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    let built = std::fs::read_to_string(repository().join("tests/guests/greeter/src/lib.rs")).unwrap();
    assert_eq!(
        shown, built,
        "the README shows another plugin than the one that is tested"
    );
    let sandbox = Sandbox::new();
    sandbox.run(&["Hello", "--coder", &guest("guest_greeter")]).completed();
    assert_eq!(sandbox.read("GREETING.md"), "# Hello\n");
}

#[test]
fn its_links_lead_somewhere() {
    let readme = readme();
    let links: Vec<&str> = readme
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    let own: Vec<&str> = links.into_iter().filter(|link| !link.starts_with("http")).collect();
    assert!(own.len() >= 8, "{own:?}");
    for link in own {
        assert!(repository().join(link).exists(), "`{link}` is not there");
    }
}
