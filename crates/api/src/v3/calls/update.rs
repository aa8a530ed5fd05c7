//! `PATCH /api/ext/v3/calls/{id}`: changes operator, team, status, times and end reason of a call.

use app::calls::CallUpdate;
use axum::extract::State;
use axum::response::Response;
use domain::Change;
use domain::calls::{CallStatus, CallView};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Rfc3339Instant, call_id, json};
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, JsonBody};

/// Absent members stay as they are.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = CallUpdate)]
pub(crate) struct UpdateCallRequest {
    /// An account of the tenant, by id or e-mail address; null to remove the operator.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "grace@example.com")]
    operator: Change<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "Support", max_length = 256)]
    team_name: Change<String>,
    /// A status only moves forward; a final status stays.
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

/// Change a call
#[utoipa::path(
    patch,
    path = "/api/ext/v3/calls/{id}",
    tag = "calls",
    params(("id" = String, Path, description = "The call's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    request_body = UpdateCallRequest,
    responses(
        (status = 200, description = "The call after the change.", body = CallView),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`.", body = ErrorBody),
    ),
)]
pub(crate) async fn update_call(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<UpdateCallRequest>,
) -> ApiResult<Response> {
    let update = CallUpdate {
        operator: input.operator,
        team_name: input.team_name,
        status: input.status,
        answered_at: input.answered_at.map(|at| at.0),
        ended_at: input.ended_at.map(|at| at.0),
        end_reason: input.end_reason,
    };
    Ok(json(state.app.calls().update(&caller, call_id(&id)?, update).await?))
}
