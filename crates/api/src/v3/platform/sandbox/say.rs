//! `POST /api/ext/v3/sandbox/people/{person}/say`: makes a simulated person write to the business.

use sandbox::driver::{Image, Location, Said, Say};

use super::Driver;
use crate::prelude::*;

/// Exactly one of `text`, `image`, `location` and `reaction`.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxSay {
    #[schema(example = "Where is my order?", max_length = 4096)]
    text: Option<String>,
    image: Option<SandboxImage>,
    location: Option<SandboxLocation>,
    /// An emoji for the message in `reply_to`. An empty string removes the reaction.
    reaction: Option<String>,
    /// The id of the message that this one replies to.
    reply_to: Option<String>,
    /// A channel's id, name or number. Default: the channel of `reply_to`, or the default channel.
    channel: Option<String>,
}

/// One of the sandbox's sample images.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxImage {
    #[schema(example = "It looks like this")]
    caption: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SandboxLocation {
    #[schema(example = 52.52)]
    latitude: f64,
    #[schema(example = 13.405)]
    longitude: f64,
    #[schema(example = "Home")]
    name: Option<String>,
    address: Option<String>,
}

impl From<SandboxSay> for Say {
    fn from(input: SandboxSay) -> Self {
        let SandboxSay { text, image, location, reaction, reply_to, channel } = input;
        let image = image.map(|SandboxImage { caption }| Image { caption });
        let location = location.map(|SandboxLocation { latitude, longitude, name, address }| Location {
            latitude,
            longitude,
            name,
            address,
        });
        Self { text, image, location, reaction, reply_to, channel }
    }
}

/// Simulate a message from a person
#[described::path(
    post,
    path = "/api/ext/v3/sandbox/people/{person}/say",
    params((
        "person" = String,
        Path,
        description = "The person's phone number, BSUID, username or name.",
        example = "14155550132"
    )),
    responses(
        (status = 200, description = "The message, which the network is about to post.", body = Said),
        (status = 409, description = "The person's phone is offline. Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn say_in_sandbox(
    driver: Driver,
    FromPath(person): FromPath<String>,
    Json(input): Json<SandboxSay>,
) -> ApiResult<Json<Said>> {
    Ok(Json(driver.sandbox.say(driver.tenant, &person, input.into()).await?))
}
