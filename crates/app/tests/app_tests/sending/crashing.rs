//! Processes that die while they send. A message that they had claimed is never sent again; every other message is sent
//! once.

use domain::Id;
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use store::messaging::outbox;

use crate::sending::world::{OFFER, Sending as _, business, template_send, to};

testkit::both_databases! {
    async fn a_message_that_a_dead_process_had_claimed_is_unknown_and_the_others_are_sent_once(mut world = business) {
        let people = world.crowd(30).await;
        let accepted = world.send_template(template_send(OFFER, people.iter().map(|one| to(one)).collect())).await.unwrap();
        let ids: Vec<_> = accepted.recipients.iter().filter_map(|one| one.message_id).collect();
        // A process claims ten of them and dies before it calls the network.
        let input = (world.tenant(), world.channel().id, world.now());
        let mark = world.app.db().write(input, |tx, (tenant, channel, now)| Box::pin(async move {
            let due = outbox::due(tx, *tenant, *channel, 3, *now, 10).await?;
            outbox::claim(tx, *tenant, &due.iter().collect::<Vec<_>>(), "a process that is gone").await
        }));
        assert_eq!(mark.await.unwrap(), 10);
        world.restart();
        world.drain().await;
        let mut unknown = 0;
        for id in &ids {
            match world.state(*id).await {
                MessageState::Unknown => unknown += 1,
                state => assert_eq!(state, MessageState::Submitted),
            }
        }
        assert_eq!(unknown, 10);
        let mut received = 0;
        for person in &people {
            let inbox = world.inbox(person).await;
            assert!(inbox.len() <= 1);
            received += inbox.len();
        }
        assert_eq!(received, 20);
        world.drain().await;
        assert!(world.due_accounts().await.is_empty());
    }

    async fn an_answer_that_is_saved_late_counts(world = business) {
        let people = world.crowd(1).await;
        let accepted = world.send_template(template_send(OFFER, vec![to(&people[0])])).await.unwrap();
        let id = accepted.recipients[0].message_id.unwrap();
        let input = (world.tenant(), world.channel().id, id);
        let write = world.app.db().write(input, |tx, (tenant, channel, id)| Box::pin(async move {
            let unknown = store::messaging::messages::EndedMessage { id: *id, state: MessageState::Unknown, at: None, error: None };
            store::messaging::messages::set_ended(tx, *tenant, &[unknown]).await?;
            let late = store::messaging::messages::AcceptedByNetwork { id: *id, channel_id: *channel, network_id: "wamid.late".to_owned() };
            store::messaging::messages::set_accepted(tx, *tenant, &[late]).await
        }));
        assert_eq!(write.await.unwrap(), 1);
        let message = world.message(id).await;
        assert_eq!((message.state, message.network_id.as_deref()), (MessageState::Submitted, Some("wamid.late")));
    }

    async fn the_statement_of_an_answer_follows_the_rule_of_the_domain(world = business) {
        let (tenant, channel, now) = (world.tenant(), world.channel().id, world.now());
        for state in MessageState::ALL {
            let id = Id::new(now);
            let row = Message::bare(id, channel, MessageDirection::Outbound, *state, "text", now);
            let write = world.app.db().write((tenant, row), |tx, (tenant, row)| Box::pin(async move {
                store::messaging::messages::insert(tx, *tenant, row).await?;
                let (id, channel_id) = (row.id, row.channel_id);
                let taken = store::messaging::messages::AcceptedByNetwork { id, channel_id, network_id: format!("wamid.{id}") };
                store::messaging::messages::set_accepted(tx, *tenant, &[taken]).await
            }));
            assert_eq!(write.await.unwrap(), 1);
            assert_eq!(world.state(id).await, state.answered(), "{state}");
        }
    }
}
