//! The thread that appends.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use snodo_audit::{AuditError, Writer, WriterError};

use crate::world::{World, event, now};

#[test]
fn each_event_is_acknowledged_when_it_is_in_the_log() {
    let world = World::new();
    let writer = Writer::start(world.log(), now).unwrap();
    for number in 0..5 {
        let head = writer.append_and_wait(event(number)).unwrap();
        assert_eq!(world.verify().head, Some(head));
    }
}

#[test]
fn many_threads_share_it_and_its_end_waits_for_all() {
    let world = World::new();
    let writer = Writer::start(world.log(), now).unwrap();
    let answers = Arc::new(Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for number in 0..20 {
            let (writer, answers) = (&writer, Arc::clone(&answers));
            scope.spawn(move || {
                writer
                    .append(event(number), move |result| {
                        answers.lock().unwrap().push(result.unwrap().sequence);
                    })
                    .unwrap();
            });
        }
    });
    drop(writer);
    assert_eq!(*answers.lock().unwrap(), (0..20).collect::<Vec<_>>());
    assert_eq!(world.verify().events, 20);
}

#[test]
fn a_failure_is_told_to_whom_it_concerns_and_the_thread_goes_on() {
    let world = World::with_events(2);
    let writer = Writer::start(world.log(), now).unwrap();
    let text = world.text();
    world.write(format!("{text}rubbish\n"));
    let error = writer.append_and_wait(event(2)).unwrap_err();
    assert!(matches!(error, WriterError::Log(AuditError::Broken(_))), "{error}");
    world.write(&text);
    writer.append_and_wait(event(2)).unwrap();
    let log = writer.finish().unwrap();
    assert_eq!(log.head().unwrap().sequence, 2);
}

#[test]
fn more_than_may_wait_is_refused_at_once() {
    let world = World::new();
    let writer = Writer::start(world.log(), now).unwrap();
    // The first one's answer holds the thread up until the end.
    let (go_on, held) = channel::<()>();
    let (began, has_begun) = channel();
    writer
        .append(event(0), move |_| {
            began.send(()).unwrap();
            let _ = held.recv();
        })
        .unwrap();
    has_begun.recv().unwrap();
    let taken = (1..1000)
        .take_while(|number| writer.append(event(*number), |_| ()).is_ok())
        .count();
    assert_eq!(taken, 256);
    assert!(matches!(writer.append(event(0), |_| ()), Err(WriterError::Full)));
    drop(go_on);
    drop(writer);
    assert_eq!(world.verify().events, 257);
}
