//! From `base_url` to what is asked: case E09.

use snodo_provider::{Reply, Seen, script};

use crate::world::{KEY, World, ended, not_judged};

fn at(world: &World, base: &str, wire: &str) {
    world.config(&format!(
        "model: stub/m\nllm: {{ num_retries: 0 }}\nproviders:\n  stub:\n    base_url: '{base}'\n    litellm_provider: {wire}\n    api_key_env: STUB_KEY\n"
    ));
}

#[test]
fn each_base_url_reaches_its_path() {
    let world = World::new(|seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::verdict("pass", "good"),
        false => Reply::text("ready"),
    })
    .without_a_protocol();
    for (end, openai, anthropic, gemini) in [
        (
            "",
            "/v1/chat/completions",
            "/v1/messages",
            "/v1beta/models/m:generateContent",
        ),
        (
            "/",
            "/v1/chat/completions",
            "/v1/messages",
            "/v1beta/models/m:generateContent",
        ),
        (
            "/v1",
            "/v1/chat/completions",
            "/v1/messages",
            "/v1/models/m:generateContent",
        ),
        (
            "/v1/",
            "/v1/chat/completions",
            "/v1/messages",
            "/v1/models/m:generateContent",
        ),
        (
            "/proxy/x",
            "/proxy/x/chat/completions",
            "/proxy/x/v1/messages",
            "/proxy/x/v1beta/models/m:generateContent",
        ),
    ] {
        for (wire, path) in [("openai", openai), ("anthropic", anthropic), ("gemini", gemini)] {
            at(&world, &format!("http://{}{end}", world.provider.address()), wire);
            let checked = world.call(&["model", "check", "--json"]);
            assert_eq!(checked.code, 0, "{checked:#?}");
            assert_eq!(world.provider.requests().pop().unwrap().path, path, "{end} {wire}");
        }
    }
    at(
        &world,
        &format!("http://{}/v1/chat/completions", world.provider.address()),
        "openai",
    );
    assert_eq!(world.call(&["model", "check"]).code, 0);
    assert_eq!(world.provider.requests().pop().unwrap().path, "/v1/chat/completions");
}

#[test]
fn what_is_no_address_is_an_error_before_the_run() {
    let world = World::new(script::run("pass", &[]));
    let host = world.provider.address();
    for base in [
        format!("{host}/v1"),
        format!("ftp://{host}/v1"),
        format!("http://{host}/v1?k=v"),
        format!("http://me:{KEY}@{host}/v1"),
        "http:///v1".to_owned(),
        String::new(),
    ] {
        at(&world, &base, "openai");
        for command in [&["run", "--json", "anything"][..], &["model", "check", "--json"]] {
            let finished = world.call(command);
            assert_eq!(finished.code, 64, "{base}: {finished:#?}");
            let said = finished.stdout + &finished.stderr;
            assert!(said.contains("base_url") && !said.contains(KEY), "{base}: {said}");
        }
    }
    assert!(world.provider.requests().is_empty());
}

#[test]
fn a_page_that_is_not_found_names_the_url_that_was_tried() {
    let world = World::new(|_: &Seen| Reply::html(404));
    at(
        &world,
        &format!("http://{}/wrong/place", world.provider.address()),
        "openai",
    );
    let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
    let why = not_judged(&report, "pre_execute", "plan");
    let url = format!("http://{}/wrong/place/chat/completions", world.provider.address());
    assert!(why.contains(&url) && why.contains("404"), "{why}");
    assert_eq!(ended(&report, "validator"), "refused");
}
