//! Providers that do not answer (case E14).

use std::time::Duration;

use snodo_config::model::Wire;
use snodo_model::{LanguageModel as _, Settings};
use snodo_provider::{Provider, Reply, script};
use tokio::time::Instant;

use crate::{WIRES, ask, binding, client, client_with, kind, request, settings, spoken, terms};

fn hasty() -> Settings {
    let mut settings = settings();
    settings.timing.first_byte = Duration::from_millis(200);
    settings.timing.idle = Duration::from_millis(200);
    settings.timing.total = Duration::from_millis(600);
    settings
}

#[tokio::test]
async fn silence_ends_in_a_typed_timeout() {
    for wire in WIRES {
        for (reply, at_least, at_most) in [
            (Reply::stall(), 200, 500),
            (Reply::text("a").stall_after(0), 200, 500),
            (Reply::text("a").stall_after(10), 200, 500),
            (Reply::text("a").never_closes(), 200, 500),
            // Never silent for long, and never done.
            (Reply::text("a".repeat(500)).drip(Duration::from_millis(50)), 600, 1000),
        ] {
            let provider = Provider::start(script::always(reply.clone()));
            let client = client_with(binding(wire, provider.base_url(spoken(wire))), hasty());
            let started = Instant::now();
            let asked = ask(&client).await;
            let took = started.elapsed();
            assert_eq!((kind(&asked), asked.attempts), ("timeout", 1), "{reply:?}");
            assert!(
                took >= Duration::from_millis(at_least) && took < Duration::from_millis(at_most + 400),
                "{took:?} {reply:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_time_for_everything_holds_over_retries() {
    let provider = Provider::start(|_| Reply::error(503, "x", "later").delay(Duration::from_millis(150)));
    let mut binding = binding(Wire::OpenAi, provider.base_url(spoken(Wire::OpenAi)));
    binding.retries = 10;
    let started = Instant::now();
    let asked = ask(&client_with(binding, hasty())).await;
    assert!(matches!(kind(&asked), "unavailable" | "timeout"));
    assert!(
        asked.attempts < 6 && started.elapsed() < Duration::from_secs(1),
        "{} {:?}",
        asked.attempts,
        started.elapsed()
    );
}

/// What Ctrl-C does: the future is dropped.
#[tokio::test]
async fn giving_up_is_immediate_and_closes_the_connection() {
    for reply in [
        Reply::stall(),
        Reply::text("a").stall_after(3),
        Reply::error(503, "x", "later").header("Retry-After", "9"),
    ] {
        let provider = Provider::start(script::always(reply));
        let mut patient = settings();
        patient.backoff.longest = Duration::from_secs(9);
        let client = client_with(binding(Wire::OpenAi, provider.base_url(spoken(Wire::OpenAi))), patient);
        let started = Instant::now();
        let given_up = tokio::time::timeout(Duration::from_millis(150), client.ask(&request(), &terms())).await;
        assert!(given_up.is_err());
        assert!(started.elapsed() < Duration::from_secs(1));
        assert_eq!(provider.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_name_that_nobody_has_is_no_hang() {
    let mut binding = binding(Wire::OpenAi, "http://nobody.invalid/v1");
    binding.retries = 0;
    let asked = ask(&client_with(binding, settings())).await;
    assert!(matches!(kind(&asked), "unavailable" | "timeout"), "{asked:?}");
}

#[tokio::test]
async fn a_slow_answer_is_an_answer() {
    let provider = Provider::start(|_| Reply::text("ok").delay(Duration::from_millis(300)));
    assert_eq!(kind(&ask(&client(&provider, Wire::Anthropic)).await), "answered");
}
