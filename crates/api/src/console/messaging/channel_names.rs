//! `GET /console/api/channel-names`: what every role may know about channels, to choose one.

use domain::ChannelId;
use domain::messaging::channels::Channel;

use crate::console::guard::SignedIn;
use crate::prelude::*;

list!(ChannelNames { "channels": ChannelName });

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChannelName {
    id: ChannelId,
    #[schema(example = "Support")]
    name: String,
    /// The network's name on this server: `whatsapp`, `sandbox`, …
    #[schema(example = "whatsapp")]
    network: String,
    #[schema(example = true)]
    enabled: bool,
}

/// Get the names of channels
///
/// Returns all channels, oldest first. `GET /channels` has the rest, for administrators and developers.
#[described::path(
    get,
    path = "/console/api/channel-names",
    responses((status = 200, description = "The names of all channels.", body = ChannelNames)),
)]
pub(crate) async fn list_channel_names(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<ChannelNames>> {
    let channels = state.app.messaging().channels().list(&signed_in).await?;
    Ok(Json(List::from_rows(channels)))
}

impl From<Channel> for ChannelName {
    fn from(channel: Channel) -> Self {
        let Channel { id, name, network, enabled, .. } = channel;
        Self { id, name, network, enabled }
    }
}
