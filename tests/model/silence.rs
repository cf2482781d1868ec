//! Providers that do not answer: case E14.

use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd as _;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use snodo_provider::{Reply, Seen, Wire};

use crate::world::{World, ended, not_judged};

fn silent() -> Vec<Reply> {
    vec![
        Reply::stall(),
        Reply::verdict("pass", "good").stall_after(20),
        // Within the silence that is borne, and longer than all of it may take.
        Reply::verdict("pass", "good").drip(Duration::from_millis(50)),
        Reply::verdict("pass", "good").drip(Duration::from_secs(5)),
        Reply::verdict("pass", "good").delay(Duration::from_mins(1)),
        Reply::verdict("pass", "good").never_closes(),
    ]
}

#[test]
fn silence_ends_in_a_timeout_and_nothing_is_tried_again() {
    std::thread::scope(|scope| {
        for (case, reply) in silent().into_iter().enumerate() {
            scope.spawn(move || {
                let world = World::new(move |seen: &Seen| match seen.offers("submit_verdict") {
                    true => reply.clone(),
                    false => Reply::classify("feature"),
                });
                world.host_toml("[model]\nconnect_seconds = 1\nidle_seconds = 1\ntotal_seconds = 2\n");
                let started = Instant::now();
                let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
                assert!(started.elapsed() < Duration::from_secs(10), "{case}");
                let why = not_judged(&report, "pre_execute", "plan");
                assert!(why.contains("within"), "{case}: {why}");
                assert_eq!(ended(&report, "validator"), "timeout", "{case}");
                assert_eq!(world.provider.requests().len(), 2, "{case}");
            });
        }
    });
}

#[test]
fn an_interrupt_ends_a_run_that_waits_for_a_model() {
    // In each place: for the classifier, for a judge before the coder, for the coder, for a judge after it.
    for (place, tool) in [
        "classify_task",
        "The task can be understood.",
        "submit_files",
        "Nothing else is changed.",
    ]
    .into_iter()
    .enumerate()
    {
        let world = World::new(move |seen: &Seen| {
            if seen.offers(tool) || seen.mentions(tool) && seen.offers("submit_verdict") {
                Reply::stall()
            } else if seen.offers("submit_verdict") {
                Reply::verdict("pass", "good")
            } else if seen.offers("submit_files") && seen.turn() == 0 {
                Reply::submit_files(&[("README.md", "# The project\n")])
            } else if seen.offers("submit_files") {
                Reply::text("done")
            } else {
                Reply::classify("feature")
            }
        });
        let before = world.sandbox.tree();
        let running = world.start(&["--coder", "agent", "Call it the project"]);
        let requests = [1, 2, 3, 5][place];
        assert!(world.provider.wait_for(requests, Duration::from_mins(1)), "{tool}");
        running.signal(Signal::INT);
        let (finished, took) = running.finish();
        assert!(took < Duration::from_secs(2), "{tool}: it took {took:?}");
        finished.check_against_the_schema();
        let report = finished.ended(130, "environment_error", Some("interrupted"));
        assert_eq!(report["applied"], false);
        assert_eq!(before.differences(&world.sandbox.tree()), [] as [&str; 0]);
        assert_eq!(world.provider.requests().len(), requests);
    }
}

#[test]
fn a_coder_whose_model_is_silent_has_done_nothing() {
    let world = World::impatient(Wire::OpenAi, |seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::verdict("pass", "good"),
        false if seen.offers("submit_files") => Reply::stall(),
        false => Reply::classify("feature"),
    });
    world.host_toml("[model]\nidle_seconds = 1\ntotal_seconds = 2\n");
    let report =
        world
            .run(&["--coder", "agent", "Call it the project"])
            .ended(4, "environment_error", Some("execution_error"));
    assert_eq!(ended(&report, "coder"), "timeout");
    assert_eq!(report["applied"], false);
}

#[test]
fn a_silent_classifier_holds_nothing_up_for_longer_than_a_call_may_take() {
    let world = World::new(|seen: &Seen| match seen.offers("submit_verdict") {
        true => Reply::verdict("pass", "good"),
        false => Reply::stall(),
    });
    world.host_toml("[model]\nidle_seconds = 1\ntotal_seconds = 2\n");
    let started = Instant::now();
    let report = world.run_patch().completed();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(report["classification"]["flow_type"], serde_json::Value::Null);
    assert_eq!(ended(&report, "classifier"), "timeout");
}

/// A port at which nobody takes the call: connections are neither accepted nor refused.
struct Deaf {
    listener: TcpListener,
    /// They fill the queue of those who wait to be accepted.
    _waiting: Vec<TcpStream>,
}

impl Deaf {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        #[expect(
            unsafe_code,
            reason = "the standard library's listeners have a queue of a hundred and more"
        )]
        // SAFETY: it is an open socket that listens already; the call only makes its queue shorter.
        let shorter = unsafe { libc::listen(listener.as_raw_fd(), 0) };
        assert_eq!(shorter, 0);
        let mut waiting = Vec::new();
        while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
            waiting.push(stream);
            assert!(waiting.len() < 64, "the queue is never full");
        }
        Self {
            listener,
            _waiting: waiting,
        }
    }
}

#[test]
fn a_connection_that_nobody_takes_is_given_up_in_its_time() {
    let world = World::impatient(Wire::OpenAi, |_: &Seen| Reply::text("not asked"));
    let deaf = Deaf::new();
    let own = format!("http://{}", world.provider.address());
    let block = world.provider_block("stub", Wire::OpenAi);
    let there = format!("http://{}", deaf.listener.local_addr().unwrap());
    world.config(&format!(
        "model: stub/m\nllm: {{ num_retries: 0 }}\n{}",
        block.replace(&own, &there)
    ));
    world.host_toml("[model]\nconnect_seconds = 1\nidle_seconds = 30\ntotal_seconds = 60\n");
    let started = Instant::now();
    let report = world.run_patch().ended(3, "validator_error", Some("validator_error"));
    assert!(started.elapsed() < Duration::from_secs(20));
    // Nothing was sent, so that it counts as out of reach and would be tried again.
    let why = not_judged(&report, "pre_execute", "plan");
    assert!(
        why.contains("no connection to ") && why.contains("within 1000 ms"),
        "{why}"
    );
    assert_eq!(ended(&report, "validator"), "unavailable");
    assert_eq!(world.provider.connections(), 0);
}
