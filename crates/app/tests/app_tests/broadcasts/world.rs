//! A business with one sandbox channel, an approved template, and people.

use std::time::Duration;

use app::broadcasts::{BroadcastDetails, BroadcastRecipient, RecipientFilter};
use app::conversations::PageRequest;
use app::messages::{AcceptedBroadcast, MemberNames, SendProgress, TemplateRecipient, TemplateSend};
use app::templates::TemplateCreation;
use app::{App, Command};
use domain::broadcasts::{RecipientStatus, Statistics};
use domain::contacts::CustomParam;
use domain::messages::MessageSource;
use domain::templates::NewTemplate;
use domain::{BroadcastId, Timestamp};
use store::sandbox::people::Person;
use testkit::database::TestDb;
use testkit::network::{NetworkSettings, WiredApp};

pub const OFFER: &str = "offer";
/// A number in no numbering plan.
pub const INVALID_NUMBER: &str = "11111111111";

#[derive(Debug)]
pub struct World {
    pub wired: WiredApp,
    pub people: Vec<String>,
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

pub fn send(recipients: Vec<TemplateRecipient>, scheduled_at: Option<Timestamp>) -> TemplateSend {
    TemplateSend {
        channel: None,
        template: OFFER.to_owned(),
        language: None,
        broadcast_name: "Spring".to_owned(),
        recipients,
        scheduled_at,
        source: MessageSource::Api,
        dry_run: false,
        members: MemberNames {
            channel: "channel",
            template: "template_name",
            broadcast_name: "broadcast_name",
            recipients: "recipients",
            params: "custom_params",
        },
    }
}

impl World {
    pub async fn new(test: TestDb) -> Self {
        let alone = TestDb::alone(test.db.engine()).await;
        let mut world = Self { wired: WiredApp::new(alone, NetworkSettings::default()).await, people: Vec::new() };
        let template = NewTemplate {
            name: OFFER.to_owned(),
            category: "MARKETING".to_owned(),
            language: "en".to_owned(),
            body: Some("Hello {{1}}, there is news.".to_owned()),
            samples: vec![param("1", "Ada")],
            ..NewTemplate::default()
        };
        let input = TemplateCreation { channel: None, template, public_url: None };
        world.app().templates().create(&world.caller(), input).await.unwrap();
        world.advance(5).await;
        world.people = world.crowd().await;
        world
    }

    /// Creates people in the sandbox, each with a number of its own.
    async fn crowd(&self) -> Vec<String> {
        let phones: Vec<String> = (0..12).map(|i| format!("1212{}", 2_000_000 + i)).collect();
        let created_at = self.app().now();
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
        let write = self.app().db().write(input, |tx, (tenant, people)| {
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

    pub fn app(&self) -> &App {
        &self.wired.app
    }

    pub fn caller(&self) -> Command {
        Command(self.wired.tenant)
    }

    /// Sends the template to all people, and to two recipients who are refused.
    pub async fn campaign(&self, scheduled_at: Option<Timestamp>) -> AcceptedBroadcast {
        let mut recipients: Vec<_> = self.people.iter().map(|phone| to(phone)).collect();
        recipients.insert(3, to(INVALID_NUMBER));
        recipients.push(to(&self.people[0]));
        self.app().messages().send_template(&self.caller(), send(recipients, scheduled_at)).await.unwrap()
    }

    /// Advances the clock and processes what the network posts in that time.
    pub async fn advance(&self, seconds: u64) {
        self.wired.advance(Duration::from_secs(seconds));
        self.wired.settle().await;
    }

    /// Sends every message that may leave now.
    pub async fn leave(&self) -> SendProgress {
        let mut progress = SendProgress::Empty;
        for account in self.app().sending_accounts().await.unwrap() {
            progress = self.app().send_due(&account, &|| false).await.unwrap();
        }
        progress
    }

    pub async fn find(&self, id: BroadcastId) -> BroadcastDetails {
        self.app().broadcasts().find(&self.caller(), id).await.unwrap()
    }

    /// All recipients, read in pages of five.
    pub async fn recipients(&self, id: BroadcastId) -> Vec<BroadcastRecipient> {
        let mut all = Vec::new();
        for number in 1.. {
            let page = PageRequest::new(number, 5, "page_number").unwrap();
            let found = self
                .app()
                .broadcasts()
                .recipients(&self.caller(), id, &RecipientFilter::default(), page)
                .await
                .unwrap();
            if found.recipients.is_empty() {
                assert_eq!(usize::try_from(found.total), Ok(all.len()));
                break;
            }
            all.extend(found.recipients);
        }
        all
    }
}

/// Counts the recipients by status.
pub fn counted(recipients: &[BroadcastRecipient]) -> Statistics {
    let mut statistics = Statistics::default();
    for one in recipients {
        statistics.add(one.status, 1);
    }
    statistics
}

/// The statuses with at least one recipient.
pub fn standing(statistics: &Statistics) -> Vec<(RecipientStatus, i64)> {
    RecipientStatus::ALL
        .iter()
        .map(|status| (*status, statistics.of(*status)))
        .filter(|(_, count)| *count > 0)
        .collect()
}
