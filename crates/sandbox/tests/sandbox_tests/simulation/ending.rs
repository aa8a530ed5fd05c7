//! The end of a story: faults are cleared, everything arrives, and both sides agree.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::calls::CallFilter;
use domain::messaging::messages::{Message, MessageDirection, MessageState};
use store::platform::sandbox::messages as theirs;

use crate::simulation::story::Story;

/// Maximum number of minutes that the clock advances: longer than any pause between two tries in a story.
const ROUNDS: usize = 200;

pub async fn check(story: &mut Story) {
    quiet(story).await;
    let ours = ours(story).await;
    messages_are_the_same_on_both_sides(story, &ours).await;
    every_unknown_outcome_is_resolved_or_shown(story, &ours).await;
    calls_are_the_same_on_both_sides(story).await;
    let parked = story.world.app.messaging().inbound().parked(&app::Command(story.world.tenant()), 10).await.unwrap();
    assert!(parked.is_empty(), "seed {}: {parked:?}", story.seed);
}

async fn quiet(story: &mut Story) {
    let world = &story.world;
    world.sandbox().clear_faults(world.tenant()).await.unwrap();
    for round in 0..ROUNDS {
        world.settle().await;
        let due =
            store::platform::sandbox::due::list(&world.test.db, world.tenant(), world.channel().id, 1).await.unwrap();
        if due.is_empty() && store::messaging::inbound::waiting(&world.test.db).await.unwrap().is_empty() {
            story.look().await;
            return;
        }
        assert!(round + 1 < ROUNDS, "seed {}: still due: {due:?}", story.seed);
        world.test.clock.advance(Duration::from_mins(1));
    }
}

async fn ours(story: &Story) -> BTreeMap<String, Message> {
    let world = &story.world;
    let all = store::messaging::messages::of_channel(&world.test.db, world.tenant(), world.channel().id, "", 100_000)
        .await
        .unwrap();
    all.into_iter().map(|message| (message.network_id.clone().unwrap(), message)).collect()
}

async fn messages_are_the_same_on_both_sides(story: &Story, ours: &BTreeMap<String, Message>) {
    let world = &story.world;
    let mut theirs_count = 0;
    for person in store::platform::sandbox::people::list(&world.test.db, world.tenant()).await.unwrap() {
        let all = theirs::list(&world.test.db, world.tenant(), world.channel().id, person.position, 100_000).await;
        let list = all.unwrap();
        theirs_count += list.len();
        for message in list {
            let found = ours.get(&message.id);
            let found = found.unwrap_or_else(|| panic!("seed {}: {} is lost", story.seed, message.id));
            let direction = if message.from_person { MessageDirection::Inbound } else { MessageDirection::Outbound };
            assert_eq!(found.direction, direction, "seed {}: {}", story.seed, message.id);
            if !message.from_person {
                let settled = matches!(
                    found.state,
                    MessageState::Delivered | MessageState::Read | MessageState::Replied | MessageState::Failed
                );
                assert!(settled, "seed {}: {} ended as {}", story.seed, message.id, found.state);
            }
        }
    }
    assert_eq!(ours.len(), theirs_count, "seed {}: something is here that the network does not know", story.seed);
    for id in &story.sends.accepted {
        assert!(ours.contains_key(id), "seed {}: {id} was accepted and is lost", story.seed);
    }
}

/// A message whose answer was lost is resolved by a status, or is still `unknown`.
async fn every_unknown_outcome_is_resolved_or_shown(story: &Story, ours: &BTreeMap<String, Message>) {
    let world = &story.world;
    for id in &story.sends.doubtful {
        let input = (world.tenant(), *id);
        let read = world
            .test
            .db
            .write(input, |tx, (tenant, id)| Box::pin(store::messaging::messages::by_id_for_update(tx, *tenant, *id)));
        let message = read.await.unwrap().unwrap();
        match &message.network_id {
            Some(network_id) => {
                assert!(ours.contains_key(network_id) && message.state.rank() >= MessageState::Sent.rank());
            }
            None => assert_eq!(message.state, MessageState::Unknown, "seed {}", story.seed),
        }
    }
}

async fn calls_are_the_same_on_both_sides(story: &Story) {
    let world = &story.world;
    let made = story.log.iter().filter(|line| line.contains(" called ")).count();
    let mut all = Vec::new();
    let filter = CallFilter { limit: 10_000, ..CallFilter::default() };
    let mut show = |call: store::calls::ListedCall<'_>| {
        let call: serde_json::Value = serde_json::from_str(call.doc).unwrap();
        assert!(call["duration_seconds"].as_i64().unwrap() >= 0);
        all.push((call["call_id"].clone(), call["status"].as_str().unwrap().to_owned()));
        Ok(())
    };
    store::calls::list(&world.test.db, world.tenant(), &filter, &mut show).await.unwrap();
    let ended = all.iter().filter(|(_, status)| ["completed", "missed"].contains(&status.as_str())).count();
    assert_eq!((all.len(), ended), (made, made), "seed {}: {all:?}", story.seed);
}
