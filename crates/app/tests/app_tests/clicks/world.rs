//! A business with the sandbox as its network, whose templates have tracked links.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

use app::messaging::clicks::{ClickSearch, ClickView, LinkRefused, Visit};
use app::messaging::messages::SendProgress;
use domain::MessageId;
use domain::delivery::events::EventType;
use domain::messaging::clicks::{ClickClass, Request};
use domain::messaging::templates::{NewTemplate, Template};
use domain::people::contacts::CustomParam;
use sandbox::driver::{Open, OpenedLink};
use serde_json::{Value, json};
use store::Statement;
use testkit::World;
use testkit::sends::{template_send, to_with};
use testkit::world::{OnWorld, PUBLIC_URL};

use crate::sending::world::Sending as _;
use crate::templates::bad::{base, params, url};

pub const ADA: &str = "14155550132";
pub const PHONE: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) \
                         Chrome/141.0.0.0 Mobile Safari/537.36";
pub const PREVIEW: &str = "WhatsApp/2.24.20.89 A";

/// A template with two tracked links, of which the first has a variable.
pub fn tracked() -> NewTemplate {
    NewTemplate {
        buttons: vec![
            url("Track it", "https://shop.example/orders/{{order_id}}"),
            url("Shop", "https://shop.example/"),
        ],
        click_tracking: true,
        ..base()
    }
}

/// A template with one link.
pub fn single(click_tracking: bool) -> NewTemplate {
    NewTemplate { buttons: vec![url("Track it", "https://shop.example/orders/{{order_id}}")], click_tracking, ..base() }
}

pub fn visit(agent: &str) -> Visit {
    let headers = HashMap::from([("user-agent", agent), ("accept-language", "en"), ("accept", "text/html")]);
    let request = Request::new("GET", |name| headers.get(name).map(|value| value.as_bytes()));
    Visit { address: IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9)), request }
}

pub trait Clicks: OnWorld {
    /// Creates a template, which the network approves.
    async fn template(self, template: NewTemplate, channel: Option<&str>) -> Template {
        let made = self.create_template(channel, template).await.unwrap();
        self.later(3).await;
        made
    }

    /// Sends a template, lets it arrive, and returns the message's id.
    async fn deliver(self, template: &Template, to: &str, channel: Option<&str>, given: Vec<CustomParam>) -> MessageId {
        let mut send = template_send(&template.id.to_string(), vec![to_with(to, given)]);
        send.channel = channel.map(str::to_owned);
        let accepted = self.send_template(send).await.unwrap();
        let one = accepted.recipients.into_iter().next().unwrap();
        let id = one.message_id.unwrap_or_else(|| unreachable!("{:?}", one.problem));
        // Over every channel, not only the first.
        for account in self.due_accounts().await {
            while let SendProgress::Until(at) = self.app.messaging().send_due(&account, &|| false).await.unwrap() {
                self.wait_until(at);
            }
        }
        self.later(10).await;
        id
    }

    async fn send_usual(self, template: &Template) -> MessageId {
        self.deliver(template, ADA, None, params(&[("name", "Ada"), ("order_id", "17 & 4")])).await
    }

    /// The person opens a link of the newest message that has one. With `report`, the network reports the click too.
    async fn opens(self, person: &str, button: &str, report: bool) -> OpenedLink {
        let open = Open { message: None, button: Some(button.to_owned()), report };
        let opened = self.sandbox().open(self.tenant(), person, open).await.unwrap();
        self.later(2).await;
        opened
    }

    /// The codes of the links in the newest message of a person, in the order of the buttons.
    async fn codes(self, person: &str) -> Vec<String> {
        let inbox = self.received(person).await;
        let links = inbox.last().unwrap().buttons.iter().filter_map(|button| button.url.clone());
        let code = |link: String| link.strip_prefix(&format!("{PUBLIC_URL}/c/")).map(str::to_owned);
        links.filter_map(code).collect()
    }

    async fn open(self, code: &str, agent: &str) -> Result<String, LinkRefused> {
        self.app.messaging().clicks().open(code, &visit(agent)).await
    }

    /// All hits, the oldest first.
    async fn hits(self) -> Vec<ClickView> {
        let page = self
            .app
            .messaging()
            .clicks()
            .list(&self.me(), &ClickSearch { limit: 100, ..ClickSearch::default() })
            .await
            .unwrap();
        page.clicks.into_iter().rev().collect()
    }

    async fn classes(self) -> Vec<ClickClass> {
        self.hits().await.into_iter().map(|one| one.hit.class).collect()
    }

    async fn click_payloads(self) -> Vec<Value> {
        let plain = self.payloads(&[EventType::CtaUrlClicked]).await;
        let twins = self.payloads(&[EventType::CtaUrlClickedBsuid]).await;
        assert_eq!(plain.len(), twins.len());
        twins
    }

    /// Posts a report of the network about a click on a message.
    async fn reported(self, message: &str, action: &str, second: i64) {
        let body = json!({
            "object": "whatsapp_business_account",
            "entry": [{"id": "102290129340398", "changes": [{"field": "messages", "value": {
                "messaging_product": "whatsapp",
                "metadata": {"display_phone_number": "14155550100", "phone_number_id": "106540352242922"},
                "user_actions": [{
                    "action_type": action, "timestamp": second.to_string(), "message_id": message,
                    "marketing_messages_link_click_data": {"click_component": "cta", "click_id": "c1"},
                }],
            }}]}],
        });
        self.post_hook(body.to_string().into_bytes()).await.unwrap();
        self.process_inbound().await;
    }

    /// The network's own id of a message.
    async fn network_id(self, message: MessageId) -> String {
        self.message(message).await.network_id.unwrap()
    }

    /// Runs a statement on the test's tenant, for example to make rows as older rules would have left them.
    async fn run(self, statement: &'static Statement) {
        let tenant = self.tenant();
        let write = self.app.db().write(tenant, move |tx, tenant| {
            Box::pin(async move { tx.execute(statement, store::params![*tenant]).await })
        });
        write.await.map_err(|error: store::Error| error).unwrap();
    }
}

impl Clicks for &World {}
