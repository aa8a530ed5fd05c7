//! Assignments one by one, with their explanations.

use domain::automation::routing::{
    AssignmentDecision, OperatorLoad, OperatorPresence, Roster, RoutingTarget, ScheduleState, WaitingConversation,
    assign,
};
use domain::people::teams::{AssignmentMethod, TeamMember, TeamRouting};

use super::{NOW, explain, label_id, load, member, roster, schedule, team, team_id, waiting, with_hours};

const FOR_TEAM: fn(u64) -> RoutingTarget = |which| RoutingTarget::Team(team_id(which));

fn one(conversation: &WaitingConversation, roster: &mut Roster) -> AssignmentDecision {
    assign(std::slice::from_ref(conversation), roster, NOW).remove(0)
}

/// Who gets each of some conversations that are alike.
fn names(many: u64, roster: &mut Roster) -> Vec<String> {
    let all: Vec<_> = (0..many).map(|which| waiting(which, 0, FOR_TEAM(0))).collect();
    let name = |decision: AssignmentDecision| decision.assigned.map_or("-".to_owned(), |given| given.operator.name);
    assign(&all, roster, NOW).into_iter().map(name).collect()
}

fn sentences(conversation: &WaitingConversation, roster: &mut Roster) -> String {
    explain(&one(conversation, roster).steps)
}

fn speaker(which: u64, language: &str) -> TeamMember {
    TeamMember { languages: [language.parse().unwrap()].into(), ..member(which) }
}

fn round_robin(members: Vec<TeamMember>) -> TeamRouting {
    team(0, AssignmentMethod::RoundRobin, members)
}

#[test]
fn round_robin_gives_each_a_turn_and_starts_with_who_waited_longest() {
    let later = |which, seconds| OperatorLoad { last_assigned_at: Some(NOW.plus_seconds(seconds)), ..load(which) };
    let members = (0..3).map(member).collect();
    let mut some = roster(vec![round_robin(members)], vec![later(0, -5), load(1), later(2, -60)], vec![]);
    assert_eq!(names(7, &mut some), ["Ben", "Cleo", "Ada", "Ben", "Cleo", "Ada", "-"]);
    let decision = one(&waiting(9, 0, FOR_TEAM(0)), &mut some);
    assert_eq!(explain(&decision.steps), "Nobody in the team T0 has room: 3 full. It waits.");
}

#[test]
fn a_turn_is_explained_by_the_one_before() {
    let mut some = roster(vec![round_robin(vec![member(0), member(1)])], vec![load(0), load(1)], vec![]);
    assert_eq!(sentences(&waiting(1, 0, FOR_TEAM(0)), &mut some), "Ada is first in turn.");
    assert_eq!(sentences(&waiting(2, 0, FOR_TEAM(0)), &mut some), "Ben is next in turn after Ada.");
}

#[test]
fn the_least_busy_has_the_smallest_share_of_the_own_capacity() {
    let small = TeamMember { capacity: Some(2), ..member(0) };
    let large = TeamMember { capacity: Some(10), ..member(1) };
    let teams = vec![team(0, AssignmentMethod::LeastBusy, vec![small, large])];
    let busy = |which, open| OperatorLoad { open, ..load(which) };
    let mut some = roster(teams.clone(), vec![busy(0, 1), busy(1, 3)], vec![]);
    let sentence = "Ben is the least busy with 3 of 10 open conversations.";
    assert_eq!(sentences(&waiting(1, 0, FOR_TEAM(0)), &mut some), sentence);
    let mut equal = roster(teams, vec![busy(0, 1), busy(1, 5)], vec![]);
    assert_eq!(names(2, &mut equal), ["Ada", "Ben"], "fewer open ones decide, then the first is full");
}

#[test]
fn who_is_busy_away_or_full_is_passed_over() {
    let with = |which, presence| OperatorLoad { presence, ..load(which) };
    let operators =
        vec![with(0, OperatorPresence::Busy), with(1, OperatorPresence::Away), OperatorLoad { open: 2, ..load(2) }];
    // Dan has no load: the account is not active.
    let mut some = roster(vec![round_robin((0..4).map(member).collect())], operators, vec![]);
    let sentence = "Nobody in the team T0 has room: 2 away, 1 busy, 1 full. It waits.";
    assert_eq!(sentences(&waiting(1, 0, FOR_TEAM(0)), &mut some), sentence);
}

#[test]
fn a_member_without_capacity_is_given_nothing() {
    let members = vec![TeamMember { capacity: Some(0), ..member(0) }, member(1)];
    let mut some = roster(vec![round_robin(members)], vec![load(0), load(1)], vec![]);
    assert_eq!(names(3, &mut some), ["Ben", "Ben", "-"]);
}

#[test]
fn a_skill_is_needed_if_a_member_has_it() {
    let teams = vec![round_robin(vec![member(0), speaker(1, "de"), speaker(2, "pt")])];
    let mut some = roster(teams, (0..3).map(load).collect(), vec![]);
    let speaks = |which, language: &str| WaitingConversation {
        language: Some(language.parse().unwrap()),
        ..waiting(which, 0, FOR_TEAM(0))
    };
    let german = one(&speaks(1, "de_AT"), &mut some);
    assert_eq!(german.assigned.unwrap().operator.name, "Ben");
    assert_eq!(explain(&german.steps), "2 operators with room lack the language de. Ben is first in turn.");
    let french = one(&speaks(2, "fr"), &mut some);
    assert_eq!(french.assigned.unwrap().operator.name, "Ada", "no member speaks it, so anybody may try");
    one(&speaks(3, "de"), &mut some);
    let sentence = "2 operators with room lack the language de. Nobody in the team T0 has room: 1 full. It waits.";
    assert_eq!(sentences(&speaks(4, "de"), &mut some), sentence);
}

#[test]
fn a_label_is_a_skill_until_it_is_deleted() {
    let skilled = TeamMember { labels: [label_id(1), label_id(7)].into(), ..member(1) };
    let teams = vec![round_robin(vec![member(0), skilled])];
    let labelled =
        |which, label| WaitingConversation { labels: vec![label_id(label)], ..waiting(which, 0, FOR_TEAM(0)) };
    let mut some = roster(teams, vec![load(0), load(1)], vec![]);
    let sentence = "1 operator with room lacks the skill label1. Ben is first in turn.";
    assert_eq!(sentences(&labelled(1, 1), &mut some), sentence);
    // No label has the id 7 any longer.
    assert_eq!(one(&labelled(2, 7), &mut some).assigned.unwrap().operator.name, "Ada");
}

#[test]
fn a_closed_team_and_one_by_hand_are_given_nothing() {
    let state = |is_open| ScheduleState { id: schedule(0), is_open, until: Some(NOW.plus_seconds(3_600)) };
    let timed = with_hours(0, round_robin(vec![member(0)]));
    let by_hand = team(1, AssignmentMethod::ByHand, vec![member(0)]);
    let teams = vec![timed, by_hand];
    let mut closed = roster(teams.clone(), vec![load(0)], vec![state(false)]);
    let until = "until 2026-04-12T14:20:00.000Z";
    assert_eq!(
        sentences(&waiting(1, 0, FOR_TEAM(0)), &mut closed),
        format!("The team T0 is closed {until}. It waits.")
    );
    let mut open = roster(teams.clone(), vec![load(0)], vec![state(true)]);
    assert_eq!(
        sentences(&waiting(1, 0, FOR_TEAM(0)), &mut open),
        format!("The team T0 is open {until}. Ada is first in turn.")
    );
    let mut without = roster(teams, vec![load(0)], vec![]);
    assert_eq!(sentences(&waiting(1, 0, FOR_TEAM(0)), &mut without), "Ada is first in turn.", "a deleted schedule");
    let sentence = "Members of the team T1 take conversations by hand. It waits.";
    assert_eq!(sentences(&waiting(1, 0, FOR_TEAM(1)), &mut without), sentence);
    assert_eq!(sentences(&waiting(1, 0, FOR_TEAM(9)), &mut without), "The team no longer exists. It waits.");
}

#[test]
fn a_conversation_for_an_operator_waits_for_that_operator() {
    let for_ada = waiting(1, 0, RoutingTarget::Operator(super::account(0)));
    let teams = vec![round_robin(vec![TeamMember { capacity: Some(1), ..member(0) }]), {
        let more = TeamMember { capacity: Some(3), ..member(0) };
        team(1, AssignmentMethod::ByHand, vec![more])
    }];
    let with = |open, teams: &[TeamRouting]| {
        let mut some = roster(teams.to_vec(), vec![OperatorLoad { open, ..load(0) }, load(1)], vec![]);
        sentences(&for_ada, &mut some)
    };
    assert_eq!(with(2, &teams), "Ada is available with 2 of 3 open conversations.", "the greatest of the capacities");
    assert_eq!(with(3, &teams), "Ada is full with 3 of 3 open conversations. It waits.");
    assert_eq!(with(9, &[]), "Ada is available with 9 of 10 open conversations.");
    let gone = sentences(&for_ada, &mut roster(vec![], vec![load(1)], vec![]));
    assert_eq!(gone, "The operator is no longer active. It waits.");
}

#[test]
fn the_oldest_is_first_and_times_of_assignments_differ() {
    let mut some = roster(vec![round_robin(vec![member(0)])], vec![load(0)], vec![]);
    let all = [waiting(1, 10, FOR_TEAM(0)), waiting(2, 30, FOR_TEAM(0)), waiting(3, 20, FOR_TEAM(0))];
    let decisions = assign(&all, &mut some, NOW);
    let order: Vec<_> = decisions.iter().map(|decision| decision.conversation).collect();
    assert_eq!(order, [all[1].id, all[2].id, all[0].id]);
    let times: Vec<_> = decisions.iter().filter_map(|decision| Some(decision.assigned.as_ref()?.at)).collect();
    assert_eq!(times, [NOW, NOW.plus_micros(1)]);
}
