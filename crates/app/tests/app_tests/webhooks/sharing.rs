//! Endpoints share the outgoing connections of their tenant, and tenants those of the node.

use std::collections::BTreeSet;
use std::time::Duration;

use app::delivery::webhooks::WebhookRequest;
use app::{Command, Config};
use channels::outgoing::OutgoingBudget;
use domain::Change;
use domain::delivery::events::Fact;
use testkit::database::TestDb;
use testkit::receiver::{Receiver, Reply};
use testkit::world::config;
use testkit::{Engine, World};

use crate::webhooks::world::Webhooks as _;

/// Of these connections, a tenant has 16, and its deliveries have 12.
const CONNECTIONS: usize = 64;
const DELIVERIES: usize = 12;

async fn with_few_connections(engine: Engine) -> World {
    let outgoing = OutgoingBudget::new(CONNECTIONS);
    World::with_config(TestDb::alone(engine).await, Config { outgoing, ..config() })
}

testkit::both_databases! {
    async fn endpoints_that_never_answer_leave_connections_to_others(world = with_few_connections) {
        let hanging = Receiver::answering(|_| Reply::Hang).await;
        let (answering, of_neighbour) = (Receiver::start().await, Receiver::start().await);
        world.endpoint(answering.url("/")).await;
        world.append_call("first").await;
        world.deliver().await;
        for number in 0..20 {
            let url = hanging.url(&format!("/{number}"));
            world.endpoint_of(url, &["call.status"], |request| request.max_in_flight = Change::Set(256)).await;
        }
        let neighbour = world.test.new_tenant("unlimited").await;
        let types = Some(vec!["call.status".to_owned()]);
        let request = WebhookRequest { url: Some(of_neighbour.url("/")), types, ..WebhookRequest::default() };
        world.app.delivery().webhooks().create(&Command(neighbour), &request).await.unwrap();
        let append = world.app.db().write((neighbour, vec![world.fact("theirs", None)]), |tx, (tenant, facts)| {
            Box::pin(store::delivery::events::append(tx, *tenant, facts))
        });
        append.await.unwrap();
        while world.app.delivery().events().number_log(neighbour).await.unwrap() {}
        world.calls(0..50).await;

        let outgoing = world.app.outgoing();
        let running = world.start_delivering().await;
        while answering.posts().len() < 51 || of_neighbour.posts().is_empty() || hanging.posts().is_empty() {
            let most = DELIVERIES + 1;
            assert!(outgoing.in_use() <= most, "{} connections, one of which the neighbour uses", outgoing.in_use());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        assert!(outgoing.waits() > 0, "no endpoint had to wait");
        drop(running);
        while outgoing.in_use() > 0 {
            tokio::task::yield_now().await;
        }
    }

    async fn large_events_are_read_in_parts_and_delivered_once(world = with_few_connections) {
        let receiver = Receiver::start().await;
        let (webhook, _) = world.endpoint(receiver.url("/")).await;
        // Members that the event type does not have are not delivered.
        let large = |number: usize| {
            let fact = world.fact(&format!("call-{number}"), None);
            let padding = format!("{{\"padding\":\"{}\",", "x".repeat(100 << 10));
            Fact { body: fact.body.replacen('{', &padding, 1), ..fact }
        };
        world.append((0..40).map(large).collect()).await;
        world.deliver().await;
        let ids: BTreeSet<String> = receiver.posts().iter().map(|post| post.id().to_owned()).collect();
        assert_eq!((receiver.posts().len(), ids.len(), world.deliveries(webhook.id).await.len()), (40, 40, 40));
        assert_eq!(world.app.outgoing().in_use(), 0);
    }
}
