//! Routing from outside: rules and explanations one by one, random rosters, and random days of a team.

mod days;
mod decisions;
mod properties;
mod rules;

use std::collections::BTreeSet;

use domain::automation::routing::{
    OperatorLoad, OperatorName, OperatorPresence, Roster, RoutingTarget, ScheduleState, WaitingConversation, explain,
};
use domain::people::contacts::Team;
use domain::people::labels::{Label, LabelColor};
use domain::people::teams::{AssignmentMethod, TeamMember, TeamRouting, TeamSettings};
use domain::{AccountId, Id, LabelId, OpeningHoursId, TeamId, Timestamp};

const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);
const NAMES: [&str; 6] = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"];

/// Ids of different kinds differ.
fn id<K>(kind: u64, which: u64) -> Id<K> {
    Id::seeded(NOW, (kind << 40) | which)
}

fn account(which: u64) -> AccountId {
    id(1, which)
}

fn team_id(which: u64) -> TeamId {
    id(2, which)
}

fn label_id(which: u64) -> LabelId {
    id(3, which)
}

fn schedule(which: u64) -> OpeningHoursId {
    id(4, which)
}

fn name_of(which: u64) -> OperatorName {
    OperatorName { id: account(which), name: NAMES[usize::try_from(which).unwrap()].to_owned() }
}

/// An available operator with nothing to do.
fn load(which: u64) -> OperatorLoad {
    OperatorLoad { operator: name_of(which), presence: OperatorPresence::Available, open: 0, last_assigned_at: None }
}

fn member(which: u64) -> TeamMember {
    let account_id = account(which);
    TeamMember { account_id, capacity: None, languages: BTreeSet::new(), labels: BTreeSet::new() }
}

/// A team with a capacity of 2 and no schedule.
fn team(which: u64, method: AssignmentMethod, members: Vec<TeamMember>) -> TeamRouting {
    let new = TeamSettings::new(Team { id: team_id(which), name: format!("T{which}") }, NOW);
    TeamRouting { settings: TeamSettings { method, capacity: 2, ..new }, members }
}

/// The team with the opening hours of a schedule.
fn with_hours(which: u64, mut team: TeamRouting) -> TeamRouting {
    team.settings.opening_hours_id = Some(schedule(which));
    team
}

fn labels() -> Vec<Label> {
    let label =
        |which| Label { id: label_id(which), name: format!("label{which}"), color: LabelColor::Gray, created_at: NOW };
    (0..4).map(label).collect()
}

fn roster(teams: Vec<TeamRouting>, operators: Vec<OperatorLoad>, schedules: Vec<ScheduleState>) -> Roster {
    Roster::new(teams, operators, schedules, &labels())
}

/// A conversation without labels, segments or language that has waited for a number of seconds.
fn waiting(which: u64, seconds: i64, waits_for: RoutingTarget) -> WaitingConversation {
    WaitingConversation {
        id: id(5, which),
        waiting_since: NOW.plus_seconds(-seconds),
        channel: id(6, 0),
        labels: Vec::new(),
        segments: Vec::new(),
        language: None,
        waits_for,
        former_operator: None,
    }
}
