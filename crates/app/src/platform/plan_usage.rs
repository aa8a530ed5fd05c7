//! The plan of a tenant, and how much of it is used.

use domain::Timestamp;
use domain::identity::plans::Plan;

use crate::messaging::media::{MediaLimits, MediaUsage};
use crate::platform::Platform;
use crate::{Principal, Result};

#[derive(Debug, Clone)]
pub struct PlanUsage {
    pub plan: Plan,
    /// API calls of the month, including shares that nodes have leased and not used. None: the plan has no limit, so
    /// calls are not counted.
    pub calls: Option<i64>,
    pub month_ends_at: Timestamp,
    pub media: MediaUsage,
    pub media_limits: MediaLimits,
}

#[boxed::futures]
impl Platform {
    pub async fn plan_usage(&self, caller: &Principal) -> Result<PlanUsage> {
        let (tenant, now) = (caller.tenant(), self.now());
        let calls = match caller.plan().monthly_calls {
            Some(_) => Some(self.limiter().calls_of_month(tenant, now).await?),
            None => None,
        };
        Ok(PlanUsage {
            plan: caller.plan().clone(),
            calls,
            month_ends_at: now.next_month(),
            media: self.messaging().media().usage(caller).await?,
            media_limits: self.messaging().media().limits(caller).await?,
        })
    }
}
