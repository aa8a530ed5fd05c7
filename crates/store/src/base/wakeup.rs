//! Wakes a background task of this process after work for it was committed. A lost wake-up costs time only: the tasks
//! also poll.

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// A notification for one waiting task. A wake-up while the task is busy is kept, so that the task looks again; several
/// are kept as one.
#[derive(Debug, Default)]
pub struct Wakeup(Notify);

impl Wakeup {
    pub fn wake(&self) {
        self.0.notify_one();
    }

    pub fn woken(&self) -> Notified<'_> {
        self.0.notified()
    }
}
