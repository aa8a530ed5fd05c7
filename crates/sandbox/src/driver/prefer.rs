//! A person stops or resumes marketing messages.

use app::Result;
use domain::{ChannelId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::sandbox;
use store::platform::sandbox::records::Kind;

use super::ActingPerson;
use crate::core::records::{self, MarketingOptOut};
use crate::notices::people::marketing_preference;
use crate::{Sandbox, schedule};

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prefer {
    /// Whether the business may send marketing messages.
    pub marketing: bool,
    #[serde(default)]
    pub channel: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxPreferred)]
pub struct Preferred {
    /// Whether the business may send marketing messages.
    pub marketing: bool,
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    pub channel_id: ChannelId,
}

#[boxed::futures]
impl Sandbox {
    pub async fn prefer(&self, tenant: TenantId, person: &str, prefer: Prefer) -> Result<Preferred> {
        let actor = self.actor(tenant, person, prefer.channel.as_deref()).await?;
        let preferred = Preferred { marketing: prefer.marketing, channel_id: actor.channel.id };
        let key = self.due_key(&format!("{}:preference", actor.person.bsuid));
        let input = (actor, prefer.marketing, key, self.now());
        self.db()
            .write(input, |tx, (actor, allowed, key, now)| Box::pin(store_preference(tx, actor, *allowed, key, *now)))
            .await?;
        self.wake();
        Ok(preferred)
    }
}

async fn store_preference(
    tx: &mut Tx<'_>,
    actor: &ActingPerson,
    allowed: bool,
    key: &str,
    now: Timestamp,
) -> store::Result<()> {
    let setting = MarketingOptOut::key(actor.person.position);
    if allowed {
        sandbox::records::delete(tx, actor.tenant, Kind::Setting, &setting).await?;
    } else {
        records::write(tx, actor.tenant, Kind::Setting, &setting, &MarketingOptOut { since: now }, now).await?;
    }
    let change = marketing_preference(&actor.number(), &actor.webhook_contact(), allowed, now);
    schedule(tx, actor.tenant, actor.channel.id, now, key, &change).await
}
