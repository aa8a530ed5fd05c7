//! `POST /api/ext/v3/broadcasts/{id}/retry`: resends a broadcast to recipients whose messages the network held back.

use app::messaging::broadcasts::RetryDeadline;
use domain::BroadcastId;

use crate::prelude::*;

const DAYS: &str = "days";
const UNTIL: &str = "until";
const MAX_DAYS: i64 = 7;

/// Exactly one of the two members is required.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = BroadcastRetry)]
pub(crate) struct RetryBroadcastRequest {
    /// Number of days after the end of the broadcast during which messages are resent.
    #[schema(minimum = 1, maximum = 7, example = 3, nullable = false)]
    days: Option<i64>,
    /// Messages are resent until this time, at most 7 days after the end of the broadcast. A date alone means the end
    /// of that day.
    #[schema(example = "2026-04-30", nullable = false)]
    until: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastRetried {
    /// The first round's broadcast.
    broadcast_id: BroadcastId,
}

/// Retry a broadcast
///
/// Resends a completed broadcast to recipients whose messages failed with code 131049: the network held them back
/// because the person had received enough marketing messages for now. The first round is sent immediately. Recipients
/// that the network holds back again get another round a day later, until `days` days after the broadcast's last
/// message was sent, or until `until`. Messages not sent by then expire. Each round is a separate broadcast. A
/// broadcast can be retried once.
#[described::path(
    post,
    path = "/api/ext/v3/broadcasts/{id}/retry",
    responses(
        (status = 200, description = "The first round was accepted.", body = BroadcastRetried),
        (
            status = 409,
            description = "Reasons: `conflict` (the broadcast is not completed, was already retried, or has no \
                held-back recipients).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn retry_failed_recipients(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
    Json(input): Json<RetryBroadcastRequest>,
) -> ApiResult<Json<BroadcastRetried>> {
    let deadline = match (input.days, input.until) {
        (Some(days), None) if (1..=MAX_DAYS).contains(&days) => RetryDeadline::Days(days),
        (Some(_), None) => return Err(ApiError::invalid(DAYS, format!("expected 1 to {MAX_DAYS}"))),
        (None, Some(until)) => {
            let until = Moment::parse(&until).map_err(|error| ApiError::invalid(UNTIL, error))?;
            RetryDeadline::At(until.last())
        }
        (None, None) => return Err(ApiError::invalid(DAYS, "expected days or until")),
        (Some(_), Some(_)) => return Err(ApiError::invalid(UNTIL, "cannot be combined with days")),
    };
    let broadcast_id = state.app.messaging().broadcasts().retry(&caller, id, deadline).await?;
    Ok(Json(BroadcastRetried { broadcast_id }))
}
