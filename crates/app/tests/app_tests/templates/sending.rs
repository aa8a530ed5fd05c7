//! Messages with templates of every kind: what Switchboard fills in fits the template that the network has.

use domain::messaging::templates::Template;
use domain::people::contacts::CustomParam;
use testkit::World;
use testkit::sends::{template_send, to_with};
use testkit::world::PUBLIC_URL;

use crate::sending::world::Sending as _;
use crate::templates::Templates as _;
use crate::templates::making::kinds;

const ADA: &str = "14155550132";

/// A valid value for every required parameter.
fn values(template: &Template) -> Vec<CustomParam> {
    let fitting = |name: &str| match name {
        "header_latitude" => "46.95",
        "header_longitude" => "7.45",
        "expiration_time_ms" => "1800000000000",
        name if name.ends_with("header_link") || name == "film" => "https://shop.example/own.mp4",
        _ => "7 & up",
    };
    let asked = template.content.parameters().into_iter().filter(|asked| asked.required);
    asked.map(|asked| CustomParam { value: fitting(&asked.name).to_owned(), name: asked.name }).collect()
}

async fn send(world: &World, template: &Template) {
    world.send_template(template_send(&template.name, vec![to_with(ADA, values(template))])).await.unwrap();
    world.drain().await;
}

testkit::both_databases! {
    async fn a_message_of_every_kind_is_what_the_network_expects(world = World::simulated) {
        for (number, mut new) in kinds().into_iter().enumerate() {
            new.name = format!("kind_{number}");
            world.create_template(None, new).await.unwrap();
        }
        world.later(3).await;
        for template in world.all().await {
            send(&world, &template).await;
            world.later(10).await;
            let inbox = world.sandbox().inbox(world.tenant(), ADA, 1).await.unwrap();
            let received = inbox.messages.first().unwrap_or_else(|| unreachable!("{} did not arrive", template.name));
            let shown = template.fill(&values(&template)).unwrap();
            let first = shown.text.lines().next().unwrap();
            assert!(received.text.contains(first), "{}: {:?} in {:?}", template.name, first, received.text);
            let urls = received.buttons.iter().map(|button| button.url.clone());
            for (ours, theirs) in shown.buttons.iter().zip(urls).filter(|(ours, _)| ours.url.is_some()) {
                let theirs = theirs.unwrap_or_default();
                if template.content.tracked_url.is_some() {
                    assert!(theirs.starts_with(&format!("{PUBLIC_URL}/c/")), "{theirs}");
                } else {
                    assert_eq!(Some(&theirs), ours.url.as_ref(), "{}", template.name);
                }
            }
        }
    }
}
