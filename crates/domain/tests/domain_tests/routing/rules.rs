//! Rules one by one.

use domain::automation::routing::{
    HoursCondition, OperatorLoad, OperatorPresence, Roster, RoutingConditions, RoutingRule, RoutingTarget,
    ScheduleState, WaitingConversation, route, route_and_assign,
};
use domain::people::teams::AssignmentMethod;

use super::{NOW, account, explain, id, label_id, load, member, roster, schedule, team, team_id, waiting, with_hours};

/// A rule without conditions.
fn rule(which: u64, target: RoutingTarget) -> RoutingRule {
    RoutingRule {
        id: id(7, which),
        name: format!("R{which}"),
        conditions: RoutingConditions::default(),
        to_former_operator: false,
        target,
        stop: false,
    }
}

fn to_team(which: u64) -> RoutingTarget {
    RoutingTarget::Team(team_id(which))
}

fn to_operator(which: u64) -> RoutingTarget {
    RoutingTarget::Operator(account(which))
}

/// Ada in T0, Ben in T1.
fn two_teams(ada: OperatorLoad, ben: OperatorLoad) -> Roster {
    let teams = (0..2).map(|which| team(which, AssignmentMethod::LeastBusy, vec![member(which)])).collect();
    roster(teams, vec![ada, ben], vec![])
}

fn fresh() -> WaitingConversation {
    waiting(1, 0, RoutingTarget::Unassigned)
}

fn away(which: u64) -> OperatorLoad {
    OperatorLoad { presence: OperatorPresence::Away, ..load(which) }
}

#[test]
fn the_first_rule_that_applies_decides() {
    let some = two_teams(load(0), load(1));
    let vip = RoutingConditions { labels: [label_id(1)].into(), ..RoutingConditions::default() };
    let rules = [RoutingRule { conditions: vip, ..rule(0, to_team(0)) }, rule(1, to_team(1)), rule(2, to_team(0))];
    let routed = route(&fresh(), &rules, &some);
    assert_eq!(
        (routed.to, explain(&routed.steps).as_str()),
        (to_team(1), "The rule “R1” applies. It goes to the team T1.")
    );
    let labelled = WaitingConversation { labels: vec![label_id(0), label_id(1)], ..fresh() };
    assert_eq!(route(&labelled, &rules, &some).to, to_team(0));
}

#[test]
fn without_a_rule_it_stays_unassigned() {
    let mut some = two_teams(load(0), load(1));
    let (to, decision) = route_and_assign(&fresh(), &[], &mut some, NOW);
    assert_eq!((to, decision.assigned), (RoutingTarget::Unassigned, None));
    assert_eq!(explain(&decision.steps), "No rule applies. It stays unassigned until an operator takes it.");
    let leave = [rule(0, RoutingTarget::Unassigned), rule(1, to_team(1))];
    let (to, decision) = route_and_assign(&fresh(), &leave, &mut some, NOW);
    assert_eq!(to, RoutingTarget::Unassigned);
    let sentences = "The rule “R0” applies. It stays unassigned until an operator takes it.";
    assert_eq!(explain(&decision.steps), sentences);
}

#[test]
fn all_conditions_must_hold_and_one_member_of_each_is_enough() {
    let some = roster(vec![], vec![], vec![ScheduleState { id: schedule(0), is_open: true, until: None }]);
    let one = WaitingConversation {
        labels: vec![label_id(1)],
        segments: vec![id(8, 1)],
        language: Some("pt_BR".parse().unwrap()),
        ..fresh()
    };
    let none = RoutingConditions::default();
    let hours = |which, is_open| Some(HoursCondition { opening_hours_id: schedule(which), is_open });
    for (conditions, holds) in [
        (none.clone(), true),
        (RoutingConditions { channels: [id(6, 0), id(6, 1)].into(), ..none.clone() }, true),
        (RoutingConditions { channels: [id(6, 1)].into(), ..none.clone() }, false),
        (RoutingConditions { labels: [label_id(1), label_id(2)].into(), ..none.clone() }, true),
        (RoutingConditions { labels: [label_id(2)].into(), ..none.clone() }, false),
        (RoutingConditions { segments: [id(8, 1)].into(), ..none.clone() }, true),
        (RoutingConditions { segments: [id(8, 2)].into(), ..none.clone() }, false),
        (RoutingConditions { languages: ["pt".parse().unwrap()].into(), ..none.clone() }, true),
        (RoutingConditions { languages: ["de".parse().unwrap()].into(), ..none.clone() }, false),
        (RoutingConditions { hours: hours(0, true), ..none.clone() }, true),
        (RoutingConditions { hours: hours(0, false), ..none.clone() }, false),
        // A deleted schedule is always open.
        (RoutingConditions { hours: hours(9, true), ..none.clone() }, true),
        (RoutingConditions { hours: hours(9, false), ..none.clone() }, false),
        (RoutingConditions { labels: [label_id(1)].into(), hours: hours(0, false), ..none.clone() }, false),
    ] {
        assert_eq!(conditions.hold(&one, &some), holds, "{conditions:?}");
        assert_eq!(serde_json::from_str::<RoutingConditions>(&domain::to_json(&conditions)).unwrap(), conditions);
    }
    assert_eq!(serde_json::from_str::<RoutingConditions>("{}").unwrap(), none);
}

#[test]
fn a_returning_customer_goes_to_the_former_operator_only_if_present_and_with_room() {
    let returning = WaitingConversation { former_operator: Some(account(1)), ..fresh() };
    let rules = [RoutingRule { to_former_operator: true, ..rule(0, to_team(0)) }];
    for (ben, to, sentences) in [
        (load(1), to_operator(1), "It returns to Ben, who had it before."),
        (away(1), to_team(0), "Ben had it before, but is away. It goes to the team T0."),
        (
            OperatorLoad { presence: OperatorPresence::Busy, ..load(1) },
            to_team(0),
            "Ben had it before, but is busy. It goes to the team T0.",
        ),
        (
            OperatorLoad { open: 2, ..load(1) },
            to_team(0),
            "Ben had it before, but is full with 2 of 2 open conversations. It goes to the team T0.",
        ),
    ] {
        let routed = route(&returning, &rules, &two_teams(load(0), ben));
        assert_eq!((routed.to, explain(&routed.steps)), (to, format!("The rule “R0” applies. {sentences}")));
    }
    let gone = route(&returning, &rules, &roster(vec![], vec![load(0)], vec![]));
    let sentences =
        "The rule “R0” applies. The operator who had it before is no longer active. The team no longer exists.";
    assert!(explain(&gone.steps).starts_with(sentences), "{}", explain(&gone.steps));
    let elsewhere = [rule(0, to_team(0))];
    assert_eq!(route(&returning, &elsewhere, &two_teams(load(0), load(1))).to, to_team(0), "the rule does not ask");
}

#[test]
fn a_later_rule_decides_if_the_first_cannot_place_it_now() {
    let rules = [rule(0, to_team(0)), rule(1, to_team(1))];
    let full = |which| OperatorLoad { open: 2, ..load(which) };
    let routed = route(&fresh(), &rules, &two_teams(full(0), load(1)));
    let sentences = "The rule “R0” applies. Nobody in the team T0 has room: 1 full. The rule “R1” applies. \
                     It goes to the team T1.";
    assert_eq!((routed.to, explain(&routed.steps).as_str()), (to_team(1), sentences));
    let nobody = route(&fresh(), &rules, &two_teams(full(0), away(1)));
    let sentences = "The rule “R0” applies. Nobody in the team T0 has room: 1 full. The rule “R1” applies. \
                     Nobody in the team T1 has room: 1 away. No later rule can place it now, so the rule “R0” decides. \
                     It goes to the team T0.";
    assert_eq!((nobody.to, explain(&nobody.steps).as_str()), (to_team(0), sentences));
}

#[test]
fn a_rule_that_stops_keeps_the_conversation() {
    let rules = [RoutingRule { stop: true, ..rule(0, to_operator(0)) }, rule(1, to_team(1))];
    let mut some = two_teams(away(0), load(1));
    let (to, decision) = route_and_assign(&fresh(), &rules, &mut some, NOW);
    assert_eq!((to, &decision.assigned), (to_operator(0), &None));
    assert_eq!(explain(&decision.steps), "The rule “R0” applies. It goes to Ada. Ada is away. It waits.");
    let going_on = [rule(0, to_operator(0)), rule(1, to_team(1))];
    let (to, decision) = route_and_assign(&fresh(), &going_on, &mut some, NOW);
    assert_eq!((to, decision.assigned.unwrap().operator.name.as_str()), (to_team(1), "Ben"));
    let sentences = "The rule “R0” applies. Ada is away. The rule “R1” applies. It goes to the team T1. \
                     Ben is the least busy with 0 of 2 open conversations.";
    assert_eq!(explain(&decision.steps), sentences);
}

#[test]
fn a_closed_team_passes_on_and_one_by_hand_does_not() {
    let closed = with_hours(0, team(0, AssignmentMethod::RoundRobin, vec![member(0)]));
    let by_hand = team(1, AssignmentMethod::ByHand, vec![]);
    let state = ScheduleState { id: schedule(0), is_open: false, until: None };
    let some = roster(vec![closed, by_hand], vec![load(0)], vec![state]);
    let rules = [rule(0, to_team(0)), rule(1, to_team(1)), rule(2, to_operator(0))];
    let routed = route(&fresh(), &rules, &some);
    let sentences = "The rule “R0” applies. The team T0 is closed. The rule “R1” applies. It goes to the team T1.";
    assert_eq!((routed.to, explain(&routed.steps).as_str()), (to_team(1), sentences));
}
