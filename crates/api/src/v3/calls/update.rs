//! `PATCH /api/ext/v3/calls/{id}`: updates a call's operator, team, status, times and end reason.

use app::calls::CallUpdate;
use domain::calls::{CallStatus, CallView};
use domain::{CallId, Change};

use super::Rfc3339Instant;
use crate::input::json_response;
use crate::prelude::*;

/// Omitted members keep their values.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = CallUpdate)]
pub(crate) struct UpdateCallRequest {
    /// The id or e-mail address of one of the tenant's accounts; null removes the operator.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "grace@example.com")]
    operator: Change<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "Support", max_length = 256)]
    team_name: Change<String>,
    /// A status only moves forward, and a final status never changes.
    #[serde(default, deserialize_with = "super::status")]
    status: Option<CallStatus>,
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:00:07Z")]
    answered_at: Option<Rfc3339Instant>,
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-04-24T10:03:12Z")]
    ended_at: Option<Rfc3339Instant>,
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "hangup_by_user", max_length = 256)]
    end_reason: Change<String>,
}

/// Update a call
#[described::path(
    patch,
    path = "/api/ext/v3/calls/{id}",
    responses(
        (status = 200, description = "The updated call.", body = CallView),
        (status = 409, description = "Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn update_call(
    Gated(state, caller): Gated,
    Path((id,)): Path<(CallId,)>,
    Json(input): Json<UpdateCallRequest>,
) -> ApiResult<Response> {
    let update = CallUpdate {
        operator: input.operator,
        team_name: input.team_name,
        status: input.status,
        answered_at: input.answered_at.map(|at| at.0),
        ended_at: input.ended_at.map(|at| at.0),
        end_reason: input.end_reason,
    };
    Ok(json_response(state.app.calls().update(&caller, id, update).await?))
}
