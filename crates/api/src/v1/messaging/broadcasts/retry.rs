//! `POST /{tenantId}/api/v1/broadcast/{id}/retry`: resends a broadcast to recipients whose messages the network held
//! back.

use app::messaging::broadcasts::RetryDeadline;
use domain::Field;

use crate::error::Spelling;
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::v1::answer::DoneAnswer;
use crate::v1::failure::or_failure;

const DAYS: &str = "retryDays";
const UNTIL: &str = "retryUntil";
const NAMES: Spelling<'_> = Spelling(&[(Field::Days, DAYS), (Field::Until, UNTIL)]);

members! {
    /// Exactly one of the two members is required.
    #[derive(Debug, ToSchema)]
    #[schema(as = BroadcastRetryV1, rename_all = "camelCase")]
    pub(crate) struct RetryBroadcastRequest from LegacyInput {
        /// Number of days after the end of the broadcast during which messages are resent.
        #[schema(minimum = 1, maximum = 7, example = 3)]
        retry_days: Option<i64> = number["retryDays"](1, 7),
        /// Messages are resent until this time, at most 7 days after the end of the broadcast. A date alone means the
        /// end of that day.
        #[schema(value_type = Option<String>, example = "2026-04-30")]
        retry_until: Option<Moment> = moment["retryUntil"](),
    }
}

/// Retry a broadcast
///
/// Resends a completed broadcast to recipients whose messages failed with code 131049: the network held them back
/// because the person had received enough marketing messages for now. The first round is sent immediately. Recipients
/// that the network holds back again get another round a day later, until `retryDays` days after the broadcast's last
/// message was sent, or until `retryUntil`. Messages not sent by then expire. Each round is a separate broadcast. A
/// broadcast can be retried once. Failures return `result: false`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/broadcast/{id}/retry",
    tag = "broadcasts",
    params(("id" = String, Path, description = "The broadcast's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body(content = RetryBroadcastRequest, content_type = "application/json"),
    responses((status = 200, description = "The outcome.", body = DoneAnswer)),
)]
pub(crate) async fn retry_broadcast(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<(String, String)>,
    input: LegacyInput,
) -> ApiResult<Json<DoneAnswer>> {
    let (_tenant, id) = path;
    let asked = RetryBroadcastRequest::parse(&input)?;
    let deadline = match (asked.retry_days, asked.retry_until) {
        (Some(days), None) => RetryDeadline::Days(days),
        (None, Some(until)) => RetryDeadline::At(until.last()),
        (None, None) => return Err(ApiError::invalid(DAYS, "expected retryDays or retryUntil")),
        (Some(_), Some(_)) => return Err(ApiError::invalid(UNTIL, "cannot be combined with retryDays")),
    };
    let retried = match id.parse() {
        Ok(id) => {
            state.app.messaging().broadcasts().retry(&caller, id, deadline).await.map_err(|error| NAMES.error(error))
        }
        Err(_) => Err(app::Error::NotFound(app::Thing::Broadcast)),
    };
    or_failure(retried.map(|_| DoneAnswer::DONE))
}
