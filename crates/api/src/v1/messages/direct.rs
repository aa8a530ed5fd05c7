//! `POST /{tenantId}/api/v1/sendDirectSendMessage/{whatsappNumber}`: sends a text, a file or an interactive message to
//! one person.

use app::messages::SessionBody;
use axum::extract::State;
use axum::response::Response;
use domain::contacts::CustomParam;
use domain::templates::text;
use serde::Deserialize;
use utoipa::ToSchema;

use super::file_via_url::fetch_file;
use super::network::NetworkInteractiveInput;
use super::send_address::{NumberInPath, NumberInQuery, SendAddress, SendQuery};
use super::sent::{MessageIds, SentAnswer, build_send, send_and_answer};
use crate::ApiState;
use crate::contacts::ParamShape;
use crate::error::{ApiError, ApiResult, INVALID_BODY};
use crate::gate::Caller;
use crate::input::{FromPath, LegacyInput, Members as _, NamedPerson, members};
use crate::messages;
use crate::messages::dry_run::DryRunQuery;
use crate::messages::flexible_text::non_empty;
use crate::messages::params::{ParamInput, to_custom_params};

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = DirectMessageV1)]
    pub(crate) struct SendDirectMessageRequest from LegacyInput {
        bsuid: Option<String> = text["bsuid"](),
        /// Used when the request has no `target`, number or `bsuid`.
        #[schema(rename = "contactId")]
        contact_id: Option<String> = text["contactId"](),
        /// A conversation id, used when no other member names the person.
        id: Option<String> = text["id"](),
        #[schema(rename = "customParams", value_type = Option<Vec<ParamShape>>)]
        custom_params: Option<Vec<ParamInput>> = json["customParams"](),
        /// The text message, or the caption of `media`. `{{name}}` is replaced by the value in `customParams`.
        #[schema(example = "Hello {{name}}!", max_length = 4096)]
        text: Option<String> = text["text"](),
        media: Option<DirectMediaInput> = json["media"](),
        interactive: Option<NetworkInteractiveInput> = json["interactive"](),
        #[schema(rename = "localMessageId", max_length = 64)]
        local_message_id: Option<String> = text["localMessageId", "local_message_id"](),
    }
}

/// A file at a public address.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = DirectMediaV1)]
pub(crate) struct DirectMediaInput {
    /// Also accepted: `link`, `fileUrl`.
    #[serde(alias = "link", alias = "fileUrl")]
    #[schema(value_type = String, example = "https://example.com/plan.pdf")]
    url: Option<String>,
    #[schema(max_length = 1024, nullable = false)]
    caption: Option<String>,
}

/// Send a message directly
///
/// One of `text`, `media` (with `text` as its default caption) and `interactive` (in the network's form, with `text` as
/// its default body), to a person who wrote in the last 24 hours.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendDirectSendMessage/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, SendQuery),
    request_body(content = SendDirectMessageRequest, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or the reason for the refusal.", body = SentAnswer)),
)]
pub(crate) async fn send_direct_send_message(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), &input).await
}

/// Send a message directly
///
/// Like the operation with the number in the path, but the number is in the query, a form or the JSON body.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/sendDirectSendMessage",
    tag = "conversations",
    params(NumberInQuery, SendQuery),
    request_body(content = SendDirectMessageRequest, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or the reason for the refusal.", body = SentAnswer)),
)]
pub(crate) async fn send_direct_send_message_by_query(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, None, &input).await
}

async fn send(
    state: &ApiState,
    caller: &Caller,
    path: Option<NumberInPath>,
    input: &LegacyInput,
) -> ApiResult<Response> {
    let by_id = path.is_none() && input.text(&["target", "whatsappNumber"])?.is_none();
    let asked = SendDirectMessageRequest::parse(input)?;
    let address = match asked.other_id().filter(|_| by_id) {
        Some(person) => SendAddress { person, channel: input.channel()?, dry_run: DryRunQuery::is_set(input)? },
        None => SendAddress::parse(input, path)?,
    };
    let dry_run = address.dry_run;
    let ids = MessageIds { local_message_id: asked.local_message_id.clone(), ..MessageIds::parse(input)? };
    let send = asked.into_body(state, caller).await?.map(|body| build_send(ids, address, body));
    send_and_answer(state, caller, dry_run, send).await
}

impl SendDirectMessageRequest {
    /// The person by BSUID, contact id or conversation id, in this order, for requests without target and number.
    fn other_id(&self) -> Option<NamedPerson> {
        let ids = [("bsuid", &self.bsuid), ("contactId", &self.contact_id), ("id", &self.id)];
        ids.into_iter().find_map(|(member, id)| Some(NamedPerson { member, target: id.clone()? }))
    }

    async fn into_body(self, state: &ApiState, caller: &Caller) -> ApiResult<app::Result<SessionBody>> {
        let params = to_custom_params(self.custom_params);
        let words = self.text.map(|words| fill_in(&words, &params));
        let media = self.media.and_then(|media| Some((non_empty(media.url)?, non_empty(media.caption))));
        Ok(match (self.interactive, media, words) {
            (Some(_), Some(_), _) => Err(app::Error::invalid("media", "does not go together with interactive")),
            (Some(interactive), None, words) => interactive.into_message(words).map(SessionBody::interactive),
            (None, Some((url, caption)), words) => fetch_file(state, caller, &url, caption.or(words)).await,
            (None, None, Some(words)) => messages::text("text", words),
            (None, None, None) => {
                let message = "one of text, media and interactive is required";
                return Err(ApiError::about(INVALID_BODY, "text", message));
            }
        })
    }
}

fn fill_in(words: &str, params: &[CustomParam]) -> String {
    let value = |name: &str| params.iter().find(|param| param.name.trim() == name).map(|param| param.value.as_str());
    text::filled(words, value)
}
