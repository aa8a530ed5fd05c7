//! Writes the rows of concurrent requests in one transaction.
//!
//! Requests queue their rows in memory; a few writer tasks take groups and write each in one transaction. A row alone is
//! written at once: there is no pause to gather more.
//!
//! - A request is answered after the commit of its row. A crash loses only rows whose requests were not answered.
//! - A group whose transaction fails is written row by row, so that one bad row fails alone, unless the database is
//!   unavailable: each row would wait as long as the group, one after the other.
//! - A row starts a writer while fewer than `most_writers` run; writers end when the queue is empty. A writer that
//!   panics is unregistered, the requests of its group fail, and the next row starts another one.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use domain::TenantId;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use store::Engine;
use tokio::sync::oneshot;

use crate::base::Base;
use crate::{Error, Fault, Result};

/// A row that is written in groups.
pub(crate) trait GroupedRow: Clone + Debug + Send + Sync + 'static {
    /// The room that owns the queue.
    type Room: Clone + Debug + Deref<Target = Base> + Send + Sync + 'static;
    /// What the request of the row gets.
    type Outcome: Debug + Send + 'static;

    /// Most rows of a transaction.
    const MOST_TOGETHER: usize;

    /// Most writer tasks at a time. While one group is committed the next ones gather.
    fn most_writers(engine: Engine) -> usize;

    /// The tenant, if a transaction holds the rows of one tenant only. Tenants then take turns.
    fn turn(&self) -> Option<TenantId>;

    fn writer(room: &Self::Room) -> &GroupWriter<Self>;

    /// Writes the rows in one transaction, and returns the outcome of each.
    fn write(room: &Self::Room, rows: Arc<[Self]>) -> BoxFuture<'_, Result<Vec<Result<Self::Outcome>>>>;
}

/// The queue of this process.
#[derive(Debug)]
pub(crate) struct GroupWriter<T: GroupedRow>(Mutex<Queue<T>>);

#[derive(Debug)]
struct Queue<T: GroupedRow> {
    /// In the order in which the first rows arrived.
    turns: VecDeque<(Option<TenantId>, Vec<QueuedRow<T>>)>,
    writers: usize,
}

#[derive(Debug)]
struct QueuedRow<T: GroupedRow> {
    row: T,
    reply: oneshot::Sender<Result<T::Outcome>>,
}

impl<T: GroupedRow> Default for GroupWriter<T> {
    fn default() -> Self {
        Self(Mutex::new(Queue { turns: VecDeque::new(), writers: 0 }))
    }
}

/// Queues the row and returns when it is committed or has failed.
pub(crate) async fn write_grouped<T: GroupedRow>(room: &T::Room, row: T) -> Result<T::Outcome> {
    let (reply, done) = oneshot::channel();
    if T::writer(room).enqueue(QueuedRow { row, reply }, T::most_writers(room.db().engine())) {
        tokio::spawn(WriterTask::<T> { room: room.clone(), writer: T::writer, has_ended: false }.run());
    }
    done.await.unwrap_or(Err(Error::Fault(Fault::GroupWriter)))
}

/// Writes the row in a transaction of its own.
pub(crate) async fn write_alone<T: GroupedRow>(room: &T::Room, row: T) -> Result<T::Outcome> {
    T::write(room, [row].into()).await?.pop().unwrap_or(Err(Error::Fault(Fault::GroupWriter)))
}

impl<T: GroupedRow> GroupWriter<T> {
    /// Queues a row. Returns true when the caller must start a writer, which is then counted already.
    fn enqueue(&self, queued: QueuedRow<T>, most: usize) -> bool {
        let mut queue = self.0.lock();
        let turn = queued.row.turn();
        match queue.turns.iter_mut().find(|(one, _)| *one == turn) {
            Some((_, rows)) => rows.push(queued),
            None => queue.turns.push_back((turn, vec![queued])),
        }
        let starts = queue.writers < most;
        queue.writers += usize::from(starts);
        starts
    }

    /// Takes up to `MOST_TOGETHER` rows of the turn that waits longest; its other rows wait behind the other turns.
    /// None when the queue is empty: the writer is then unregistered and must end.
    fn take_group(&self) -> Option<Vec<QueuedRow<T>>> {
        let mut queue = self.0.lock();
        let Some((turn, mut rows)) = queue.turns.pop_front() else {
            queue.writers = queue.writers.saturating_sub(1);
            return None;
        };
        let later = rows.split_off(rows.len().min(T::MOST_TOGETHER));
        if !later.is_empty() {
            queue.turns.push_back((turn, later));
        }
        Some(rows)
    }

    /// Unregisters a writer that panicked.
    fn writer_lost(&self) {
        let mut queue = self.0.lock();
        queue.writers = queue.writers.saturating_sub(1);
    }
}

/// One writer. It is unregistered also when it panics, so that another one can start.
struct WriterTask<T: GroupedRow> {
    room: T::Room,
    writer: fn(&T::Room) -> &GroupWriter<T>,
    has_ended: bool,
}

impl<T: GroupedRow> WriterTask<T> {
    async fn run(mut self) {
        while let Some(group) = (self.writer)(&self.room).take_group() {
            write_group(&self.room, group).await;
        }
        self.has_ended = true;
    }
}

impl<T: GroupedRow> Drop for WriterTask<T> {
    fn drop(&mut self) {
        if !self.has_ended {
            (self.writer)(&self.room).writer_lost();
        }
    }
}

/// Writes a group and answers the request of each row. A client may have disconnected; its row is written anyway.
async fn write_group<T: GroupedRow>(room: &T::Room, group: Vec<QueuedRow<T>>) {
    let (rows, replies): (Vec<T>, Vec<_>) = group.into_iter().map(|one| (one.row, one.reply)).unzip();
    let rows: Arc<[T]> = rows.into();
    match T::write(room, Arc::clone(&rows)).await {
        Ok(outcomes) => replies.into_iter().zip(outcomes).for_each(|(reply, outcome)| drop(reply.send(outcome))),
        Err(Error::Store(store::Error::Unavailable(why))) => {
            for reply in replies {
                drop(reply.send(Err(store::Error::Unavailable(why.clone()).into())));
            }
        }
        Err(error) if replies.len() == 1 => drop(replies.into_iter().next().map(|reply| reply.send(Err(error)))),
        Err(_) => {
            for (row, reply) in rows.iter().zip(replies) {
                drop(reply.send(write_alone(room, row.clone()).await));
            }
        }
    }
}
