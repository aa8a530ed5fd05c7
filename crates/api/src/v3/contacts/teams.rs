//! `PUT /api/ext/v3/contacts/teams`: sets the teams of a contact.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::JsonBody;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContactTeams)]
pub(crate) struct SetTeamsRequest {
    /// Phone number, contact id or BSUID, with or without a channel in front.
    #[schema(example = "14155552671")]
    target: String,
    /// Replaces the contact's teams. A team that does not exist is created.
    #[schema(example = json!(["Support", "Sales"]), max_items = 50)]
    teams: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TeamsSet {
    #[schema(example = true)]
    result: bool,
}

/// Set the teams of a contact
#[utoipa::path(
    put,
    path = "/api/ext/v3/contacts/teams",
    tag = "contacts",
    request_body = SetTeamsRequest,
    responses(
        (status = 200, description = "The teams are set.", body = TeamsSet),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_contact_teams(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(input): JsonBody<SetTeamsRequest>,
) -> ApiResult<Json<TeamsSet>> {
    state.app.contacts().set_teams(&caller, &input.target, input.teams).await?;
    Ok(Json(TeamsSet { result: true }))
}
