//! PostgreSQL: pooled connections, prepared statements, and transactions that run again after a conflict with another
//! one: a serialization failure, a deadlock, a duplicate key, or a body that asks for it (`TryAgain`).
//!
//! A round trip costs as much as a statement. So `BEGIN` travels with the first statement of a transaction, and rows
//! that are inserted last with its `COMMIT`; many rows are one statement over arrays (`arrays.rs`); and a transaction
//! whose statements are known before it begins is one round trip (`transaction.rs`).
//!
//! Statements have a time limit, and connections are bounded for each tenant and for all requests together, so that a
//! slow database makes requests fail early (`Unavailable`, `Overloaded`) instead of piling up. Behind a pooler that
//! gives a connection to another client after each transaction, nothing is kept on a connection (`client.rs`).

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use deadpool_postgres::Pool;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio_postgres::Row as PgRow;

use crate::base::postgres::options::WAIT;
use crate::base::postgres::reachable;
use crate::base::postgres::refusal::ConnectionTarget;
use crate::base::postgres::shards::{CrossRead, Shards, WORKERS, away_in};
use crate::base::postgres::{PgTransaction, PooledClient, PostgresOptions};

use crate::base::traffic::TrafficCounters;
use crate::base::turns::{TenantCaps, party};
use crate::base::tx::{Ended, Transaction, Tx, TxNotes, TxOf};
use crate::{BoundStatement, Error, Param, Result, Statement};

/// Most runs of a transaction, the first included; then the caller gets the error of the last. The pauses between them
/// are random, up to 10 ms after the first run, and up to twice as long after each further one.
const TRIES: u32 = 8;
/// Requests of a tenant that may wait for a connection; a further one is refused at once (`Overloaded`).
const MOST_WAITING: usize = 1024;

#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
    target: ConnectionTarget,
    pub(crate) shards: Arc<Shards>,
    pub(crate) traffic: Arc<TrafficCounters>,
    /// How many rows this process had written when it last looked at the sizes of tables.
    pub(crate) looked_after: AtomicU64,
    /// Each tenant may use half of the connections, so that no tenant takes all of them.
    caps: TenantCaps,
    /// All tenants together may use three quarters of the connections, so that background work finds one while
    /// requests take all that they get.
    requests: Arc<Semaphore>,
    pub(super) options: PostgresOptions,
}

#[boxed::futures]
impl Postgres {
    pub fn open(
        url: &str,
        connections: usize,
        options: PostgresOptions,
        traffic: Arc<TrafficCounters>,
    ) -> Result<Self> {
        let shards = Arc::new(Shards::default());
        let (pool, target) = crate::base::postgres::connect::pool(url, connections, options, Arc::clone(&shards))?;
        Ok(Self {
            pool,
            target,
            shards,
            traffic,
            looked_after: AtomicU64::new(0),
            caps: TenantCaps::new(connections / 2),
            requests: Arc::new(Semaphore::new(connections - connections / 4)),
            options,
        })
    }

    pub fn plans_each_time(&self) -> bool {
        !self.options.prepared || self.shards.is_distributed()
    }

    /// Waits until the tenant and all requests together use fewer connections than they may, then for a connection.
    /// Fails after `WAIT`.
    pub async fn client(&self) -> Result<PooledClient> {
        let server = self.target.server();
        let too_late = |_| Err(Error::Unavailable(format!("no connection to {server} was free within {WAIT:?}")));
        tokio::time::timeout(WAIT, self.next_client()).await.unwrap_or_else(too_late)
    }

    async fn next_client(&self) -> Result<PooledClient> {
        let turn = self.caps.turn_or_refusal(MOST_WAITING).await?;
        let request = match party() {
            Some(_) => Arc::clone(&self.requests).acquire_owned().await.ok(),
            None => None,
        };
        let client = self.pool.get().await.map_err(|error| Error::Unavailable(self.target.explain(&error)))?;
        Ok(PooledClient::new(client, self.options, (turn, request)))
    }

    pub async fn fetch_all(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<PgRow>> {
        if statement.tenantless_reason().is_some()
            && self.shards.is_distributed()
            && CrossRead::of(statement) != CrossRead::Whole
        {
            return self.fetch_across(statement, params).await;
        }
        self.fetch_whole(statement, params).await
    }

    /// A read across tenants of a distributed database: without the tenants of workers that are away (`shards.rs`).
    fn fetch_across<'a>(
        &'a self,
        statement: &'a Statement,
        params: &'a [Param<'a>],
    ) -> BoxFuture<'a, Result<Vec<PgRow>>> {
        Box::pin(async move {
            if self.shards.is_look_due() {
                self.look_at_workers().await?;
            }
            if !self.shards.away().is_empty() {
                return self.fetch_reachable(statement, params).await;
            }
            match self.fetch_whole(statement, params).await {
                Err(Error::Unavailable(reason)) => {
                    self.look_at_workers().await?;
                    if self.shards.away().is_empty() {
                        return Err(Error::Unavailable(reason));
                    }
                    self.fetch_reachable(statement, params).await
                }
                outcome => outcome,
            }
        })
    }

    async fn look_at_workers(&self) -> Result<()> {
        let rows = self.fetch_whole(&WORKERS, &[]).await?;
        let (before, now) = (self.shards.away(), away_in(&rows)?);
        if before.is_empty() && !now.is_empty() {
            let workers = now.join(", ");
            tracing::error!(workers, "a part of the database is away: its tenants' requests fail with 503");
        } else if !before.is_empty() && now.is_empty() {
            tracing::info!("all of the database is there again");
        }
        self.shards.note_away(now);
        Ok(())
    }

    /// The rows of the tenants on the workers that respond. For tests also while all do.
    pub(crate) async fn fetch_reachable(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<PgRow>> {
        let away = self.shards.away();
        let client = self.client().await?;
        let rows = reachable::fetch(&client, &away, statement, params).await;
        client.give_back();
        let rows = rows?;
        self.count(params, rows.len());
        if rows.is_empty() && CrossRead::of(statement) == CrossRead::LookUp {
            let workers = away.join(", ");
            return Err(Error::Unavailable(format!("{}: not found, and {workers} is away", statement.name())));
        }
        Ok(rows)
    }

    fn count(&self, params: &[Param<'_>], rows: usize) {
        self.traffic.statements(1);
        self.traffic.round_trip();
        self.traffic.sent(params);
        self.traffic.read(rows);
    }

    async fn fetch_whole(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<PgRow>> {
        let client = self.client().await?;
        let rows = async {
            let prepared = client.prepare(statement).await?;
            client.fetch_alone(prepared.as_ref(), statement, params).await
        };
        let rows = rows.await;
        client.give_back();
        let rows = rows?;
        self.count(params, rows.len());
        Ok(rows)
    }

    pub async fn prepare(&self, statement: &Statement) -> Result<()> {
        self.client().await?.prepare(statement).await.map(drop)
    }

    pub async fn explain(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<String>> {
        let client = self.client().await?;
        let plan = client
            .query(&format!("EXPLAIN {}", statement.for_postgres()), &crate::base::postgres::client::refs(params))
            .await;
        let plan = plan.map_err(|error| Error::postgres(statement.name(), &error))?;
        plan.iter().map(|line| line.try_get(0).map_err(|_| Error::Column(0))).collect()
    }

    pub async fn write(&self, transaction: &dyn Transaction, notes: &TxNotes) -> Result<Ended> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.attempt(transaction, notes).await {
                Ok(Ended::Conflicted) if tries < TRIES => pause_after(tries).await,
                Err(error) if tries < TRIES && error.is_transient() => pause_after(tries).await,
                ended => return ended,
            }
        }
    }

    /// Runs a transaction of these statements; returns the rows of each.
    pub async fn write_list(&self, list: &[BoundStatement]) -> Result<Vec<Vec<PgRow>>> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.begin().await?.run_list(list).await {
                Err(error) if tries < TRIES && error.is_transient() => pause_after(tries).await,
                outcome => return outcome,
            }
        }
    }

    pub(crate) async fn begin(&self) -> Result<PgTransaction<'_>> {
        Ok(PgTransaction::new(self.client().await?, &self.traffic, &self.shards))
    }

    /// Runs a body and rolls back.
    pub async fn preview(&self, transaction: &dyn Transaction, notes: &TxNotes) -> Result<Ended> {
        let tx = self.begin().await?;
        let ended = body_in(&tx, transaction, notes).await;
        tx.end(false).await?;
        ended
    }

    async fn attempt(&self, transaction: &dyn Transaction, notes: &TxNotes) -> Result<Ended> {
        let tx = self.begin().await?;
        let ended = body_in(&tx, transaction, notes).await;
        tx.end(matches!(ended, Ok(Ended::Done))).await?;
        ended
    }
}

async fn pause_after(tries: u32) {
    let most = 5_u64 << tries;
    tokio::time::sleep(Duration::from_millis(rand::random_range(1..=most))).await;
}

/// A separate function, so that the borrow of the transaction ends before the commit.
async fn body_in<'t>(tx: &'t PgTransaction<'t>, transaction: &dyn Transaction, notes: &'t TxNotes) -> Result<Ended> {
    notes.forget_audit();
    let mut body_tx = Tx(TxOf::Postgres(tx), notes);
    let ended = transaction.run(&mut body_tx).await;
    if ended == Ended::Done
        && let Some(finish) = notes.take_before_commit()
    {
        finish(&mut Tx(TxOf::Postgres(tx), notes)).await?;
    }
    Ok(ended)
}
