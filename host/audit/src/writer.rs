//! The thread that appends: it waits for locks and disks, so that no asynchronous task has to.
//!
//! It owns the log. Events come over a bounded queue and are appended in that order; whoever sent one is told when it is on the disk,
//! or why it is not. When the [`Writer`] is dropped the queue is worked off and the thread joined, so that nothing that was taken is lost
//! by an orderly end.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::SystemTime;

use crate::append::{AuditError, AuditLog};
use crate::event::{Head, NewEvent};

/// How many events may wait. A run waits for the answer to each, so that hardly more than one for each plugin call is ever under way.
const QUEUE: usize = 256;

/// Gets to know how an append ended, in the writer's thread: it must not wait and not panic.
pub type Reply = Box<dyn FnOnce(Result<Head, AuditError>) + Send>;

struct Job {
    event: NewEvent,
    reply: Reply,
}

/// A log with a thread of its own. Shared between threads by reference.
#[derive(Debug)]
pub struct Writer {
    queue: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<AuditLog>>,
}

/// Why an event was not appended, or not even taken.
#[derive(Debug, thiserror::Error)]
pub enum WriterError {
    /// The log would not.
    #[error(transparent)]
    Log(#[from] AuditError),
    /// Nobody waited for the answers.
    #[error("{QUEUE} events wait for the audit log already: this one was not taken")]
    Full,
    /// The thread is no more. Nothing of ours ends it but a panic.
    #[error("the thread that writes the audit log has ended: this event is not in it")]
    Gone,
}

impl Writer {
    /// Starts the thread. `clock` tells the time of each event when its turn comes.
    pub fn start(log: AuditLog, clock: impl Fn() -> SystemTime + Send + 'static) -> io::Result<Self> {
        let (queue, jobs) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || work(log, &jobs, &clock))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
        })
    }

    /// Hands an event over, and never waits. `reply` is called when it is on the disk, or with the reason why it is not; it is dropped
    /// without being called only when the thread died.
    pub fn append(
        &self,
        event: NewEvent,
        reply: impl FnOnce(Result<Head, AuditError>) + Send + 'static,
    ) -> Result<(), WriterError> {
        let reply = Box::new(reply);
        let queue = self.queue.as_ref().ok_or(WriterError::Gone)?;
        queue.try_send(Job { event, reply }).map_err(|error| match error {
            TrySendError::Full(_) => WriterError::Full,
            TrySendError::Disconnected(_) => WriterError::Gone,
        })
    }

    /// Appends an event and waits until it is on the disk. Not for asynchronous tasks.
    pub fn append_and_wait(&self, event: NewEvent) -> Result<Head, WriterError> {
        let (answer, answered) = sync_channel(1);
        self.append(event, move |result| {
            // There is room for it; whoever asked may be gone.
            let _ = answer.send(result);
        })?;
        Ok(answered.recv().map_err(|_| WriterError::Gone)??)
    }

    /// Ends the thread when all that was taken is written, and gives the log back; none when the thread died.
    pub fn finish(mut self) -> Option<AuditLog> {
        self.end()
    }

    fn end(&mut self) -> Option<AuditLog> {
        drop(self.queue.take());
        self.thread.take()?.join().ok()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn work(mut log: AuditLog, jobs: &Receiver<Job>, clock: &dyn Fn() -> SystemTime) -> AuditLog {
    for Job { event, reply } in jobs {
        reply(log.append(clock(), &event));
    }
    log
}
