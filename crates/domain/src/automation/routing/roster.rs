//! Who could be given conversations at a moment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::presence::OperatorPresence;
use crate::people::labels::Label;
use crate::people::teams::{DEFAULT_CAPACITY, TeamRouting};
use crate::{AccountId, LabelId, OpeningHoursId, TeamId, Timestamp};

/// An operator as the explanation of a decision names the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorName {
    pub id: AccountId,
    pub name: String,
}

/// An operator with an active account, and how much the operator has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorLoad {
    pub operator: OperatorName,
    /// The effective presence.
    pub presence: OperatorPresence,
    /// Open conversations of the operator, whoever assigned them.
    pub open: i64,
    /// When routing last gave the operator a conversation.
    pub last_assigned_at: Option<Timestamp>,
}

/// Whether a schedule is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleState {
    pub id: OpeningHoursId,
    pub is_open: bool,
    /// When that changes; None: never.
    pub until: Option<Timestamp>,
}

/// The teams, the operators and the schedules of a tenant at a moment.
#[derive(Debug, Clone)]
pub struct Roster {
    teams: BTreeMap<TeamId, TeamRouting>,
    operators: BTreeMap<AccountId, OperatorLoad>,
    schedules: BTreeMap<OpeningHoursId, ScheduleState>,
    label_names: BTreeMap<LabelId, String>,
    last_assigned_at: Option<Timestamp>,
}

impl Roster {
    /// `operators` are those with active accounts, `labels` all of the tenant: a deleted label is no skill.
    pub fn new(
        teams: Vec<TeamRouting>,
        operators: Vec<OperatorLoad>,
        schedules: Vec<ScheduleState>,
        labels: &[Label],
    ) -> Self {
        Self {
            last_assigned_at: operators.iter().filter_map(|load| load.last_assigned_at).max(),
            teams: teams.into_iter().map(|team| (team.id(), team)).collect(),
            operators: operators.into_iter().map(|load| (load.operator.id, load)).collect(),
            schedules: schedules.into_iter().map(|state| (state.id, state)).collect(),
            label_names: labels.iter().map(|label| (label.id, label.name.clone())).collect(),
        }
    }

    pub fn team(&self, id: TeamId) -> Option<&TeamRouting> {
        self.teams.get(&id)
    }

    pub fn operator(&self, id: AccountId) -> Option<&OperatorLoad> {
        self.operators.get(&id)
    }

    pub(super) fn label_name(&self, id: LabelId) -> Option<&str> {
        self.label_names.get(&id).map(String::as_str)
    }

    /// The state of a schedule; None if it does not exist, which counts as always open.
    pub(super) fn schedule(&self, id: OpeningHoursId) -> Option<ScheduleState> {
        self.schedules.get(&id).copied()
    }

    /// How many open conversations an operator can be given apart from any team: the greatest capacity that the
    /// operator's teams allow.
    pub fn own_capacity(&self, id: AccountId) -> i64 {
        let in_team = |team: &TeamRouting| team.member(id).map(|member| team.capacity_of(member));
        self.teams.values().filter_map(in_team).max().unwrap_or(DEFAULT_CAPACITY)
    }

    /// Counts conversations that the operator gets or loses, other than by `assign`.
    pub fn add_open(&mut self, id: AccountId, change: i64) {
        if let Some(load) = self.operators.get_mut(&id) {
            load.open += change;
        }
    }

    /// Counts a conversation that the operator is given. Returns the time of the assignment: `now`, or later than the
    /// last one, so that round robin knows the order of assignments in one batch.
    pub(super) fn give(&mut self, id: AccountId, now: Timestamp) -> Timestamp {
        let at = self.last_assigned_at.map_or(now, |last| now.max(last.plus_micros(1)));
        self.last_assigned_at = Some(at);
        if let Some(load) = self.operators.get_mut(&id) {
            load.open += 1;
            load.last_assigned_at = Some(at);
        }
        at
    }
}
