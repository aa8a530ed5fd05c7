//! `POST /api/ext/v3/teams`: creates a team.

use app::people::teams::TeamRequest;
use domain::people::teams::{AssignmentMethod, check_method};
use domain::{Change, OpeningHoursId};

use super::shape::TeamDetails;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewTeam {
    /// Must be unique, ignoring case.
    #[schema(example = "Support", min_length = 1, max_length = 100)]
    name: String,
    /// `by_hand` (the default), `round_robin` or `least_busy`.
    #[schema(example = "least_busy", nullable = false)]
    method: Option<String>,
    /// The most open conversations that a member is given.
    #[schema(example = 10, minimum = 1, maximum = 1000, default = 10, nullable = false)]
    capacity: Option<i64>,
    /// The opening hours outside which the team is given no conversations. Without them, it always is.
    opening_hours_id: Option<OpeningHoursId>,
}

pub(super) fn method_of(method: Option<String>) -> ApiResult<Option<AssignmentMethod>> {
    let method = method.map(|method| check_method(&method)).transpose();
    method.map_err(|error| ApiError::invalid("method", error))
}

/// Create a team
///
/// A team that is named when the teams of a contact are set is created with the defaults. A tenant can have at most 500
/// teams; creating another returns `429` with the reason `limit_reached`.
#[described::path(
    post,
    path = "/api/ext/v3/teams",
    responses(
        (status = 200, description = "The team.", body = TeamDetails),
        (status = 409, description = "Reasons: `conflict` (another team has this name).", body = ErrorBody),
    ),
)]
pub(crate) async fn create_team(
    Gated(state, caller): Gated,
    Json(input): Json<NewTeam>,
) -> ApiResult<Json<TeamDetails>> {
    let request = TeamRequest {
        name: Some(input.name),
        method: method_of(input.method)?,
        capacity: input.capacity,
        opening_hours_id: input.opening_hours_id.map_or(Change::Keep, Change::Set),
    };
    Ok(Json(state.app.people().teams().create(&caller, request).await?.into()))
}
