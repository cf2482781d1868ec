#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn url(base: &str, wire: Wire) -> String {
    Endpoint::new(base, wire, "m").unwrap().url().to_string()
}

#[test]
fn the_table() {
    let h = "https://h.example";
    for (base, openai, anthropic, gemini) in [
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
            "//v1//",
            "/v1/chat/completions",
            "/v1/messages",
            "/v1/models/m:generateContent",
        ),
        (
            "/v1beta/",
            "/v1beta/chat/completions",
            "/v1beta/messages",
            "/v1beta/models/m:generateContent",
        ),
        (
            "/proxy/x",
            "/proxy/x/chat/completions",
            "/proxy/x/v1/messages",
            "/proxy/x/v1beta/models/m:generateContent",
        ),
        (
            "/proxy/x/v1",
            "/proxy/x/v1/chat/completions",
            "/proxy/x/v1/messages",
            "/proxy/x/v1/models/m:generateContent",
        ),
        (
            "/v1?k=v",
            "/v1/chat/completions?k=v",
            "/v1/messages?k=v",
            "/v1/models/m:generateContent?k=v",
        ),
        (
            "?k=v",
            "/v1/chat/completions?k=v",
            "/v1/messages?k=v",
            "/v1beta/models/m:generateContent?k=v",
        ),
        (
            "/a%2Fb",
            "/a%2Fb/chat/completions",
            "/a%2Fb/v1/messages",
            "/a%2Fb/v1beta/models/m:generateContent",
        ),
    ] {
        let base = format!("{h}{base}");
        assert_eq!(url(&base, Wire::OpenAi), format!("{h}{openai}"), "{base}");
        assert_eq!(url(&base, Wire::Anthropic), format!("{h}{anthropic}"), "{base}");
        assert_eq!(url(&base, Wire::Gemini), format!("{h}{gemini}"), "{base}");
    }
}

#[test]
fn a_whole_url_is_taken_as_it_stands() {
    for (base, wire) in [
        ("http://h/v1/chat/completions", Wire::OpenAi),
        ("http://h/x/chat/completions", Wire::OpenAi),
        ("http://h/v1/messages", Wire::Anthropic),
        ("http://h/v9/models/other:generateContent", Wire::Gemini),
    ] {
        assert_eq!(url(base, wire), base);
    }
    assert_eq!(
        url("http://h/v1/chat/completions/", Wire::OpenAi),
        "http://h/v1/chat/completions"
    );
}

#[test]
fn a_models_name_cannot_leave_its_place() {
    let of = |model: &str| {
        Endpoint::new("http://h", Wire::Gemini, model)
            .unwrap()
            .url()
            .to_string()
    };
    assert_eq!(of("models/g"), "http://h/v1beta/models/g:generateContent");
    assert_eq!(of("tunedModels/g"), "http://h/v1beta/tunedModels/g:generateContent");
    assert_eq!(of("a?b#c"), "http://h/v1beta/models/a%3Fb%23c:generateContent");
    for model in ["../../x", "a/../../../x", "%2e%2e/x"] {
        assert!(of(model).starts_with("http://h/v1beta/models/"), "{}", of(model));
    }
    assert_eq!(
        Endpoint::new("http://h", Wire::Gemini, " ").unwrap_err(),
        EndpointFault::NoModel
    );
}

#[test]
fn what_is_no_base_url_is_said_without_its_secrets() {
    let fault = |base: &str| Endpoint::new(base, Wire::OpenAi, "m").unwrap_err().to_string();
    for (base, says) in [
        ("h.example/v1?key=SECRET", "has no scheme"),
        ("localhost:11434", "has no scheme"),
        ("me:SECRET@h/v1", "has no scheme"),
        ("", "has no scheme"),
        ("ftp://me:SECRET@h/v1?key=SECRET", "the scheme `ftp`"),
        ("file:///etc/passwd", "the scheme `file`"),
        ("http://me:SECRET@h/v1", "holds a name or a password"),
        ("http://SECRET@h/v1", "holds a name or a password"),
        ("http://h/v1?k=SECRET#x", "fragment"),
        ("http://", "is no URL"),
        ("http://me:SECRET@[::1/v1", "is no URL"),
    ] {
        let said = fault(base);
        assert!(said.contains(says), "{base}: {said}");
        assert!(!said.contains("SECRET"), "{base}: {said}");
    }
    let whole = Endpoint::new("http://h/v1?key=SECRET", Wire::OpenAi, "m").unwrap();
    assert_eq!(whole.shown(), "http://h/v1/chat/completions");
    assert_eq!(whole.query_values().collect::<Vec<_>>(), ["SECRET"]);
}
