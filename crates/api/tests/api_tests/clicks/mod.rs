//! Tracked links over the wire, on both databases: the redirect, lists, counts and bad input.

mod bad_input;
mod redirect;
mod v3;

use app::Command;
use app::messages::{MemberNames, TemplateRecipient, TemplateSend};
use axum::body::Body;
use domain::contacts::CustomParam;
use domain::keys::{Keyring, SecretKey};
use domain::messages::MessageSource;
use domain::networks::Networks;
use domain::templates::{Action, Button, Category, Content, Template, TemplateStatus};
use domain::{ChannelId, Id, MessageId, TemplateId, Timestamp};
use serde_json::Value;
use testkit::application::{Answer, TestApp, edge_settings, request};
use testkit::database::TestDb;

const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                     Version/18.1 Mobile/15E148 Safari/604.1";
const PREVIEW: &str = "WhatsApp/2.24.20.89 A";

/// A tenant that sent a template with two tracked links to one person.
struct World {
    app: TestApp,
    token: String,
    message: MessageId,
    template: TemplateId,
    codes: Vec<String>,
}

impl World {
    async fn new(test: TestDb) -> Self {
        let settings = api::EdgeSettings {
            trusted_proxies: Networks::parse(["127.0.0.0/8"]).unwrap(),
            ..edge_settings("https://switchboard.example")
        };
        let app = TestApp::with(test, &Keyring::new(SecretKey::random(), None), Vec::new(), settings);
        let (channel, _) = app.channel(app.tenant(), "Support", "14155550100").await;
        let token = app.token(app.tenant(), &["campaignsv3:read"]).await;
        let template = template(channel.id, &channel.account_id, app.app.now());
        let id = template.id;
        let input = (app.tenant(), template);
        let made = app.test.db.write(input, |tx, (tenant, new)| Box::pin(store::templates::insert(tx, *tenant, new)));
        assert!(made.await.unwrap());
        let message = send(&app).await;
        let codes = codes(&app, message).await;
        Self { app, token, message, template: id, codes }
    }

    async fn open(&self, method: &str, code: &str, headers: &[(&str, &str)]) -> Answer {
        let usual = [("accept-language", "en"), ("x-forwarded-for", "198.51.100.7")];
        let all = headers.iter().chain(&usual);
        let request = all
            .fold(request(method, &format!("/c/{code}"), None), |request, (name, value)| request.header(*name, *value));
        self.app.send(request.body(Body::empty()).unwrap()).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.app.get(&format!("/api/ext/v3/clicks{path}"), &self.token).await
    }

    async fn page(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()
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

async fn send(app: &TestApp) -> MessageId {
    let order = CustomParam { name: "order".to_owned(), value: "1&x=https://evil.example/".to_owned() };
    let send = TemplateSend {
        channel: None,
        template: "spring_offer".to_owned(),
        language: None,
        broadcast_name: "Spring".to_owned(),
        recipients: vec![TemplateRecipient {
            target: "14155552671".to_owned(),
            member: "phone_number",
            local_id: Some("order-1".to_owned()),
            params: vec![order],
        }],
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
    let accepted = app.app.messages().send_template(&Command(app.tenant()), send).await.unwrap();
    accepted.recipients[0].message_id.unwrap_or_else(|| unreachable!("{accepted:?}"))
}

/// The codes of the tracked links in a message's content, in the order of the buttons.
async fn codes(app: &TestApp, message: MessageId) -> Vec<String> {
    let message = store::messages::find(&app.test.db, app.tenant(), message).await.unwrap().unwrap();
    let content = message.content.unwrap();
    let long = |text: &&str| text.len() == 47 && !text.contains([' ', '.', ':']);
    content.split('"').filter(long).map(str::to_owned).collect()
}

/// Deletes the contact of the world as a command does.
async fn delete_contact(world: &World) {
    let me = Command(world.app.tenant());
    world.app.app.contacts().delete(&me, "14155552671").await.unwrap();
}
