//! A key is in nothing that comes out of the client, whatever the provider says back.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use base64::Engine as _;
use secrecy::SecretString;
use serde_json::json;
use snodo_config::model::{Header, Wire};
use snodo_model::{Asked, Client};
use snodo_provider::{Answer, Call, Finish, Id, Provider, Reply, Seen};

use crate::{KEY, WIRES, ask, binding, http, settings};

const HEADER_KEY: &str = "another-secret-9876543210-in-a-header";
const GATEWAY_KEY: &str = "fourth-secret-1212121212-of-a-gateway";
const SESSION_KEY: &str = "fifth-secret-3434343434-of-a-session";
const QUERY_KEY: &str = "third-secret-5555555-in-the-query";

/// Everything that was logged, by way of both of the customary crates.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl log::Log for Captured {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{}: {}\n", record.target(), record.args());
        self.0.lock().unwrap().extend_from_slice(line.as_bytes());
    }

    fn flush(&self) {}
}

/// What every test of this program logs from now on: one for all threads, since a thread's own would miss what another thread was the first to
/// come by.
fn logged() -> &'static Captured {
    static LOGGED: OnceLock<Captured> = OnceLock::new();
    LOGGED.get_or_init(|| {
        let captured = Captured::default();
        log::set_boxed_logger(Box::new(captured.clone())).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
        let writer = captured.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        captured
    })
}

fn forms(secret: &str) -> Vec<String> {
    let base64 = base64::engine::general_purpose::STANDARD;
    vec![
        secret.to_owned(),
        base64.encode(secret).trim_end_matches('=').to_owned(),
        base64
            .encode(format!("Bearer {secret}"))
            .trim_end_matches('=')
            .to_owned(),
    ]
}

fn clean(place: &str, text: &str) {
    for secret in [KEY, HEADER_KEY, QUERY_KEY, GATEWAY_KEY, SESSION_KEY] {
        for form in forms(secret) {
            assert!(!text.contains(&form), "a secret is in {place}: {text}");
        }
        // Nor a piece of it, which cutting before removing would leave.
        assert!(
            !text.contains(&secret[..secret.len() / 2]),
            "the beginning of a secret is in {place}: {text}"
        );
    }
}

/// What a server that shows what it got would say.
fn echo(seen: &Seen) -> String {
    let all = format!(
        "{:?} {} {}",
        seen.headers,
        seen.query,
        String::from_utf8_lossy(&seen.raw)
    );
    let base64 = base64::engine::general_purpose::STANDARD;
    format!(
        "{all} {} {} \u{1b}[2J",
        base64.encode(KEY),
        base64.encode(format!("Bearer {KEY}"))
    )
}

fn replies() -> Vec<fn(&Seen) -> Reply> {
    vec![
        |seen| Reply::text(echo(seen)),
        |seen| Reply::calls(vec![Call::new(format!("tool {KEY}"), &json!({ "echo": echo(seen) }))]),
        |_| Reply::calls(vec![Call::new("t", &json!({})).id(Id::Given(KEY.to_owned()))]),
        |seen| Reply::text("ok").model(echo(seen)),
        |seen| Reply::text("x").finish(Finish::Word(echo(seen))),
        |seen| {
            Reply::answer(Answer {
                reasoning: Some(echo(seen)),
                ..Answer::default()
            })
        },
        |seen| Reply::error(400, echo(seen), echo(seen)),
        |seen| {
            Reply::error(
                401,
                "invalid_api_key",
                format!("Incorrect API key provided: {KEY} {}", echo(seen)),
            )
        },
        |seen| Reply::error(429, "x", echo(seen)).header("Retry-After", "0"),
        |seen| Reply::error(503, "x", echo(seen)).header("x-echo", KEY),
        |seen| Reply::error_at_200("x", echo(seen)),
        |seen| Reply::verbatim(200, "text/html", format!("<html>{}", echo(seen))),
        |seen| Reply::verbatim(404, "text/html", format!("<html>{}", echo(seen))),
        |seen| Reply::verbatim(200, "application/json", format!("{{\"cut\": \"{}", echo(seen))),
        |_| Reply::verbatim(500, "text/plain", format!("{}{KEY}", "x".repeat(280))),
        |_| Reply::verbatim(400, "text/plain", format!("{}{KEY}", "x ".repeat(1190))),
        |_| Reply::redirect(302, format!("http://{KEY}.example/{KEY}?k={KEY}")),
        |_| {
            let spelled = KEY
                .bytes()
                .fold(String::new(), |text, byte| text + &format!("\\u{byte:04x}"));
            let body = format!(r#"{{"choices":[{{"finish_reason":"stop","message":{{"content":"{spelled}"}}}}]}}"#);
            Reply::verbatim(200, "application/json", body)
        },
    ]
}

fn client(provider: &Provider, wire: Wire) -> Client {
    let mut binding = binding(wire, format!("http://{}/v1?api={QUERY_KEY}", provider.address()));
    binding.retries = 1;
    binding.headers.push(Header {
        name: "cf-aig-authorization".to_owned(),
        value: format!("Bearer {HEADER_KEY}").into(),
    });
    binding.headers.push(Header {
        name: "x-gateway-pass".to_owned(),
        value: GATEWAY_KEY.into(),
    });
    binding.headers.push(Header {
        name: "x-session".to_owned(),
        value: format!("{{task_id}}/{SESSION_KEY}").into(),
    });
    Client::new(binding, Some(&SecretString::from(KEY)), http(), settings()).unwrap()
}

#[tokio::test]
async fn no_secret_comes_out() {
    let log = logged();
    for reply in replies() {
        for wire in WIRES {
            let provider = Provider::start(move |seen| {
                // The control: it is there to be said back.
                assert!(seen.headers.iter().any(|(_, value)| value.contains(KEY)));
                assert!(seen.query.contains(QUERY_KEY));
                for (name, secret) in [("x-gateway-pass", GATEWAY_KEY), ("x-session", SESSION_KEY)] {
                    assert!(seen.header(name).unwrap().ends_with(secret));
                }
                reply(seen)
            });
            let client = client(&provider, wire);
            let asked: Asked = ask(&client).await;
            assert!(asked.attempts > 0);
            clean("what was asked", &format!("{asked:?}"));
            if let Err(error) = &asked.result {
                clean("an error", &error.to_string());
            }
            clean("the client", &format!("{client:?} {}", client.url()));
        }
    }
    let text = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    clean("the log", &text);
    // The control: something was logged, by us and by what is below.
    assert!(text.contains("the model was asked") && text.contains("hyper"), "{text}");
}

#[tokio::test]
async fn no_secret_comes_out_of_what_cannot_be_reached() {
    let _ = logged();
    let provider = Provider::start(|_| Reply::reset());
    let gone = client(&provider, Wire::OpenAi);
    let broken = ask(&gone).await;
    drop(provider);
    for asked in [broken, ask(&gone).await] {
        assert!(asked.result.is_err());
        clean("an error", &format!("{asked:?} {}", crate::words(&asked)));
    }
}

/// What says who asks is no secret: it stands in people's code, and stays there. So does the task's id, and a flag that stands in every address.
#[tokio::test]
async fn what_describes_is_not_removed() {
    let provider = Provider::start(|seen| {
        Reply::text(format!(
            "{} {}",
            seen.header("http-referer").unwrap(),
            seen.header("x-session").unwrap()
        ))
    });
    let mut binding = binding(Wire::OpenAi, provider.base_url(crate::spoken(Wire::OpenAi)));
    for (name, value) in [
        ("HTTP-Referer", "https://example.org/a-project"),
        ("x-session", "{task_id}"),
    ] {
        binding.headers.push(Header {
            name: name.to_owned(),
            value: value.into(),
        });
    }
    let client = Client::new(binding, None, http(), settings()).unwrap();
    assert_eq!(
        ask(&client).await.result.unwrap().text,
        "https://example.org/a-project task-1"
    );
    drop(provider);
    let asked = ask(&client).await;
    let said = crate::words(&asked);
    assert!(said.contains("127.0.0.1"), "{said}");
}
