//! State of a business number at the simulated network: registration and access token. A record of kind `setting`.

use domain::{ChannelId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::platform::sandbox::records::{self, Kind};

use super::Sandbox;
use super::records::{parsed, write};

/// Stored under the key `number:{channel}`. No record: the number is registered and its token valid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberState {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unregistered_since: Option<Timestamp>,
    #[serde(default)]
    pub token: TokenState,
    /// When the token came into its present state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_since: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenState {
    #[default]
    Valid,
    Expired,
    /// The token is genuine but lacks every permission.
    NoPermission,
}

impl TokenState {
    pub const ALL: [Self; 3] = [Self::Valid, Self::Expired, Self::NoPermission];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Expired => "expired",
            Self::NoPermission => "no_permission",
        }
    }
}

fn key(channel: ChannelId) -> String {
    format!("number:{channel}")
}

impl Sandbox {
    pub(crate) async fn number_state(&self, tenant: TenantId, channel: ChannelId) -> store::Result<NumberState> {
        let record = records::get(self.db(), tenant, Kind::Setting, &key(channel)).await?;
        Ok(record.as_ref().and_then(parsed).unwrap_or_default())
    }

    pub(crate) async fn set_number_state(
        &self,
        tenant: TenantId,
        channel: ChannelId,
        state: &NumberState,
    ) -> store::Result<()> {
        let input = (tenant, key(channel), state.clone(), self.now());
        let save = self.db().write(input, |tx, (tenant, key, state, now)| {
            Box::pin(write(tx, *tenant, Kind::Setting, key, state, *now))
        });
        save.await
    }
}
