//! `GET /api/ext/v3/channels`: all channels of the tenant.

use axum::Json;
use axum::extract::State;
use domain::channels::{Channel, ChannelProblem};
use domain::{ChannelId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Channels {
    channels: Vec<ChannelShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Channel)]
pub(crate) struct ChannelShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: ChannelId,
    #[schema(example = "Support")]
    name: String,
    /// The kind of network.
    #[schema(example = "Whatsapp")]
    channel: &'static str,
    /// The network's id of the number.
    #[schema(example = "106540352242922")]
    platform_id: String,
    #[schema(example = true)]
    enabled: bool,
    /// Why the network does not serve the number at present; left out when all is in order. Messages wait meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    problem: Option<ProblemShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChannelProblem)]
pub(crate) struct ProblemShape {
    /// The cause in words.
    #[schema(example = "the access token has expired or was withdrawn (code 190): Session has expired")]
    message: String,
    /// The network's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 190, nullable = false)]
    code: Option<i64>,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2026-04-24T10:00:00.000Z")]
    since: Timestamp,
}

/// Get channels
///
/// Oldest first.
#[utoipa::path(
    get,
    path = "/api/ext/v3/channels",
    tag = "channels",
    responses((status = 200, description = "All channels.", body = Channels)),
)]
pub(crate) async fn list_channels(State(state): State<ApiState>, caller: Caller) -> ApiResult<Json<Channels>> {
    let channels = state.app.channels().list(&caller).await?;
    Ok(Json(Channels { channels: channels.into_iter().map(ChannelShape::from).collect() }))
}

impl From<Channel> for ChannelShape {
    fn from(channel: Channel) -> Self {
        let Channel { id, name, phone_number_id, enabled, problem, .. } = channel;
        let problem = problem.map(|ChannelProblem { message, code, since }| ProblemShape { message, code, since });
        Self { id, name, channel: "Whatsapp", platform_id: phone_number_id, enabled, problem }
    }
}
