//! A business with one sandbox channel, an approved template of each category, and people.

use std::time::Duration;

use app::messages::{
    AcceptedBroadcast, AcceptedSessionMessage, MemberNames, SendProgress, SendingAccount, SessionBody, SessionSend,
    TemplateRecipient, TemplateSend,
};
use app::templates::TemplateCreation;
use app::{App, Command, Result};
use domain::contacts::CustomParam;
use domain::messages::{Message, MessageSource, MessageState};
use domain::templates::NewTemplate;
use domain::{MessageId, TenantId, Timestamp};
use sandbox::driver::{Fail, Say};
use store::sandbox::people::Person;
use testkit::database::TestDb;
use testkit::network::{NetworkSettings, WiredApp};

pub const ADA: &str = "14155550132";
pub const BEN: &str = "442079460123";
pub const JACK: &str = "12125550147";

pub const OFFER: &str = "offer";
pub const NEWS: &str = "delivery_news";
pub const CODE: &str = "log_in_code";

#[derive(Debug)]
pub struct World {
    pub wired: WiredApp,
}

pub fn members() -> MemberNames {
    MemberNames {
        channel: "channel",
        template: "template_name",
        broadcast_name: "broadcast_name",
        recipients: "recipients",
        params: "custom_params",
    }
}

pub fn param(name: &str, value: &str) -> CustomParam {
    CustomParam { name: name.to_owned(), value: value.to_owned() }
}

pub fn to(target: &str) -> TemplateRecipient {
    TemplateRecipient {
        target: target.to_owned(),
        member: "phone_number",
        local_id: None,
        params: vec![param("1", "Ada")],
    }
}

pub fn template_send(template: &str, recipients: Vec<TemplateRecipient>) -> TemplateSend {
    TemplateSend {
        channel: None,
        template: template.to_owned(),
        language: None,
        broadcast_name: "Spring".to_owned(),
        recipients,
        scheduled_at: None,
        source: MessageSource::Api,
        dry_run: false,
        members: members(),
    }
}

pub fn text_send(target: &str, text: &str) -> SessionSend {
    SessionSend {
        target: target.to_owned(),
        member: "target",
        channel: None,
        body: SessionBody::text(text),
        reply_to: None,
        local_id: None,
        is_bot: false,
        source: MessageSource::Api,
        dry_run: false,
        several: app::conversations::SeveralOpen::Refuse,
    }
}

impl World {
    pub async fn new(test: TestDb) -> Self {
        Self::with_network(test, NetworkSettings::default()).await
    }

    pub async fn with_network(test: TestDb, settings: NetworkSettings) -> Self {
        let alone = TestDb::alone(test.db.engine()).await;
        let world = Self { wired: WiredApp::new(alone, settings).await };
        for (name, category) in [(OFFER, "MARKETING"), (NEWS, "UTILITY")] {
            world.make_template(name, category, Some("Hello {{1}}, there is news.")).await;
        }
        world.make_template(CODE, "AUTHENTICATION", None).await;
        world.advance(5).await;
        world
    }

    async fn make_template(&self, name: &str, category: &str, body: Option<&str>) {
        let template = NewTemplate {
            name: name.to_owned(),
            category: category.to_owned(),
            language: "en".to_owned(),
            body: body.map(str::to_owned),
            samples: body.map(|_| param("1", "Ada")).into_iter().collect(),
            buttons: if body.is_none() { vec![code_button()] } else { Vec::new() },
            ..NewTemplate::default()
        };
        let input = TemplateCreation { channel: None, template, public_url: None };
        self.app().templates().create(&self.caller(), input).await.unwrap();
    }

    pub fn app(&self) -> &App {
        &self.wired.app
    }

    pub fn caller(&self) -> Command {
        Command(self.wired.tenant)
    }

    pub fn now(&self) -> Timestamp {
        self.app().now()
    }

    /// Advances the clock and processes what the network posts in that time.
    pub async fn advance(&self, seconds: u64) {
        self.wired.advance(Duration::from_secs(seconds));
        self.wired.settle().await;
    }

    pub async fn say(&self, person: &str, text: &str) {
        let say = Say { text: Some(text.to_owned()), ..Say::default() };
        self.wired.sandbox.say(self.wired.tenant, person, say).await.unwrap();
        self.advance(2).await;
    }

    pub async fn fail(&self, kind: &str, count: u32) {
        let fail = Fail { kind: kind.to_owned(), count: Some(count), ..Fail::default() };
        self.wired.sandbox.fail(self.wired.tenant, fail).await.unwrap();
    }

    pub async fn send(&self, send: SessionSend) -> Result<AcceptedSessionMessage> {
        self.app().messages().send(&self.caller(), send).await
    }

    pub async fn send_template(&self, send: TemplateSend) -> Result<AcceptedBroadcast> {
        self.app().messages().send_template(&self.caller(), send).await
    }

    pub async fn due_accounts(&self) -> Vec<SendingAccount> {
        let mine = |account: &SendingAccount| account.tenant == self.wired.tenant;
        self.app().sending_accounts().await.unwrap().into_iter().filter(mine).collect()
    }

    /// The one network account of the business, even when no message is due.
    pub fn account(&self) -> SendingAccount {
        let channel = &self.wired.channel;
        SendingAccount { tenant: self.wired.tenant, account_id: channel.account_id.clone(), channels: vec![channel.id] }
    }

    /// Sends every message that may leave now.
    pub async fn leave(&self) -> SendProgress {
        self.app().send_due(&self.account(), &|| false).await.unwrap()
    }

    /// Sends every message, advancing the test's clock as far as needed.
    pub async fn drain(&self) {
        loop {
            match self.leave().await {
                SendProgress::Until(at) => self.wait_until(at),
                SendProgress::Empty => return,
                SendProgress::Elsewhere => panic!("another node sends"),
            }
        }
    }

    pub fn wait_until(&self, at: Timestamp) {
        let micros = at.micros() - self.now().micros();
        self.wired.advance(Duration::from_micros(u64::try_from(micros).unwrap_or(0).max(1)));
    }

    pub async fn message(&self, id: MessageId) -> Message {
        store::messages::find(self.app().db(), self.wired.tenant, id).await.unwrap().unwrap()
    }

    pub async fn state(&self, id: MessageId) -> MessageState {
        self.message(id).await.state
    }

    /// The texts that the person has received, the newest first. Waits two seconds for their arrival, and processes no
    /// posts of the network.
    pub async fn inbox(&self, person: &str) -> Vec<String> {
        self.wired.advance(Duration::from_secs(2));
        let inbox = self.wired.sandbox.inbox(self.wired.tenant, person, 100).await.unwrap();
        inbox.messages.into_iter().map(|message| message.text).collect()
    }

    /// Adds people to the sandbox, each with a number of its own, and returns the numbers.
    pub async fn crowd(&self, count: usize) -> Vec<String> {
        let phones: Vec<String> = (0..count).map(|i| format!("1212{}", 2_000_000 + i)).collect();
        let created_at = self.now();
        let people = phones.iter().zip(1000..).map(|(phone, position)| Person {
            position,
            name: format!("Person {position}"),
            phone: Some(phone.clone()),
            bsuid: format!("US.{position:020}"),
            parent_bsuid: None,
            username: None,
            created_at,
        });
        let input = (self.wired.tenant, people.collect::<Vec<_>>());
        let write = self.app().db().write(input, |tx, (tenant, people): &(TenantId, Vec<Person>)| {
            Box::pin(async move {
                for person in people {
                    store::sandbox::people::insert(tx, *tenant, person).await?;
                }
                Ok::<_, store::Error>(())
            })
        });
        write.await.unwrap();
        phones
    }
}

fn code_button() -> domain::templates::NewButton {
    domain::templates::NewButton {
        kind: "copy_code".to_owned(),
        text: Some("Copy code".to_owned()),
        ..domain::templates::NewButton::default()
    }
}
