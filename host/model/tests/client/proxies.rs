//! The user's proxies: used for the world, never for loopback.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use snodo_config::model::Wire;
use snodo_model::{Client, Http, Proxies};
use snodo_provider::{Provider, Reply, script};

use crate::{ask, binding, kind, settings, spoken, words};

fn http(variables: &[(&str, String)]) -> Arc<Http> {
    let variables: BTreeMap<_, _> = variables.iter().cloned().collect();
    let proxies = Proxies::from_environment(|name| variables.get(name).map(Into::into));
    assert!(!format!("{proxies:?}").contains("password"));
    Arc::new(Http::new(proxies, Duration::from_secs(2)))
}

fn client(http: &Arc<Http>, base: impl Into<String>) -> Client {
    let mut binding = binding(Wire::OpenAi, base);
    binding.retries = 0;
    Client::new(binding, None, Arc::clone(http), settings()).unwrap()
}

#[tokio::test]
async fn they_are_used_for_the_world_and_never_for_loopback() {
    let proxy = Provider::start(script::always(Reply::text("by the proxy")));
    let server = Provider::start(script::always(Reply::text("straight")));
    let address = format!("http://me:password@{}", proxy.address());
    let http = http(&[("http_proxy", address), ("no_proxy", "except.invalid".to_owned())]);
    let asked = ask(&client(&http, "http://models.invalid/v1")).await;
    assert_eq!(asked.result.unwrap().text, "by the proxy");
    let seen = proxy.requests().pop().unwrap();
    assert_eq!(seen.path, "http://models.invalid/v1/chat/completions");
    assert!(seen.header("proxy-authorization").is_some());

    for base in [
        server.base_url(spoken(Wire::OpenAi)),
        format!("http://localhost:{}/v1", server.address().port()),
    ] {
        assert_eq!(ask(&client(&http, base)).await.result.unwrap().text, "straight");
    }
    assert!(ask(&client(&http, "http://except.invalid/v1")).await.result.is_err());
    assert_eq!(proxy.requests().len(), 1);
}

#[tokio::test]
async fn a_web_servers_environment_names_no_proxy() {
    let proxy = Provider::start(script::always(Reply::text("by the proxy")));
    let http = http(&[("HTTP_PROXY", format!("http://{}", proxy.address()))]);
    assert!(ask(&client(&http, "http://models.invalid/v1")).await.result.is_err());
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn a_proxy_that_is_none_is_named_without_its_password() {
    let http = http(&[("https_proxy", "http://me:password@[::1".to_owned())]);
    let asked = ask(&client(&http, "https://models.invalid/v1")).await;
    assert_eq!(kind(&asked), "unavailable");
    assert!(
        words(&asked).contains("`https_proxy`") && !words(&asked).contains("password"),
        "{}",
        words(&asked)
    );
}

/// A proxy can say back what it was sent, in the place of any provider.
#[tokio::test]
async fn what_a_proxy_is_told_comes_out_nowhere() {
    for reply in [Reply::text as fn(String) -> Reply, |said| Reply::error(400, "x", said)] {
        let proxy = Provider::start(move |seen| {
            // The control: it was sent, by name and password.
            assert_eq!(
                seen.header("proxy-authorization").unwrap(),
                "Basic bWU6cEBzcy13b3JkLTEyMzQ1Ng=="
            );
            reply(format!(
                "{:?} me:p%40ss-word-123456 me:p@ss-word-123456 p%40ss-word-123456 p@ss-word-123456",
                seen.headers
            ))
        });
        let address = format!("http://me:p%40ss-word-123456@{}", proxy.address());
        let http = http(&[("http_proxy", address)]);
        let asked = format!("{:?}", ask(&client(&http, "http://models.invalid/v1")).await);
        assert!(asked.contains("[removed]"), "{asked}");
        for secret in ["bWU6cEBzcy13b3Jk", "ss-word"] {
            assert!(!asked.contains(secret), "{asked}");
        }
    }
}
