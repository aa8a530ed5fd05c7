//! Numbers: what was appended gets its place in the log of its tenant, in batches. One node leads a log at a time; the row
//! that names the leader has the number too, so two who lead at once would still follow each other.

use domain::{TenantId, Timestamp};
use store::Db;

use super::Events;

/// Facts that get their numbers in one transaction.
const BATCH: i64 = 2000;
/// Whoever leads and is gone is waited for so long.
const LEASE_SECONDS: i64 = 3;
/// Clocks of nodes differ; a log that moved is looked for so far back.
const BACK_SECONDS: i64 = 5;

impl Events<'_> {
    /// Gives numbers to what transactions of this process have appended.
    pub async fn number_own(&self) -> store::Result<()> {
        for tenant in self.0.db().take_appended() {
            while self.number_log(tenant).await? {}
        }
        Ok(())
    }

    /// Gives numbers to whatever has none, whoever appended it.
    pub async fn number(&self) -> store::Result<()> {
        for tenant in store::events::waiting(self.0.db()).await? {
            while self.number_log(tenant).await? {}
        }
        Ok(())
    }

    /// One batch of one log. Answers whether there was anything.
    pub async fn number_log(&self, tenant: TenantId) -> store::Result<bool> {
        let app = self.0;
        let reached = number(app.db(), tenant, app.node_name().to_owned(), app.now()).await?;
        if let Some(last) = reached {
            app.heads().reached(tenant, last);
        }
        Ok(reached.is_some())
    }

    /// Hears of logs that other nodes have moved.
    pub async fn look(&self) -> store::Result<()> {
        let since = self.0.now().plus_seconds(-BACK_SECONDS);
        for (tenant, last) in store::events::moved_since(self.0.db(), since).await? {
            self.0.heads().reached(tenant, last);
        }
        Ok(())
    }
}

async fn number(db: &Db, tenant: TenantId, node: String, now: Timestamp) -> store::Result<Option<i64>> {
    db.write((tenant, node, now), |tx, (tenant, node, now)| {
        Box::pin(async move {
            let until = now.plus_seconds(LEASE_SECONDS);
            let Some(last) = store::events::lead(tx, *tenant, node, *now, until).await? else { return Ok(None) };
            store::events::number(tx, *tenant, last, BATCH, *now).await
        })
    })
    .await
}
