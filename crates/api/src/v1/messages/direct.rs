//! `POST /{tenantId}/api/v1/sendDirectSendMessage/{whatsappNumber}`: a text, a file or something to tap, to one person.

use app::messages::SessionBody;
use axum::extract::State;
use axum::response::Response;
use domain::contacts::CustomParam;
use domain::templates::text;
use serde::Deserialize;
use utoipa::ToSchema;

use super::addressed::{InPath, InQuery, Over, Tenant};
use super::file_via_url::{fetched, with_file};
use super::network::InteractiveInput;
use super::sent::{SentAnswer, answer, to};
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::{ApiResult, INVALID_BODY};
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput, Named};
use crate::messages;
use crate::messages::params::{Param, values};
use crate::messages::words::some;

#[derive(Debug, ToSchema)]
#[schema(as = DirectMessageV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    /// Alone a message of its own; beside `media` the caption. `{{name}}` stands for a value of `customParams`.
    #[schema(example = "Hello {{name}}!", max_length = 4096)]
    text: Option<String>,
    /// A conversation, where nothing else says who.
    id: Option<String>,
    /// Where neither `target` nor a number says who.
    #[schema(rename = "contactId")]
    contact_id: Option<String>,
    bsuid: Option<String>,
    #[schema(rename = "localMessageId", max_length = 64)]
    local_message_id: Option<String>,
    media: Option<MediaInput>,
    interactive: Option<InteractiveInput>,
    #[schema(rename = "customParams")]
    custom_params: Option<Vec<ParamShape>>,
}

/// A file at a public address.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = DirectMediaV1)]
pub(crate) struct MediaInput {
    /// Also accepted: `link`, `fileUrl`.
    #[serde(alias = "link", alias = "fileUrl")]
    #[schema(value_type = String, example = "https://example.com/plan.pdf")]
    url: Option<String>,
    #[schema(max_length = 1024, nullable = false)]
    caption: Option<String>,
}

/// Send a message directly
///
/// One of `text`, `media` (with `text` as its caption) and `interactive` (as the network writes it), to a person who wrote in the
/// last 24 hours.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendDirectSendMessage/{whatsappNumber}",
    tag = "conversations",
    params(InPath, Over),
    request_body(content = Input, content_type = "application/json"),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_direct_send_message(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Response> {
    let (_tenant, number) = path;
    send(&state, &caller, Some(number), &input).await
}

/// Send a message directly
///
/// The same with the number outside the path: in the query, a form or the JSON body.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendDirectSendMessage",
    tag = "conversations",
    params(Tenant, InQuery, Over),
    request_body(content = Input, content_type = "application/json"),
    responses((status = 200, description = "The message, accepted, or why not.", body = SentAnswer)),
)]
pub(crate) async fn send_direct_send_message_by_query(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

async fn send(state: &ApiState, caller: &Caller, path: Option<String>, input: &LegacyInput) -> ApiResult<Response> {
    let named = person(input, path)?;
    let dry_run = input.dry_run()?;
    let send = match body(state, caller, input).await? {
        Ok(body) => Ok(with_file(state, caller, body.media_id, to(input, named, body)).await?),
        Err(error) => Err(error),
    };
    answer(state, caller, dry_run, send).await
}

/// As everywhere; and where no number is named, by the ids that this operation has besides.
fn person(input: &LegacyInput, path: Option<String>) -> ApiResult<Named> {
    if path.is_none() && input.any(&["target", "whatsappNumber"])?.is_none() {
        for member in ["bsuid", "contactId", "id"] {
            if let Some(target) = input.text(member)? {
                return input.over_channel(Named { member, target });
            }
        }
    }
    input.person_over(path)
}

async fn body(state: &ApiState, caller: &Caller, input: &LegacyInput) -> ApiResult<app::Result<SessionBody>> {
    let params = values(input.json::<Vec<Param>>("customParams")?);
    let said = input.text("text")?.map(|said| filled(&said, &params));
    let media: Option<MediaInput> = input.json("media")?;
    let interactive: Option<InteractiveInput> = input.json("interactive")?;
    let media = media.and_then(|media| Some((some(media.url)?, some(media.caption))));
    Ok(match (interactive, media, said) {
        (Some(_), Some(_), _) => Err(app::Error::invalid("media", "does not go together with interactive")),
        (Some(interactive), None, said) => interactive.into_message(said).map(SessionBody::interactive),
        (None, Some((url, caption)), said) => fetched(state, caller, &url, caption.or(said)).await,
        (None, None, Some(said)) => messages::text("text", said),
        (None, None, None) => {
            return Err(crate::error::ApiError::about(
                INVALID_BODY,
                "text",
                "one of text, media and interactive is required",
            ));
        }
    })
}

fn filled(said: &str, params: &[CustomParam]) -> String {
    let value = |name: &str| params.iter().find(|param| param.name.trim() == name).map(|param| param.value.as_str());
    text::filled(said, value)
}
