//! `PUT /api/ext/v3/teams/{id}/members`: replaces a team's members.

use app::people::teams::MemberRequest;
use domain::TeamId;

use super::shape::TeamDetails;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct TeamMembers {
    /// Replaces all members.
    #[schema(max_items = 200)]
    members: Vec<NewTeamMember>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewTeamMember {
    /// The e-mail address or id of an active account.
    #[schema(example = "grace@example.com")]
    operator: String,
    /// The most open conversations that the member is given, with `0` none. Without it, the team's capacity counts.
    #[schema(example = 5, minimum = 0, maximum = 1000)]
    capacity: Option<i64>,
    /// The languages that the member speaks, as codes of ISO 639. A region is ignored: `pt_BR` is `pt`.
    #[serde(default)]
    #[schema(example = json!(["de", "en"]), max_items = 50)]
    languages: Vec<String>,
    /// The labels of conversations that the member can handle, each by its name, ignoring case, or its id.
    #[serde(default)]
    #[schema(example = json!(["vip"]), max_items = 50)]
    labels: Vec<String>,
}

impl From<NewTeamMember> for MemberRequest {
    fn from(input: NewTeamMember) -> Self {
        let NewTeamMember { operator, capacity, languages, labels } = input;
        Self { operator, capacity, languages, labels }
    }
}

/// Set a team's members
///
/// A conversation of the team needs a member with its language, and with each of its labels, if any member has it as a
/// skill. Languages and labels that no member has are not required.
#[described::path(
    put,
    path = "/api/ext/v3/teams/{id}/members",
    responses((status = 200, description = "The team with its new members.", body = TeamDetails)),
)]
pub(crate) async fn set_team_members(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TeamId,)>,
    Json(input): Json<TeamMembers>,
) -> ApiResult<Json<TeamDetails>> {
    let members = input.members.into_iter().map(MemberRequest::from).collect();
    Ok(Json(state.app.people().teams().set_members(&caller, id, members).await?.into()))
}
