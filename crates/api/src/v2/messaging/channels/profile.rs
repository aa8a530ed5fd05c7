//! `GET /{tenantId}/api/v2/whatsapp/{wabaId}/{phoneNumber}/profile`: a number's public profile.

use app::messaging::channels::NumberProfile;

use crate::prelude::*;
use crate::v1::messaging::channels::shape::UNRATED;

#[derive(Debug, Deserialize)]
pub(crate) struct NumberPath {
    #[serde(rename = "wabaId")]
    account: String,
    #[serde(rename = "phoneNumber")]
    number: String,
}

/// The number and its current profile at the network. Members that the network does not provide are null.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProfileV2 {
    /// The number as the network formats it.
    #[schema(example = "+1 415-555-0100")]
    display_phone_number: String,
    /// The network's id for the number.
    #[schema(example = "106540352242922")]
    phone_id: String,
    /// `GREEN`, `YELLOW`, `RED` or `UNKNOWN`.
    #[schema(example = "GREEN")]
    quality_rating: String,
    #[schema(example = "CONNECTED")]
    status: Option<String>,
    #[schema(example = "Lucky Shrub")]
    verified_name: Option<String>,
    #[schema(example = "102290129340398")]
    waba_id: String,
    #[schema(example = "14155550100")]
    phone_number: String,
    #[schema(example = "We answer from nine to five")]
    about: Option<String>,
    address: Option<String>,
    description: Option<String>,
    #[schema(example = "hello@example.com")]
    email: Option<String>,
    profile_picture_url: Option<String>,
    #[schema(example = json!(["https://example.com"]))]
    websites: Vec<String>,
    #[schema(example = "RETAIL")]
    vertical: Option<String>,
}

/// Get a number's profile
///
/// The profile is read from the network on each call.
#[described::path(
    get,
    path = "/{tenantId}/api/v2/whatsapp/{wabaId}/{phoneNumber}/profile",
    tag = "channels",
    params(
        ("wabaId" = String, Path, description = "The network's id for the account.", example = "102290129340398"),
        (
            "phoneNumber" = String,
            Path,
            description = "The phone number, or the network's id for it.",
            example = "14155550100"
        ),
    ),
    responses(
        (status = 200, description = "The profile.", body = ProfileV2),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 503, description = "Reasons: `network_unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_phone_number_profile(
    Gated(state, caller): Gated,
    FromPath(place): FromPath<NumberPath>,
) -> ApiResult<Json<ProfileV2>> {
    let found = state.app.messaging().channels().profile(&caller, &place.account, &place.number).await?;
    Ok(Json(shape(found)))
}

fn shape(found: NumberProfile) -> ProfileV2 {
    let NumberProfile { channel, number, profile } = found;
    ProfileV2 {
        display_phone_number: number.display_phone_number.unwrap_or_else(|| channel.phone_number.clone()),
        phone_id: channel.phone_number_id,
        quality_rating: number.quality_rating.unwrap_or_else(|| UNRATED.to_owned()),
        status: number.status,
        verified_name: number.verified_name,
        waba_id: channel.account_id,
        phone_number: channel.phone_number,
        about: profile.about,
        address: profile.address,
        description: profile.description,
        email: profile.email,
        profile_picture_url: profile.profile_picture_url,
        websites: profile.websites,
        vertical: profile.vertical,
    }
}
