//! Changes a number's state at the network on request: its registration, its access token, and its stored files.

use app::{Error, Result};
use domain::{ChannelId, Field, TenantId};
use serde::{Deserialize, Serialize};
use store::platform::sandbox::records::{self, Kind};

use crate::core::network_state::{NumberState, TokenState};
use crate::{Media, Sandbox};

/// Request to change a number's state; absent members stay as they are.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SetNumber {
    /// Id, name or number of the channel; the default channel if absent.
    pub channel: Option<String>,
    pub registered: Option<bool>,
    /// `valid`, `expired`, `no_permission`.
    pub token: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxNumber)]
pub struct NumberView {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    pub channel_id: ChannelId,
    #[schema(example = "14155550100")]
    pub phone_number: String,
    /// Whether the number can send and call. If not, the network returns code 133010.
    pub registered: bool,
    /// The channel's access token: `valid`, `expired` (code 190) or `no_permission` (code 10 for messages, files and
    /// calls, code 200 for everything else).
    #[schema(example = "valid")]
    pub token: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxForgotten)]
pub struct ForgottenMedia {
    /// The number of files that the network has forgotten.
    #[schema(example = 1)]
    pub forgotten: u64,
}

impl SetNumber {
    fn token(&self) -> Result<Option<TokenState>> {
        let Some(word) = self.token.as_deref() else { return Ok(None) };
        let found = TokenState::ALL.into_iter().find(|state| state.name() == word);
        found.map(Some).ok_or_else(|| Error::invalid(Field::Token, "expected valid, expired or no_permission"))
    }
}

#[boxed::futures]
impl Sandbox {
    pub async fn set_number(&self, tenant: TenantId, wanted: SetNumber) -> Result<NumberView> {
        let token = wanted.token()?;
        let channel = self.sandbox_channel(tenant, wanted.channel.as_deref()).await?;
        let (before, now) = (self.number_state(tenant, channel.id).await?, self.now());
        let mut state = before.clone();
        if let Some(registered) = wanted.registered {
            state.unregistered_since = (!registered).then(|| before.unregistered_since.unwrap_or(now));
        }
        if let Some(token) = token.filter(|token| *token != before.token) {
            (state.token, state.token_since) = (token, Some(now));
        }
        if state != before {
            self.set_number_state(tenant, channel.id, &state).await?;
        }
        let NumberState { unregistered_since, token, .. } = state;
        let registered = unregistered_since.is_none();
        Ok(NumberView { channel_id: channel.id, phone_number: channel.phone_number, registered, token: token.name() })
    }

    /// Deletes a file from the simulated network, or without `id` all files of the tenant, as if they had expired
    /// there. An unknown id is an error.
    pub async fn forget_media(&self, tenant: TenantId, id: Option<String>) -> Result<ForgottenMedia> {
        let named = id.is_some();
        let ids = match id {
            Some(id) => vec![id],
            None => records::list(self.db(), tenant, Kind::Media).await?.into_iter().map(|record| record.key).collect(),
        };
        let mut forgotten = 0;
        for id in ids {
            let write = self.db().write((tenant, id), |tx, (tenant, id)| Box::pin(Media::remove(tx, *tenant, id)));
            forgotten += u64::from(write.await?);
        }
        if named && forgotten == 0 {
            return Err(Error::invalid(Field::Id, "there is no such file"));
        }
        Ok(ForgottenMedia { forgotten })
    }
}
