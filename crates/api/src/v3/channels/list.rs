//! `GET /api/ext/v3/channels`: all channels of the tenant.

use axum::Json;
use axum::extract::State;
use domain::ChannelId;
use domain::channels::Channel;
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
        let Channel { id, name, phone_number_id, enabled, .. } = channel;
        Self { id, name, channel: "Whatsapp", platform_id: phone_number_id, enabled }
    }
}
