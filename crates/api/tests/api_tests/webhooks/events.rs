//! Reading the event log page by page: a client can prove that it missed nothing.

use serde_json::{Value, json};
use store::delivery::events::OldFacts;
use testkit::World;

use crate::webhooks::world::{EVENTS, Webhooks as _, golden};

/// Reads all pages after a number, each from where the one before ended. Returns the events and the last `after`.
async fn walk(world: &World, from: i64, query: &str) -> (Vec<Value>, i64) {
    let (mut all, mut after) = (Vec::new(), from);
    loop {
        let answer = world.get(&format!("{EVENTS}?after={after}&{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let page = answer.json();
        all.extend(page["events"].as_array().unwrap().iter().cloned());
        assert!(page["after"].as_i64().unwrap() > after || page["has_more"] == false);
        after = page["after"].as_i64().unwrap();
        if page["has_more"] == false {
            assert_eq!(page["after"], page["last"]);
            return (all, after);
        }
    }
}

fn numbers(events: &[Value]) -> Vec<i64> {
    events.iter().map(|event| event["number"].as_i64().unwrap()).collect()
}

testkit::both_databases! {
    async fn pages_have_every_number_once(world = World::with_api_token) {
        assert_eq!(world.get(EVENTS).await.json(), json!({"events": [], "after": 0, "last": 0, "has_more": false}));
        for n in 0..7 {
            world.record_call(n).await;
        }
        let first = world.get(&format!("{EVENTS}?limit=1")).await.json();
        golden!("page", first);
        for limit in [1, 2, 3, 7, 1000] {
            let (events, after) = walk(&world, 0, &format!("limit={limit}")).await;
            assert_eq!((numbers(&events), after), ((1..=7).collect(), 7), "{limit}");
            let (typed, after) = walk(&world, 0, &format!("limit={limit}&types=message&types=call.status,orderUpdated")).await;
            assert_eq!((typed, after), (events, 7));
            let (none, after) = walk(&world, 0, &format!("limit={limit}&types=message")).await;
            assert_eq!((none, after), (vec![], 7), "what is not asked for is passed over");
        }
        // A client at the end of the log gets only the events that were appended since.
        world.record_call(7).await;
        assert_eq!(numbers(&walk(&world, 7, "").await.0), [8]);
    }

    async fn asking_for_dropped_events_is_an_error(world = World::with_api_token) {
        for n in 0..3 {
            world.record_call(n).await;
        }
        world.test.clock.advance(std::time::Duration::from_mins(1));
        world.record_call(3).await;
        let before = world.now().plus_seconds(-30);
        let input = (world.tenant(), OldFacts { before, through: 100, most: 100 });
        let drop = world.app.db().write(input, |tx, (tenant, old)| {
            Box::pin(store::delivery::events::drop_old(tx, *tenant, *old))
        });
        assert_eq!(drop.await.unwrap(), 3);
        let refused = world.get(&format!("{EVENTS}?after=2")).await;
        assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (400, "events_dropped"));
        assert!(refused.json()["message"].as_str().unwrap().contains("after=3"), "{}", refused.text);
        assert_eq!(numbers(&walk(&world, 3, "").await.0), [4]);
        let oldest = world.get(EVENTS).await.json();
        assert_eq!(oldest["events"][0]["number"], 4);
        let stream = world.get(&format!("{EVENTS}/stream?after=2")).await;
        assert_eq!((stream.status.as_u16(), stream.reason().as_str()), (400, "events_dropped"));
    }

    async fn a_log_is_its_tenants_own(world = World::with_api_token) {
        world.record_call(1).await;
        let other = world.test.new_tenant("unlimited").await;
        let theirs = world.token(other, &["webhooksv3:read"]).await;
        let page = world.by(&theirs).get(EVENTS).await.json();
        assert_eq!((&page["events"], &page["last"]), (&json!([]), &json!(0)));
        let bare = world.test.new_tenant("bare").await;
        let token = world.token(bare, &["api"]).await;
        assert_eq!(world.by(&token).get(EVENTS).await.reason(), "feature_disabled");
    }
}
