//! `GET /{tenantId}/api/v1/whatsApp/messages/{phoneNumber}/{localMessageId}`: one message by its local id.

use crate::prelude::*;
use crate::v1::failure::{Failure, or_failure};
use crate::v1::messaging::messages::shape::MessageShape;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OneMessageV1 {
    #[schema(example = true)]
    result: bool,
    message: MessageShape,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum MessageAnswer {
    Done(Box<OneMessageV1>),
    Failure(Failure),
}

impl From<Failure> for MessageAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Get a message
///
/// Finds the message by its `localMessageId`, which the sender chose or Switchboard generated.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/whatsApp/messages/{phoneNumber}/{localMessageId}",
    tag = "conversations",
    params(
        ("phoneNumber" = String, Path, description = "The channel's number, or the person's.", example = "14155550100"),
        (
            "localMessageId" = String,
            Path,
            description = "The message's local id.",
            example = "16bf77ae-79e8-8b0d-8b0d-691eb4b00001"
        ),
    ),
    responses((status = 200, description = "The message, or why the request failed.", body = MessageAnswer)),
)]
pub(crate) async fn get_message(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<(String, String, String)>,
) -> ApiResult<Json<MessageAnswer>> {
    let (_tenant, number, local_id) = path;
    let found = state.app.inbox().conversations().message(&caller, &number, &local_id).await;
    or_failure(found.map(|(entry, conversation)| {
        let message = MessageShape::new(&entry, conversation.as_ref());
        MessageAnswer::Done(Box::new(OneMessageV1 { result: true, message }))
    }))
}
