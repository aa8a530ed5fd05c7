//! PostgreSQL: pooled connections, prepared statements, and transactions that run again after a conflict with another
//! one: a serialization failure, a deadlock, a duplicate key, or a body that asks for it (`TryAgain`).

use std::time::Duration;

use deadpool_postgres::{Hook, Manager, ManagerConfig, Pool, RecyclingMethod};
use futures_util::future::try_join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row as PgRow, Statement as Prepared};

use crate::error::with_cause;
use crate::tx::{AppendedTo, Body, Tx, TxOf};
use crate::value::RowOf;
use crate::{Error, Failure, Param, Result, Row, Statement};

/// Most runs of a transaction, the first included; then the caller gets the error of the last. The pauses between them
/// are random, up to 10 ms after the first run, and up to twice as long after each further one.
const TRIES: u32 = 8;

/// Without this setting PostgreSQL prefers custom plans for a bound LIMIT and plans every page again, which takes
/// longer than reading the page.
const PLAN_ONCE: &str = "SET plan_cache_mode = force_generic_plan";

#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
}

impl Postgres {
    pub fn open(url: &str, connections: usize) -> Result<Self> {
        let config: tokio_postgres::Config =
            url.parse().map_err(|error: tokio_postgres::Error| Error::Unavailable(with_cause(&error)))?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config, tls()?, recycling);
        let pool = Pool::builder(manager)
            .max_size(connections)
            .runtime(deadpool_postgres::Runtime::Tokio1)
            .wait_timeout(Some(Duration::from_secs(10)))
            .create_timeout(Some(Duration::from_secs(10)))
            .post_create(Hook::async_fn(|client, _| {
                Box::pin(async move {
                    // Compatible databases may lack the setting, and then plan as usual.
                    let _ = client.batch_execute(PLAN_ONCE).await;
                    Ok(())
                })
            }))
            .build();
        Ok(Self { pool: pool.map_err(|error| Error::Unavailable(error.to_string()))? })
    }

    pub async fn client(&self) -> Result<deadpool_postgres::Object> {
        self.pool.get().await.map_err(|error| Error::Unavailable(with_cause(&error)))
    }

    pub async fn each(
        &self,
        statement: &Statement,
        params: &[Param<'_>],
        visit: &mut (dyn FnMut(&Row<'_>) -> Result<()> + Send),
    ) -> Result<()> {
        let client = self.client().await?;
        let prepared = prepared_on(&client, statement).await?;
        for pg in fetch(&**client, &prepared, statement, params).await? {
            visit(&row(&pg))?;
        }
        Ok(())
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

    async fn attempt<I: Sync, T, E: Failure>(
        &self,
        input: &I,
        body: &impl Body<I, T, E>,
        appended: &AppendedTo,
    ) -> Result<T, E> {
        let mut client = self.client().await?;
        let tx = client.transaction().await.map_err(|error| Error::postgres("begin", &error))?;
        let outcome = body_in(&tx, input, body, appended).await;
        if outcome.is_ok() {
            tx.commit().await.map_err(|error| Error::postgres("commit", &error))?;
        } else {
            tx.rollback().await.map_err(|error| Error::postgres("rollback", &error))?;
        }
        outcome
    }
}

/// A separate function, so that the borrow of the transaction ends before the commit.
async fn body_in<'t, I: Sync, T, E: Failure>(
    tx: &'t deadpool_postgres::Transaction<'t>,
    input: &I,
    body: &impl Body<I, T, E>,
    appended: &'t AppendedTo,
) -> Result<T, E> {
    let mut tx = Tx(TxOf::Postgres(tx), appended);
    body(&mut tx, input).await
}

/// `sslmode` in the URL decides whether TLS is used; without it, TLS is used if the server offers it. Certificates are
/// checked against the authorities of the system.
fn tls() -> Result<tokio_postgres_rustls::MakeRustlsConnect> {
    use rustls_platform_verifier::BuilderVerifierExt as _;
    let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let unavailable = |error: rustls::Error| Error::Unavailable(error.to_string());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unavailable)?
        .with_platform_verifier()
        .map_err(unavailable)?
        .with_no_client_auth();
    Ok(tokio_postgres_rustls::MakeRustlsConnect::new(config))
}

async fn prepared_on(client: &deadpool_postgres::Object, statement: &Statement) -> Result<Prepared> {
    let prepared = client.prepare_cached(statement.for_postgres()).await;
    prepared.map_err(|error| Error::postgres(statement.name(), &error))
}

pub(crate) async fn prepared_in(tx: &deadpool_postgres::Transaction<'_>, statement: &Statement) -> Result<Prepared> {
    let prepared = tx.prepare_cached(statement.for_postgres()).await;
    prepared.map_err(|error| Error::postgres(statement.name(), &error))
}

pub(crate) async fn fetch(
    client: &(impl tokio_postgres::GenericClient + Sync),
    prepared: &Prepared,
    statement: &Statement,
    params: &[Param<'_>],
) -> Result<Vec<PgRow>> {
    let rows = client.query(prepared, &refs(params)).await;
    rows.map_err(|error| Error::postgres(statement.name(), &error))
}

pub(crate) async fn execute(
    client: &(impl tokio_postgres::GenericClient + Sync),
    prepared: &Prepared,
    statement: &Statement,
    params: &[Param<'_>],
) -> Result<u64> {
    let changed = client.execute(prepared, &refs(params)).await;
    changed.map_err(|error| Error::postgres(statement.name(), &error))
}

/// Sends all rows before it awaits the first answer: one round trip for the whole batch.
pub(crate) async fn pipeline<'p>(
    client: &(impl tokio_postgres::GenericClient + Sync),
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
