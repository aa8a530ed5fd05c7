//! `POST /api/ext/v3/messageTemplates/schedule`: sends a template at a later time.

use super::send::{SendTemplateAnswer, SendTemplateRequest, send};
use crate::input::RecipientsJson;
use crate::prelude::*;
use crate::shared::messaging::messages::dry_run::DRY_RUN;

const AT: &str = "scheduled_at";

/// A template send with a required time.
// It is parsed as a send, so that errors name members by their whole path.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(try_from = "SendTemplateRequest")]
pub(crate) struct TemplateSchedule {
    #[serde(flatten)]
    send: SendTemplateRequest,
    /// When to send, at most 365 days from now. Alias: `scheduledAt`.
    #[schema(format = "date-time", example = "2026-05-01T09:00:00Z")]
    scheduled_at: String,
}

impl TryFrom<SendTemplateRequest> for TemplateSchedule {
    type Error = MissingTime;

    fn try_from(mut send: SendTemplateRequest) -> Result<Self, MissingTime> {
        let scheduled_at = send.scheduled_at.take().ok_or(MissingTime)?;
        Ok(Self { send, scheduled_at })
    }
}

/// Worded like serde's error about a missing field, which the JSON parser turns into an error about that member.
#[derive(Debug, thiserror::Error)]
#[error("missing field `{AT}`")]
pub(crate) struct MissingTime;

/// Schedule a template
///
/// Like `messageTemplates/send`, but at a later time. Until then, you can stop it with `POST /broadcasts/{id}/cancel`.
/// Each recipient's consent and blocks are checked again at that time.
#[described::path(
    post,
    path = "/api/ext/v3/messageTemplates/schedule",
    params((
        "dry_run" = Option<bool>,
        Query,
        nullable = false,
        description = "Dry run: returns what would happen to each recipient without sending or storing anything."
    )),
    request_body = TemplateSchedule,
    responses(
        (status = 200, description = "The accepted broadcast, with the outcome for each recipient.", body = SendTemplateAnswer),
        (status = 404, description = "Reasons: `not_found`; `parameter` names the template or the channel.", body = ErrorBody),
    ),
)]
pub(crate) async fn schedule_template(
    Gated(state, caller): Gated,
    query: Query,
    RecipientsJson(input): RecipientsJson<TemplateSchedule>,
) -> ApiResult<Json<SendTemplateAnswer>> {
    let at = moment(&input.scheduled_at)?;
    send(&state, &caller, query.flag(DRY_RUN)?, input.send, Some(at)).await
}

/// Parses the time. A date without a time is refused.
fn moment(text: &str) -> ApiResult<Timestamp> {
    match Moment::parse(text) {
        Ok(Moment::Instant(at)) => Ok(at),
        _ => Err(ApiError::invalid(AT, "expected a time such as 2026-05-01T09:00:00Z")),
    }
}
