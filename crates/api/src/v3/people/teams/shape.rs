//! The wire shapes of teams.

use app::people::teams::{CountedTeam, MemberView, TeamView};
use domain::people::teams::{Language, TeamSettings};
use domain::{AccountId, OpeningHoursId, TeamId};

use crate::prelude::*;
use crate::v3::people::labels::shape::LabelOn;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Team)]
pub(crate) struct TeamShape {
    id: TeamId,
    #[schema(example = "Support")]
    name: String,
    /// How the team's conversations get an operator. `by_hand`: operators take them. `round_robin`: each member in
    /// turn. `least_busy`: the member with the smallest share of the capacity in use.
    #[schema(example = "least_busy")]
    method: &'static str,
    /// The most open conversations that a member is given, unless the member has a capacity of its own.
    #[schema(example = 10, minimum = 1, maximum = 1000)]
    capacity: i64,
    /// The opening hours outside which the team is given no conversations. `null`: it always is.
    opening_hours_id: Option<OpeningHoursId>,
    #[schema(example = 3, minimum = 0)]
    member_count: usize,
    #[serde(serialize_with = "as_rfc3339")]
    created: Timestamp,
}

/// A team with its members.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TeamDetails {
    #[serde(flatten)]
    team: TeamShape,
    /// The members whose accounts are active, sorted by name.
    members: Vec<TeamMemberShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TeamMember)]
pub(crate) struct TeamMemberShape {
    id: AccountId,
    #[schema(example = "grace@example.com")]
    email: String,
    #[schema(example = "Grace Hopper")]
    name: String,
    /// The most open conversations that the member is given. `null`: the team's.
    #[schema(example = 5, minimum = 0, maximum = 1000)]
    capacity: Option<i64>,
    #[schema(value_type = Vec<String>, example = json!(["de", "en"]))]
    languages: Vec<Language>,
    labels: Vec<LabelOn>,
}

impl TeamShape {
    fn new(settings: TeamSettings, member_count: usize) -> Self {
        let TeamSettings { id, name, method, capacity, opening_hours_id, created_at: created } = settings;
        Self { id, name, method: method.name(), capacity, opening_hours_id, member_count, created }
    }
}

impl From<CountedTeam> for TeamShape {
    fn from(team: CountedTeam) -> Self {
        Self::new(team.settings, usize::try_from(team.members).unwrap_or(0))
    }
}

impl From<TeamView> for TeamDetails {
    fn from(team: TeamView) -> Self {
        let members: Vec<_> = team.members.into_iter().map(TeamMemberShape::from).collect();
        Self { team: TeamShape::new(team.settings, members.len()), members }
    }
}

impl From<MemberView> for TeamMemberShape {
    fn from(view: MemberView) -> Self {
        let MemberView { account, member, labels } = view;
        Self {
            id: account.id,
            email: account.email,
            name: account.name,
            capacity: member.capacity,
            languages: member.languages.into_iter().collect(),
            labels: labels.iter().map(LabelOn::from).collect(),
        }
    }
}
