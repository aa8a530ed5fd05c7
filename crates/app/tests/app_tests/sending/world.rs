//! A business with one sandbox channel, an approved template of each category, and people.

use app::Result;
use app::messaging::messages::{AcceptedBroadcast, AcceptedSessionMessage, SendingAccount, SessionSend, TemplateSend};
use domain::MessageId;
use domain::messaging::messages::MessageState;
use domain::messaging::templates::{NewButton, NewTemplate};
use sandbox::driver::Fail;
use testkit::database::TestDb;
use testkit::network::NetworkSettings;
pub use testkit::sends::{param, template_send, text_send, to};
use testkit::world::OnWorld;
use testkit::{Engine, World};

pub const ADA: &str = "14155550132";
pub const BEN: &str = "442079460123";
pub const JACK: &str = "12125550147";

pub const OFFER: &str = "offer";
pub const NEWS: &str = "delivery_news";
pub const CODE: &str = "log_in_code";

pub async fn business(engine: Engine) -> World {
    business_with(engine, NetworkSettings::default()).await
}

pub async fn business_with(engine: Engine, settings: NetworkSettings) -> World {
    let world = World::simulation(TestDb::alone(engine).await, settings).await;
    for (name, category) in [(OFFER, "MARKETING"), (NEWS, "UTILITY")] {
        world.create_template(None, greeting(name, category)).await.unwrap();
    }
    let copy = NewButton { kind: "copy_code".to_owned(), text: Some("Copy code".to_owned()), ..NewButton::default() };
    let code = NewTemplate { body: None, samples: Vec::new(), buttons: vec![copy], ..greeting(CODE, "AUTHENTICATION") };
    world.create_template(None, code).await.unwrap();
    world.later(5).await;
    world
}

/// A template with one variable.
pub fn greeting(name: &str, category: &str) -> NewTemplate {
    NewTemplate {
        name: name.to_owned(),
        category: category.to_owned(),
        language: "en".to_owned(),
        body: Some("Hello {{1}}, there is news.".to_owned()),
        samples: vec![param("1", "Ada")],
        ..NewTemplate::default()
    }
}

pub trait Sending: OnWorld {
    async fn fail(self, kind: &str, count: u32) {
        let fail = Fail { kind: kind.to_owned(), count: Some(count), ..Fail::default() };
        self.sandbox().fail(self.tenant(), fail).await.unwrap();
    }

    async fn send_message(self, send: SessionSend) -> Result<AcceptedSessionMessage> {
        self.app.messaging().messages().send(&self.me(), send).await
    }

    async fn send_template(self, send: TemplateSend) -> Result<AcceptedBroadcast> {
        self.app.messaging().messages().send_template(&self.me(), send).await
    }

    async fn due_accounts(self) -> Vec<SendingAccount> {
        let mine = |account: &SendingAccount| account.tenant == self.tenant();
        self.app.messaging().sending_accounts().await.unwrap().into_iter().filter(mine).collect()
    }

    async fn state(self, id: MessageId) -> MessageState {
        self.message(id).await.state
    }

    /// The texts that the person has received, the newest last. Waits two seconds for their arrival, and processes no
    /// posts of the network.
    async fn inbox(self, person: &str) -> Vec<String> {
        self.advance(2);
        self.received(person).await.into_iter().map(|message| message.text).collect()
    }
}

impl Sending for &World {}
