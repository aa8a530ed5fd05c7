//! Finds the operator for one conversation.

use super::presence::OperatorPresence;
use super::roster::{OperatorLoad, OperatorName, Roster};
use super::steps::{PassedOver, RoutingStep, Skill};
use super::waiting::{RoutingTarget, WaitingConversation};
use crate::people::teams::{AssignmentMethod, TeamMember, TeamRouting};
use crate::{AccountId, TeamId};

/// A member who may have the conversation and has room.
#[derive(Debug, Clone, Copy)]
struct Candidate<'a> {
    load: &'a OperatorLoad,
    capacity: i64,
}

/// Why an operator is not given a conversation now; None: nothing speaks against it.
pub(super) const fn passed_over(load: &OperatorLoad, capacity: i64) -> Option<PassedOver> {
    match load.presence {
        OperatorPresence::Away => Some(PassedOver::Away),
        OperatorPresence::Busy => Some(PassedOver::Busy),
        OperatorPresence::Available if load.open >= capacity => Some(PassedOver::Full { open: load.open, capacity }),
        OperatorPresence::Available => None,
    }
}

impl Roster {
    /// The operator who is given the conversation. Adds the steps that lead to the operator, or to nobody.
    pub(super) fn pick(&self, one: &WaitingConversation, steps: &mut Vec<RoutingStep>) -> Option<AccountId> {
        let picked = match one.waits_for {
            RoutingTarget::Team(id) => self.open_team(id, steps).and_then(|team| self.pick_member(team, one, steps)),
            RoutingTarget::Operator(id) => self.pick_operator(id, steps),
            RoutingTarget::Unassigned => {
                steps.push(RoutingStep::LeftUnassigned);
                return None;
            }
        };
        if picked.is_none() {
            steps.push(RoutingStep::Waits);
        }
        picked
    }

    /// The team, if it exists and is open.
    pub(super) fn open_team(&self, id: TeamId, steps: &mut Vec<RoutingStep>) -> Option<&TeamRouting> {
        let Some(routing) = self.team(id) else {
            steps.push(RoutingStep::TeamGone);
            return None;
        };
        let Some(state) = routing.settings.opening_hours_id.and_then(|schedule| self.schedule(schedule)) else {
            return Some(routing);
        };
        let (team, until) = (routing.team(), state.until);
        steps.push(if state.is_open {
            RoutingStep::TeamOpen { team, until }
        } else {
            RoutingStep::TeamClosed { team, until }
        });
        state.is_open.then_some(routing)
    }

    pub(super) fn pick_operator(&self, id: AccountId, steps: &mut Vec<RoutingStep>) -> Option<AccountId> {
        let Some(load) = self.operator(id) else {
            steps.push(RoutingStep::OperatorGone);
            return None;
        };
        let (operator, capacity) = (load.operator.clone(), self.own_capacity(id));
        match passed_over(load, capacity) {
            None => {
                steps.push(RoutingStep::OperatorHasRoom { operator, open: load.open, capacity });
                Some(id)
            }
            Some(reason) => {
                steps.push(RoutingStep::OperatorPassedOver { operator, reason });
                None
            }
        }
    }

    /// The member of an open team who is given the conversation.
    pub(super) fn pick_member(
        &self,
        routing: &TeamRouting,
        one: &WaitingConversation,
        steps: &mut Vec<RoutingStep>,
    ) -> Option<AccountId> {
        let (load, step) = match routing.settings.method {
            AssignmentMethod::ByHand => {
                steps.push(RoutingStep::TakenByHand { team: routing.team() });
                return None;
            }
            AssignmentMethod::LeastBusy => {
                let Candidate { load, capacity } = least_busy(&self.candidates(routing, one, steps))?;
                let operator = load.operator.clone();
                (load, RoutingStep::LeastBusy { operator, open: load.open, capacity })
            }
            AssignmentMethod::RoundRobin => {
                let load = next_in_turn(&self.candidates(routing, one, steps))?;
                let (operator, after) = (load.operator.clone(), self.last_given(routing));
                (load, RoutingStep::RoundRobin { operator, after })
            }
        };
        steps.push(step);
        Some(load.operator.id)
    }

    /// The members who can have the conversation. If there are none, the last step says so.
    fn candidates<'a>(
        &'a self,
        routing: &'a TeamRouting,
        one: &WaitingConversation,
        steps: &mut Vec<RoutingStep>,
    ) -> Vec<Candidate<'a>> {
        let needed = self.needed_skills(routing, one);
        let mut lacking = vec![0; needed.len()];
        let (mut away, mut busy, mut full) = (0, 0, 0);
        let mut candidates = Vec::new();
        for member in &routing.members {
            let capacity = routing.capacity_of(member);
            let Some(load) = self.operator(member.account_id) else {
                away += 1;
                continue;
            };
            match passed_over(load, capacity) {
                Some(PassedOver::Away) => away += 1,
                Some(PassedOver::Busy) => busy += 1,
                Some(PassedOver::Full { .. }) => full += 1,
                None => match needed.iter().position(|skill| !skill.is_had_by(member)) {
                    Some(missing) => lacking[missing] += 1,
                    None => candidates.push(Candidate { load, capacity }),
                },
            }
        }
        let missing = needed.into_iter().zip(lacking).filter(|(_, operators)| *operators > 0);
        steps.extend(missing.map(|(skill, operators)| RoutingStep::SkillMissing { skill, operators }));
        if candidates.is_empty() {
            steps.push(RoutingStep::NobodyHasRoom { team: routing.team(), away, busy, full });
        }
        candidates
    }

    /// The skills that the conversation needs: its language and its labels, each if a member of the team has it. What
    /// no member has is no skill of this team, or such conversations would wait for ever.
    fn needed_skills(&self, routing: &TeamRouting, one: &WaitingConversation) -> Vec<Skill> {
        let language = one.language.iter().map(|language| Skill::Language { language: language.clone() });
        let label = |id| Some(Skill::Label { id, name: self.label_name(id)?.to_owned() });
        let skills = language.chain(one.labels.iter().copied().filter_map(label));
        skills.filter(|skill| routing.members.iter().any(|member| skill.is_had_by(member))).collect()
    }

    /// The member who was given a conversation last.
    fn last_given(&self, routing: &TeamRouting) -> Option<OperatorName> {
        let loads = routing.members.iter().filter_map(|member| self.operator(member.account_id));
        let last = loads.filter(|load| load.last_assigned_at.is_some());
        last.max_by_key(|load| (load.last_assigned_at, load.operator.id)).map(|load| load.operator.clone())
    }
}

impl Skill {
    fn is_had_by(&self, member: &TeamMember) -> bool {
        match self {
            Self::Language { language } => member.languages.contains(language),
            Self::Label { id, .. } => member.labels.contains(id),
        }
    }
}

/// Whose last conversation is the longest ago; those who never had one come first.
fn next_in_turn<'a>(candidates: &[Candidate<'a>]) -> Option<&'a OperatorLoad> {
    let loads = candidates.iter().map(|candidate| candidate.load);
    loads.min_by_key(|load| (load.last_assigned_at, load.operator.id))
}

/// Who has the smallest share of the own capacity in use, so that 1 of 2 is busier than 3 of 10.
fn least_busy<'a>(candidates: &[Candidate<'a>]) -> Option<Candidate<'a>> {
    let turn = |one: &Candidate<'_>| (one.load.open, one.load.last_assigned_at, one.load.operator.id);
    let by_share = |one: &&Candidate<'_>, other: &&Candidate<'_>| {
        let (share, other_share) = (one.load.open * other.capacity, other.load.open * one.capacity);
        share.cmp(&other_share).then_with(|| turn(one).cmp(&turn(other)))
    };
    candidates.iter().min_by(by_share).copied()
}
