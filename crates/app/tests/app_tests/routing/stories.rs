//! What happens to conversations, one story each.

use app::automation::opening_hours::ScheduleRequest;
use app::automation::routing::RuleRequest;
use app::inbox::conversations::AssignTo;
use app::people::contacts::AttributeUpdate;
use app::people::labels::{LabelRequest, LabelsWanted};
use app::people::teams::{MemberRequest, TeamRequest};
use domain::automation::opening_hours::{Period, Week};
use domain::automation::routing::OperatorPresence::{Available, Away, Busy};
use domain::automation::routing::{HoursCondition, RoutingConditions, RoutingTarget};
use domain::base::time::Moment;
use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::events::EventType;
use domain::people::contacts::CustomParam;
use domain::people::teams::AssignmentMethod::{ByHand, LeastBusy, RoundRobin};
use domain::{Change, Field};

use crate::routing::world::{Routed as _, id_of, phone, shop};

const ALL: fn() -> RoutingConditions = RoutingConditions::default;

testkit::both_databases! {
    async fn a_conversation_is_given_to_the_least_busy_and_the_thread_says_why(world = shop) {
        let (ada, ben) = (world.hire("Ada").await, world.hire("Ben").await);
        let sales = world.team("Sales", LeastBusy, 2, &[&ada, &ben]).await;
        world.rule("All", ALL(), RoutingTarget::Team(sales)).await;
        world.becomes(&ada, Available).await;
        world.becomes(&ben, Busy).await;
        for person in 0..3 {
            world.writes(person).await;
        }
        assert_eq!([world.holder(0).await, world.holder(1).await, world.holder(2).await], ["Ada", "Ada", "Sales"]);
        let why = "The ticket was assigned to Ada. The rule “All” applies. It goes to the team Sales. \
                   Ada is the least busy with 1 of 2 open conversations.";
        assert_eq!(world.thread(1).await, why);
        let waits = "The ticket was assigned to the team Sales. The rule “All” applies. \
                     Nobody in the team Sales has room: 1 busy, 1 full. No later rule can place it now, so the rule “All” decides. \
                     It goes to the team Sales. Nobody in the team Sales has room: 1 busy, 1 full. It waits.";
        assert_eq!(world.thread(2).await, waits);
        world.solve(0).await;
        assert_eq!(world.holder(2).await, "Ada", "the next one, as soon as there is room");
        let events = world.payloads(&[EventType::InboxChanged]).await;
        let given = events.iter().rfind(|event| event["assignee"]["name"] == "Ada").unwrap();
        assert_eq!(given["reason"], "Ada is the least busy with 1 of 2 open conversations.");
    }

    async fn the_oldest_is_first_when_somebody_comes(world = shop) {
        let ada = world.hire("Ada").await;
        let sales = world.team("Sales", RoundRobin, 2, &[&ada]).await;
        world.rule("All", ALL(), RoutingTarget::Team(sales)).await;
        for person in 0..4 {
            world.writes(person).await;
            assert_eq!(world.holder(person).await, "Sales");
        }
        world.becomes(&ada, Available).await;
        assert_eq!([world.holder(0).await, world.holder(1).await, world.holder(2).await], ["Ada", "Ada", "Sales"]);
        world.assign_by_hand(0, AssignTo::Team("sales".to_owned())).await;
        assert_eq!(world.holder(0).await, "Ada", "it is the oldest again");
        world.becomes(&ada, Away).await;
        world.solve(0).await;
        assert_eq!(world.holder(2).await, "Sales", "nobody is there");
    }

    async fn a_person_wins(world = shop) {
        let (ada, ben) = (world.hire("Ada").await, world.hire("Ben").await);
        let sales = world.team("Sales", RoundRobin, 1, &[&ada]).await;
        world.rule("All", ALL(), RoutingTarget::Team(sales)).await;
        world.becomes(&ada, Available).await;
        world.becomes(&ben, Away).await;
        world.write(&[0]).await;
        // Before the consumer hears of the message, somebody takes the conversation.
        world.assign_by_hand(0, AssignTo::Operator("ben@example.com".to_owned())).await;
        assert_eq!((world.holder(0).await, world.thread(0).await), ("Ben".to_owned(), "The ticket was assigned to Ben".to_owned()));
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "Ben");
        world.assign_by_hand(0, AssignTo::Bot).await;
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "bot");
        world.assign_by_hand(0, AssignTo::Unassigned).await;
        assert_eq!(world.holder(0).await, "Ada", "what nobody has is routed");
    }

    async fn a_returning_customer_goes_to_the_former_operator_only_if_present(world = shop) {
        let (ada, ben) = (world.hire("Ada").await, world.hire("Ben").await);
        let sales = world.team("Sales", LeastBusy, 3, &[&ada, &ben]).await;
        let all = world.rule("All", ALL(), RoutingTarget::Team(sales)).await;
        world.change_rule(Some(&all), RuleRequest { to_former_operator: Some(true), ..RuleRequest::default() }).await;
        world.becomes(&ada, Available).await;
        world.writes(0).await;
        world.becomes(&ben, Available).await;
        world.writes(1).await;
        assert_eq!([world.holder(0).await, world.holder(1).await], ["Ada", "Ben"]);
        world.solve(0).await;
        world.writes(0).await;
        let back = "The ticket was assigned to Ada. The rule “All” applies. It returns to Ada, who had it before. \
                    Ada is available with 0 of 3 open conversations.";
        assert_eq!((world.holder(0).await, world.thread(0).await.as_str()), ("Ada".to_owned(), back));
        world.solve(0).await;
        world.becomes(&ada, Away).await;
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "Ben");
        assert!(world.thread(0).await.contains("Ada had it before, but is away."), "{}", world.thread(0).await);
        world.change_rule(Some(&all), RuleRequest { enabled: Some(false), ..RuleRequest::default() }).await;
        world.solve(0).await;
        world.becomes(&ben, Away).await;
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "Ben", "without a rule it stays with who had it");
    }

    async fn a_team_is_given_conversations_in_its_hours(world = shop) {
        // A Monday.
        world.wait_until(Moment::parse("2040-01-02T08:00:00Z").unwrap().first());
        let ada = world.hire("Ada").await;
        let sales = world.team("Sales", RoundRobin, 5, &[&ada]).await;
        let period = Period { from: "09:00".parse().unwrap(), to: "17:00".parse().unwrap() };
        let request = ScheduleRequest {
            name: Some("Office".to_owned()),
            time_zone: Some("UTC".to_owned()),
            periods: Some(Week { monday: vec![period], ..Week::default() }),
            holidays: None,
        };
        let office = world.app.automation().opening_hours().create(&world.me(), request).await.unwrap().hours.id;
        let timed = TeamRequest { opening_hours_id: Change::Set(office), ..TeamRequest::default() };
        world.app.people().teams().update(&world.me(), sales, timed).await.unwrap();
        let night = RoutingConditions {
            hours: Some(HoursCondition { opening_hours_id: office, is_open: false }),
            ..RoutingConditions::default()
        };
        world.rule("Night", night, RoutingTarget::Unassigned).await;
        world.rule("Day", ALL(), RoutingTarget::Team(sales)).await;
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "-", "the rule for the night");
        world.assign_by_hand(0, AssignTo::Team("Sales".to_owned())).await;
        assert_eq!(world.holder(0).await, "Sales", "it is closed");
        world.writes(1).await;
        world.wait_until(Moment::parse("2040-01-02T08:59:58Z").unwrap().first());
        world.becomes(&ada, Available).await;
        assert_eq!([world.holder(0).await, world.holder(1).await], ["Sales", "-"]);
        world.advance(5);
        world.until_idle().await;
        assert_eq!([world.holder(0).await, world.holder(1).await], ["Ada", "Ada"], "it has opened, and the rule for the day applies");
    }

    async fn skills_are_the_language_of_the_contact_and_labels(world = shop) {
        let (ada, ben) = (world.hire("Ada").await, world.hire("Ben").await);
        let sales = world.team("Sales", LeastBusy, 5, &[]).await;
        let vip = LabelRequest { name: Some("vip".to_owned()), color: None };
        let vip = world.app.people().labels().create(&world.me(), vip).await.unwrap().id;
        let member = |operator: &str| MemberRequest { operator: operator.to_owned(), ..MemberRequest::default() };
        let skilled = MemberRequest { languages: vec!["de".into()], labels: vec!["vip".into()], ..member("ben@example.com") };
        world.app.people().teams().set_members(&world.me(), sales, vec![member("ada@example.com"), skilled]).await.unwrap();
        world.becomes(&ada, Available).await;
        let labels = RoutingConditions { labels: [vip].into(), ..RoutingConditions::default() };
        world.rule("VIP", labels, RoutingTarget::Team(sales)).await;
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "-");
        let wanted = LabelsWanted::Adjust { add: vec!["vip".to_owned()], remove: Vec::new() };
        world.app.inbox().conversations().set_labels(&world.me(), (&phone(0)).into(), wanted).await.unwrap();
        world.until_idle().await;
        assert_eq!(world.holder(0).await, "Sales", "the rule applies, and Ada lacks the skill");
        world.becomes(&ben, Available).await;
        assert_eq!(world.holder(0).await, "Ben");
        world.write(&[1]).await;
        let german = AttributeUpdate {
            target: phone(1),
            named_by: Field::Target,
            custom_params: vec![CustomParam { name: "language".to_owned(), value: "de_AT".to_owned() }],
            removed_params: Vec::new(),
            name: None,
            own_in_params: false,
        };
        world.app.people().contacts().update(&world.me(), german).await.unwrap();
        world.rule("Rest", ALL(), RoutingTarget::Team(sales)).await;
        assert_eq!(world.holder(1).await, "Ben", "{}", world.thread(1).await);
    }

    async fn a_team_that_becomes_automatic_gives_what_waits_in_it(world = shop) {
        let ada = world.hire("Ada").await;
        let sales = world.team("Sales", ByHand, 5, &[&ada]).await;
        world.write(&[0, 1]).await;
        for person in [1, 0] {
            world.assign_by_hand(person, AssignTo::Team("Sales".to_owned())).await;
        }
        world.becomes(&ada, Available).await;
        assert_eq!([world.holder(0).await, world.holder(1).await], ["Sales", "Sales"]);
        let automatic = |method, capacity| TeamRequest { method: Some(method), capacity, ..TeamRequest::default() };
        world.app.people().teams().update(&world.me(), sales, automatic(RoundRobin, Some(1))).await.unwrap();
        world.until_idle().await;
        let given = [world.holder(0).await, world.holder(1).await];
        assert_eq!(given.iter().filter(|holder| *holder == "Ada").count(), 1, "{given:?}");
        world.app.people().teams().update(&world.me(), sales, automatic(RoundRobin, Some(2))).await.unwrap();
        world.until_idle().await;
        assert_eq!([world.holder(0).await, world.holder(1).await], ["Ada", "Ada"]);
        world.app.people().teams().update(&world.me(), sales, automatic(ByHand, None)).await.unwrap();
        let on = store::delivery::consumers::switched_on(&world.test.db, ConsumerGroup::Reactions).await.unwrap();
        assert!(on.is_empty(), "nobody uses routing");
        world.writes(2).await;
        assert_eq!(world.holder(2).await, "-");
    }

    async fn many_are_given_in_several_transactions(world = shop) {
        let ada = world.hire("Ada").await;
        let sales = world.team("Sales", RoundRobin, 130, &[&ada]).await;
        world.rule("All", ALL(), RoutingTarget::Team(sales)).await;
        for from in [0, 50, 100] {
            world.write(&(from..from + 50).collect::<Vec<_>>()).await;
        }
        world.until_idle().await;
        world.becomes(&ada, Available).await;
        let given = {
            let mut given = Vec::new();
            for person in 0..150 {
                given.push(world.holder(person).await == "Ada");
            }
            given
        };
        assert_eq!(given.iter().filter(|is_given| **is_given).count(), 130);
        assert!(given.iter().take(100).all(|is_given| *is_given), "the oldest are first");
    }

    async fn a_contact_that_is_deleted_makes_room(world = shop) {
        let ada = world.hire("Ada").await;
        let sales = world.team("Sales", RoundRobin, 1, &[&ada]).await;
        world.rule("All", ALL(), RoutingTarget::Team(sales)).await;
        world.becomes(&ada, Available).await;
        world.writes(0).await;
        world.writes(1).await;
        world.writes(2).await;
        assert_eq!([world.holder(0).await, world.holder(1).await], ["Ada", "Sales"]);
        world.app.people().contacts().delete(&world.me(), &phone(1)).await.unwrap();
        world.app.people().contacts().delete(&world.me(), &phone(0)).await.unwrap();
        world.until_idle().await;
        assert_eq!(world.holder(2).await, "Ada");
    }

    async fn a_rule_can_name_an_operator(world = shop) {
        let (ada, ben) = (world.hire("Ada").await, world.hire("Ben").await);
        world.rule("Ben's", ALL(), RoutingTarget::Operator(id_of(&ben))).await;
        world.becomes(&ada, Available).await;
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "-");
        world.becomes(&ben, Available).await;
        assert_eq!(world.holder(0).await, "Ben");
    }

    async fn a_tenant_that_does_not_use_routing_pays_nothing(world = shop) {
        let ada = world.hire("Ada").await;
        world.becomes(&ada, Available).await;
        let feed = world.app.inbox().follow_signals(world.tenant(), Some(id_of(&ada)));
        world.app.delivery().webhooks().refresh().await.unwrap();
        world.write(&[0, 1, 2]).await;
        world.app.delivery().events().number().await.unwrap();
        let consumers = world.app.delivery().consumers();
        consumers.moved(ConsumerGroup::Reactions).await;
        let before = world.test.db.traffic();
        consumers.process_moved(ConsumerGroup::Reactions).await.unwrap();
        world.app.automation().operators().save_connections().await.unwrap();
        assert_eq!(world.test.db.traffic(), before, "no statement");
        drop(feed);

        let sales = world.team("Sales", RoundRobin, 5, &[&ada]).await;
        world.rule("All", ALL(), RoutingTarget::Team(sales)).await;
        world.app.delivery().webhooks().refresh().await.unwrap();
        world.write(&[3]).await;
        world.app.delivery().events().number().await.unwrap();
        consumers.process_moved(ConsumerGroup::Reactions).await.unwrap();
        assert_eq!(world.holder(3).await, "Ada", "a log of this node that has grown");
    }
}
