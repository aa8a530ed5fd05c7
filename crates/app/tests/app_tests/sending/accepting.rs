//! What is accepted and what is refused. A dry run leaves nothing behind.

use app::messaging::messages::Refusal;
use app::{Cause, Error};
use domain::messaging::messages::MessageState;

use crate::sending::world::{ADA, BEN, JACK, NEWS, OFFER, Sending as _, business, param, template_send, text_send, to};

testkit::both_databases! {
    async fn a_text_in_the_window_reaches_the_person_and_is_read(world = business) {
        world.say(ADA, "hello?").await;
        let sent = world.send_message(text_send(ADA, "How can we help?")).await.unwrap();
        assert_eq!(world.state(sent.message.id).await, MessageState::Queued);
        assert!(world.app.messaging().estimate_send_time(&app::Command(world.tenant()), sent.message.id).await.unwrap().is_some());
        world.drain().await;
        assert_eq!(world.state(sent.message.id).await, MessageState::Submitted);
        assert_eq!(world.inbox(ADA).await[0], "How can we help?");
        world.later(60).await;
        let message = world.message(sent.message.id).await;
        assert_eq!(message.state, MessageState::Read);
        assert!(message.network_id.is_some() && message.read_at.is_some());
        assert_eq!(world.app.messaging().estimate_send_time(&app::Command(world.tenant()), sent.message.id).await.unwrap(), None);
    }

    async fn without_an_open_window_no_session_message_is_accepted(world = business) {
        for target in [ADA, "14155552671"] {
            let refused = world.send_message(text_send(target, "hi")).await;
            assert!(matches!(refused, Err(Error::Refused { cause: Cause::Send(Refusal::WindowClosed), .. })), "{refused:?}");
        }
        world.say(ADA, "hello?").await;
        world.later(24 * 60 * 60).await;
        assert!(matches!(world.send_message(text_send(ADA, "hi")).await, Err(Error::Refused { cause: Cause::Send(Refusal::WindowClosed), .. })));
        assert!(world.due_accounts().await.is_empty());
    }

    async fn a_template_is_sent_to_the_valid_recipients_and_the_others_have_a_reason(world = business) {
        let mut bad = to(JACK);
        bad.params = vec![param("2", "another")];
        let mut named = to(BEN);
        named.local_id = Some("order-4711".to_owned());
        let recipients = vec![to(ADA), named, bad, to("11111111111"), to("nobody"), to(ADA), to("507f1f77bcf86cd799439011")];
        let accepted = world.send_template(template_send(OFFER, recipients)).await.unwrap();
        let refusals: Vec<_> = accepted.recipients.iter().map(|one| one.problem.as_ref().map(|one| one.refusal)).collect();
        let expected = [
            None,
            None,
            Some(Refusal::BadParameters),
            Some(Refusal::InvalidNumber),
            Some(Refusal::InvalidTarget),
            Some(Refusal::Duplicate),
            Some(Refusal::UnknownContact),
        ];
        assert_eq!(refusals, expected);
        assert_eq!(accepted.recipients[1].local_id, "order-4711");
        world.drain().await;
        for person in [ADA, BEN] {
            assert_eq!(world.inbox(person).await, ["Hello Ada, there is news."], "{person}");
        }
        assert!(world.inbox(JACK).await.is_empty());
        let message = world.message(accepted.recipients[0].message_id.unwrap()).await;
        assert_eq!((message.state, message.broadcast_id), (MessageState::Submitted, Some(accepted.broadcast_id)));
        assert!(message.conversation_id.is_some());
    }

    async fn a_dry_run_answers_the_same_and_leaves_nothing_behind(world = business) {
        let mut dry = template_send(OFFER, vec![to(ADA), to("11111111111")]);
        dry.dry_run = true;
        let would = world.send_template(dry).await.unwrap();
        assert_eq!(would.message_count(), 1);
        assert!(world.due_accounts().await.is_empty());
        let db = world.app.db();
        let message = would.recipients[0].message_id.unwrap();
        assert_eq!(store::messaging::messages::find(db, world.tenant(), message).await.unwrap(), None);
        let found = world.app.people().contacts().find(&world.me(), ADA, &mut |_| ()).await;
        assert!(matches!(found, Err(Error::NotFound(_))));
        world.say(ADA, "hello?").await;
        let mut dry = text_send(ADA, "hi");
        dry.dry_run = true;
        world.send_message(dry).await.unwrap();
        assert!(world.due_accounts().await.is_empty());
    }

    async fn unknown_templates_languages_and_channels_are_named(world = business) {
        let missing = world.send_template(template_send("nothing", vec![to(ADA)])).await;
        assert!(matches!(missing, Err(Error::Missing { ref place, .. }) if place.to_string() == "template_name"), "{missing:?}");
        let mut other = template_send(OFFER, vec![to(ADA)]);
        other.language = Some("de".to_owned());
        assert!(matches!(world.send_template(other).await, Err(Error::Missing { .. })));
        let mut elsewhere = template_send(OFFER, vec![to(ADA)]);
        elsewhere.channel = Some("Nowhere".to_owned());
        assert!(matches!(world.send_template(elsewhere).await, Err(Error::NoChannel { .. })));
        let many = (0..10_001).map(|_| to(ADA)).collect();
        let refused = world.send_template(template_send(OFFER, many)).await;
        assert!(matches!(refused, Err(Error::Invalid { ref place, .. }) if place.to_string() == "recipients"), "{refused:?}");
        let none = world.send_template(template_send(OFFER, Vec::new())).await;
        assert!(matches!(none, Err(Error::Invalid { .. })));
    }

    async fn a_contact_without_broadcasts_still_gets_utility_templates(world = business) {
        world.say(ADA, "hello?").await;
        let update = app::people::contacts::ConsentUpdate { allow_broadcast: Some(false), ..Default::default() };
        world.app.people().contacts().set_consent(&world.me(), ADA, update).await.unwrap();
        let offer = world.send_template(template_send(OFFER, vec![to(ADA)])).await.unwrap();
        assert_eq!(offer.recipients[0].problem.as_ref().unwrap().refusal, Refusal::OptedOut);
        let news = world.send_template(template_send(NEWS, vec![to(ADA)])).await.unwrap();
        assert_eq!(news.message_count(), 1);
    }
}
