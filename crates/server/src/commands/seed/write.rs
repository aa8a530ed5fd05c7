//! Writes seeded calls: one thread generates a batch while the database writes the previous ones.

use app::App;
use domain::TenantId;
use domain::calls::Call;
use store::Db;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::generator::CallGenerator;
use super::plan::Plan;
use super::staff;

/// Calls per transaction: few enough that a server on the same database gets its turn in between.
const BATCH: usize = 2000;
/// Maximum number of batches that wait for the database.
const READY: usize = 4;

/// Result of seeding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeded {
    /// Calls that did not exist before.
    pub added: u64,
    pub operators: usize,
}

/// Adds the calls of the plan and missing operators. Calls `progress` with the number of processed calls.
pub async fn fill(app: &App, plan: Plan, progress: impl Fn(u64)) -> anyhow::Result<Seeded> {
    let staff = staff::ensure_operators(app, plan).await?;
    let operators = staff.len();
    let (send, ready) = mpsc::channel(READY);
    let maker = tokio::task::spawn_blocking(move || {
        let mut calls = CallGenerator::new(plan, staff);
        loop {
            let batch: Vec<Call> = calls.by_ref().take(BATCH).collect();
            // A closed channel means that the database failed; `write_all` returns the error.
            if batch.is_empty() || send.blocking_send(batch).is_err() {
                return;
            }
        }
    });
    let added = write_all(app.db(), plan.tenant, ready, progress).await?;
    maker.await?;
    Ok(Seeded { added, operators })
}

async fn write_all(
    db: &Db,
    tenant: TenantId,
    mut ready: mpsc::Receiver<Vec<Call>>,
    progress: impl Fn(u64),
) -> anyhow::Result<u64> {
    let (mut done, mut added) = (0, 0);
    let mut writing = JoinSet::new();
    loop {
        let batch = ready.recv().await;
        let last = batch.is_none();
        if let Some(batch) = batch {
            writing.spawn(write(db.clone(), tenant, batch));
        }
        while writing.len() >= at_once(db) || (last && !writing.is_empty()) {
            let Some(written) = writing.join_next().await else { break };
            let (size, new) = written??;
            done += size;
            added += new;
            progress(done);
        }
        if last {
            return Ok(added);
        }
    }
}

/// Number of batches that are written at once: SQLite has one writer, PostgreSQL writes two in parallel.
fn at_once(db: &Db) -> usize {
    match db.engine() {
        store::Engine::Sqlite => 1,
        store::Engine::Postgres => 2,
    }
}

async fn write(db: Db, tenant: TenantId, batch: Vec<Call>) -> store::Result<(u64, u64)> {
    let size = u64::try_from(batch.len()).unwrap_or(0);
    let insert = db.write((tenant, batch), |tx, (tenant, batch): &(TenantId, Vec<Call>)| {
        Box::pin(async move { store::calls::insert_many(tx, *tenant, batch).await })
    });
    Ok((size, insert.await?))
}
