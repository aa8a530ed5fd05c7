//! Random days of a team: conversations come, people take and solve them, operators come and go. After every event the
//! queue is drained.

use domain::automation::routing::{
    OperatorLoad, OperatorPresence, RoutingTarget, WaitingConversation, assign, is_waiting,
};
use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use domain::people::teams::AssignmentMethod;
use domain::{AccountId, Timestamp};
use proptest::prelude::*;

use super::{NOW, account, id, member, name_of, roster, team, team_id};

const OPERATORS: u64 = 3;
const CAPACITY: i64 = 2;

#[derive(Debug, Clone)]
enum Event {
    Arrives,
    /// A person assigns one of the conversations, whoever has it.
    Takes(usize, u64),
    Solves(usize),
    Reopens(usize),
    Becomes(u64, OperatorPresence),
}

fn event() -> impl Strategy<Value = Event> {
    let presence = prop::sample::select(OperatorPresence::ALL.to_vec());
    prop_oneof![
        5 => Just(Event::Arrives),
        2 => (0_usize..30, 0..OPERATORS).prop_map(|(place, operator)| Event::Takes(place, operator)),
        3 => (0_usize..30).prop_map(Event::Solves),
        1 => (0_usize..30).prop_map(Event::Reopens),
        3 => (0..OPERATORS, presence).prop_map(|(operator, presence)| Event::Becomes(operator, presence)),
    ]
}

struct Day {
    method: AssignmentMethod,
    conversations: Vec<Conversation>,
    operators: Vec<(OperatorPresence, Option<Timestamp>)>,
    now: Timestamp,
}

fn operator_of(one: &Conversation) -> Option<AccountId> {
    match &one.assignee {
        Some(Assignee::Operator { id, .. }) => Some(*id),
        _ => None,
    }
}

fn assignee(which: u64) -> Assignee {
    let name = name_of(which);
    Assignee::Operator { id: name.id, email: format!("{}@example.com", name.name), name: name.name }
}

impl Day {
    fn open(&self, operator: AccountId) -> i64 {
        let is_open =
            |one: &&Conversation| one.status == ConversationStatus::Open && operator_of(one) == Some(operator);
        i64::try_from(self.conversations.iter().filter(is_open).count()).unwrap()
    }

    fn happen(&mut self, event: &Event) {
        let now = self.now;
        let many = self.conversations.len().max(1);
        match *event {
            Event::Arrives => {
                let which = self.conversations.len() as u64;
                let mut one = Conversation::new(id(6, 0), id(9, which), now);
                one.id = id(5, which);
                self.conversations.push(one);
            }
            Event::Takes(place, operator) => {
                if let Some(one) = self.conversations.get_mut(place % many) {
                    one.assign(Some(assignee(operator)), now);
                }
            }
            Event::Solves(place) => {
                if let Some(one) = self.conversations.get_mut(place % many) {
                    one.set_status(ConversationStatus::Solved, now);
                }
            }
            Event::Reopens(place) => {
                if let Some(one) = self.conversations.get_mut(place % many) {
                    one.set_status(ConversationStatus::Open, now);
                }
            }
            Event::Becomes(operator, presence) => self.operators[usize::try_from(operator).unwrap()].0 = presence,
        }
    }

    fn drain(&mut self) {
        let load =
            |(which, (presence, last_assigned_at)): (u64, &(OperatorPresence, Option<Timestamp>))| OperatorLoad {
                operator: name_of(which),
                presence: *presence,
                open: self.open(account(which)),
                last_assigned_at: *last_assigned_at,
            };
        let loads = (0..).zip(&self.operators).map(load).collect();
        let members = (0..OPERATORS).map(member).collect();
        let mut roster = roster(vec![team(0, self.method, members)], loads, vec![]);
        let waiting: Vec<_> = self.conversations.iter().filter(|one| is_waiting(one)).map(waits).collect();
        for decision in assign(&waiting, &mut roster, self.now) {
            let Some(given) = decision.assigned else { continue };
            let one = self.conversations.iter_mut().find(|one| one.id == decision.conversation).unwrap();
            let which = (0..OPERATORS).find(|which| account(*which) == given.operator.id).unwrap();
            one.assign(Some(assignee(which)), self.now);
            self.operators[usize::try_from(which).unwrap()].1 = Some(given.at);
        }
    }
}

fn waits(one: &Conversation) -> WaitingConversation {
    WaitingConversation {
        id: one.id,
        waiting_since: one.opened_at,
        channel: one.channel_id,
        labels: Vec::new(),
        segments: Vec::new(),
        language: None,
        waits_for: RoutingTarget::Team(team_id(0)),
        former_operator: None,
    }
}

proptest! {
    #[test]
    fn what_a_person_assigned_stays_and_the_queue_is_always_drained(
        method in prop::sample::select(vec![AssignmentMethod::RoundRobin, AssignmentMethod::LeastBusy]),
        events in prop::collection::vec(event(), 1..60),
    ) {
        let operators = vec![(OperatorPresence::Available, None); usize::try_from(OPERATORS).unwrap()];
        let mut day = Day { method, conversations: Vec::new(), operators, now: NOW };
        for event in &events {
            day.now = day.now.plus_seconds(1);
            day.happen(event);
            let before = day.conversations.clone();
            let open: Vec<i64> = (0..OPERATORS).map(|which| day.open(account(which))).collect();
            day.drain();
            for (was, is) in before.iter().zip(&day.conversations) {
                prop_assert!(operator_of(was).is_none() || was == is, "{:?} became {:?}", was, is);
            }
            let is_left = day.conversations.iter().any(is_waiting);
            for which in 0..OPERATORS {
                let (presence, _) = day.operators[usize::try_from(which).unwrap()];
                let (before, after) = (open[usize::try_from(which).unwrap()], day.open(account(which)));
                prop_assert!(after == before || after <= CAPACITY, "{which}: {before} became {after}");
                let has_room = presence == OperatorPresence::Available && after < CAPACITY;
                prop_assert!(!(is_left && has_room), "a conversation waits, and {} has room", which);
            }
        }
    }
}
