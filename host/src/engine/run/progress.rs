//! A coder's progress, carried from the plugin's thread of work to whoever watches: bounded, and made harmless.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use snodo_workspace::capability::ProgressEvent;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::events::{Event, Observer};

/// Carries a coder's progress from the plugin's thread of work to whoever watches.
pub(super) struct ProgressSink {
    sender: UnboundedSender<ProgressEvent>,
    receiver: Mutex<Option<UnboundedReceiver<ProgressEvent>>>,
    left: Arc<AtomicU64>,
    dropped: Arc<AtomicU64>,
}

impl ProgressSink {
    pub(super) fn new(allowed: u64) -> Self {
        let (sender, receiver) = unbounded_channel();
        Self {
            sender,
            receiver: Mutex::new(Some(receiver)),
            left: Arc::new(allowed.into()),
            dropped: Arc::default(),
        }
    }

    pub(super) fn sender(&self) -> Arc<dyn Fn(ProgressEvent) + Send + Sync> {
        let (sender, left, dropped) = (self.sender.clone(), Arc::clone(&self.left), Arc::clone(&self.dropped));
        Arc::new(move |mut event| {
            if left.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1)).is_err() {
                dropped.fetch_add(1, Relaxed);
                return;
            }
            event.message = crate::text::one_line(&event.message, 200);
            let _ = sender.send(event);
        })
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    pub(super) async fn show_while<T>(
        &self,
        work: impl Future<Output = T>,
        plugin: &str,
        observer: &dyn Observer,
    ) -> T {
        let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut receiver) = receiver else {
            return work.await;
        };
        let show = |event: ProgressEvent| {
            observer.on(&Event::Progress {
                plugin,
                message: &event.message,
                done: event.done,
                total: event.total,
            });
        };
        tokio::pin!(work);
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                Some(event) = receiver.recv() => show(event),
            }
        };
        while let Ok(event) = receiver.try_recv() {
            show(event);
        }
        done
    }
}
