//! `POST /api/ext/v3/calls`: records a call made on other equipment.

use app::calls::NewCall;
use domain::calls::{CallDirection, CallStatus, CallView};

use super::Rfc3339Instant;
use crate::input::json_response;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewCall)]
pub(crate) struct RecordCallRequest {
    /// Your id for the call. If a call with this id was already recorded, nothing changes and the stored call is
    /// returned.
    #[schema(example = "pbx-20260424-000117", min_length = 1, max_length = 256)]
    call_id: String,
    #[serde(deserialize_with = "super::direction")]
    direction: CallDirection,
    #[schema(example = "+1 415 555 2671")]
    from_number: String,
    #[schema(example = "14155550100")]
    to_number: String,
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00Z")]
    started_at: Rfc3339Instant,
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:07Z")]
    answered_at: Option<Rfc3339Instant>,
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:03:12Z")]
    ended_at: Option<Rfc3339Instant>,
    /// Derived from the times if omitted.
    #[serde(default, deserialize_with = "super::status")]
    status: Option<CallStatus>,
    #[schema(example = "hangup_by_user", max_length = 256)]
    end_reason: Option<String>,
    /// The id or e-mail address of one of the tenant's accounts.
    #[schema(example = "grace@example.com")]
    operator: Option<String>,
    #[schema(example = "Support", max_length = 256)]
    team_name: Option<String>,
    /// The name or number of the call's channel, or the number of other equipment. Default: the business's number in
    /// the call.
    #[schema(example = "14155550100")]
    channel: Option<String>,
}

/// Record a call
///
/// Records a call made on other equipment. Idempotent by `call_id`.
#[described::path(
    post,
    path = "/api/ext/v3/calls",
    responses((status = 200, description = "The stored call.", body = CallView)),
)]
pub(crate) async fn record_call(
    Gated(state, caller): Gated,
    Json(input): Json<RecordCallRequest>,
) -> ApiResult<Response> {
    let new = NewCall {
        call_id: input.call_id,
        direction: input.direction,
        from_number: input.from_number,
        to_number: input.to_number,
        started_at: input.started_at.0,
        answered_at: input.answered_at.map(|at| at.0),
        ended_at: input.ended_at.map(|at| at.0),
        status: input.status,
        end_reason: input.end_reason,
        operator: input.operator,
        team_name: input.team_name,
        channel: input.channel,
    };
    Ok(json_response(state.app.calls().record(&caller, new).await?))
}
