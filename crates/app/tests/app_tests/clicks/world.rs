//! A business with the sandbox as its network, whose templates have tracked links.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use app::ActsFor as _;
use app::channels::Secrets;
use app::clicks::{ClickSearch, ClickView, LinkRefused, Visit};
use app::messages::{MemberNames, SendProgress, TemplateRecipient, TemplateSend};
use app::templates::TemplateCreation;
use app::{App, Command};
use channels::signature;
use domain::MessageId;
use domain::channels::{Channel, NewChannel, SANDBOX};
use domain::clicks::{ClickClass, Request};
use domain::contacts::CustomParam;
use domain::events::{EventType, EventTypes};
use domain::messages::MessageSource;
use domain::templates::{NewTemplate, Template};
use sandbox::driver::{Open, OpenedLink};
use serde_json::{Value, json};
use store::Statement;
use testkit::database::TestDb;
use testkit::network::{NetworkSettings, WiredApp};

use crate::templates::bad::{base, params, url};

pub const PUBLIC_URL: &str = "http://switchboard.test";
pub const ADA: &str = "14155550132";
pub const PHONE: &str = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) \
                         Chrome/141.0.0.0 Mobile Safari/537.36";
pub const PREVIEW: &str = "WhatsApp/2.24.20.89 A";
const APP_SECRET: &str = "simulated-app-secret";

pub struct World(pub WiredApp);

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

impl World {
    pub async fn new(test: &TestDb) -> Self {
        Self(WiredApp::new(TestDb::alone(test.db.engine()).await, NetworkSettings::default()).await)
    }

    pub fn app(&self) -> &App {
        &self.0.app
    }

    pub fn me(&self) -> Command {
        Command(self.0.tenant)
    }

    /// Adds a channel that is not the default one.
    pub async fn another_channel(&self) -> Channel {
        let new = NewChannel {
            name: "Second".to_owned(),
            phone_number: "14155550101".to_owned(),
            phone_number_id: "106540352242923".to_owned(),
            account_id: "102290129340399".to_owned(),
            network: SANDBOX.to_owned(),
        };
        let secret = |text: &str| text.to_owned().into();
        let secrets = Secrets {
            access_token: secret("second-access-token"),
            app_secret: secret(APP_SECRET),
            verify_token: secret("second-verify-token"),
        };
        self.app().channels().add(&Command(self.0.tenant), new, &secrets).await.unwrap()
    }

    /// Creates a template, which the network approves.
    pub async fn template(&self, template: NewTemplate, channel: Option<&str>) -> Template {
        let channel = channel.map(str::to_owned);
        let input = TemplateCreation { channel, template, public_url: Some(PUBLIC_URL.to_owned()) };
        let made = self.app().templates().create(&self.me(), input).await.unwrap();
        self.later(3).await;
        made
    }

    /// Sends a template, lets it arrive, and returns the message's id.
    pub async fn send(
        &self,
        template: &Template,
        to: &str,
        channel: Option<&str>,
        given: Vec<CustomParam>,
    ) -> MessageId {
        let recipient =
            TemplateRecipient { target: to.to_owned(), member: "phone_number", local_id: None, params: given };
        let send = TemplateSend {
            channel: channel.map(str::to_owned),
            template: template.id.to_string(),
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
        let accepted = self.app().messages().send_template(&self.me(), send).await.unwrap();
        let one = accepted.recipients.into_iter().next().unwrap();
        let id = one.message_id.unwrap_or_else(|| unreachable!("{:?}", one.problem));
        self.leave().await;
        self.later(10).await;
        id
    }

    pub async fn send_usual(&self, template: &Template) -> MessageId {
        self.send(template, ADA, None, params(&[("name", "Ada"), ("order_id", "17 & 4")])).await
    }

    async fn leave(&self) {
        for account in self.app().sending_accounts().await.unwrap() {
            while let SendProgress::Until(at) = self.app().send_due(&account, &|| false).await.unwrap() {
                let wait = u64::try_from(at.micros() - self.app().now().micros()).unwrap_or(0).max(1);
                self.0.advance(Duration::from_micros(wait));
            }
        }
    }

    pub async fn later(&self, seconds: u64) {
        self.0.advance(Duration::from_secs(seconds));
        self.0.settle().await;
    }

    /// The person opens a link of the newest message that has one. With `report`, the network reports the click too.
    pub async fn opens(&self, person: &str, button: &str, report: bool) -> OpenedLink {
        let open = Open { message: None, button: Some(button.to_owned()), report };
        let opened = self.0.sandbox.open(self.0.tenant, person, open).await.unwrap();
        self.later(2).await;
        opened
    }

    /// The codes of the links in the newest message of a person, in the order of the buttons.
    pub async fn codes(&self, person: &str) -> Vec<String> {
        let inbox = self.0.sandbox.inbox(self.0.tenant, person, 1).await.unwrap();
        let links = inbox.messages[0].buttons.iter().filter_map(|button| button.url.clone());
        let code = |link: String| link.strip_prefix(&format!("{PUBLIC_URL}/c/")).map(str::to_owned);
        links.filter_map(code).collect()
    }

    pub async fn open(&self, code: &str, agent: &str) -> Result<String, LinkRefused> {
        self.app().clicks().open(code, &visit(agent)).await
    }

    /// All hits, the oldest first.
    pub async fn hits(&self) -> Vec<ClickView> {
        let page =
            self.app().clicks().list(&self.me(), &ClickSearch { limit: 100, ..ClickSearch::default() }).await.unwrap();
        page.clicks.into_iter().rev().collect()
    }

    pub async fn classes(&self) -> Vec<ClickClass> {
        self.hits().await.into_iter().map(|one| one.hit.class).collect()
    }

    /// The payloads of all events of one type.
    pub async fn payloads(&self, kind: EventType) -> Vec<Value> {
        while self.app().events().number_log(self.me().tenant()).await.unwrap() {}
        let types = EventTypes::from_iter([kind]);
        let page = self.app().events().pull(&self.me(), 0, types, 1000).await.unwrap();
        page.events.iter().map(|event| serde_json::from_str(event.payload()).unwrap()).collect()
    }

    pub async fn click_payloads(&self) -> Vec<Value> {
        let (plain, twins) =
            (self.payloads(EventType::CtaUrlClicked).await, self.payloads(EventType::CtaUrlClickedBsuid).await);
        assert_eq!(plain.len(), twins.len());
        twins
    }

    /// Posts a report of the network about a click on a message.
    pub async fn reported(&self, message: &str, action: &str, second: i64) {
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
        let body = body.to_string().into_bytes();
        let signed = signature::sign(APP_SECRET.as_bytes(), &body);
        let door = self.app().inbound().signed_post(self.0.channel.id, Some(&signed)).await.unwrap();
        door.accept(body).await.unwrap();
        self.app().process_inbound(&|| false).await.unwrap();
    }

    /// The network's own id of a message.
    pub async fn network_id(&self, message: MessageId) -> String {
        let found = store::messages::find(self.app().db(), self.0.tenant, message).await.unwrap().unwrap();
        found.network_id.unwrap()
    }

    /// Runs a statement on the test's tenant, for example to make rows as older rules would have left them.
    pub async fn run(&self, statement: &'static Statement) {
        let tenant = self.0.tenant;
        let write = self.app().db().write(tenant, move |tx, tenant| {
            Box::pin(async move { tx.execute(statement, store::params![*tenant]).await })
        });
        write.await.map_err(|error: store::Error| error).unwrap();
    }
}
