//! What V1 sends to one person share: common members and the response.

use app::messaging::messages::{SessionBody, SessionSend};
use domain::Field;
use domain::messaging::messages::MessageSource;

use super::send_address::SendAddress;
use super::shape::MessageShape;
use crate::input::{LegacyInput, NamedPerson, about_person};
use crate::prelude::*;
use crate::shared::messaging::messages;
use crate::v1::failure::{Failure, info};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SentV1)]
pub(crate) struct MessageSent {
    #[schema(example = true)]
    ok: bool,
    #[schema(example = "success")]
    result: &'static str,
    message: MessageShape,
    /// Your id for the message, or a generated one.
    #[serde(rename = "localMessageId")]
    #[schema(example = "16bf77ae-79e8-8b0d-8b0d-691eb4b00001")]
    local_message_id: String,
    #[serde(flatten)]
    dry_run: Option<DryRunV1>,
}

/// Part of the response to a `dry_run`: nothing was stored.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DryRunV1 {
    #[serde(rename = "dry_run")]
    dry_run: bool,
    would_send: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", nullable = false)]
    estimated_at: Option<String>,
}

impl DryRunV1 {
    pub fn new(sent: bool, estimated_at: Option<String>) -> Self {
        Self { dry_run: true, would_send: sent, estimated_at }
    }
}

/// The accepted message or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum SentAnswerV1 {
    Sent(Box<MessageSent>),
    Failure(Failure),
}

#[derive(Debug, Serialize)]
struct RefusedDryRun {
    ok: bool,
    result: bool,
    info: String,
    #[serde(flatten)]
    dry_run: DryRunV1,
}

members! {
    /// Optional members of a free message.
    pub(crate) query MessageIds from LegacyInput {
        /// The message that this one replies to, by Switchboard's or the network's id.
        #[param(rename = "replyContextId")]
        pub reply_context_id: Option<String> = text["replyContextId", "reply_context_id"](),
        /// Your id for the message, 1 to 64 characters.
        #[param(rename = "localMessageId")]
        pub local_message_id: Option<String> = text["localMessageId", "local_message_id"](),
    }
}

/// A send, and the member of the request that names the person.
pub(super) type SendToPerson = (SessionSend, Field);

/// Builds the send of a free message.
pub(super) fn build_send(ids: MessageIds, address: SendAddress, body: SessionBody) -> SendToPerson {
    let dry_run = address.dry_run;
    let NamedPerson { named_by, target } = address.person_via_channel();
    let send = SessionSend {
        target,
        channel: None,
        body,
        reply_to: ids.reply_context_id,
        local_id: ids.local_message_id,
        is_bot: false,
        source: MessageSource::Api,
        dry_run,
        several: app::messaging::conversations::SeveralOpen::TakeLatest,
    };
    (send, named_by)
}

/// Sends the message and builds the answer. `asked` is an error if the message was refused before.
pub(super) async fn send_and_answer(
    state: &ApiState,
    caller: &Caller,
    dry_run: bool,
    asked: app::Result<SendToPerson>,
) -> ApiResult<Response> {
    let sent = match asked {
        Ok((asked, named_by)) => messages::send(state, caller, asked).await.map_err(about_person(named_by)),
        Err(error) => Err(error),
    };
    match sent {
        Ok(sent) => {
            let estimated_at = sent.estimated_at.map(Timestamp::to_rfc3339);
            let done = MessageSent {
                ok: true,
                result: "success",
                local_message_id: sent.entry.message.local_id(),
                message: MessageShape::new(&sent.entry, sent.conversation.as_ref()),
                dry_run: dry_run.then(|| DryRunV1::new(true, estimated_at)),
            };
            Ok(Json(SentAnswerV1::Sent(Box::new(done))).into_response())
        }
        Err(error) if dry_run => {
            let refused =
                RefusedDryRun { ok: false, result: false, info: info(error)?, dry_run: DryRunV1::new(false, None) };
            Ok(Json(refused).into_response())
        }
        Err(error) => Ok(Json(SentAnswerV1::Failure(Failure::from_error(error)?)).into_response()),
    }
}
