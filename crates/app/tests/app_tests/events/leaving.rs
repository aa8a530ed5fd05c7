//! Sent messages: the first proof that the network accepted a message emits the event, and later proofs do not.

use domain::messaging::messages::MessageState;
use testkit::{Engine, World};

use crate::events::log::Published as _;
use crate::sending::world::{ADA, BEN, OFFER, Sending as _, business, template_send, text_send, to};

const SENT: &str = "templateMessageSent";
const DELIVERED: &str = "sentMessageDELIVERED";
const READ: &str = "sentMessageREAD";

testkit::both_databases! {
    async fn a_message_is_published_from_sent_to_read(world = business) {
        let template = world.accepted(OFFER, ADA).await;
        world.say(BEN, "hello").await;
        let free = world.written(BEN, "hi").await;
        assert!(world.event_names_of(template).await.is_empty(), "an accepted message has not left");
        world.drain().await;
        assert_eq!(world.event_names_of(template).await, [SENT]);
        assert_eq!(world.event_names_of(free).await, ["sessionMessageSent"]);
        world.later(120).await;
        assert_eq!(world.event_names_of(template).await, [SENT, DELIVERED, READ]);
        assert_eq!(world.event_names_of(free).await, ["sessionMessageSent", DELIVERED, READ]);
        world.drain().await;
        world.later(120).await;
        assert_eq!(world.event_names_of(template).await.len(), 3);
    }

    async fn each_of_many_messages_that_leave_together_is_published(world = business) {
        let people = world.crowd(200).await;
        world.send_template(template_send(OFFER, people.iter().map(|one| to(one)).collect())).await.unwrap();
        world.drain().await;
        let sent = world.payloads_of(domain::delivery::events::EventType::TemplateMessageSentV2).await;
        let mut numbers: Vec<_> = sent.iter().map(|one| one["waId"].as_str().unwrap().to_owned()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, people);
    }

    async fn an_answer_that_was_lost_is_made_good_by_a_status(world = business) {
        world.fail("accept_then_reset", 1).await;
        let id = world.accepted(OFFER, ADA).await;
        world.drain().await;
        assert_eq!(world.state(id).await, MessageState::Unknown);
        assert!(world.event_names_of(id).await.is_empty(), "whether it left is unknown");
        world.later(120).await;
        assert_eq!(world.event_names_of(id).await, [SENT, DELIVERED, READ]);
    }

    async fn a_message_that_a_dead_process_sent_is_published_with_its_first_status(mut world = business) {
        let id = world.accepted(OFFER, ADA).await;
        // A process claimed the message, and was killed before it saved the network's answer.
        let input = (world.tenant(), world.channel().id, world.now());
        let mark = world.app.db().write(input, |tx, (tenant, channel, now)| Box::pin(async move {
            let due = store::messaging::outbox::due(tx, *tenant, *channel, 3, *now, 10).await?;
            store::messaging::outbox::claim(tx, *tenant, &due.iter().collect::<Vec<_>>(), "a process that is gone").await
        }));
        assert_eq!(mark.await.unwrap(), 1);
        world.restart();
        world.drain().await;
        assert_eq!(world.state(id).await, MessageState::Unknown);
        assert!(world.event_names_of(id).await.is_empty());
        // By then the lease of the dead process has ended.
        world.later(20).await;
        world.status("wamid.of-the-dead", Some(id), "read").await;
        world.status("wamid.of-the-dead", Some(id), "sent").await;
        world.status("wamid.of-the-dead", Some(id), "delivered").await;
        assert_eq!(world.event_names_of(id).await, [SENT, READ, DELIVERED]);
    }

    async fn a_status_that_comes_before_the_answer_tells_it_and_the_answer_does_not(world = business) {
        let id = world.accepted(OFFER, ADA).await;
        world.status("wamid.early", Some(id), "delivered").await;
        assert_eq!(world.event_names_of(id).await, [SENT, DELIVERED]);
        world.drain().await;
        world.later(120).await;
        assert_eq!(world.event_names_of(id).await, [SENT, DELIVERED, READ]);
    }

    async fn a_status_before_the_answer_is_published_when_the_answer_is_stored(test) {
        // The same scenario twice: the first run shows which id the network will give to the message.
        let engine = test.db.engine();
        let (world, id) = early(engine, "wamid.other").await;
        let network_id = world.message(id).await.network_id.unwrap();
        assert_eq!(world.event_names_of(id).await, [SENT]);
        let (world, id) = early(engine, &network_id).await;
        assert_eq!(world.message(id).await.network_id.as_deref(), Some(network_id.as_str()));
        assert_eq!(world.event_names_of(id).await, [SENT, DELIVERED]);
        world.later(120).await;
        assert_eq!(world.event_names_of(id).await, [SENT, DELIVERED, READ]);
    }

    async fn a_status_without_our_id_is_published_when_a_later_one_has_it(world = business) {
        world.fail("reset", 1).await;
        let id = world.accepted(OFFER, ADA).await;
        world.drain().await;
        world.status("wamid.theirs", None, "delivered").await;
        assert!(world.event_names_of(id).await.is_empty());
        world.status("wamid.theirs", Some(id), "sent").await;
        assert_eq!(world.event_names_of(id).await, [SENT, DELIVERED]);
    }

    async fn nothing_is_published_about_messages_of_other_systems(world = business) {
        let before = world.published().await.len();
        for status in ["sent", "delivered", "read", "failed"] {
            world.status("wamid.of-others", None, status).await;
        }
        assert_eq!(world.published().await.len(), before);
    }

    async fn dry_runs_and_what_was_stopped_tell_nothing(world = business) {
        world.say(ADA, "hello").await;
        let before = world.published().await.len();
        let mut template = template_send(OFFER, vec![to(BEN)]);
        template.dry_run = true;
        world.send_template(template).await.unwrap();
        let mut free = text_send(ADA, "hi");
        free.dry_run = true;
        world.send_message(free).await.unwrap();
        let stopped = world.send_template(template_send(OFFER, vec![to(BEN)])).await.unwrap();
        let input = (world.tenant(), stopped.broadcast_id);
        let stop = world.app.db().write(input, |tx, (tenant, broadcast)| {
            Box::pin(store::messaging::outbox::stop_broadcast(tx, *tenant, *broadcast))
        });
        assert_eq!(stop.await.unwrap(), 1);
        world.drain().await;
        world.later(120).await;
        assert_eq!(world.published().await.len(), before);
    }
}

/// A status without our message id arrives before the network's id of the message is stored.
async fn early(engine: Engine, network_id: &str) -> (World, domain::MessageId) {
    let world = business(engine).await;
    world.status(network_id, None, "delivered").await;
    let id = world.accepted(OFFER, ADA).await;
    world.advance(1);
    world.drain().await;
    (world, id)
}
