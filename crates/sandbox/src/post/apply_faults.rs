//! Applies faults on webhooks: decides from the stored faults what to do with the due rows of a channel.

use domain::{TenantId, Timestamp};
use store::platform::sandbox::due::Due;
use store::platform::sandbox::records::{self, Kind};

use super::envelope::EntryLayout;
use crate::core::records::parsed;
use crate::{Fault, FaultKind, Sandbox, fault};

/// Maximum number of changes per webhook without a batch fault.
const TOGETHER: usize = 25;
/// How long after its due time the first change waits for more: for a full batch, or for a second change to reorder.
const BATCH_WAIT_SECONDS: i64 = 5;
const MANY_COPIES: u32 = 10;

/// What to do with the rows of a channel.
#[derive(Debug)]
pub enum PostingPlan {
    /// Wait for more rows, at most until this time.
    Wait(Timestamp),
    /// Post all rows later.
    Delay { millis: i64 },
    /// Post the first `take` rows now.
    Post { take: usize, layout: EntryLayout, backwards: bool, copies: u32 },
}

impl Sandbox {
    pub(super) async fn plan(&self, tenant: TenantId, due: &[Due], now: Timestamp) -> store::Result<PostingPlan> {
        let records = records::list(self.db(), tenant, Kind::Fault).await?;
        let faults: Vec<Fault> = records.iter().filter_map(parsed).collect();
        let first = |fits: &dyn Fn(&FaultKind) -> bool| faults.iter().find(|fault| fits(&fault.kind)).cloned();
        // Rows that were postponed before are not delayed again.
        let fresh = due.iter().all(|row| row.tries == 0);
        if let Some(fault) = first(&|one| matches!(one, FaultKind::Delay { .. })).filter(|_| fresh) {
            return self.delay(tenant, fault).await;
        }
        let batch = first(&|one| matches!(one, FaultKind::Batch { .. }));
        let reorder = first(&|one| matches!(one, FaultKind::Reorder));
        let wanted = wanted(batch.as_ref(), reorder.as_ref());
        let wait_until = due.first().map_or(now, |row| row.at.plus_seconds(BATCH_WAIT_SECONDS));
        if due.len() < wanted && now < wait_until {
            return Ok(PostingPlan::Wait(wait_until));
        }
        let duplicate = first(&|one| matches!(one, FaultKind::Duplicate { .. }));
        let batched = self.used(tenant, batch).await?;
        let reordered = self.used(tenant, reorder.filter(|_| due.len() > 1)).await?;
        let doubled = self.used(tenant, duplicate).await?;
        Ok(PostingPlan::Post {
            take: if batched.is_some() { wanted } else { TOGETHER },
            layout: if batched.is_some() { EntryLayout::OnePerChange } else { EntryLayout::OneForAll },
            backwards: reordered.is_some(),
            copies: doubled.map_or(1, |kind| copies(&kind)),
        })
    }

    async fn delay(&self, tenant: TenantId, fault: Fault) -> store::Result<PostingPlan> {
        let used = self.used(tenant, Some(fault)).await?;
        let millis = if let Some(FaultKind::Delay { millis }) = used { millis } else { 0 };
        Ok(PostingPlan::Delay { millis })
    }

    /// Counts one use of the fault; `None` when there is no fault or it was cleared meanwhile.
    async fn used(&self, tenant: TenantId, wanted: Option<Fault>) -> store::Result<Option<FaultKind>> {
        let Some(wanted) = wanted else { return Ok(None) };
        let input = (tenant, self.now(), wanted.id);
        let take = self.db().write(input, |tx, (tenant, now, id)| {
            Box::pin(async move { fault::consume(tx, *tenant, *now, &|fault| fault.id == *id).await })
        });
        Ok(take.await?.map(|fault| fault.kind))
    }
}

fn wanted(batch: Option<&Fault>, reorder: Option<&Fault>) -> usize {
    match (batch.map(|fault| &fault.kind), reorder) {
        (Some(FaultKind::Batch { size }), _) => usize::try_from(*size).unwrap_or(usize::MAX).max(1),
        (_, Some(_)) => 2,
        _ => 1,
    }
}

fn copies(kind: &FaultKind) -> u32 {
    if let FaultKind::Duplicate { copies } = kind { (*copies).clamp(1, MANY_COPIES) } else { 1 }
}
