//! The environment of a part: a database, a server, the receiver and the endpoints.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use domain::{TenantId, Timestamp, WebhookId};
use serde_json::Value;
use server::commands::seed;

use super::poster::{Numbers, Poster};
use super::receiver::{Manner, Receiver};
use super::spent::{Spent, of_servers, written_by_family};
use super::time::{LOOK_EVERY, TIMEOUT};
use crate::child::{self, Child};
use crate::served::{Database, Prepared, Served};

/// Number of calls that are seeded before the measurement.
const CALLS: u64 = 10_000;
const UNTIL: i64 = 1_776_000_000;
const WEBHOOKS: &str = "/api/ext/v3/webhooks";

/// Fields drop in order. The receiver is first, because a stopping server waits for posts that the receiver leaves
/// unanswered.
#[derive(Debug)]
pub struct World {
    pub receiver: Receiver,
    pub child: Child,
    pub prepared: Prepared,
    pub numbers: Numbers,
}

impl World {
    /// A world with some calls, whose tables are analysed.
    pub async fn new(database: Database) -> Result<Self> {
        let prepared = Served::prepare(database).await?;
        let until = Timestamp::from_seconds(UNTIL);
        prepared.fill(seed::Plan { tenant: TenantId::FIRST, count: CALLS, seed: 1, until }).await?;
        Self::with(prepared)
    }

    /// A world whose database was just created: it plans for empty tables.
    pub async fn on_new_database(database: Database) -> Result<Self> {
        Self::with(Served::prepare(database).await?)
    }

    fn with(prepared: Prepared) -> Result<Self> {
        let receiver = Receiver::start()?;
        Ok(Self { receiver, child: prepared.serve()?, prepared, numbers: Numbers::default() })
    }

    /// The poster of the first tenant.
    pub fn poster(&self, connections: usize) -> Poster {
        self.poster_for(self.prepared.token(), connections)
    }

    pub fn poster_for(&self, token: &str, connections: usize) -> Poster {
        Poster { target: self.child.address, token: token.to_owned(), numbers: self.numbers.clone(), connections }
    }

    /// Adds an endpoint of the first tenant.
    pub async fn listen(&self, manner: Manner, index: u64) -> Result<WebhookId> {
        self.listen_for(self.prepared.token(), manner, index).await
    }

    pub async fn listen_for(&self, token: &str, manner: Manner, index: u64) -> Result<WebhookId> {
        let url = self.receiver.url(manner, index)?;
        let body = format!("{{\"url\":\"{url}\",\"eventTypes\":[\"call.status\"]}}");
        let answer = child::tell(self.child.address, WEBHOOKS, token, &body).await?;
        let answer: Value = serde_json::from_slice(&answer).context("the answer is not JSON")?;
        answer["id"].as_str().and_then(|id| id.parse().ok()).with_context(|| format!("no endpoint was made: {answer}"))
    }

    /// Waits until all appended events have numbers: an endpoint that is created afterwards does not receive them.
    pub async fn numbered(&self) -> Result<()> {
        let since = Instant::now();
        while !store::delivery::events::waiting(&self.prepared.db()).await?.is_empty() {
            ensure!(since.elapsed() < TIMEOUT, "events get no numbers in time");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Waits until the outcome of every event of the first tenant at this endpoint is recorded.
    pub async fn recorded(&self, webhook: WebhookId) -> Result<()> {
        let (db, since) = (self.prepared.db(), Instant::now());
        let last = store::delivery::events::log(&db, TenantId::FIRST).await?.last;
        loop {
            let state = store::delivery::webhooks::dispatch_state::state(&db, TenantId::FIRST, webhook).await?;
            if state.is_some_and(|state| state.position >= last) {
                return Ok(());
            }
            ensure!(since.elapsed() < TIMEOUT, "deliveries are not recorded in time");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    pub fn spent(&self) -> Result<Spent> {
        let rest = self.spent_without_server()?;
        let written = rest.written + written_by_family(self.child.id())?;
        Ok(Spent { server: self.child.processor_time()?, written, ..rest })
    }

    /// What receiver and database alone spent: also works while no server runs.
    pub fn spent_without_server(&self) -> Result<Spent> {
        let processes = self.prepared.database_processes();
        let (database, coordinator) = of_servers(processes)?;
        let written = processes.iter().map(|process| written_by_family(*process)).sum::<Result<u64>>()?;
        Ok(Spent { written, server: Duration::ZERO, receiver: self.receiver.processor_time()?, database, coordinator })
    }

    /// Mean size of a delivered body in bytes.
    pub async fn bytes(&self) -> Result<u64> {
        let tally = self.receiver.tally().await?;
        tally.bytes.checked_div(tally.count).context("nothing was delivered")
    }

    pub fn peak(&self) -> Result<String> {
        Ok(format!("{:.1} MiB", self.child.peak_mebibytes()?))
    }
}
