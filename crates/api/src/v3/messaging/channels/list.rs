//! `GET /api/ext/v3/channels`: all channels of the tenant.

use app::platform::queues::ChannelTraffic;
use domain::ChannelId;
use domain::messaging::channels::{Channel, ChannelProblem, Quality, TokenCheck};

use crate::prelude::*;

list!(Channels { "channels": ChannelShape });

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Channel)]
pub(crate) struct ChannelShape {
    id: ChannelId,
    #[schema(example = "Support")]
    name: String,
    /// The network's type.
    #[schema(example = "Whatsapp")]
    channel: &'static str,
    /// The network's id for the number.
    #[schema(example = "106540352242922")]
    platform_id: String,
    #[schema(example = true)]
    enabled: bool,
    /// Digits only, with the country code.
    #[schema(example = "14155550100")]
    phone_number: String,
    /// The network's id for the business account that owns the number.
    #[schema(example = "102290129340398")]
    account_id: String,
    /// The network's name on this server: `whatsapp`, `sandbox`, …
    #[schema(example = "whatsapp")]
    network: String,
    /// Whether requests that name no channel use this one.
    #[schema(example = true)]
    is_default: bool,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    created: Timestamp,
    /// The network's latest report on the number's quality.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    quality: Option<ChannelQuality>,
    /// Why the network does not currently serve the number. Messages wait until it does. Absent if all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    problem: Option<ProblemShape>,
    /// The network's latest verdict on the access token, which is checked once a day. Absent until the first check, and
    /// again after the channel changes until the next check.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    token: Option<ChannelToken>,
    /// With `details`: how many messages are waiting to be sent, and when the last one was sent or received.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    traffic: Option<TrafficShape>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChannelQuality {
    /// The network's term: `FLAGGED`, `UNFLAGGED`, `UPGRADE`, `DOWNGRADE`, …
    #[schema(example = "UPGRADE")]
    event: String,
    /// How many people the number may message per day, in the network's terms: `TIER_1K`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "TIER_1K", nullable = false)]
    limit: Option<String>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    at: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChannelToken {
    /// False if the network no longer accepts the token.
    #[schema(example = true)]
    valid: bool,
    /// Absent if the token does not expire or the network does not say.
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    expires_at: Option<Timestamp>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    checked_at: Timestamp,
}

impl From<TokenCheck> for ChannelToken {
    fn from(check: TokenCheck) -> Self {
        Self { valid: check.is_valid, expires_at: check.expires_at, checked_at: check.checked_at }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChannelTraffic)]
pub(crate) struct TrafficShape {
    /// Messages due to be sent. 10 000 means 10 000 or more.
    #[schema(example = 0, minimum = 0, maximum = 10_000)]
    waiting: i64,
    /// When the oldest of them became due.
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    oldest_due_at: Option<Timestamp>,
    /// When the last message was sent or received on the channel.
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_message_at: Option<Timestamp>,
}

members! {
    pub(crate) query ListChannelsQuery from Query {
        /// `true` adds `traffic` to each channel.
        details: Option<bool> = optional_flag["details"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChannelProblem)]
pub(crate) struct ProblemShape {
    /// A description of the cause.
    #[schema(example = "the access token has expired or was withdrawn (code 190): Session has expired")]
    message: String,
    /// The network's error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 190, nullable = false)]
    code: Option<i64>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    since: Timestamp,
}

/// Get channels
///
/// Returns all channels, oldest first.
#[described::path(
    get,
    path = "/api/ext/v3/channels",
    params(ListChannelsQuery),
    responses((status = 200, description = "All channels.", body = Channels)),
)]
pub(crate) async fn list_channels(
    Gated(state, caller): Gated,
    FromQuery(asked): FromQuery<ListChannelsQuery>,
) -> ApiResult<Json<Channels>> {
    let mut channels = Vec::new();
    let checks = state.app.messaging().channels().token_checks(&caller).await?;
    for channel in state.app.messaging().channels().list(&caller).await? {
        let id = channel.id;
        let check = checks.iter().find(|(of, check)| *of == id && check.checked_at >= channel.updated_at);
        let token = check.map(|(_, check)| ChannelToken::from(*check));
        let mut shape = ChannelShape { token, ..ChannelShape::from(channel) };
        if asked.details.unwrap_or_default() {
            shape.traffic = Some(state.app.platform().channel_traffic(&caller, id).await?.into());
        }
        channels.push(shape);
    }
    Ok(Json(List::from_rows(channels)))
}

impl From<ChannelTraffic> for TrafficShape {
    fn from(traffic: ChannelTraffic) -> Self {
        let ChannelTraffic { waiting, oldest_due_at, last_message_at } = traffic;
        Self { waiting, oldest_due_at, last_message_at }
    }
}

impl From<Channel> for ChannelShape {
    fn from(channel: Channel) -> Self {
        let Channel { id, name, phone_number_id, phone_number, account_id, network, is_default, enabled, .. } = channel;
        let quality = channel.quality.map(|Quality { event, limit, at }| ChannelQuality { event, limit, at });
        let (problem, created) = (channel.problem, channel.created_at);
        let problem = problem.map(|ChannelProblem { message, code, since }| ProblemShape { message, code, since });
        Self {
            id,
            name,
            channel: "Whatsapp",
            platform_id: phone_number_id,
            enabled,
            phone_number,
            account_id,
            network,
            is_default,
            created,
            quality,
            problem,
            token: None,
            traffic: None,
        }
    }
}
