//! The sender keeps the network's limits: the network never refuses a message because of one.

use domain::messaging::messages::MessageState;
use domain::messaging::pacing::Limits;
use testkit::network::NetworkSettings;

use crate::sending::world::{ADA, OFFER, Sending as _, business, business_with, template_send, text_send, to};

testkit::both_databases! {
    async fn one_person_gets_a_burst_and_then_one_in_six_seconds(world = business) {
        world.say(ADA, "tell me everything").await;
        let mut ids = Vec::new();
        for i in 0..50 {
            ids.push(world.send_message(text_send(ADA, &format!("part {i}"))).await.unwrap().message.id);
        }
        let before = world.now();
        world.drain().await;
        let took = world.now().seconds() - before.seconds();
        assert!((24..=31).contains(&took), "five more than the burst, one in six seconds each: {took}");
        for id in ids {
            let message = world.message(id).await;
            assert_eq!((message.state, message.error), (MessageState::Submitted, None));
        }
    }

    async fn new_people_beyond_the_tier_wait_for_the_next_day(test) {
        let pacing = Limits { new_people: Some(10), ..Limits::default() };
        let world = business_with(test.db.engine(), NetworkSettings { pacing, ..NetworkSettings::default() }).await;
        let people = world.crowd(15).await;
        let accepted = world.send_template(template_send(OFFER, people.iter().map(|one| to(one)).collect())).await.unwrap();
        world.leave().await;
        let mut left = 0;
        for one in &accepted.recipients {
            left += usize::from(world.state(one.message_id.unwrap()).await == MessageState::Submitted);
        }
        assert_eq!(left, 10);
        let before = world.now();
        world.drain().await;
        let took = world.now().seconds() - before.seconds();
        assert!((86_000..=86_500).contains(&took), "{took}");
        for person in &people {
            assert_eq!(world.inbox(person).await.len(), 1);
        }
    }

    async fn the_limit_of_new_people_outlives_the_process(test) {
        let pacing = Limits { new_people: Some(5), ..Limits::default() };
        let mut world = business_with(test.db.engine(), NetworkSettings { pacing, ..NetworkSettings::default() }).await;
        let people = world.crowd(10).await;
        let accepted = world.send_template(template_send(OFFER, people.iter().map(|one| to(one)).collect())).await.unwrap();
        world.leave().await;
        world.restart();
        world.test.clock.advance(std::time::Duration::from_mins(1));
        world.leave().await;
        let mut left = 0;
        for one in &accepted.recipients {
            left += usize::from(world.state(one.message_id.unwrap()).await == MessageState::Submitted);
        }
        assert_eq!(left, 5);
    }
}
