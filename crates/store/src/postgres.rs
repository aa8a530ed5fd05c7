//! PostgreSQL: pooled connections, prepared statements, and transactions that run again after a conflict with another
//! one: a serialization failure, a deadlock, a duplicate key, or a body that asks for it (`TryAgain`).
//!
//! `BEGIN` travels together with the first statement of a transaction, and many rows are one statement over arrays
//! (`arrays.rs`): a round trip costs as much as a statement.

pub(crate) mod arrays;
mod statistics;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::{Hook, Manager, ManagerConfig, Object, Pool, RecyclingMethod};
use futures_util::future::{join, try_join_all};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row as PgRow, Statement as Prepared};

use crate::audit::write_chained;
use crate::error::with_cause;
use crate::traffic::TrafficCounters;
use crate::turns::{TenantCaps, Turn};
use crate::tx::{AppendedTo, Body, Tx, TxOf};
use crate::value::RowOf;
use crate::{Error, Failure, Param, Result, Row, Statement};

/// Most runs of a transaction, the first included; then the caller gets the error of the last. The pauses between them
/// are random, up to 10 ms after the first run, and up to twice as long after each further one.
const TRIES: u32 = 8;
/// Longest wait for a connection.
const WAIT: Duration = Duration::from_secs(10);

/// How a connection plans.
///
/// - A statement is planned once: PostgreSQL would otherwise prefer custom plans for a bound LIMIT and plan every page
///   again, which takes longer than reading the page. Citus, an extension that distributes a database by tenant, needs
///   the values to find the tenant's node.
/// - An index wherever one fits: every statement is made for one (`tests/storage/plans.rs`), and a plan that was made
///   for a small table is kept while the table grows. For the same reason `random_page_cost` is that of an SSD.
/// - No compilation of plans: without sequential scans, one that cannot be avoided has such a high estimated cost that
///   PostgreSQL would compile its plan.
const SETTINGS: &str = "SELECT set_config('plan_cache_mode', CASE WHEN EXISTS
        (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN 'auto' ELSE 'force_generic_plan' END, false),
    set_config('enable_seqscan', 'off', false), set_config('random_page_cost', '1.1', false),
    set_config('jit', 'off', false)";

#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
    traffic: Arc<TrafficCounters>,
    /// How many rows this process had written when it last looked at the sizes of tables.
    looked_after: AtomicU64,
    /// Each tenant may use half of the connections, so that no tenant takes all of them.
    caps: TenantCaps,
}

/// A connection in use, within its tenant's cap.
#[derive(Debug)]
pub(crate) struct PooledClient {
    client: Object,
    _turn: Turn,
}

impl Deref for PooledClient {
    type Target = Object;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

impl DerefMut for PooledClient {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.client
    }
}

impl Postgres {
    pub fn open(url: &str, connections: usize, traffic: Arc<TrafficCounters>) -> Result<Self> {
        let config: tokio_postgres::Config =
            url.parse().map_err(|error: tokio_postgres::Error| Error::Unavailable(with_cause(&error)))?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config, tls()?, recycling);
        let pool = Pool::builder(manager)
            .max_size(connections)
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(Duration::from_secs(10)))
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move {
                    // Compatible databases may lack a setting, and then plan as usual.
                    let _ = client.batch_execute(SETTINGS).await;
                    Ok(())
                })
            }))
            .build();
        let pool = pool.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { pool, traffic, looked_after: AtomicU64::new(0), caps: TenantCaps::new(connections / 2) })
    }

    /// Waits until the tenant uses fewer connections than its cap, then for a connection. Fails after `WAIT` for
    /// either.
    pub async fn client(&self) -> Result<PooledClient> {
        let turn = tokio::time::timeout(WAIT, self.caps.turn()).await;
        let turn =
            turn.map_err(|_| Error::Unavailable("the tenant's own work takes all of its connections".to_owned()))?;
        let client = self.pool.get().await.map_err(|error| Error::Unavailable(with_cause(&error)))?;
        Ok(PooledClient { client, _turn: turn })
    }

    pub async fn each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        visit: &mut (dyn FnMut(&Row<'_>) -> Result<()> + Send),
    ) -> Result<()> {
        let client = self.client().await?;
        let prepared = prepared_on(&client, statement).await?;
        let rows = fetch(&client, &prepared, statement, params).await?;
        self.traffic.statements(1);
        self.traffic.round_trip();
        self.traffic.sent(params);
        self.traffic.read(rows.len());
        rows.iter().try_for_each(|pg| visit(&row(pg)))
    }

    pub async fn prepare(&self, statement: &Statement) -> Result<()> {
        let client = self.client().await?;
        prepared_on(&client, statement).await.map(drop)
    }

    pub async fn explain(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<String>> {
        let client = self.client().await?;
        let plan = client.query(&format!("EXPLAIN {}", statement.for_postgres()), &refs(params)).await;
        let plan = plan.map_err(|error| Error::postgres(statement.name(), &error))?;
        plan.iter().map(|line| line.try_get(0).map_err(|_| Error::Column(0))).collect()
    }

    pub async fn write<I, T, E>(&self, input: I, body: impl Body<I, T, E>, appended: &AppendedTo) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.attempt(&input, &body, appended).await {
                Err(error) if tries < TRIES && error.store_error().is_some_and(Error::is_transient) => {
                    let most = 5_u64 << tries;
                    tokio::time::sleep(Duration::from_millis(rand::random_range(1..=most))).await;
                }
                outcome => return outcome,
            }
        }
    }

    pub(crate) async fn begin(&self) -> Result<PgTransaction<'_>> {
        Ok(PgTransaction::new(self.client().await?, &self.traffic))
    }

    /// Runs a body and rolls back.
    pub async fn preview<I, T, E>(&self, input: I, body: impl Body<I, T, E>, appended: &AppendedTo) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: Failure,
    {
        let tx = self.begin().await?;
        let outcome = body_in(&tx, &input, &body, appended).await;
        tx.end(false).await?;
        outcome
    }

    async fn attempt<I: Sync, T, E: Failure>(
        &self,
        input: &I,
        body: &impl Body<I, T, E>,
        appended: &AppendedTo,
    ) -> Result<T, E> {
        let tx = self.begin().await?;
        let outcome = body_in(&tx, input, body, appended).await;
        tx.end(outcome.is_ok()).await?;
        outcome
    }
}

/// A separate function, so that the borrow of the transaction ends before the commit.
async fn body_in<'t, I: Sync, T, E: Failure>(
    tx: &'t PgTransaction<'t>,
    input: &I,
    body: &impl Body<I, T, E>,
    appended: &'t AppendedTo,
) -> Result<T, E> {
    appended.forget_audit();
    let mut body_tx = Tx(TxOf::Postgres(tx), appended);
    let outcome = body(&mut body_tx, input).await?;
    if appended.has_audit() {
        write_chained(&mut Tx(TxOf::Postgres(tx), appended)).await?;
    }
    Ok(outcome)
}

/// A transaction on a connection of the pool. One that is dropped before its end closes the connection, which rolls it
/// back.
#[derive(Debug)]
pub(crate) struct PgTransaction<'a> {
    client: Option<PooledClient>,
    has_begun: AtomicBool,
    traffic: &'a TrafficCounters,
}

impl<'a> PgTransaction<'a> {
    const fn new(client: PooledClient, traffic: &'a TrafficCounters) -> Self {
        Self { client: Some(client), has_begun: AtomicBool::new(false), traffic }
    }

    fn client(&self) -> Result<&Object> {
        self.client.as_deref().ok_or_else(|| Error::Unavailable("the transaction has ended".to_owned()))
    }

    /// Runs a statement. The first one is sent right behind `BEGIN`, without waiting for the answer to that.
    async fn run<T>(&self, client: &Object, statement: impl Future<Output = Result<T>>) -> Result<T> {
        self.traffic.round_trip();
        if self.has_begun.swap(true, Ordering::Relaxed) {
            return statement.await;
        }
        self.traffic.statements(1);
        let (begun, outcome) = join(client.batch_execute("BEGIN"), statement).await;
        begun.map_err(|error| Error::postgres("begin", &error))?;
        outcome
    }

    pub async fn fetch(&self, statement: &Statement, params: &[Param<'_>]) -> Result<Vec<PgRow>> {
        let client = self.client()?;
        let prepared = prepared_on(client, statement).await?;
        let rows = self.run(client, fetch(client, &prepared, statement, params)).await?;
        self.traffic.statements(1);
        self.traffic.sent(params);
        self.traffic.read(rows.len());
        Ok(rows)
    }

    pub async fn execute(&self, statement: &Statement, params: &[Param<'_>]) -> Result<u64> {
        let client = self.client()?;
        let prepared = prepared_on(client, statement).await?;
        let changed = self.run(client, execute(client, &prepared, statement, params)).await?;
        self.traffic.statements(1);
        self.traffic.sent(params);
        self.traffic.wrote(changed);
        Ok(changed)
    }

    /// Executes a statement for many rows: over arrays where its text allows it, otherwise pipelined.
    pub async fn execute_rows<'p, R>(&self, statement: &Statement, rows: &[R], over_arrays: bool) -> Result<u64>
    where
        R: AsRef<[Param<'p>]> + Sync,
    {
        let client = self.client()?;
        let mut sum = 0;
        for (run, is_long) in arrays::runs(rows) {
            let one = prepared_on(client, statement).await?;
            let text = if over_arrays && is_long { statement.over_arrays(one.params()) } else { None };
            let tenant = run.first().and_then(|row| row.as_ref().first());
            let changed = if let (Some(text), Some(tenant)) = (text, tenant) {
                let prepared = client.prepare_cached(text).await;
                let prepared = prepared.map_err(|error| Error::postgres(statement.name(), &error))?;
                let columns = arrays::columns(run, one.params().len());
                let bound = arrays::bound(tenant, &columns);
                let execute = async {
                    let changed = client.execute(&prepared, &bound).await;
                    changed.map_err(|error| Error::postgres(statement.name(), &error))
                };
                self.traffic.statements(1);
                self.run(client, execute).await?
            } else {
                self.traffic.statements(run.len());
                self.run(client, pipeline(client, &one, statement, run)).await?
            };
            for params in run {
                self.traffic.sent(params.as_ref());
            }
            self.traffic.wrote(changed);
            sum += changed;
        }
        Ok(sum)
    }

    pub async fn end(mut self, commits: bool) -> Result<()> {
        if *self.has_begun.get_mut() {
            let word = if commits { "COMMIT" } else { "ROLLBACK" };
            self.traffic.statements(1);
            self.traffic.round_trip();
            let ended = self.client()?.batch_execute(word).await;
            ended.map_err(|error| Error::postgres(word, &error))?;
            *self.has_begun.get_mut() = false;
        }
        Ok(())
    }
}

impl Drop for PgTransaction<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take()
            && *self.has_begun.get_mut()
        {
            drop(Object::take(client.client));
        }
    }
}

/// `sslmode` in the URL decides whether TLS is used; without it, TLS is used if the server offers it. Certificates are
/// checked against the authorities of the system.
fn tls() -> Result<tokio_postgres_rustls::MakeRustlsConnect> {
    use rustls_platform_verifier::BuilderVerifierExt as _;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let unavailable = |error: rustls::Error| Error::Unavailable(error.to_string());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unavailable)?
        .with_platform_verifier()
        .map_err(unavailable)?
        .with_no_client_auth();
    Ok(tokio_postgres_rustls::MakeRustlsConnect::new(config))
}

async fn prepared_on(client: &Object, statement: &Statement) -> Result<Prepared> {
    let prepared = client.prepare_cached(statement.for_postgres()).await;
    prepared.map_err(|error| Error::postgres(statement.name(), &error))
}

async fn fetch(
    client: &tokio_postgres::Client,
    prepared: &Prepared,
    statement: &Statement,
    params: &[Param<'_>],
) -> Result<Vec<PgRow>> {
    let rows = client.query(prepared, &refs(params)).await;
    rows.map_err(|error| Error::postgres(statement.name(), &error))
}

async fn execute(
    client: &tokio_postgres::Client,
    prepared: &Prepared,
    statement: &Statement,
    params: &[Param<'_>],
) -> Result<u64> {
    let changed = client.execute(prepared, &refs(params)).await;
    changed.map_err(|error| Error::postgres(statement.name(), &error))
}

/// Sends all rows before it awaits the first answer: one round trip for the whole batch.
async fn pipeline<'p>(
    client: &tokio_postgres::Client,
    prepared: &Prepared,
    statement: &Statement,
    rows: &[impl AsRef<[Param<'p>]> + Sync],
) -> Result<u64> {
    let changes = rows.iter().map(|params| execute(client, prepared, statement, params.as_ref()));
    Ok(try_join_all(changes).await?.into_iter().sum())
}

pub(crate) fn row(pg: &PgRow) -> Row<'_> {
    Row(RowOf::Postgres(pg))
}

fn refs<'a>(params: &'a [Param<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}
