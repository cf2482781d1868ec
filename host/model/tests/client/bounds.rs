//! How much is read, and how much is sent (case E05: 200 MB).

use snodo_config::model::Wire;
use snodo_model::LanguageModel as _;
use snodo_provider::{Provider, Reply, script};
use snodo_workspace::capability::Message;

use crate::{ask, client, kind, request, terms, words};

#[tokio::test]
async fn a_body_without_end_is_read_to_a_bound() {
    let provider = Provider::start(script::always(Reply::huge(200_000_000)));
    let asked = ask(&client(&provider, Wire::OpenAi)).await;
    assert_eq!((kind(&asked), asked.attempts), ("malformed", 1));
    assert!(
        words(&asked).contains("larger than 16777216 bytes"),
        "{}",
        words(&asked)
    );
    // What was read, and what lay in the sockets' buffers.
    assert!(provider.bytes_sent() < 32_000_000, "{}", provider.bytes_sent());
}

/// A gigabyte in six megabytes: what counts is what it becomes.
#[tokio::test]
async fn a_compressed_body_is_bounded_by_what_it_becomes() {
    let provider = Provider::start(script::always(Reply::gzip_bomb(1_000_000_000)));
    let asked = ask(&client(&provider, Wire::OpenAi)).await;
    assert_eq!((kind(&asked), asked.attempts), ("malformed", 1));
    assert!(words(&asked).contains("larger than"), "{}", words(&asked));
    #[cfg(target_os = "linux")]
    assert!(peak_kib() < 400_000, "{} KiB", peak_kib());
}

#[cfg(target_os = "linux")]
#[expect(
    clippy::disallowed_methods,
    reason = "the process's own account of its memory has no other place"
)]
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_failure_of_any_size_is_told_in_a_few_words() {
    for status in [400, 401] {
        let provider = Provider::start(script::always(Reply::huge(50_000_000).status(status)));
        let asked = ask(&client(&provider, Wire::OpenAi)).await;
        assert_eq!(kind(&asked), "refused");
        assert!(words(&asked).len() < 1000 && provider.bytes_sent() < 16_000_000);
    }
}

#[tokio::test]
async fn a_request_that_is_too_large_is_not_sent() {
    let provider = Provider::start(script::always(Reply::text("ok")));
    let mut request = request();
    request.messages.push(Message::User("x".repeat(1 << 20)));
    let asked = client(&provider, Wire::OpenAi).ask(&request, &terms()).await;
    assert_eq!((kind(&asked), asked.attempts), ("limit", 0));
    assert!(
        words(&asked).contains("`model_request_bytes` of 1048576"),
        "{}",
        words(&asked)
    );
    assert!(provider.requests().is_empty());
}

#[tokio::test]
async fn what_cannot_be_decompressed_is_malformed() {
    let provider = Provider::start(script::always(Reply::text("ok").header("Content-Encoding", "gzip")));
    let asked = ask(&client(&provider, Wire::OpenAi)).await;
    assert_eq!((kind(&asked), asked.attempts), ("malformed", 1), "{asked:?}");
}
