//! `GET /{tenantId}/api/v2/whatsapp/phoneNumbers`: all numbers, as a bare JSON list.

use domain::ChannelId;
use domain::messaging::channels::Channel;

use crate::prelude::*;

/// One of the tenant's numbers. Members of hosted platforms that Switchboard does not have are null.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PhoneNumberV2)]
pub(crate) struct PhoneNumberShape {
    bm_id: Option<String>,
    channel_id: ChannelId,
    #[schema(example = "Support")]
    channel_name: String,
    #[schema(example = "Whatsapp")]
    channel_type: &'static str,
    embedded_signup_type: Option<String>,
    #[schema(example = "14155550100")]
    phone_number: String,
    /// The network's id for the number.
    #[schema(example = "106540352242922")]
    phone_number_id: String,
    waba_context_id: Option<String>,
    /// The network's id for the account that owns the number.
    #[schema(example = "102290129340398")]
    waba_id: String,
}

impl From<Channel> for PhoneNumberShape {
    fn from(channel: Channel) -> Self {
        Self {
            bm_id: None,
            channel_id: channel.id,
            channel_name: channel.name,
            channel_type: "Whatsapp",
            embedded_signup_type: None,
            phone_number: channel.phone_number,
            phone_number_id: channel.phone_number_id,
            waba_context_id: None,
            waba_id: channel.account_id,
        }
    }
}

/// Get phone numbers
///
/// Returns all of the tenant's numbers. The oldest channel's number comes first.
#[described::path(
    get,
    path = "/{tenantId}/api/v2/whatsapp/phoneNumbers",
    tag = "channels",
    responses((status = 200, description = "All of the tenant's numbers.", body = Vec<PhoneNumberShape>)),
)]
pub(crate) async fn get_phone_numbers_v2(Gated(state, caller): Gated) -> ApiResult<Json<Vec<PhoneNumberShape>>> {
    let channels = state.app.messaging().channels().list(&caller).await?;
    Ok(Json(channels.into_iter().map(PhoneNumberShape::from).collect()))
}
