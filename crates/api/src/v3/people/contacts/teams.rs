//! `PUT /api/ext/v3/contacts/teams`: sets a contact's teams.

use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ContactTeams {
    /// Phone number, contact id or BSUID, optionally prefixed with `channel:`.
    #[schema(example = "14155552671")]
    target: String,
    /// Replaces the contact's teams. Teams that do not exist are created.
    #[schema(example = json!(["Support", "Sales"]), max_items = 50)]
    teams: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TeamsSet {
    #[schema(example = true)]
    result: bool,
}

/// Set a contact's teams
#[described::path(
    put,
    path = "/api/ext/v3/contacts/teams",
    responses(
        (status = 200, description = "The teams were set.", body = TeamsSet),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn set_contact_teams(
    Gated(state, caller): Gated,
    Json(input): Json<ContactTeams>,
) -> ApiResult<Json<TeamsSet>> {
    state.app.people().contacts().set_teams(&caller, &input.target, input.teams).await?;
    Ok(Json(TeamsSet { result: true }))
}
