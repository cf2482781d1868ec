//! When a request is sent again (case E08).

use std::sync::Arc;
use std::time::Duration;

use snodo_config::model::Wire;
use snodo_provider::{Provider, Reply, script};
use tokio::time::Instant;

use crate::{WIRES, ask, binding, client, client_with, kind, settings, spoken, words};

#[tokio::test]
async fn what_passes_is_tried_again_and_counted() {
    for wire in WIRES {
        for status in [408, 429, 500, 502, 503, 504, 529] {
            let provider = Provider::start(script::queue([
                Reply::error(status, "x", "later"),
                Reply::error(status, "x", "later"),
                Reply::text("ok"),
            ]));
            let asked = ask(&client(&provider, wire)).await;
            assert_eq!(
                (kind(&asked), asked.attempts, provider.requests().len()),
                ("answered", 3, 3),
                "{wire:?} {status}"
            );
        }
    }
}

#[tokio::test]
async fn what_does_not_pass_is_not_tried_again() {
    for wire in WIRES {
        for (reply, expected) in [
            (
                Reply::error(400, "invalid_request_error", "not 429 and not rate limit, 503"),
                "refused",
            ),
            (Reply::error(401, "invalid_api_key", "no"), "refused"),
            (Reply::error(402, "x", "pay"), "refused"),
            (Reply::error(403, "x", "no"), "refused"),
            (Reply::error(404, "x", "no such model"), "refused"),
            (Reply::error(413, "x", "too large"), "refused"),
            (Reply::error(422, "x", "no"), "refused"),
            (
                Reply::error(429, "insufficient_quota", "You exceeded your current quota"),
                "refused",
            ),
            (Reply::error(501, "x", "no"), "unavailable"),
            (Reply::html(401), "refused"),
        ] {
            let provider = Provider::start(script::always(reply.clone()));
            let asked = ask(&client(&provider, wire)).await;
            assert_eq!((kind(&asked), asked.attempts), (expected, 1), "{wire:?} {reply:?}");
            assert_eq!(provider.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn retries_end_where_they_are_configured_to() {
    for (retries, status, expected) in [
        (0, 503, "unavailable"),
        (2, 503, "unavailable"),
        (1, 429, "rate limited"),
    ] {
        let provider = Provider::start(script::always(Reply::error(status, "x", "busy now")));
        let mut binding = binding(Wire::OpenAi, provider.base_url(spoken(Wire::OpenAi)));
        binding.retries = retries;
        let asked = ask(&client_with(binding, settings())).await;
        assert_eq!((kind(&asked), asked.attempts), (expected, retries + 1));
        assert!(words(&asked).contains("busy now"), "{}", words(&asked));
    }
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_again() {
    for wire in WIRES {
        let provider = Provider::start(script::queue([
            Reply::reset(),
            Reply::text("a longer text than that").cut(20),
            Reply::text("ok"),
        ]));
        let asked = ask(&client(&provider, wire)).await;
        assert_eq!((kind(&asked), asked.attempts), ("answered", 3), "{asked:?}");
    }
    // Nobody listens there any more.
    let provider = Provider::start(script::always(Reply::text("ok")));
    let gone = client(&provider, Wire::OpenAi);
    drop(provider);
    let asked = ask(&gone).await;
    assert_eq!((kind(&asked), asked.attempts), ("unavailable", 4));
    assert!(
        words(&asked).contains("no connection to http://127.0.0.1:"),
        "{}",
        words(&asked)
    );
}

#[tokio::test]
async fn the_wait_is_the_providers_within_bounds() {
    for (value, at_least, at_most) in [
        ("0", 0, 60),
        ("1", 100, 400),
        ("99999", 100, 400),
        ("Thu, 01 Jan 2099 00:00:00 GMT", 100, 400),
        ("-1", 5, 90),
        ("abc", 5, 90),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0, 90),
    ] {
        let provider = Provider::start(script::queue([
            Reply::error(429, "rate_limit_exceeded", "later").header("Retry-After", value),
            Reply::text("ok"),
        ]));
        let asked = ask(&client(&provider, Wire::OpenAi)).await;
        assert_eq!(asked.attempts, 2, "{value}");
        let seen = provider.requests();
        let waited = seen[1].at.duration_since(seen[0].at);
        // What is the most is what a busy machine can still keep.
        assert!(
            waited >= Duration::from_millis(at_least) && waited < Duration::from_millis(at_most + 400),
            "{value}: {waited:?}"
        );
    }
}

#[tokio::test]
async fn a_wait_that_would_pass_the_deadline_is_not_begun() {
    let provider = Provider::start(script::always(
        Reply::error(503, "x", "later").header("Retry-After", "30"),
    ));
    let mut settings = settings();
    settings.timing.total = Duration::from_millis(400);
    settings.backoff.longest = Duration::from_secs(5);
    let started = Instant::now();
    let asked = ask(&client_with(
        binding(Wire::OpenAi, provider.base_url(spoken(Wire::OpenAi))),
        settings,
    ))
    .await;
    assert_eq!((kind(&asked), asked.attempts), ("unavailable", 1));
    assert!(started.elapsed() < Duration::from_millis(350));
}

/// A server in front of others says 200 and puts the other's status into the error.
#[tokio::test]
async fn a_status_within_the_error_counts() {
    let body = r#"{"error":{"code":503,"message":"upstream is down"}}"#;
    let provider = Provider::start(script::queue([
        Reply::verbatim(200, "application/json", body),
        Reply::text("ok"),
    ]));
    let asked = ask(&client(&provider, Wire::OpenAi)).await;
    assert_eq!((kind(&asked), asked.attempts), ("answered", 2));
}

#[tokio::test]
async fn one_connection_serves_several_requests_and_several_tasks_ask_at_once() {
    let provider = Provider::start(script::always(Reply::text("ok")));
    let client = Arc::new(client(&provider, Wire::OpenAi));
    for _ in 0..5 {
        assert!(ask(&client).await.result.is_ok());
    }
    assert_eq!((provider.requests().len(), provider.connections()), (5, 1));
    let many: Vec<_> = (0..8)
        .map(|_| {
            let client = Arc::clone(&client);
            tokio::spawn(async move { ask(&client).await.result.is_ok() })
        })
        .collect();
    for one in many {
        assert!(one.await.unwrap());
    }
}
