//! Schedules a webhook of any content: for notifications that the sandbox does not simulate.

use app::{Error, Result};
use domain::{ChannelId, Field, TenantId};
use serde::Serialize;

use crate::core::act::Act;
use crate::{Change, Sandbox, schedule};

const LONGEST_FIELD: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxInjected)]
pub struct Injected {
    pub id: String,
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    pub channel_id: ChannelId,
}

#[boxed::futures]
impl Sandbox {
    /// Schedules a signed webhook with this change, unmodified and due now, to the hook of the channel (id, name or
    /// number), or of the default channel.
    pub async fn inject(&self, tenant: TenantId, channel: Option<&str>, change: Change) -> Result<Injected> {
        if change.field.is_empty() || change.field.len() > LONGEST_FIELD || Act::is(&change) {
            return Err(Error::invalid(Field::WebhookField, "expected the name of a webhook field, such as messages"));
        }
        if !change.value.is_object() {
            return Err(Error::invalid(Field::Value, "expected an object"));
        }
        let channel_id = self.sandbox_channel(tenant, channel).await?.id;
        let id = self.ids().other("inject");
        let input = (tenant, channel_id, self.now(), self.due_key(&id), change);
        let write = self.db().write(input, |tx, (tenant, channel, at, key, change)| {
            Box::pin(schedule(tx, *tenant, *channel, *at, key, change))
        });
        write.await?;
        self.wake();
        Ok(Injected { id, channel_id })
    }
}
