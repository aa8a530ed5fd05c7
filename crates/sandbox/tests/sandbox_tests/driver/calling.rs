//! Calls of people.

use app::Error;
use channels::webhook::{CallEvent, CallEventKind, CallOutcome, Notification, Record};
use sandbox::driver::PlaceCall;
use serde_json::json;

use crate::driver::world::{ADA, street};

fn events(records: &[Record]) -> Vec<CallEvent> {
    let event = |record: &Record| match &record.notification {
        Notification::Call(event) => Some((**event).clone()),
        _ => None,
    };
    records.iter().filter_map(event).collect()
}

testkit::both_databases! {
    async fn a_call_rings_is_answered_and_ends(world = street) {
        let wanted = PlaceCall { seconds: Some(42), ..PlaceCall::default() };
        let called = world.sandbox.call(world.tenant(), ADA, wanted).await.unwrap();
        assert!(called.id.starts_with("wacid."));
        let connect = events(&world.records().await);
        assert_eq!((connect.len(), connect[0].event, connect[0].at), (1, CallEventKind::Connect, called.started_at));
        assert!(connect[0].sdp.is_some() && connect[0].from.as_deref() == Some(ADA));
        world.advance(60);
        let end = events(&world.records().await);
        assert_eq!((end.len(), end[0].event, &end[0].id), (1, CallEventKind::Terminate, &called.id));
        assert_eq!((end[0].started, end[0].ended), (called.answered_at, Some(called.ends_at)));
        assert_eq!((end[0].duration, end[0].outcome), (Some(42), Some(CallOutcome::Completed)));
    }

    async fn nobody_answers_a_missed_call(world = street) {
        let wanted = PlaceCall { missed: true, ..PlaceCall::default() };
        let called = world.sandbox.call(world.tenant(), "@deepa_rao", wanted).await.unwrap();
        assert_eq!(called.answered_at, None);
        world.advance(60);
        let events = events(&world.records().await);
        assert_eq!(events.len(), 2);
        assert_eq!((events[1].started, events[1].duration), (None, None));
        assert!(events.iter().all(|event| event.from.is_none() && event.person.user_id.is_some()));
    }

    async fn the_business_can_end_it_first(world = street) {
        let wanted = PlaceCall { seconds: Some(30), ..PlaceCall::default() };
        let called = world.sandbox.call(world.tenant(), ADA, wanted).await.unwrap();
        world.advance(4);
        let path = format!("{}/calls", world.channel.phone_number_id);
        let ended = world.ask_graph(&path, json!({ "call_id": called.id, "action": "terminate" })).await;
        assert_eq!(ended["success"], true, "{ended}");
        world.advance(100);
        let kinds: Vec<CallEventKind> = events(&world.records().await).iter().map(|event| event.event).collect();
        assert_eq!(kinds, [CallEventKind::Connect, CallEventKind::Terminate], "it ends once");
    }

    async fn an_invalid_call_is_refused(world = street) {
        for seconds in [0, -1, 86_401] {
            let wanted = PlaceCall { seconds: Some(seconds), ..PlaceCall::default() };
            let error = world.sandbox.call(world.tenant(), ADA, wanted).await.unwrap_err();
            assert!(matches!(&error, Error::Invalid { place, .. } if place.to_string() == "seconds"), "{error}");
        }
    }

    async fn a_process_that_was_started_again_repeats_no_id(world = street) {
        let call = || PlaceCall { missed: true, seconds: Some(5), ..PlaceCall::default() };
        let mut ids = Vec::new();
        for _ in 0..3 {
            let again = world.restarted(7);
            ids.push(again.call(world.tenant(), ADA, call()).await.unwrap().id);
            let say = sandbox::driver::Say { text: Some("hi".to_owned()), ..Default::default() };
            ids.push(again.say(world.tenant(), ADA, say).await.unwrap().id);
        }
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 6);
        world.advance(60);
        assert_eq!(world.records().await.len(), 9, "three messages, three rings, three ends");
    }
}
