//! The effect of each kind of record.

use domain::Id;
use domain::messaging::messages::{MessageDirection, MessageState};
use serde_json::json;

use crate::inbound::world::{
    BSUID, Inbound as _, PERSON, add, change, messages, outbound, status, statuses, support, text_message, value,
};

const AT: i64 = 1_776_000_000;

testkit::both_databases! {
    async fn a_message_makes_a_row_and_a_contact(world = support) {
        world.arrives(&messages(&[text_message("wamid.1", "hi", AT)])).await;
        let all = world.messages().await;
        let [message] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((message.direction, message.state, message.kind.as_str()), (MessageDirection::Inbound, MessageState::Delivered, "text"));
        assert_eq!(message.text.as_deref(), Some("hi"));
        let contact = world.contact_of(BSUID).await;
        assert_eq!(message.contact_id, Some(contact.id));
        assert_eq!((contact.phone.as_deref(), contact.name.as_str()), (Some(PERSON), "Ada"));
        world.arrives(&messages(&[text_message("wamid.1", "hi", AT)])).await;
        assert_eq!(world.messages().await.len(), 1);
    }

    async fn a_status_finds_its_message_by_our_id_in_the_callback_data(world = support) {
        let id = Id::new(world.now());
        let ours = outbound(world.channel().id, id, world.now().to_millis());
        let tenant = world.tenant();
        let write = world.test.db.write((tenant, ours), |tx, (tenant, ours)| Box::pin(store::messaging::messages::insert(tx, *tenant, ours)));
        assert!(write.await.unwrap());
        let mut sent = status("wamid.out", "sent", AT);
        // The first status comes without our message id.
        world.arrives(&statuses(&[status("wamid.out", "delivered", AT + 1)])).await;
        sent["biz_opaque_callback_data"] = id.to_string().into();
        world.arrives(&statuses(&[sent])).await;
        let all = world.messages().await;
        let [message] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((message.id, message.state, message.network_id.as_deref()), (id, MessageState::Delivered, Some("wamid.out")));
        assert!(message.sent_at.is_some() && message.delivered_at.is_some() && message.contact_id.is_some());
        world.arrives(&statuses(&[status("wamid.out", "sent", AT + 5), status("wamid.out", "read", AT + 9)])).await;
        assert_eq!(world.messages().await[0].state, MessageState::Read);
    }

    async fn a_status_with_the_id_of_another_message_changes_nothing(world = support) {
        let id = Id::new(world.now());
        let ours = outbound(world.channel().id, id, world.now().to_millis());
        let tenant = world.tenant();
        let write = world.test.db.write((tenant, ours), |tx, (tenant, ours)| Box::pin(store::messaging::messages::insert(tx, *tenant, ours)));
        assert!(write.await.unwrap());
        world.arrives(&messages(&[text_message("wamid.theirs", "hi", AT)])).await;
        let mut odd = status("wamid.theirs", "read", AT + 1);
        odd["biz_opaque_callback_data"] = id.to_string().into();
        world.arrives(&statuses(&[odd])).await;
        let kept = world.messages().await;
        assert!(kept.len() == 1 && kept[0].text.as_deref() == Some("hi"), "{kept:?}");
    }

    async fn a_payment_report_is_stored_once_however_it_is_posted(world = support) {
        let mut paid = status("wamid.pay", "captured", AT);
        paid["type"] = "payment".into();
        paid["payment"] = json!({"reference_id": "order-1", "amount": {"value": 500, "offset": 100}, "currency": "INR"});
        let mut first = statuses(&[paid]);
        world.arrives(&first).await;
        first["entry"][0]["time"] = 1_776_000_999.into();
        first["entry"][0]["changes"][0]["value"]["contacts"] = json!([]);
        world.arrives(&first).await;
        assert_eq!(world.reports("payment", "order-1").await, 1);
    }

    async fn a_failure_keeps_its_reason(world = support) {
        let mut failed = status("wamid.f", "failed", AT);
        failed["errors"] = json!([{"code": 131_026, "title": "Message undeliverable"}]);
        world.arrives(&statuses(&[failed, status("wamid.f", "sent", AT)])).await;
        let message = &world.messages().await[0];
        assert_eq!(message.state, MessageState::Failed);
        assert!(message.error.as_ref().unwrap().to_json().contains("131026"), "{message:?}");
    }

    async fn calls_become_rows_of_the_call_log(world = support) {
        let call = |event: &str, more: serde_json::Value| {
            let mut call = json!({"id": "wacid.1", "from": PERSON, "to": "14155552671", "event": event,
                "direction": "USER_INITIATED", "timestamp": AT.to_string()});
            for (key, given) in more.as_object().unwrap() { call[key] = given.clone(); }
            change("calls", &value(&json!({"calls": [call]})))
        };
        let end = call("terminate", json!({"timestamp": (AT + 70).to_string(), "status": "COMPLETED",
            "start_time": (AT + 10).to_string(), "end_time": (AT + 70).to_string(), "duration": 60}));
        let connect = call("connect", json!({"session": {"sdp_type": "offer", "sdp": "v=0"}}));
        for body in [&end, &connect, &end] {
            world.arrives(body).await;
        }
        let calls = world.calls().await;
        let [call] = calls.as_slice() else { panic!("{calls:?}") };
        assert_eq!((&call["status"], &call["duration_seconds"], &call["ring_seconds"]), (&json!("completed"), &json!(60), &json!(10)));
        assert_eq!((&call["direction"], &call["from_number"]), (&json!("inbound"), &json!(PERSON)));
        assert_eq!(call["bsuid"], json!(BSUID));
        assert_eq!(call["channel_id"], json!(world.channel().id.to_string()));
    }

    /// The network's clock is ahead of ours: times after the arrival are cut, and the duration is kept.
    async fn a_call_lasts_as_long_as_the_network_says(world = support) {
        let ahead = world.now().seconds() + 3600;
        let end = json!({"id": "wacid.2", "from": PERSON, "to": "14155552671", "event": "terminate",
            "direction": "USER_INITIATED", "timestamp": (ahead + 42).to_string(), "status": "COMPLETED",
            "start_time": ahead.to_string(), "end_time": (ahead + 42).to_string(), "duration": 42});
        world.arrives(&change("calls", &value(&json!({"calls": [end]})))).await;
        let calls = world.calls().await;
        assert_eq!((&calls[0]["status"], &calls[0]["duration_seconds"]), (&json!("completed"), &json!(42)));
    }

    async fn one_app_may_post_for_another_number_of_the_tenant(world = support) {
        let other = add(&world.app, world.tenant(), "Sales", "4915123456789", "777").await;
        let mut theirs = messages(&[text_message("wamid.1", "hi", AT)]);
        theirs["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = "777".into();
        world.arrives(&theirs).await;
        let found = store::messaging::messages::of_channel(&world.test.db, world.tenant(), other.id, "", 10).await.unwrap();
        assert_eq!(found.len(), 1);
        theirs["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = "778".into();
        world.arrives(&theirs).await;
        let parked = world.parked().await;
        assert!(parked.len() == 1 && parked[0].reason.contains("another number"), "{parked:?}");
        assert!(world.messages().await.is_empty());
    }

    async fn a_person_who_changes_number_stays_one_contact(world = support) {
        world.arrives(&messages(&[text_message("wamid.1", "hi", AT)])).await;
        let before = world.contact_of(PERSON).await;
        let system = json!({"from": PERSON, "id": "wamid.2", "timestamp": (AT + 60).to_string(), "type": "system",
            "system": {"body": "changed", "type": "user_changed_number", "wa_id": "16505559999", "new_wa_id": "16505559999"}});
        let mut changed = messages(&[system]);
        changed["entry"][0]["changes"][0]["value"]["contacts"] = json!([{"profile": {"name": "Ada"}, "wa_id": PERSON}]);
        world.arrives(&changed).await;
        let after = world.contact_of("16505559999").await;
        assert_eq!(after.id, before.id);
    }

    async fn other_reports_are_stored_once(world = support) {
        let verdict = change("message_template_status_update", &json!({"event": "APPROVED", "message_template_id": 4711,
            "message_template_name": "hello", "message_template_language": "en", "reason": "NONE"}));
        let unknown = change("something_of_tomorrow", &json!({"anything": [1, 2, 3]}));
        for body in [&verdict, &unknown, &verdict, &unknown] {
            world.arrives(body).await;
        }
        assert_eq!(world.reports("template_status", "4711").await, 1);
        assert_eq!(world.reports("unknown", "something_of_tomorrow").await, 1);
        assert!(world.parked().await.is_empty());
    }

    async fn the_latest_quality_of_a_number_counts(world = support) {
        let rated = |at: i64, event: &str| {
            let mut rated = change("phone_number_quality_update", &json!({"display_phone_number": "14155552671", "event": event, "current_limit": "TIER_1K"}));
            rated["entry"][0]["time"] = at.into();
            rated
        };
        world.arrives(&rated(AT + 10, "UNFLAGGED")).await;
        world.arrives(&rated(AT, "FLAGGED")).await;
        let channel = world.app.messaging().channels().find(&world.me(), "Support").await.unwrap();
        assert_eq!(channel.quality.unwrap().event, "UNFLAGGED");
    }

    async fn a_marketing_preference_is_obeyed(world = support) {
        let wish = |wish: &str, at: i64| change("user_preferences", &value(&json!({"user_preferences": [
            {"wa_id": PERSON, "user_id": BSUID, "detail": "no more", "category": "marketing_messages", "value": wish, "timestamp": at}]})));
        world.arrives(&wish("resume", AT + 10)).await;
        world.arrives(&wish("stop", AT)).await;
        let contact = world.contact_of(BSUID).await;
        assert!(contact.allow_broadcast, "the later preference counts");
        world.arrives(&wish("stop", AT + 20)).await;
        assert!(!world.contact_of(BSUID).await.allow_broadcast);
        world.arrives(&wish("resume", AT + 20)).await;
        assert!(!world.contact_of(BSUID).await.allow_broadcast, "of two at once, the no stands");
    }
}
