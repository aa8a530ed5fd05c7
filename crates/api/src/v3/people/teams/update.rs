//! `PUT /api/ext/v3/teams/{id}`: renames a team or changes how its conversations are assigned.

use app::people::teams::TeamRequest;
use domain::{Change, OpeningHoursId, TeamId};

use super::create::method_of;
use super::shape::TeamDetails;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = TeamChange)]
pub(crate) struct UpdateTeamRequest {
    /// Must be unique, ignoring case.
    #[schema(example = "Support", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// `by_hand`, `round_robin` or `least_busy`.
    #[schema(example = "round_robin", nullable = false)]
    method: Option<String>,
    /// The most open conversations that a member is given.
    #[schema(example = 10, minimum = 1, maximum = 1000, nullable = false)]
    capacity: Option<i64>,
    /// The opening hours outside which the team is given no conversations. `null`: it always is.
    #[serde(default)]
    #[schema(value_type = Option<OpeningHoursId>)]
    opening_hours_id: Change<OpeningHoursId>,
}

/// Update a team
///
/// Omitted members keep their values. Contacts show the new name; conversations keep the name that the team had when
/// they were assigned.
#[described::path(
    put,
    path = "/api/ext/v3/teams/{id}",
    responses(
        (status = 200, description = "The updated team.", body = TeamDetails),
        (status = 409, description = "Reasons: `conflict` (another team has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn update_team(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TeamId,)>,
    Json(input): Json<UpdateTeamRequest>,
) -> ApiResult<Json<TeamDetails>> {
    let UpdateTeamRequest { name, method, capacity, opening_hours_id } = input;
    let request = TeamRequest { name, method: method_of(method)?, capacity, opening_hours_id };
    Ok(Json(state.app.people().teams().update(&caller, id, request).await?.into()))
}
