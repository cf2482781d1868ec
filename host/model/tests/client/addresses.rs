//! Where requests go (cases E09, and the redirects of E08).

use reqwest::header::AUTHORIZATION;
use secrecy::SecretString;
use snodo_config::model::Wire;
use snodo_model::{Client, ClientFault, EndpointFault};
use snodo_provider::{Provider, Reply, script};

use crate::{KEY, WIRES, ask, binding, client, client_with, http, kind, settings, words};

/// E09
#[tokio::test]
async fn each_base_url_reaches_its_path() {
    let provider = Provider::start(script::always(Reply::text("ok")));
    let at = |path: &str| format!("http://{}{path}", provider.address());
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
            "/proxy/x",
            "/proxy/x/chat/completions",
            "/proxy/x/v1/messages",
            "/proxy/x/v1beta/models/m:generateContent",
        ),
        (
            "/v1?k=v",
            "/v1/chat/completions",
            "/v1/messages",
            "/v1/models/m:generateContent",
        ),
    ] {
        for (wire, path) in WIRES.into_iter().zip([openai, anthropic, gemini]) {
            let asked = ask(&client_with(binding(wire, at(base)), settings())).await;
            assert!(asked.result.is_ok(), "{asked:?}");
            let seen = provider.requests().pop().unwrap();
            assert_eq!(seen.path, path, "{base} {wire:?}");
            assert_eq!(seen.query, base.split_once('?').map_or("", |(_, query)| query));
        }
    }
    let whole = at("/v1/chat/completions");
    assert!(
        ask(&client_with(binding(Wire::OpenAi, whole), settings()))
            .await
            .result
            .is_ok()
    );
    assert_eq!(provider.requests().pop().unwrap().path, "/v1/chat/completions");
}

/// E09
#[test]
fn what_is_no_base_url_is_an_error_before_the_run() {
    let fault = |base: &str| {
        let key = SecretString::from(KEY);
        Client::new(binding(Wire::OpenAi, base), Some(&key), http(), settings()).unwrap_err()
    };
    let endpoint = |base: &str| match fault(base) {
        ClientFault::Endpoint { provider, place, fault } if provider == "test" && place == "config.yml:3" => fault,
        other => panic!("{other:?}"),
    };
    assert!(matches!(endpoint("127.0.0.1:8080/v1"), EndpointFault::NoScheme { .. }));
    assert!(matches!(endpoint("ftp://h/v1"), EndpointFault::Scheme { .. }));
    assert!(matches!(
        endpoint("http://me:pw@h/v1"),
        EndpointFault::Credentials { .. }
    ));
}

/// E09
#[tokio::test]
async fn a_page_that_is_not_found_names_the_url_and_no_key() {
    let provider = Provider::start(|_| Reply::html(404));
    let base = format!("http://{}/wrong/place?key={KEY}", provider.address());
    let asked = ask(&client_with(binding(Wire::OpenAi, base), settings())).await;
    assert_eq!((kind(&asked), asked.attempts), ("refused", 1));
    let said = words(&asked);
    let url = format!("http://{}/wrong/place/chat/completions", provider.address());
    assert!(
        said.contains(&url) && said.contains("404") && !said.contains(KEY),
        "{said}"
    );
}

/// E08
#[tokio::test]
async fn a_redirect_is_not_followed_and_takes_no_key_along() {
    for wire in WIRES {
        for status in [301, 302, 303, 307, 308] {
            let other = Provider::start(script::always(Reply::text("of the other")));
            let target = format!("http://{}/v1/chat/completions?key={KEY}", other.address());
            let first = Provider::start(script::always(Reply::redirect(status, target)));
            let asked = ask(&client(&first, wire)).await;
            assert_eq!((kind(&asked), asked.attempts), ("refused", 1));
            let said = words(&asked);
            assert!(
                said.contains("redirects to `127.0.0.1`") && !said.contains(KEY),
                "{said}"
            );
            assert_eq!(other.connections(), 0);
        }
    }
}

/// The control: a client that follows them brings the key there, since a host with another port is the same host to it or the header is one that
/// it does not know.
#[tokio::test]
async fn a_client_that_follows_redirects_takes_the_key_along() {
    let other = Provider::start(script::always(Reply::text("of the other")));
    let target = format!("http://{}/v1/messages", other.address());
    let first = Provider::start(script::always(Reply::redirect(307, target)));
    let tls =
        rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
    let naive = reqwest::Client::builder()
        .no_proxy()
        .tls_backend_preconfigured(tls)
        .build()
        .unwrap();
    let url = format!("http://{}/v1/messages", first.address());
    let sent = naive
        .post(url)
        .header("x-api-key", KEY)
        .header(AUTHORIZATION, "x")
        .body("{}")
        .send()
        .await;
    assert!(sent.is_ok());
    assert_eq!(other.requests()[0].header("x-api-key"), Some(KEY));
}
