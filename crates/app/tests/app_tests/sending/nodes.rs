//! Several nodes with one outbox: each message is sent once.

use app::messaging::messages::SendProgress;
use domain::messaging::messages::MessageState;
use testkit::Engine;

use crate::sending::world::{OFFER, Sending as _, business, template_send, to};

/// On PostgreSQL, since an SQLite database belongs to one process.
#[tokio::test]
async fn three_senders_at_once_send_each_message_once() {
    let world = business(Engine::Postgres).await;
    let people = world.crowd(120).await;
    world.send_template(template_send(OFFER, people.iter().map(|one| to(one)).collect())).await.unwrap();
    let apps = [world.app.clone(), world.another_node(), world.another_node()];
    loop {
        let account = world.sending_account();
        let all = apps.each_ref().map(|app| app.messaging().send_due(&account, &|| false));
        let progress = futures_util::future::join_all(all).await;
        let until = progress.into_iter().filter_map(|one| match one.unwrap() {
            SendProgress::Until(at) => Some(at),
            _ => None,
        });
        match until.min() {
            Some(at) => world.wait_until(at),
            None => break,
        }
    }
    for person in &people {
        assert_eq!(world.inbox(person).await.len(), 1, "{person}");
    }
}

testkit::both_databases! {
    async fn a_node_takes_over_when_the_lease_of_another_has_run_out(world = business) {
        let people = world.crowd(2).await;
        world.send_template(template_send(OFFER, vec![to(&people[0])])).await.unwrap();
        world.drain().await;
        let other = world.another_node();
        let accepted = world.send_template(template_send(OFFER, vec![to(&people[1])])).await.unwrap();
        let account = world.due_accounts().await.remove(0);
        if world.app.db().engine() == Engine::Postgres {
            assert_eq!(other.messaging().send_due(&account, &|| false).await.unwrap(), SendProgress::Elsewhere);
        }
        world.later(11).await;
        other.messaging().send_due(&account, &|| false).await.unwrap();
        assert_eq!(world.state(accepted.recipients[0].message_id.unwrap()).await, MessageState::Submitted);
        assert_eq!(world.inbox(&people[1]).await.len(), 1);
    }
}
