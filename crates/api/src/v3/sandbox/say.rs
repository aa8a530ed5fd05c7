//! `POST /api/ext/v3/sandbox/people/{person}/say`: lets a simulated person write to the business.

use axum::Json;
use sandbox::driver::{Image, Location, Said, Say};
use serde::Deserialize;
use utoipa::ToSchema;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};
use crate::input::{FromPath, JsonBody};

/// Exactly one of `text`, `image`, `location` and `reaction`.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxSay)]
pub(crate) struct SayRequest {
    #[schema(example = "Where is my order?", max_length = 4096)]
    text: Option<String>,
    image: Option<ImageInput>,
    location: Option<LocationInput>,
    /// An emoji for the message in `reply_to`; an empty one removes the reaction.
    reaction: Option<String>,
    /// The id of the message that this one replies to.
    reply_to: Option<String>,
    /// A channel by id, name or number. Default: the channel of `reply_to`, or the default channel.
    channel: Option<String>,
}

/// A sample image of the sandbox.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxImage)]
pub(crate) struct ImageInput {
    #[schema(example = "It looks like this")]
    caption: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SandboxLocation)]
pub(crate) struct LocationInput {
    #[schema(example = 52.52)]
    latitude: f64,
    #[schema(example = 13.405)]
    longitude: f64,
    #[schema(example = "Home")]
    name: Option<String>,
    address: Option<String>,
}

impl From<SayRequest> for Say {
    fn from(input: SayRequest) -> Self {
        let SayRequest { text, image, location, reaction, reply_to, channel } = input;
        let image = image.map(|ImageInput { caption }| Image { caption });
        let location = location.map(|LocationInput { latitude, longitude, name, address }| Location {
            latitude,
            longitude,
            name,
            address,
        });
        Self { text, image, location, reaction, reply_to, channel }
    }
}

/// Let a person write
#[utoipa::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/say",
    tag = "sandbox",
    params(("person" = String, Path, description = "Phone number, BSUID, username or name.", example = "14155550132")),
    request_body = SayRequest,
    responses(
        (status = 200, description = "The message, which the network is about to post.", body = Said),
        (status = 404, description = "Reasons: `sandbox_off`, `not_found`.", body = ErrorBody),
        (status = 409, description = "The person's phone is offline. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn say_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    JsonBody(input): JsonBody<SayRequest>,
) -> ApiResult<Json<Said>> {
    Ok(Json(driver.sandbox.say(driver.tenant, &person, input.into()).await?))
}
