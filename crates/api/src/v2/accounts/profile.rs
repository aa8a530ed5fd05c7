//! `GET /{tenantId}/api/v2/whatsapp/{wabaId}/{phoneNumber}/profile`: the public profile of a number.

use axum::Json;
use axum::extract::State;
use channels::graph::Profile;
use domain::channels::Channel;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Deserialize)]
pub(crate) struct NumberPath {
    #[serde(rename = "wabaId")]
    account: String,
    #[serde(rename = "phoneNumber")]
    number: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NumberProfileV2)]
pub(crate) struct NumberProfileAnswer {
    #[schema(example = true)]
    ok: bool,
    result: ProfileShape,
}

/// The current profile at the network; null where it is not filled in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ProfileV2)]
pub(crate) struct ProfileShape {
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
/// Read from the network at each call.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v2/whatsapp/{wabaId}/{phoneNumber}/profile",
    tag = "channels",
    params(
        ("wabaId" = String, Path, description = "The network's id of the account.", example = "102290129340398"),
        ("phoneNumber" = String, Path, description = "The phone number, or the network's id of it.", example = "14155550100"),
    ),
    responses(
        (status = 200, description = "The profile.", body = NumberProfileAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 503, description = "Reasons: `network_unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_phone_number_profile(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(place): FromPath<NumberPath>,
) -> ApiResult<Json<NumberProfileAnswer>> {
    let (channel, profile) = state.app.channels().profile(&caller, &place.account, &place.number).await?;
    Ok(Json(NumberProfileAnswer { ok: true, result: shape(channel, profile) }))
}

fn shape(channel: Channel, profile: Profile) -> ProfileShape {
    ProfileShape {
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
