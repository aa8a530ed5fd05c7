//! A transaction on a connection of the pool, and the ways to save its round trips.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{join, join_all, join3, try_join_all};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use parking_lot::Mutex;
use tokio_postgres::types::Type;
use tokio_postgres::{Row as PgRow, Statement as Prepared};

use super::shards::Shards;
use super::{PooledClient, arrays, reachable, row};
use crate::base::param::check;
use crate::base::traffic::TrafficCounters;
use crate::{BoundStatement, Error, Param, Result, Row, Statement};

/// Statements over arrays of one call that are sent before the answer to the first of them.
const OVERLAPPING: usize = 2;

/// One that is dropped before its end closes the connection, which rolls it back.
#[derive(Debug)]
pub(crate) struct PgTransaction<'a> {
    client: Option<PooledClient>,
    has_begun: AtomicBool,
    /// Statements that are sent before the next one, or with the commit.
    queue: Mutex<Vec<QueuedRows>>,
    traffic: &'a TrafficCounters,
    shards: &'a Shards,
}

type QueuedRows = (&'static Statement, Vec<Vec<Param<'static>>>);

#[boxed::futures]
impl<'a> PgTransaction<'a> {
    pub const fn new(client: PooledClient, traffic: &'a TrafficCounters, shards: &'a Shards) -> Self {
        let queue = Mutex::new(Vec::new());
        Self { client: Some(client), has_begun: AtomicBool::new(false), queue, traffic, shards }
    }

    fn client(&self) -> Result<&PooledClient> {
        self.client.as_ref().ok_or_else(|| Error::Unavailable("the transaction has ended".to_owned()))
    }

    /// Runs a statement. The first one is sent right behind `BEGIN`, without waiting for the answer to that. Not an
    /// `async fn`, which would have room for the statement twice.
    fn run<'f, T: 'f>(
        &'f self,
        statement: impl Future<Output = Result<T>> + 'f,
    ) -> impl Future<Output = Result<T>> + 'f {
        self.traffic.round_trip();
        let is_first = !self.has_begun.swap(true, Ordering::Relaxed);
        let begin = async move {
            if !is_first {
                return Ok(());
            }
            self.traffic.statements(1);
            let client = self.client()?;
            Box::pin(client.batch("begin", &client.begin())).await
        };
        join(begin, statement).map(|(begun, outcome)| begun.and(outcome))
    }

    pub async fn each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        visit: &mut (dyn FnMut(usize, &Row<'_>) -> Result<()> + Send),
    ) -> Result<()> {
        check(params)?;
        self.send_queue().await?;
        let client = self.client()?;
        let rows = if self.shards.limits(statement) {
            let away = self.shards.away();
            self.run(reachable::fetch(client, &away, statement, params)).await?
        } else {
            let prepared = client.prepare(statement).await?;
            self.run(client.fetch(prepared.as_ref(), statement, params)).await?
        };
        self.count_read(params, &rows);
        rows.iter().try_for_each(|pg| visit(0, &row(pg)))
    }

    /// Visits the rows of each statement. All are sent before the first answer is awaited.
    pub async fn each_of(
        &self,
        reads: &[(&Statement, &[Param<'_>])],
        visit: &mut (dyn FnMut(usize, &Row<'_>) -> Result<()> + Send),
    ) -> Result<()> {
        reads.iter().try_for_each(|(_, params)| check(params))?;
        self.send_queue().await?;
        let client = self.client()?;
        let mut prepared = Vec::with_capacity(reads.len());
        for (statement, _) in reads {
            prepared.push(client.prepare(statement).await?);
        }
        let sent = reads.iter().zip(&prepared);
        let sent = sent.map(|((statement, params), prepared)| client.fetch(prepared.as_ref(), statement, params));
        let all = Box::pin(self.run(try_join_all(sent))).await?;
        for (index, ((_, params), rows)) in reads.iter().zip(&all).enumerate() {
            self.count_read(params, rows);
            rows.iter().try_for_each(|pg| visit(index, &row(pg)))?;
        }
        Ok(())
    }

    fn count_read(&self, params: &[Param<'_>], rows: &[PgRow]) {
        self.traffic.statements(1);
        self.traffic.sent(params);
        self.traffic.read(rows.len());
    }

    pub async fn execute(&self, statement: &Statement, params: &[Param<'_>]) -> Result<u64> {
        check(params)?;
        self.send_queue().await?;
        let client = self.client()?;
        let prepared = client.prepare(statement).await?;
        let changed = self.run(client.execute(prepared.as_ref(), statement, params)).await?;
        self.traffic.statements(1);
        self.traffic.sent(params);
        self.traffic.wrote(changed);
        Ok(changed)
    }

    /// Executes a statement for many rows: over arrays where its text allows it, otherwise pipelined.
    pub async fn execute_rows(&self, statement: &Statement, rows: &[&[Param<'_>]], over_arrays: bool) -> Result<u64> {
        rows.iter().try_for_each(|params| check(params))?;
        self.send_queue().await?;
        let (client, mut sum) = (self.client()?, 0);
        let mut ready = Vec::new();
        for (run, is_long) in arrays::runs(rows) {
            ready.push(ReadyRows::new(client, statement, run, over_arrays && is_long).await?);
        }
        // `BEGIN` travels with the first statement, so no other may overtake it.
        let is_first = !self.has_begun.load(Ordering::Relaxed);
        let alone = if is_first || ready.len() == 1 { ready.len().min(1) } else { 0 };
        let (alone, rest) = ready.split_at(alone);
        for one in alone {
            let changed = self.run(one.send(client)).await?;
            one.count_traffic(self.traffic, changed);
            sum += changed;
        }
        if !rest.is_empty() {
            sum += Box::pin(self.send_overlapping(rest)).await?;
        }
        Ok(sum)
    }

    /// Sends each statement while the one before it runs, so that the server never waits for this process in between.
    async fn send_overlapping<'p, R: AsRef<[Param<'p>]> + Sync>(&self, ready: &[ReadyRows<'_, R>]) -> Result<u64> {
        let client = self.client()?;
        let sent: Vec<_> = ready.iter().map(|one| self.run(one.send(client))).collect();
        let (mut answers, mut sum) = (stream::iter(sent).buffered(OVERLAPPING), 0);
        for one in ready {
            let changed = answers.next().await.transpose()?.unwrap_or_default();
            one.count_traffic(self.traffic, changed);
            sum += changed;
        }
        Ok(sum)
    }

    /// Keeps the rows of a statement until the next one or the commit.
    pub fn queue(&self, statement: &'static Statement, rows: Vec<Vec<Param<'static>>>) {
        self.queue.lock().push((statement, rows));
    }

    async fn send_queue(&self) -> Result<()> {
        let queue = std::mem::take(&mut *self.queue.lock());
        if queue.is_empty() { Ok(()) } else { Box::pin(self.send_queued(&queue, false)).await }
    }

    /// Sends all queued rows, and `COMMIT` behind them if it is asked for, before it awaits the first answer. If a
    /// statement fails, `COMMIT` rolls back.
    async fn send_queued(&self, queue: &[QueuedRows], commits: bool) -> Result<()> {
        let client = self.client()?;
        let mut ready = Vec::with_capacity(queue.len());
        for (statement, rows) in queue {
            for (run, is_long) in arrays::runs(rows) {
                ready.push(ReadyRows::new(client, statement, run, is_long).await?);
            }
        }
        let sent = self.run(try_join_all(ready.iter().map(|one| one.send(client))));
        let commit = async {
            if !commits {
                return Ok(());
            }
            self.traffic.statements(1);
            client.batch("commit", "COMMIT").await
        };
        let (changes, committed) = join(sent, commit).await;
        if commits {
            self.has_begun.store(false, Ordering::Relaxed);
        }
        let changes = changes?;
        committed?;
        ready.iter().zip(changes).for_each(|(one, changed)| one.count_traffic(self.traffic, changed));
        Ok(())
    }

    /// Sends the statements of the whole transaction before it awaits the first answer. After a failed statement the
    /// others fail too, and `COMMIT` rolls back. If another transaction has changed a row that this one changes, it fails
    /// and runs again.
    pub async fn run_list(mut self, list: &[BoundStatement]) -> Result<Vec<Vec<PgRow>>> {
        let client = self.client()?;
        let mut prepared = Vec::with_capacity(list.len());
        for (statement, _) in list {
            prepared.push(client.prepare(statement).await?);
        }
        self.has_begun.store(true, Ordering::Relaxed);
        let opening = client.begin_repeatable();
        let runs = list.iter().zip(&prepared).map(|((statement, params), prepared)| async move {
            if statement.returns_rows() {
                let rows = client.fetch(prepared.as_ref(), statement, params).await?;
                return Ok((rows.len() as u64, rows));
            }
            let changed = client.execute(prepared.as_ref(), statement, params).await?;
            Ok((changed, Vec::new()))
        });
        let whole = join3(client.batch("begin", &opening), join_all(runs), client.batch("commit", "COMMIT"));
        let (begun, outcomes, committed) = Box::pin(whole).await;
        *self.has_begun.get_mut() = false;
        self.traffic.statements(list.len() + 2);
        self.traffic.round_trip();
        begun?;
        let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
        committed?;
        for ((_, params), (changed, rows)) in list.iter().zip(&outcomes) {
            self.traffic.sent(params);
            self.traffic.read(rows.len());
            self.traffic.wrote(*changed);
        }
        Ok(outcomes.into_iter().map(|(_, rows)| rows).collect())
    }

    pub async fn end(mut self, commits: bool) -> Result<()> {
        let queue = std::mem::take(self.queue.get_mut());
        if commits && !queue.is_empty() {
            return Box::pin(self.send_queued(&queue, true)).await;
        }
        if *self.has_begun.get_mut() {
            let word = if commits { "COMMIT" } else { "ROLLBACK" };
            self.traffic.statements(1);
            self.traffic.round_trip();
            self.client()?.batch(word, word).await?;
            *self.has_begun.get_mut() = false;
        }
        Ok(())
    }
}

impl Drop for PgTransaction<'_> {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        if *self.has_begun.get_mut() {
            client.close();
        } else {
            client.give_back();
        }
    }
}

/// Rows of one statement and one tenant whose statement is prepared, so that the first poll of `send` sends them.
struct ReadyRows<'r, R> {
    statement: &'r Statement,
    rows: &'r [R],
    /// The text over arrays, with the types of its parameters.
    over_arrays: Option<(&'r str, &'r [Type])>,
    prepared: Option<Prepared>,
}

impl<'r, 'p, R: AsRef<[Param<'p>]> + Sync> ReadyRows<'r, R> {
    async fn new(client: &PooledClient, statement: &'r Statement, rows: &'r [R], as_arrays: bool) -> Result<Self> {
        let mut over_arrays = None;
        if as_arrays {
            let types = client.parameter_types(statement).await?;
            over_arrays = statement.over_arrays(types).map(|text| (text, types));
        }
        let prepared = match over_arrays {
            Some((text, _)) => client.prepare_text(statement.name(), text).await?,
            None => client.prepare(statement).await?,
        };
        Ok(Self { statement, rows, over_arrays, prepared })
    }

    /// One statement over arrays, or one for each row, all sent before the first answer is awaited.
    async fn send(&self, client: &PooledClient) -> Result<u64> {
        let (statement, prepared) = (self.statement, self.prepared.as_ref());
        let tenant = self.rows.first().and_then(|row| row.as_ref().first());
        if let (Some((text, types)), Some(tenant)) = (self.over_arrays, tenant) {
            let columns = arrays::columns(self.rows, types.len());
            let bound = arrays::bound(tenant, &columns);
            return client.execute_over_arrays(prepared, statement.name(), text, types, &bound).await;
        }
        let changes = self.rows.iter().map(|params| client.execute(prepared, statement, params.as_ref()));
        Ok(try_join_all(changes).await?.into_iter().sum())
    }

    fn count_traffic(&self, traffic: &TrafficCounters, changed: u64) {
        traffic.statements(if self.over_arrays.is_some() { 1 } else { self.rows.len() });
        self.rows.iter().for_each(|params| traffic.sent(params.as_ref()));
        traffic.wrote(changed);
    }
}
