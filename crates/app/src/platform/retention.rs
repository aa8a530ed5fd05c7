//! Deletes records that are older than their tenant keeps them: the oldest first, in small transactions, so that other
//! writes run in between. Nothing is deleted unless the installation or the tenant has set a number of days.
//!
//! Events and received files have sweeps of their own (`delivery/events/sweep.rs`, `messaging/media/sweep.rs`).

use domain::identity::audit::ChainPosition;
use domain::platform::retention::RetentionKind;
use domain::{Id, MessageId, Place, TenantId, Timestamp};
use store::{BatchSize, Tx};

use crate::base::compute::for_tenant;
use crate::base::tenant_scan::TenantScan;
use crate::platform::Platform;
use crate::{Actor, ActsFor, Command, Error, Result};

/// Most records of one transaction.
const BATCH: usize = 500;
const SECONDS_OF_DAY: i64 = 86_400;
/// A century: more is a mistake.
pub const MAX_DAYS: u32 = 36_500;

#[derive(Debug)]
pub struct RetentionPolicy<'a>(&'a Platform);

/// For how long a tenant keeps a kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptDays {
    pub kind: RetentionKind,
    /// 0: without end.
    pub days: u32,
    /// Whether the tenant has chosen it; otherwise it is the installation's setting.
    pub own: bool,
}

impl Platform {
    pub fn retention(&self) -> RetentionPolicy<'_> {
        RetentionPolicy(self)
    }
}

#[boxed::futures]
impl RetentionPolicy<'_> {
    /// What applies to a tenant, for every kind.
    pub async fn of_tenant(&self, caller: &dyn ActsFor) -> Result<Vec<KeptDays>> {
        let own = store::platform::retention::own(self.0.db(), caller.tenant()).await?;
        let installation = *self.0.kept_days();
        let applies = |kind: &RetentionKind| {
            let chosen = own.iter().find(|(of, _)| of == kind).and_then(|(_, days)| u32::try_from(*days).ok());
            KeptDays { kind: *kind, days: chosen.unwrap_or(installation.days(*kind)), own: chosen.is_some() }
        };
        Ok(RetentionKind::ALL.iter().map(applies).collect())
    }

    /// Sets the days of some kinds for a tenant. None: the installation's setting applies again.
    pub async fn set(&self, caller: &dyn ActsFor, changes: &[(RetentionKind, Option<u32>)]) -> Result<()> {
        self.0.identity().tenants().find(caller.tenant()).await?;
        if let Some((kind, days)) = changes.iter().find(|(_, days)| days.is_some_and(|days| days > MAX_DAYS)) {
            let message = format!("at most {MAX_DAYS} days, not {}", days.unwrap_or_default());
            return Err(Error::invalid(Place::named(kind.name()), message));
        }
        let input = (caller.audit_actor(), caller.tenant(), changes.to_vec(), self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, changes, now)| {
            Box::pin(async move {
                for (kind, days) in changes {
                    store::platform::retention::set_own(tx, *tenant, *kind, days.map(i64::from)).await?;
                }
                let details: serde_json::Map<_, _> =
                    changes.iter().map(|(kind, days)| (kind.name().to_owned(), (*days).into())).collect();
                actor.record(tx, *tenant, *now, "tenant.set_retention", &tenant.to_string(), details.into()).await?;
                Ok::<_, Error>(())
            })
        });
        write.await
    }

    /// Deletes what is older than each tenant keeps it. A failure with one tenant does not stop the others; the first
    /// one is returned. `stopped` is asked between two transactions.
    pub async fn sweep(&self, stopped: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let mut scan = TenantScan::new();
        for tenant in store::identity::tenants::list(self.0.db()).await?.into_iter().map(|tenant| tenant.id) {
            let swept = for_tenant(tenant, self.sweep_tenant(tenant, &stopped)).await;
            if !scan.goes_on_after(tenant, swept) {
                break;
            }
        }
        scan.outcome()
    }

    /// Deletes what is older than this tenant keeps it.
    pub async fn sweep_tenant(&self, tenant: TenantId, stopped: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        for kept in self.of_tenant(&Command(tenant)).await?.into_iter().filter(|kept| kept.days > 0) {
            let before = self.0.now().plus_seconds(-i64::from(kept.days) * SECONDS_OF_DAY);
            let deleted = self.drop_old(tenant, kept.kind, before, stopped).await?;
            if deleted > 0 {
                let count = metrics::counter!("switchboard_retention_deleted_total", "kind" => kept.kind.name());
                count.increment(deleted);
                tracing::info!(%tenant, kind = kept.kind.name(), deleted, "deleted records that are older than they are kept");
            }
        }
        Ok(())
    }

    async fn drop_old(
        &self,
        tenant: TenantId,
        kind: RetentionKind,
        before: Timestamp,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<u64> {
        let (mut deleted, mut after) = (0, Id::from_bytes([0; 12]));
        let mut size = BatchSize::new(self.0.db(), BATCH);
        while !stopped() {
            let limit = size.limit();
            let old = OldRecords { tenant, kind, after, before, limit, now: self.0.now() };
            let ((count, last), took) = self.0.db().write_timed(old, |tx, old| Box::pin(old.delete(tx))).await?;
            deleted += count;
            after = last.unwrap_or(after);
            if count < limit.unsigned_abs() {
                break;
            }
            size.record(took).await;
        }
        Ok(deleted)
    }
}

/// Records of a kind that one transaction deletes: the oldest before a time.
struct OldRecords {
    tenant: TenantId,
    kind: RetentionKind,
    /// The last message that was deleted; other kinds start at the beginning.
    after: MessageId,
    before: Timestamp,
    limit: i64,
    now: Timestamp,
}

impl OldRecords {
    /// Returns how many there were, and the last message.
    async fn delete(&self, tx: &mut Tx<'_>) -> store::Result<(u64, Option<MessageId>)> {
        let Self { tenant, kind, after, before, limit, now } = *self;
        let deleted = match kind {
            RetentionKind::Messages => {
                return store::platform::retention::drop_messages(tx, tenant, (after, before), limit).await;
            }
            RetentionKind::NetworkReports => {
                store::platform::retention::drop_reports(tx, tenant, before, limit).await?
            }
            RetentionKind::Parked => store::platform::retention::drop_parked(tx, tenant, before, limit).await?,
            RetentionKind::Clicks => store::platform::retention::drop_clicks(tx, tenant, before, limit).await?,
            RetentionKind::Audit => {
                let (deleted, base) = store::platform::retention::drop_audit(tx, tenant, before, limit).await?;
                if let Some(ChainPosition { number, hash }) = base {
                    let details = serde_json::json!({"entries": deleted, "through": number, "hash": hash.to_string()});
                    Actor::system().record(tx, tenant, now, "audit.expire", &tenant.to_string(), details).await?;
                }
                deleted
            }
        };
        Ok((deleted, None))
    }
}
