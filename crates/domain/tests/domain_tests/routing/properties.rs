//! Random rosters and queues: what must hold after every assignment.

use std::collections::BTreeMap;

use domain::automation::routing::{
    AssignmentDecision, OperatorLoad, OperatorPresence, Roster, RoutingTarget, ScheduleState, WaitingConversation,
    assign,
};
use domain::people::teams::{AssignmentMethod, DEFAULT_CAPACITY, TeamMember, TeamRouting};
use domain::{AccountId, ConversationId};
use proptest::prelude::*;

use super::{NOW, account, label_id, labels, load, member, schedule, team, team_id, waiting};

const OPERATORS: u64 = 5;
const TEAMS: u64 = 3;

fn languages() -> impl Strategy<Value = Vec<String>> {
    prop::sample::subsequence(vec!["de".to_owned(), "pt".to_owned()], 0..=2)
}

fn members() -> impl Strategy<Value = Vec<TeamMember>> {
    let one = (
        any::<bool>(),
        prop::option::weighted(0.3, 0_i64..4),
        languages(),
        prop::collection::btree_set(0_u64..2, 0..2),
    );
    prop::collection::vec(one, usize::try_from(OPERATORS).unwrap()).prop_map(|all| {
        let all = all.into_iter().zip(0..).filter(|((is_member, ..), _)| *is_member);
        let one =
            |((_, capacity, languages, labels), which): ((_, _, Vec<String>, std::collections::BTreeSet<u64>), _)| {
                let languages = languages.iter().map(|language| language.parse().unwrap()).collect();
                TeamMember { capacity, languages, labels: labels.into_iter().map(label_id).collect(), ..member(which) }
            };
        all.map(one).collect()
    })
}

fn teams() -> impl Strategy<Value = Vec<TeamRouting>> {
    let method = prop::sample::select(AssignmentMethod::ALL.to_vec());
    let one = (method, 1_i64..4, prop::option::of(0_u64..2), members());
    prop::collection::vec(one, usize::try_from(TEAMS).unwrap()).prop_map(|all| {
        let one = |((method, capacity, hours, members), which): ((_, _, Option<u64>, _), _)| {
            let mut team = team(which, method, members);
            (team.settings.capacity, team.settings.opening_hours_id) = (capacity, hours.map(schedule));
            team
        };
        all.into_iter().zip(0..).map(one).collect()
    })
}

/// The last operator is not always there.
fn operators() -> impl Strategy<Value = Vec<OperatorLoad>> {
    let presence = prop_oneof![
        4 => Just(OperatorPresence::Available),
        1 => Just(OperatorPresence::Busy),
        1 => Just(OperatorPresence::Away),
    ];
    let one = (presence, 0_i64..5, prop::option::of(0_i64..3));
    prop::collection::vec(one, 4..=usize::try_from(OPERATORS).unwrap()).prop_map(|all| {
        let one = |((presence, open, last), which): ((_, _, Option<i64>), _)| OperatorLoad {
            presence,
            open,
            last_assigned_at: last.map(|seconds| NOW.plus_seconds(-seconds)),
            ..load(which)
        };
        all.into_iter().zip(0..).map(one).collect()
    })
}

fn queue() -> impl Strategy<Value = Vec<WaitingConversation>> {
    let target = prop_oneof![
        8 => (0..=TEAMS).prop_map(|which| RoutingTarget::Team(team_id(which))),
        2 => (0..OPERATORS).prop_map(|which| RoutingTarget::Operator(account(which))),
        1 => Just(RoutingTarget::Unassigned),
    ];
    // A label with the number 9 does not exist.
    let labels = prop::collection::vec(prop::sample::select(vec![0_u64, 1, 9]), 0..2);
    let one = (target, 0_i64..4, prop::option::of(prop::sample::select(vec!["de", "pt", "fr"])), labels);
    prop::collection::vec(one, 0..14).prop_map(|all| {
        let one = |((target, seconds, language, labels), which): ((_, _, Option<&str>, Vec<u64>), _)| {
            let language = language.map(|language| language.parse().unwrap());
            let labels = labels.into_iter().map(label_id).collect();
            WaitingConversation { language, labels, ..waiting(which, seconds, target) }
        };
        all.into_iter().zip(0..).map(one).collect()
    })
}

#[derive(Debug, Clone)]
struct Setting {
    teams: Vec<TeamRouting>,
    operators: Vec<OperatorLoad>,
    schedules: Vec<ScheduleState>,
}

fn setting() -> impl Strategy<Value = Setting> {
    (teams(), operators(), any::<bool>()).prop_map(|(teams, operators, is_open)| {
        // The schedule with the number 1 does not exist.
        let schedules = vec![ScheduleState { id: schedule(0), is_open, until: None }];
        Setting { teams, operators, schedules }
    })
}

impl Setting {
    fn roster(&self) -> Roster {
        Roster::new(self.teams.clone(), self.operators.clone(), self.schedules.clone(), &labels())
    }

    /// How many open conversations the operator could have if this one was the last; None if the operator may not have
    /// it at all.
    fn permitted_capacity(&self, one: &WaitingConversation, operator: AccountId) -> Option<i64> {
        let load = self.operators.iter().find(|load| load.operator.id == operator)?;
        if load.presence != OperatorPresence::Available {
            return None;
        }
        match one.waits_for {
            RoutingTarget::Unassigned => None,
            RoutingTarget::Operator(wanted) => {
                let members = self.teams.iter().filter_map(|team| Some((team, team.member(operator)?)));
                let capacities = members.map(|(team, member)| member.capacity.unwrap_or(team.settings.capacity));
                (wanted == operator).then(|| capacities.max().unwrap_or(DEFAULT_CAPACITY))
            }
            RoutingTarget::Team(id) => {
                let team = self.teams.iter().find(|team| team.id() == id)?;
                let is_closed =
                    |state: &ScheduleState| Some(state.id) == team.settings.opening_hours_id && !state.is_open;
                if team.settings.method == AssignmentMethod::ByHand || self.schedules.iter().any(is_closed) {
                    return None;
                }
                let member = team.member(operator)?;
                has_skills(one, member, team).then(|| member.capacity.unwrap_or(team.settings.capacity))
            }
        }
    }
}

fn has_skills(one: &WaitingConversation, member: &TeamMember, team: &TeamRouting) -> bool {
    let needed = |has: &dyn Fn(&TeamMember) -> bool| team.members.iter().any(has);
    let speaks = one.language.as_ref().is_none_or(|language| {
        member.languages.contains(language) || !needed(&|other| other.languages.contains(language))
    });
    let handles = one.labels.iter().filter(|label| labels().iter().any(|known| known.id == **label));
    let handles = handles
        .into_iter()
        .all(|label| member.labels.contains(label) || !needed(&|other| other.labels.contains(label)));
    speaks && handles
}

/// Who has how many open conversations after some decisions.
fn open_after(setting: &Setting, decisions: &[AssignmentDecision]) -> BTreeMap<AccountId, i64> {
    let mut open: BTreeMap<_, _> = setting.operators.iter().map(|load| (load.operator.id, load.open)).collect();
    for given in decisions.iter().filter_map(|decision| decision.assigned.as_ref()) {
        *open.get_mut(&given.operator.id).unwrap() += 1;
    }
    open
}

fn by_id(queue: &[WaitingConversation], id: ConversationId) -> &WaitingConversation {
    queue.iter().find(|one| one.id == id).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("SWITCHBOARD_TEST_LONG").is_some() { 100_000 } else { 512 }))]

    #[test]
    fn nobody_waits_while_a_permitted_operator_has_room(setting in setting(), queue in queue()) {
        let decisions = assign(&queue, &mut setting.roster(), NOW);
        prop_assert_eq!(decisions.len(), queue.len());
        let open = open_after(&setting, &decisions);
        for decision in decisions.iter().filter(|decision| decision.assigned.is_none()) {
            let one = by_id(&queue, decision.conversation);
            for (operator, open) in &open {
                let capacity = setting.permitted_capacity(one, *operator);
                prop_assert!(capacity.is_none_or(|capacity| *open >= capacity), "{:?} for {:?}", operator, one);
            }
        }
    }

    #[test]
    fn nobody_is_given_what_is_not_permitted_or_above_the_capacity(setting in setting(), queue in queue()) {
        let decisions = assign(&queue, &mut setting.roster(), NOW);
        for (place, decision) in decisions.iter().enumerate() {
            let Some(given) = &decision.assigned else { continue };
            let before = open_after(&setting, &decisions[..place])[&given.operator.id];
            let capacity = setting.permitted_capacity(by_id(&queue, decision.conversation), given.operator.id);
            prop_assert!(capacity.is_some_and(|capacity| before < capacity), "{:?}: {} open", decision, before);
        }
    }

    #[test]
    fn the_oldest_is_first(setting in setting(), queue in queue(), turn in 0_usize..14) {
        let decisions = assign(&queue, &mut setting.roster(), NOW);
        let age = |decision: &AssignmentDecision| {
            let one = by_id(&queue, decision.conversation);
            (one.waiting_since, one.id)
        };
        prop_assert!(decisions.is_sorted_by_key(age));
        for (place, decision) in decisions.iter().enumerate().filter(|(_, decision)| decision.assigned.is_some()) {
            let one = by_id(&queue, decision.conversation);
            for older in decisions[..place].iter().filter(|older| older.assigned.is_none()) {
                let other = by_id(&queue, older.conversation);
                let needs = |one: &WaitingConversation| (one.waits_for, one.language.clone(), one.labels.clone());
                prop_assert_ne!(needs(one), needs(other), "{:?} passed by {:?}", one, other);
            }
        }
        let mut turned = queue.clone();
        turned.rotate_left(turn % queue.len().max(1));
        prop_assert_eq!(assign(&turned, &mut setting.roster(), NOW), decisions);
    }

    #[test]
    fn running_it_again_changes_nothing(setting in setting(), queue in queue()) {
        let mut roster = setting.roster();
        let decisions = assign(&queue, &mut roster, NOW);
        let is_left = |one: &WaitingConversation| {
            decisions.iter().any(|decision| decision.conversation == one.id && decision.assigned.is_none())
        };
        let left: Vec<_> = queue.iter().filter(|one| is_left(one)).cloned().collect();
        let again = assign(&left, &mut roster, NOW.plus_seconds(1));
        prop_assert!(again.iter().all(|decision| decision.assigned.is_none()));
        let third = assign(&left, &mut roster, NOW.plus_seconds(2));
        prop_assert_eq!(again, third);
    }

    #[test]
    fn a_batch_decides_like_one_after_the_other(setting in setting(), queue in queue()) {
        let (mut whole, mut single) = (setting.roster(), setting.roster());
        let decisions = assign(&queue, &mut whole, NOW);
        for decision in &decisions {
            let one = by_id(&queue, decision.conversation);
            prop_assert_eq!(&assign(std::slice::from_ref(one), &mut single, NOW)[0], decision);
        }
    }
}
