//! `POST /{tenantId}/api/v1/sendDirectSendMessage/{whatsappNumber}`: sends a text, a file or an interactive message to
//! one person.

use app::messaging::messages::SessionBody;
use domain::messaging::templates::text;
use domain::people::contacts::CustomParam;
use domain::{Field, Place};

use super::file_via_url::fetch_file;
use super::network::NetworkInteractive;
use super::send_address::{NumberInPath, NumberInQuery, SendAddress, SendQuery};
use super::sent::{MessageIds, SentAnswerV1, build_send, send_and_answer};
use crate::error::INVALID_BODY;
use crate::input::{LegacyInput, NamedPerson};
use crate::prelude::*;
use crate::shared::messaging::messages;
use crate::shared::messaging::messages::dry_run::DryRunQuery;
use crate::shared::messaging::messages::flexible_text::non_empty;
use crate::shared::messaging::messages::params::{ParamInput, to_custom_params};

members! {
    #[derive(Debug, ToSchema)]
    pub(crate) struct DirectMessageV1 from LegacyInput {
        bsuid: Option<String> = text["bsuid"](),
        /// Used if the request has no `target`, number or `bsuid`.
        #[schema(rename = "contactId")]
        contact_id: Option<String> = text["contactId"](),
        /// A conversation id. Used if no other member names the person.
        id: Option<String> = text["id"](),
        #[schema(rename = "customParams")]
        custom_params: Option<Vec<ParamInput>> = json["customParams"](),
        /// The text message, or the caption of `media`. `{{name}}` is replaced by the value in `customParams`.
        #[schema(example = "Hello {{name}}!", max_length = 4096)]
        text: Option<String> = text["text"](),
        media: Option<DirectMediaV1> = json["media"](),
        interactive: Option<NetworkInteractive> = json["interactive"](),
        #[schema(rename = "localMessageId", max_length = 64)]
        local_message_id: Option<String> = text["localMessageId", "local_message_id"](),
    }
}

/// A file at a public address.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct DirectMediaV1 {
    /// The file's URL. Aliases: `link`, `fileUrl`.
    #[serde(alias = "link", alias = "fileUrl")]
    #[schema(value_type = String, example = "https://example.com/plan.pdf")]
    url: Option<String>,
    #[schema(max_length = 1024, nullable = false)]
    caption: Option<String>,
}

/// Send a message directly
///
/// Sends one of `text`, `media` (with `text` as its default caption) and `interactive` (in the network's format, with
/// `text` as its default body) to a person who wrote in the last 24 hours.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendDirectSendMessage/{whatsappNumber}",
    tag = "conversations",
    params(NumberInPath, SendQuery),
    request_body(content = DirectMessageV1, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_direct_send_message(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<NumberInPath>,
    input: LegacyInput,
) -> ApiResult<Response> {
    send(&state, &caller, Some(path), &input).await
}

/// Send a message directly
///
/// Same as the operation with the number in the path, but takes the number from the query, a form or the JSON body.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/sendDirectSendMessage",
    tag = "conversations",
    params(NumberInQuery, SendQuery),
    request_body(content = DirectMessageV1, content_type = "application/json"),
    responses((status = 200, description = "The accepted message, or why it was refused.", body = SentAnswerV1)),
)]
pub(crate) async fn send_direct_send_message_by_query(
    Gated(state, caller): Gated,
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
    let asked = DirectMessageV1::parse(input)?;
    let address = match asked.other_id().filter(|_| by_id) {
        Some(person) => SendAddress { person, channel: input.channel()?, dry_run: DryRunQuery::is_set(input)? },
        None => SendAddress::parse(input, path)?,
    };
    let dry_run = address.dry_run;
    let ids = MessageIds { local_message_id: asked.local_message_id.clone(), ..MessageIds::parse(input)? };
    let send = asked.into_body(state, caller).await?.map(|body| build_send(ids, address, body));
    send_and_answer(state, caller, dry_run, send).await
}

impl DirectMessageV1 {
    /// The person by BSUID, contact id or conversation id, in this order, for requests without target and number.
    fn other_id(&self) -> Option<NamedPerson> {
        let ids = [(Field::Bsuid, &self.bsuid), (Field::ContactId, &self.contact_id), (Field::Id, &self.id)];
        ids.into_iter().find_map(|(named_by, id)| Some(NamedPerson { named_by, target: id.clone()? }))
    }

    async fn into_body(self, state: &ApiState, caller: &Caller) -> ApiResult<app::Result<SessionBody>> {
        let params = to_custom_params(self.custom_params);
        let words = self.text.map(|words| fill_in(&words, &params));
        let media = self.media.and_then(|media| Some((non_empty(media.url)?, non_empty(media.caption))));
        Ok(match (self.interactive, media, words) {
            (Some(_), Some(_), _) => {
                Err(app::Error::invalid(Place::named("media"), "cannot be combined with interactive"))
            }
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
