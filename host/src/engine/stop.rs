//! Asking a run to end.

use std::sync::Arc;

use snodo_workspace::capability::Cancel;
use tokio::sync::Notify;

/// A wish that the run ends soon; clones share it. An apply under way first undoes itself.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Cancel,
    notify: Arc<Notify>,
}

impl Stop {
    /// Asks.
    pub fn ask(&self) {
        self.asked.cancel();
        self.notify.notify_waiters();
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// For work that looks from time to time.
    pub fn flag(&self) -> Cancel {
        self.asked.clone()
    }

    /// Resolves when somebody asks.
    pub async fn asked(&self) {
        loop {
            let notified = self.notify.notified();
            if self.is_asked() {
                return;
            }
            notified.await;
        }
    }
}
