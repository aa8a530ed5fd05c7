//! Tracked links over the wire, on both databases: the redirect, lists, counts and bad input.

mod bad_input;
mod redirect;
mod v3;

use std::ops::Deref;

use axum::body::Body;
use domain::identity::networks::Networks;
use domain::messaging::templates::{Action, Button, Category, Content, Template, TemplateStatus};
use domain::{ChannelId, Id, MessageId, TemplateId, Timestamp};
use serde_json::Value;
use testkit::database::TestDb;
use testkit::sends::{param, template_send, to_with};
use testkit::world::{Answer, edge_settings, request};
use testkit::{Engine, World};

const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                     Version/18.1 Mobile/15E148 Safari/604.1";
const PREVIEW: &str = "WhatsApp/2.24.20.89 A";

/// A tenant that sent a template with two tracked links to one person.
struct Tracked {
    world: World,
    message: MessageId,
    template: TemplateId,
    codes: Vec<String>,
}

impl Deref for Tracked {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Tracked {
    async fn new(engine: Engine) -> Self {
        let trusted_proxies = Networks::parse(["127.0.0.0/8"]).unwrap();
        let settings = api::EdgeSettings { trusted_proxies, ..edge_settings("https://switchboard.example") };
        let world = World::with_edge(TestDb::on(engine).await, settings).with_token(&["campaignsv3:read"]).await;
        let (channel, _) = world.add_channel(world.tenant(), "Support", "14155550100").await;
        let template = template(channel.id, &channel.account_id, world.now());
        let id = template.id;
        let input = (world.tenant(), template);
        let made = world
            .test
            .db
            .write(input, |tx, (tenant, new)| Box::pin(store::messaging::templates::insert(tx, *tenant, new)));
        assert!(made.await.unwrap());
        let message = send(&world).await;
        let codes = codes(&world, message).await;
        Self { world, message, template: id, codes }
    }

    async fn open(&self, method: &str, code: &str, headers: &[(&str, &str)]) -> Answer {
        let usual = [("accept-language", "en"), ("x-forwarded-for", "198.51.100.7")];
        let all = headers.iter().chain(&usual);
        let request = all
            .fold(request(method, &format!("/c/{code}"), None), |request, (name, value)| request.header(*name, *value));
        self.send(request.body(Body::empty()).unwrap()).await
    }

    async fn clicks(&self, path: &str) -> Answer {
        self.get(&format!("/api/ext/v3/clicks{path}")).await
    }

    async fn page(&self, path: &str) -> Value {
        self.clicks(path).await.ok()
    }
}

fn template(channel_id: ChannelId, account_id: &str, now: Timestamp) -> Template {
    let link = |text: &str, url: &str, parameter: Option<&str>| Button {
        text: text.to_owned(),
        action: Action::Url { url: url.to_owned(), parameter: parameter.map(str::to_owned) },
    };
    Template {
        id: Id::new(now),
        account_id: account_id.to_owned(),
        channel_id,
        name: "spring_offer".to_owned(),
        language: "en".to_owned(),
        category: Category::Marketing,
        status: TemplateStatus::Approved,
        quality: None,
        reason: None,
        network_id: Some("1".to_owned()),
        content: Content {
            body: "Spring is here.".to_owned(),
            buttons: vec![
                link("Track it", "https://shop.example/orders?id={{order}}", Some("order")),
                link("Shop", "https://shop.example/", None),
            ],
            tracked_url: Some("https://switchboard.example/c/{{1}}".to_owned()),
            ..Content::default()
        },
        origin: "API".to_owned(),
        created_at: now.to_millis(),
        updated_at: now.to_millis(),
        reported_at: now.to_millis(),
        deleted_at: None,
    }
}

async fn send(world: &World) -> MessageId {
    let mut recipient = to_with("14155552671", vec![param("order", "1&x=https://evil.example/")]);
    recipient.local_id = Some("order-1".to_owned());
    let send = template_send("spring_offer", vec![recipient]);
    let accepted = world.app.messaging().messages().send_template(&world.me(), send).await.unwrap();
    accepted.recipients[0].message_id.unwrap_or_else(|| unreachable!("{accepted:?}"))
}

/// The codes of the tracked links in a message's content, in the order of the buttons.
async fn codes(world: &World, message: MessageId) -> Vec<String> {
    let content = world.message(message).await.content.unwrap();
    let long = |text: &&str| text.len() == 47 && !text.contains([' ', '.', ':']);
    content.split('"').filter(long).map(str::to_owned).collect()
}

/// Deletes the contact of the world as a command does.
async fn delete_contact(world: &World) {
    world.app.people().contacts().delete(&world.me(), "14155552671").await.unwrap();
}
