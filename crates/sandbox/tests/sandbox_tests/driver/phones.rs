//! Phones that are offline: messages wait, arrive in order, and the person cannot act.

use app::Error;
use channels::webhook::{CallEventKind, Notification};
use sandbox::driver::{PlaceCall, Say};
use serde_json::{Value, json};

use crate::driver::world::{ADA, Street, state, street};

fn text(body: &str) -> Value {
    json!({ "to": ADA, "type": "text", "text": { "body": body } })
}

/// The network's id and status of each report, in order.
async fn reported(world: &Street) -> Vec<(String, String)> {
    let records = world.records().await;
    let report = |record: &channels::webhook::Record| match &record.notification {
        Notification::Status(status) => Some((status.id.clone(), state(record)?)),
        _ => None,
    };
    records.iter().filter_map(report).collect()
}

testkit::both_databases! {
    async fn messages_wait_for_the_phone_and_arrive_in_order(world = street) {
        world.says("hello").await;
        world.posts().await;
        let phone = async |online| world.sandbox.set_phone(world.tenant(), ADA, online).await.unwrap().online;
        assert!(!phone(false).await && !phone(false).await, "twice is once");
        let online = async || world.sandbox.people(world.tenant()).await.unwrap().people[0].online;
        assert!(!online().await);
        let mut sent = Vec::new();
        for n in 0..20 {
            sent.push(world.send_message(text(&format!("message {n}"))).await);
            world.advance(1);
        }
        world.advance(60);
        let first: Vec<(String, String)> = sent.iter().map(|id| (id.clone(), "sent".to_owned())).collect();
        assert_eq!(reported(&world).await, first, "the network has them, and nothing more");
        assert!(world.sandbox.inbox(world.tenant(), ADA, 10).await.unwrap().messages.is_empty());
        // A restarted process still has the waiting messages.
        let restarted = world.restarted(7);
        restarted.set_phone(world.tenant(), ADA, true).await.unwrap();
        assert!(online().await && phone(true).await);
        world.advance(5);
        let later = reported(&world).await;
        for status in ["delivered", "read"] {
            let ids: Vec<&String> = later.iter().filter(|one| one.1 == status).map(|one| &one.0).collect();
            assert_eq!(ids, sent.iter().collect::<Vec<_>>(), "{status} in the order of sending");
        }
        assert_eq!(later.len(), 40, "each once");
        let inbox = world.sandbox.inbox(world.tenant(), ADA, 100).await.unwrap().messages;
        let texts: Vec<String> = inbox.iter().map(|message| message.text.clone()).collect();
        assert_eq!(texts, (0..20).map(|n| format!("message {n}")).collect::<Vec<_>>());
        // While the phone is online, messages arrive at once.
        let id = world.send_message(text("at once")).await;
        world.advance(2);
        let states: Vec<String> = reported(&world).await.into_iter().filter(|one| one.0 == id).map(|one| one.1).collect();
        assert_eq!(states, ["sent", "delivered", "read"]);
    }

    async fn a_person_whose_phone_is_offline_cannot_act(world = street) {
        world.says("hello").await;
        world.sandbox.set_phone(world.tenant(), ADA, false).await.unwrap();
        let say = Say { text: Some("Hi".to_owned()), ..Say::default() };
        let said = world.sandbox.say(world.tenant(), ADA, say).await;
        assert!(matches!(&said, Err(Error::Conflict { place, .. }) if place.to_string() == "person"), "{said:?}");
        let called = world.sandbox.call(world.tenant(), ADA, PlaceCall::default()).await;
        assert!(matches!(called, Err(Error::Conflict { .. })), "{called:?}");
        let nobody = world.sandbox.set_phone(world.tenant(), "Nobody", false).await;
        assert!(matches!(nobody, Err(Error::NotFound(_))));
        world.sandbox.set_phone(world.tenant(), ADA, true).await.unwrap();
        world.says("back again").await;
    }

    async fn a_call_to_a_phone_that_is_offline_is_not_answered(world = street) {
        world.sandbox.set_phone(world.tenant(), ADA, false).await.unwrap();
        let session = json!({ "sdp_type": "offer", "sdp": "v=0" });
        let path = format!("{}/calls", world.channel.phone_number_id);
        let begun = world.ask_graph(&path, json!({ "to": ADA, "action": "connect", "session": session })).await;
        assert!(begun["calls"][0]["id"].is_string(), "{begun}");
        world.advance(10);
        assert!(world.posts().await.is_empty(), "it does not ring");
        world.advance(30);
        let ended = world.records().await;
        assert_eq!(ended.len(), 1, "{ended:?}");
        let Notification::Call(ended) = &ended[0].notification else { panic!("not a call: {ended:?}") };
        assert_eq!((ended.event, ended.started, ended.duration), (CallEventKind::Terminate, None, None));
    }
}
