//! Messages with templates of every kind: what Switchboard fills in fits the template that the network has.

use app::messages::{MemberNames, SendProgress, TemplateRecipient, TemplateSend};
use domain::contacts::CustomParam;
use domain::messages::MessageSource;
use domain::templates::Template;

use crate::templates::making::kinds;
use crate::templates::{PUBLIC_URL, World};

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
    let params = values(template);
    let recipient = TemplateRecipient { target: ADA.to_owned(), member: "phone_number", local_id: None, params };
    let send = TemplateSend {
        channel: None,
        template: template.name.clone(),
        language: None,
        broadcast_name: template.name.clone(),
        recipients: vec![recipient],
        scheduled_at: None,
        source: MessageSource::Api,
        dry_run: false,
        members: MemberNames {
            channel: "channel",
            template: "template_name",
            broadcast_name: "broadcast_name",
            recipients: "recipients",
            params: "custom_params",
        },
    };
    world.0.app.messages().send_template(&world.caller(), send).await.unwrap();
    for account in world.0.app.sending_accounts().await.unwrap() {
        while let SendProgress::Until(at) = world.0.app.send_due(&account, &|| false).await.unwrap() {
            let wait = u64::try_from(at.micros() - world.0.app.now().micros()).unwrap_or(0).max(1);
            world.0.advance(std::time::Duration::from_micros(wait));
        }
    }
}

testkit::both_databases! {
    async fn a_message_of_every_kind_is_what_the_network_expects(test) {
        let world = World::new(&test).await;
        for (number, mut new) in kinds().into_iter().enumerate() {
            new.name = format!("kind_{number}");
            world.create(new).await.unwrap();
        }
        world.later(3).await;
        for template in world.all().await {
            send(&world, &template).await;
            world.later(10).await;
            let inbox = world.0.sandbox.inbox(world.0.tenant, ADA, 1).await.unwrap();
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
