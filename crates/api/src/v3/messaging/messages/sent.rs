//! The response to V3 sends: the stored message, or the result of a dry run.

use app::messaging::messages::SessionSend;

use super::shape::MessageShape;
use crate::prelude::*;
use crate::shared::messaging::messages;
use crate::shared::messaging::messages::dry_run::why_not;
use crate::shared::messaging::messages::problem::ProblemShape;

/// An accepted message. Its delivery is reported later by events.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = SentMessage)]
pub(crate) struct SentMessageAnswer {
    /// Absent if a dry run finds that nothing would be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<MessageShape>,
    /// When the message is expected to be sent. Absent once it has been sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z", nullable = false)]
    estimated_at: Option<String>,
    /// True for a dry run: nothing was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<bool>,
    /// For a dry run: whether the message would be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    would_send: Option<bool>,
    /// For a dry run: why nothing would be sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ProblemShape>,
}

/// Sends the message and builds the answer. `asked` is an error if the message was refused before.
pub(crate) async fn send_and_answer(
    state: &ApiState,
    caller: &Caller,
    dry_run: bool,
    asked: app::Result<SessionSend>,
) -> ApiResult<Json<SentMessageAnswer>> {
    let sent = match asked {
        Ok(asked) => messages::send(state, caller, asked).await,
        Err(error) => Err(error),
    };
    let marked = dry_run.then_some(true);
    match sent {
        Ok(sent) => Ok(Json(SentMessageAnswer {
            message: Some(MessageShape::new(&sent.entry, sent.conversation.as_ref())),
            estimated_at: sent.estimated_at.map(Timestamp::to_rfc3339),
            dry_run: marked,
            would_send: marked,
            errors: Vec::new(),
        })),
        Err(error) if dry_run => {
            let errors = vec![why_not(error)?];
            Ok(Json(SentMessageAnswer {
                dry_run: marked,
                would_send: Some(false),
                errors,
                ..SentMessageAnswer::default()
            }))
        }
        Err(error) => Err(error.into()),
    }
}
