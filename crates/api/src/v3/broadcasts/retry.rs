//! `POST /api/ext/v3/broadcasts/{id}/retry`: sends a broadcast again to the recipients whose messages the network held
//! back.

use app::broadcasts::RetryDeadline;
use domain::BroadcastId;

use crate::prelude::*;

const DAYS: &str = "days";
const UNTIL: &str = "until";
const MAX_DAYS: i64 = 7;

/// Exactly one of the two members is required.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = BroadcastRetry)]
pub(crate) struct RetryBroadcastRequest {
    /// For how many days after the end of the broadcast messages are sent again.
    #[schema(minimum = 1, maximum = 7, example = 3, nullable = false)]
    days: Option<i64>,
    /// Until when messages are sent again: at most 7 days from the end of the broadcast; a date means its last instant.
    #[schema(example = "2026-04-30", nullable = false)]
    until: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastRetried {
    /// The broadcast of the first round.
    broadcast_id: BroadcastId,
}

/// Send a broadcast again
///
/// Sends a completed broadcast again to those recipients whose messages failed with 131049: the network held these
/// back, because the person got enough marketing messages for now. The first round is sent at once. Recipients that the
/// network holds back again get another round a day later, until `days` days have passed since the last message of the
/// broadcast was sent, or until `until`. Messages that have not been sent by then expire. Each round is a broadcast of
/// its own; a broadcast can be retried once.
#[described::path(
    post,
    path = "/api/ext/v3/broadcasts/{id}/retry",
    responses(
        (status = 200, description = "The first round is accepted.", body = BroadcastRetried),
        (status = 409, description = "Reasons: `conflict` (not completed, retried already, or no recipient was held back).", body = ErrorBody),
    ),
)]
pub(crate) async fn retry_failed_recipients(
    Gated(state, caller): Gated,
    Path((id,)): Path<(BroadcastId,)>,
    Json(input): Json<RetryBroadcastRequest>,
) -> ApiResult<Json<BroadcastRetried>> {
    let (deadline, parameter) = match (input.days, input.until) {
        (Some(days), None) if (1..=MAX_DAYS).contains(&days) => (RetryDeadline::Days(days), DAYS),
        (Some(_), None) => return Err(ApiError::invalid(DAYS, format!("expected 1 to {MAX_DAYS}"))),
        (None, Some(until)) => {
            let until = Moment::parse(&until).map_err(|error| ApiError::invalid(UNTIL, error))?;
            (RetryDeadline::At(until.last()), UNTIL)
        }
        (None, None) => return Err(ApiError::invalid(DAYS, "expected days or until")),
        (Some(_), Some(_)) => return Err(ApiError::invalid(UNTIL, "does not go together with days")),
    };
    let broadcast_id = state.app.broadcasts().retry(&caller, id, deadline, parameter).await?;
    Ok(Json(BroadcastRetried { broadcast_id }))
}
