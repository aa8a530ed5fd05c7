//! An endpoint with its secrets and custom headers in clear text. The database holds them sealed, each bound to its row
//! and column.

use std::collections::BTreeMap;

use domain::base::keys::{NotSealed, Subkey};
use domain::delivery::events::{Event, EventTypes};
use domain::delivery::webhooks::{Header, Secret, WebhookStatus};
use domain::{ChannelId, TenantId, Timestamp, WebhookId};
use store::delivery::webhooks::StoredWebhook;

use super::post::PostTarget;

#[derive(Debug, Clone)]
pub struct Endpoint {
    pub tenant: TenantId,
    pub id: WebhookId,
    pub url: String,
    pub types: EventTypes,
    pub status: WebhookStatus,
    /// If set, the endpoint gets only events of this channel and events without a channel.
    pub channel_id: Option<ChannelId>,
    /// Whether the events of a conversation are delivered in order.
    pub ordered: bool,
    pub headers: Vec<Header>,
    pub secret: Secret,
    /// The previous secret, which signs besides the present one until this time.
    pub previous_secret: Option<(Secret, Timestamp)>,
    pub max_in_flight: Option<i64>,
    pub max_per_second: Option<i64>,
    /// Why the recorder took the endpoint out of service; none when a client did, or when it is enabled.
    pub reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Endpoint {
    /// Whether the event is delivered to this endpoint: it has one of the endpoint's types and, if both name a channel,
    /// it is of the endpoint's channel.
    pub(super) fn wants(&self, event: &Event) -> bool {
        let is_channel = match (self.channel_id, event.channel_id()) {
            (Some(wanted), Some(channel)) => wanted == channel,
            _ => true,
        };
        is_channel && self.types.contains(event.kind)
    }

    /// The secrets that sign at this time, the present one first.
    fn secrets(&self, now: Timestamp) -> impl Iterator<Item = &Secret> {
        let previous = self.previous_secret.as_ref().filter(|(_, until)| now < *until).map(|(secret, _)| secret);
        std::iter::once(&self.secret).chain(previous)
    }

    /// The URL, headers and secrets for deliveries at this time.
    pub(super) fn target(&self, now: Timestamp) -> PostTarget<'_> {
        PostTarget { url: &self.url, headers: &self.headers, secrets: self.secrets(now).collect() }
    }

    pub(super) fn sealed(&self, key: &Subkey) -> Result<StoredWebhook, NotSealed> {
        let seal = |part: &str, plain: &[u8]| key.seal(&sealing_context(self.tenant, self.id, part), plain);
        let secret = |part: &str, secret: &Secret| seal(part, secret.to_text().as_bytes());
        let headers: BTreeMap<&str, &str> =
            self.headers.iter().map(|header| (header.name.as_str(), header.value.as_str())).collect();
        let headers = serde_json::to_vec(&headers).map_err(|_| NotSealed)?;
        Ok(StoredWebhook {
            tenant: self.tenant,
            id: self.id,
            url: self.url.clone(),
            types: self.types,
            status: self.status,
            channel_id: self.channel_id,
            ordered: self.ordered,
            headers: if self.headers.is_empty() { None } else { Some(seal(HEADERS, &headers)?) },
            secret: secret(SECRET, &self.secret)?,
            previous_secret: self.previous_secret.as_ref().map(|(old, _)| secret(PREVIOUS, old)).transpose()?,
            previous_until: self.previous_secret.as_ref().map(|(_, until)| *until),
            max_in_flight: self.max_in_flight,
            max_per_second: self.max_per_second,
            reason: self.reason.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }

    pub(super) fn opened(keys: &[Subkey], stored: StoredWebhook) -> Result<Self, NotSealed> {
        let (tenant, id) = (stored.tenant, stored.id);
        let open = |part: &str, sealed: &[u8]| {
            let context = sealing_context(tenant, id, part);
            keys.iter().find_map(|key| key.open(&context, sealed).ok()).ok_or(NotSealed)
        };
        let secret = |part: &str, sealed: &[u8]| {
            let plain = open(part, sealed)?;
            std::str::from_utf8(&plain).ok().and_then(|text| Secret::parse(text).ok()).ok_or(NotSealed)
        };
        let previous = stored.previous_secret.as_deref().map(|sealed| secret(PREVIOUS, sealed)).transpose()?;
        let headers = match &stored.headers {
            Some(sealed) => read_headers(&open(HEADERS, sealed)?)?,
            None => Vec::new(),
        };
        Ok(Self {
            tenant,
            id,
            secret: secret(SECRET, &stored.secret)?,
            previous_secret: previous.zip(stored.previous_until),
            headers,
            url: stored.url,
            types: stored.types,
            status: stored.status,
            channel_id: stored.channel_id,
            ordered: stored.ordered,
            max_in_flight: stored.max_in_flight,
            max_per_second: stored.max_per_second,
            reason: stored.reason,
            created_at: stored.created_at,
            updated_at: stored.updated_at,
        })
    }
}

const SECRET: &str = "secret";
const PREVIOUS: &str = "previous_secret";
const HEADERS: &str = "headers";

fn read_headers(plain: &[u8]) -> Result<Vec<Header>, NotSealed> {
    let all: BTreeMap<String, String> = serde_json::from_slice(plain).map_err(|_| NotSealed)?;
    Ok(all.into_iter().map(|(name, value)| Header { name, value }).collect())
}

/// Binds a sealed value to its row and column.
fn sealing_context(tenant: TenantId, id: WebhookId, part: &str) -> Vec<u8> {
    [b"webhook\0", &tenant.number().to_be_bytes()[..], id.bytes(), part.as_bytes()].concat()
}
