//! Records the calls of concurrent requests in one transaction (PostgreSQL; the SQLite driver groups transactions by
//! itself).
//!
//! Requests queue their calls in memory, by tenant; a few writer tasks take the calls that wait for one tenant, up to
//! `MOST_TOGETHER`, and store them in two round trips: one that looks up, one that inserts and commits. A call alone is
//! stored at once: there is no pause to gather more.
//!
//! - A request is answered after the commit of its call. A crash loses only calls whose requests were not answered.
//! - A call that is refused (an unknown operator, a missing channel) is refused alone. A group whose transaction fails
//!   is stored call by call, so that one bad call fails alone.
//! - A writer that panics is unregistered, the requests of its group fail, and the next call starts another one.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::TenantId;
use domain::calls::Call;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::record::{self, CallDraft};
use crate::{App, Error, Fault, Result};

/// Most calls of a transaction.
const MOST_TOGETHER: usize = 128;
/// Most writer tasks at a time. While one group is committed the next ones gather.
const MOST_WRITERS: usize = 2;

/// The queue of this process.
#[derive(Debug, Default)]
pub(crate) struct CallRecorder(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    /// In the order in which the tenants' first calls arrived.
    tenants: VecDeque<(TenantId, Vec<QueuedCall>)>,
    writers: usize,
}

#[derive(Debug)]
struct QueuedCall {
    draft: CallDraft,
    reply: oneshot::Sender<Result<Call>>,
}

/// Queues the call and returns when it is committed or refused.
pub(super) async fn record(app: &App, draft: CallDraft) -> Result<Call> {
    let (reply, done) = oneshot::channel();
    if app.call_recorder().enqueue(QueuedCall { draft, reply }) {
        tokio::spawn(WriterTask { app: app.clone(), has_ended: false }.run());
    }
    done.await.unwrap_or(Err(Error::Fault(Fault::CallRecorder)))
}

/// Records the call in a transaction of its own.
pub(super) async fn record_alone(app: &App, draft: CallDraft) -> Result<Call> {
    let mut outcomes = write(app, draft.tenant(), Arc::new(vec![draft])).await?;
    outcomes.pop().unwrap_or(Err(Error::Fault(Fault::CallRecorder)))
}

impl CallRecorder {
    /// Queues a call. Returns true when the caller must start a writer, which is then counted already.
    fn enqueue(&self, call: QueuedCall) -> bool {
        let mut queue = self.0.lock();
        let tenant = call.draft.tenant();
        match queue.tenants.iter_mut().find(|(one, _)| *one == tenant) {
            Some((_, calls)) => calls.push(call),
            None => queue.tenants.push_back((tenant, vec![call])),
        }
        let starts = queue.writers < MOST_WRITERS;
        queue.writers += usize::from(starts);
        starts
    }

    /// Takes up to `MOST_TOGETHER` calls of the tenant that waits longest; its other calls wait behind the other
    /// tenants. None when the queue is empty: the writer is then unregistered and must end.
    fn take_group(&self) -> Option<(TenantId, Vec<QueuedCall>)> {
        let mut queue = self.0.lock();
        let Some((tenant, mut calls)) = queue.tenants.pop_front() else {
            queue.writers = queue.writers.saturating_sub(1);
            return None;
        };
        let later = calls.split_off(calls.len().min(MOST_TOGETHER));
        if !later.is_empty() {
            queue.tenants.push_back((tenant, later));
        }
        Some((tenant, calls))
    }

    /// Unregisters a writer that panicked.
    fn writer_lost(&self) {
        let mut queue = self.0.lock();
        queue.writers = queue.writers.saturating_sub(1);
    }
}

/// One writer. It is unregistered also when it panics, so that another one can start.
struct WriterTask {
    app: App,
    has_ended: bool,
}

impl WriterTask {
    async fn run(mut self) {
        while let Some((tenant, group)) = self.app.call_recorder().take_group() {
            write_group(&self.app, tenant, group).await;
        }
        self.has_ended = true;
    }
}

impl Drop for WriterTask {
    fn drop(&mut self) {
        if !self.has_ended {
            self.app.call_recorder().writer_lost();
        }
    }
}

/// Stores a group in one transaction; if that fails, call by call, unless the database is unavailable. Answers the
/// request of each call.
async fn write_group(app: &App, tenant: TenantId, group: Vec<QueuedCall>) {
    let (drafts, replies): (Vec<CallDraft>, Vec<_>) = group.into_iter().map(|one| (one.draft, one.reply)).unzip();
    let drafts = Arc::new(drafts);
    match write(app, tenant, Arc::clone(&drafts)).await {
        // The client may have disconnected; the call is stored anyway.
        Ok(outcomes) => replies.into_iter().zip(outcomes).for_each(|(reply, outcome)| drop(reply.send(outcome))),
        // Attempts call by call would each wait as long as this one, one after the other.
        Err(Error::Store(store::Error::Unavailable(why))) => {
            for reply in replies {
                drop(reply.send(Err(store::Error::Unavailable(why.clone()).into())));
            }
        }
        Err(error) if replies.len() == 1 => {
            if let Some(reply) = replies.into_iter().next() {
                drop(reply.send(Err(error)));
            }
        }
        Err(_) => {
            for (draft, reply) in drafts.iter().zip(replies) {
                drop(reply.send(record_alone(app, draft.clone()).await));
            }
        }
    }
}

async fn write(app: &App, tenant: TenantId, drafts: Arc<Vec<CallDraft>>) -> Result<Vec<Result<Call>>> {
    app.db().write((tenant, drafts), |tx, (tenant, drafts)| Box::pin(record::insert(tx, *tenant, drafts))).await
}
