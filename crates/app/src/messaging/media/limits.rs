//! How much of what people send is kept: the limits of the installation, or those of a tenant instead.

use super::Media;
use crate::{ActsFor, Error, Result};

/// The limits that apply to a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaLimits {
    /// Most bytes of received files.
    pub quota: u64,
    /// Days that received files are kept; 0: without end.
    pub keep_days: u32,
}

/// The limits that a tenant has of its own. None: the installation's limit applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnLimits {
    pub quota: Option<u64>,
    pub keep_days: Option<u32>,
}

/// How many received files a tenant has stored, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MediaUsage {
    pub bytes: u64,
    pub files: u64,
}

#[boxed::futures]
impl Media<'_> {
    pub async fn limits(&self, caller: &dyn ActsFor) -> Result<MediaLimits> {
        let (own, policy) = (self.own_limits(caller).await?, self.0.media_policy());
        let (quota, keep_days) = (own.quota.unwrap_or(policy.quota), own.keep_days.unwrap_or(policy.keep_days));
        Ok(MediaLimits { quota, keep_days })
    }

    pub async fn own_limits(&self, caller: &dyn ActsFor) -> Result<OwnLimits> {
        let own = store::messaging::media::usage::find(self.0.db(), caller.tenant()).await?;
        let quota = own.quota.and_then(|quota| u64::try_from(quota).ok());
        Ok(OwnLimits { quota, keep_days: own.keep_days.and_then(|days| u32::try_from(days).ok()) })
    }

    pub async fn usage(&self, caller: &dyn ActsFor) -> Result<MediaUsage> {
        let usage = store::messaging::media::usage::find(self.0.db(), caller.tenant()).await?;
        let count = |count: i64| u64::try_from(count).unwrap_or_default();
        Ok(MediaUsage { bytes: count(usage.bytes), files: count(usage.files) })
    }

    pub async fn set_limits(&self, caller: &dyn ActsFor, own: OwnLimits) -> Result<()> {
        self.0.identity().tenants().find(caller.tenant()).await?;
        let quota = own.quota.map(|quota| i64::try_from(quota).unwrap_or(i64::MAX));
        let input = (caller.audit_actor(), caller.tenant(), quota, own.keep_days.map(i64::from), self.0.now());
        let write = self.0.db().write(input, |tx, (actor, tenant, quota, keep_days, now)| {
            Box::pin(async move {
                store::messaging::media::usage::set_limits(tx, *tenant, *quota, *keep_days).await?;
                let details = serde_json::json!({"quota": quota, "keep_days": keep_days});
                actor.record(tx, *tenant, *now, "tenant.set_media_limits", &tenant.to_string(), details).await?;
                Ok::<_, Error>(())
            })
        });
        write.await
    }
}
