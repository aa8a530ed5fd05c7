//! Creating, ordering and deleting rules.

use app::automation::routing::RuleRequest;
use app::{Command, Error, Thing};
use domain::Id;
use domain::automation::routing::{MAX_RULES, OrderedRule, RoutingConditions, RoutingTarget};
use domain::people::teams::AssignmentMethod::ByHand;
use testkit::World;
use testkit::world::OnWorld;

use crate::routing::world::{Routed as _, id_of, shop};

trait Ruled: OnWorld {
    /// The names of the rules in their order; their positions are checked.
    async fn names(self) -> Vec<String> {
        let all = self.app.automation().routing().list(&self.me()).await.unwrap();
        assert!((1..).zip(&all).all(|(position, one)| one.position == position), "{all:?}");
        all.into_iter().map(|one| one.rule.name).collect()
    }

    async fn refused(self, request: RuleRequest) -> String {
        match self.app.automation().routing().create(&self.me(), request).await.unwrap_err() {
            Error::Invalid { place, .. } => place.to_string(),
            other => panic!("{other:?}"),
        }
    }
}

impl Ruled for &World {}

fn named(name: &str) -> RuleRequest {
    RuleRequest { name: Some(name.to_owned()), ..RuleRequest::default() }
}

fn at(position: i64) -> RuleRequest {
    RuleRequest { position: Some(position), ..RuleRequest::default() }
}

testkit::both_databases! {
    async fn rules_have_an_order(world = shop) {
        let (me, automation) = (world.me(), world.app.automation());
        let mut made: Vec<OrderedRule> = Vec::new();
        for name in ["a", " b ", "c"] {
            made.push(automation.routing().create(&me, named(name)).await.unwrap());
        }
        automation.routing().create(&me, RuleRequest { position: Some(1), ..named("d") }).await.unwrap();
        assert_eq!(world.names().await, ["d", "a", "b", "c"]);
        let moved = automation.routing().update(&me, made[0].rule.id, at(4)).await.unwrap();
        assert_eq!((moved.position, world.names().await), (4, ["d", "b", "c", "a"].map(str::to_owned).to_vec()));
        for position in [0, 5] {
            let moved = automation.routing().update(&me, made[0].rule.id, at(position)).await;
            assert!(matches!(moved, Err(Error::Invalid { .. })), "{moved:?}");
        }
        automation.routing().remove(&me, made[1].rule.id).await.unwrap();
        assert_eq!(world.names().await, ["d", "c", "a"]);
        let gone = automation.routing().find(&me, made[1].rule.id).await;
        assert!(matches!(gone, Err(Error::NotFound(Thing::RoutingRule))));
        let log = world.app.identity().audit().latest(&me, 100).await.unwrap();
        let count = |action: &str| log.iter().filter(|entry| entry.action == action).count();
        assert_eq!((count("routing_rule.create"), count("routing_rule.update"), count("routing_rule.delete")), (4, 1, 1));
    }

    async fn what_a_rule_names_must_exist(world = shop) {
        let ada = world.hire("Ada").await;
        let team = world.team("Sales", ByHand, 1, &[]).await;
        let conditions = |conditions| RuleRequest { conditions: Some(conditions), ..named("x") };
        let to = |target| RuleRequest { target: Some(target), ..named("x") };
        let none = RoutingConditions::default;
        assert_eq!(world.refused(named(" ")).await, "name");
        assert_eq!(world.refused(conditions(RoutingConditions { channels: [Id::LEAST].into(), ..none() })).await, "conditions.channels");
        assert_eq!(world.refused(conditions(RoutingConditions { labels: [Id::LEAST].into(), ..none() })).await, "conditions.labels");
        assert_eq!(world.refused(conditions(RoutingConditions { segments: [Id::LEAST].into(), ..none() })).await, "conditions.segments");
        assert_eq!(world.refused(to(RoutingTarget::Team(Id::LEAST))).await, "target.id");
        assert_eq!(world.refused(to(RoutingTarget::Operator(Id::LEAST))).await, "target.id");
        world.app.automation().routing().create(&world.me(), to(RoutingTarget::Team(team))).await.unwrap();
        world.app.automation().routing().create(&world.me(), to(RoutingTarget::Operator(id_of(&ada)))).await.unwrap();
        let channels = RoutingConditions { channels: [world.channel().id].into(), ..none() };
        world.app.automation().routing().create(&world.me(), conditions(channels)).await.unwrap();
        world.app.identity().accounts().set_disabled(&world.me(), "ada@example.com", true).await.unwrap();
        assert_eq!(world.refused(to(RoutingTarget::Operator(id_of(&ada)))).await, "target.id");
    }

    async fn a_tenant_has_at_most_a_hundred_of_its_own(world = shop) {
        for number in 0..MAX_RULES {
            world.app.automation().routing().create(&world.me(), named(&number.to_string())).await.unwrap();
        }
        let more = world.app.automation().routing().create(&world.me(), named("more")).await;
        assert!(matches!(more, Err(Error::LimitReached { limit: "routing_rules", used: 100, max: 100 })), "{more:?}");
        let stranger = Command(world.test.new_tenant("unlimited").await);
        assert!(world.app.automation().routing().list(&stranger).await.unwrap().is_empty());
        let first = world.app.automation().routing().list(&world.me()).await.unwrap().remove(0).rule.id;
        let theirs = world.app.automation().routing().update(&stranger, first, named("mine")).await;
        assert!(matches!(theirs, Err(Error::NotFound(Thing::RoutingRule))));
        let theirs = world.app.automation().routing().remove(&stranger, first).await;
        assert!(matches!(theirs, Err(Error::NotFound(Thing::RoutingRule))));
    }
}
