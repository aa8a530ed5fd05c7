//! The presence of operators.

use app::automation::operators::OperatorView;
use app::{Command, Error, Thing};
use domain::automation::routing::OperatorPresence::{Available, Away, Busy};
use domain::automation::routing::{OperatorPresence, RoutingConditions, RoutingTarget};
use domain::delivery::events::EventType;
use domain::people::teams::AssignmentMethod::RoundRobin;
use testkit::World;
use testkit::world::OnWorld;

use crate::callers::TestCaller;
use crate::routing::world::{Routed as _, id_of, shop};

trait Attended: OnWorld {
    async fn of(self, who: &TestCaller) -> OperatorView {
        let all = self.app.automation().operators().list(&self.me()).await.unwrap();
        all.into_iter().find(|one| one.id == id_of(who)).unwrap()
    }

    async fn presence(self, who: &TestCaller) -> OperatorPresence {
        self.of(who).await.presence
    }

    /// Lets this node save which operators are connected.
    async fn save(self) {
        self.app.automation().operators().save_connections().await.unwrap();
        self.until_idle().await;
    }

    /// The presences that open consoles were told, the newest last.
    async fn told(self) -> Vec<String> {
        let events = self.payloads(&[EventType::InboxChanged]).await;
        let presences = events.iter().filter(|event| event["what"] == "operators");
        presences.map(|event| event["presence"].as_str().unwrap().to_owned()).collect()
    }
}

impl Attended for &World {}

testkit::both_databases! {
    async fn an_operator_chooses_and_an_administrator_may_choose_for_others(world = shop) {
        let (ada, ben) = (world.hire("Ada").await, world.hire("Ben").await);
        let operators = world.app.automation();
        let operators = operators.operators();
        let fresh = world.of(&ada).await;
        assert_eq!((fresh.presence, fresh.chosen, fresh.open, fresh.capacity), (Away, None, 0, 10));
        let set = operators.set_presence(&ada, "me", Available, false).await.unwrap();
        assert_eq!((set.presence, set.chosen), (Available, Some(Available)));
        let other = operators.set_presence(&ben, "ada@example.com", Away, false).await;
        assert!(matches!(other, Err(Error::Conflict { .. })), "{other:?}");
        let me = operators.set_presence(&world.me(), "me", Away, true).await;
        assert!(matches!(me, Err(Error::Conflict { .. })), "a command is no operator: {me:?}");
        let set = operators.set_presence(&world.me(), " Ada@Example.com ", Busy, true).await.unwrap();
        assert_eq!((set.presence, set.chosen), (Busy, Some(Busy)));
        let by_id = operators.set_presence(&world.me(), &id_of(&ben).to_string(), Available, true).await.unwrap();
        assert_eq!((by_id.presence, by_id.chosen), (Away, Some(Available)), "nobody has seen Ben");
        assert_eq!(world.told().await, ["available", "busy", "away"]);
        let stranger = Command(world.test.new_tenant("unlimited").await);
        let missing = operators.set_presence(&stranger, "ada@example.com", Away, true).await;
        assert!(matches!(missing, Err(Error::NotFound(Thing::Operator))), "{missing:?}");
        let log = world.app.identity().audit().latest(&world.me(), 10).await.unwrap();
        assert_eq!(log.iter().filter(|entry| entry.action == "account.set_presence").count(), 2);
    }

    async fn a_lost_connection_is_away_after_the_grace_time_and_back_at_once(world = shop) {
        let ada = world.hire("Ada").await;
        let sales = world.team("Sales", RoundRobin, 5, &[&ada]).await;
        world.rule("All", RoutingConditions::default(), RoutingTarget::Team(sales)).await;
        world.app.delivery().webhooks().refresh().await.unwrap();
        let connect = || world.app.inbox().follow_signals(world.tenant(), Some(id_of(&ada)));
        let feed = connect();
        world.save().await;
        world.becomes(&ada, Available).await;
        for _ in 0..20 {
            world.advance(20);
            world.save().await;
            assert_eq!(world.presence(&ada).await, Available, "the console is open");
        }
        drop(feed);
        world.save().await;
        world.advance(89);
        world.until_idle().await;
        assert_eq!((world.presence(&ada).await, world.told().await), (Available, vec!["available".to_owned()]));
        world.advance(1);
        world.until_idle().await;
        assert_eq!((world.presence(&ada).await, world.told().await.len()), (Away, 2));
        assert_eq!(world.of(&ada).await.chosen, Some(Available));
        world.writes(0).await;
        assert_eq!(world.holder(0).await, "Sales");
        let feed = connect();
        world.save().await;
        assert_eq!(world.told().await, ["available", "away", "available"]);
        assert_eq!(world.holder(0).await, "Ada");
        drop(feed);
        world.save().await;
        world.advance(60);
        let _feed = connect();
        world.save().await;
        world.advance(60);
        world.save().await;
        assert_eq!(world.told().await.len(), 3, "the connection was back in time");
    }
}
