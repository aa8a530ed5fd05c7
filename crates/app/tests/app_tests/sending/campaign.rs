//! A whole campaign through outbox, sender and sandbox on the test's clock. The full size runs with `scripts/test
//! --long`, a smaller one in every run.

use domain::messaging::messages::MessageState;
use testkit::Engine;

use crate::sending::world::{CODE, OFFER, Sending as _, business, template_send, to};

const RATE: usize = 80;

fn size() -> usize {
    if std::env::var_os("SWITCHBOARD_TEST_LONG").is_some() { 20_000 } else { 2000 }
}

#[tokio::test]
async fn a_campaign_meets_no_limit_and_wastes_no_time_and_codes_overtake_it() {
    let world = business(Engine::Sqlite).await;
    let count = size();
    let people = world.crowd(count + 100).await;
    let (crowd, askers) = people.split_at(count);
    let mut messages = Vec::new();
    for some in crowd.chunks(10_000) {
        let accepted =
            world.send_template(template_send(OFFER, some.iter().map(|one| to(one)).collect())).await.unwrap();
        messages.extend(accepted.recipients.into_iter().filter_map(|one| one.message_id));
    }
    let began = world.now();
    let mut codes: Vec<(domain::MessageId, domain::Timestamp)> = Vec::new();
    let mut askers = askers.iter();
    let mut waits = Vec::new();
    loop {
        let progress = world.leave().await;
        let now = world.now();
        let mut left = Vec::new();
        for (place, (id, asked)) in codes.iter().enumerate() {
            if !world.state(*id).await.is_waiting() {
                waits.push(now.micros() - asked.micros());
                left.push(place);
            }
        }
        for place in left.into_iter().rev() {
            codes.swap_remove(place);
        }
        let app::messaging::messages::SendProgress::Until(at) = progress else { break };
        // The number has just used up its limit: a message that is accepted now waits longest.
        if let Some(asker) = askers.next() {
            let accepted = world.send_template(template_send(CODE, vec![to(asker)])).await.unwrap();
            codes.push((accepted.recipients[0].message_id.unwrap(), world.now()));
        }
        world.wait_until(at);
    }
    let sent = count + 100;
    let millis = usize::try_from((world.now().micros() - began.micros()) / 1000).unwrap();
    // A quarter of what the limit allows in a second leaves at once.
    let ideal = (sent - RATE / 4) * 1000 / RATE;
    let used = ideal * 10_000 / millis;
    eprintln!(
        "{sent} messages in {millis} ms, at the limit {ideal} ms: {}.{:02} % of the rate",
        used / 100,
        used % 100
    );
    assert!(used >= 9800, "{millis} ms where {ideal} ms are possible");
    waits.sort_unstable();
    assert_eq!(waits.len(), 100);
    let p99 = waits[98];
    eprintln!("codes left after {} ms in the median, {} ms at the 99th of 100", waits[49] / 1000, p99 / 1000);
    assert!(p99 < 1_000_000, "{p99} µs");
    for id in messages {
        let message = world.message(id).await;
        assert_eq!((message.state, message.error), (MessageState::Submitted, None));
    }
}
