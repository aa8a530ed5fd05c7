//! A person's phone goes offline and comes back. Messages to a phone that is offline stay `sent`; when it comes back,
//! they are delivered and read in the order in which they were sent.

use app::{Error, Result};
use domain::{Field, TenantId};
use serde::Serialize;
use store::Tx;
use store::platform::sandbox::people::Person;
use store::platform::sandbox::records::Kind;
use store::platform::sandbox::{self, messages};

use crate::core::records::{self, OfflinePhone};
use crate::graph::{SendingChannel, Times, arrives_late};
use crate::notices::WebhookContact;
use crate::notices::statuses::Sent;
use crate::{Dice, NumberMetadata, PhoneMessageView, Sandbox, ScenarioName, scenario};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, domain::base::schema::ToSchema)]
#[schema(as = SandboxPhone)]
pub struct PhoneState {
    pub online: bool,
}

/// Input of the transaction in which a phone comes back.
#[derive(Debug)]
struct Return {
    person: Person,
    channels: Vec<SendingChannel>,
    now: domain::Timestamp,
    dice: Dice,
    /// Scenario of tenants that have not chosen one.
    default_scenario: ScenarioName,
}

#[boxed::futures]
impl Sandbox {
    /// Switches the person's phone online or offline; no effect if it is so already.
    pub async fn set_phone(&self, tenant: TenantId, person: &str, online: bool) -> Result<PhoneState> {
        let person = self.find(tenant, person).await?;
        if online {
            self.bring_online(tenant, person).await?;
        } else {
            let input = (tenant, OfflinePhone::key(person.position), OfflinePhone { since: self.now() });
            let write =
                self.db().write(input, |tx, (tenant, key, phone)| Box::pin(go_offline(tx, *tenant, key, phone)));
            write.await?;
        }
        Ok(PhoneState { online })
    }

    async fn bring_online(&self, tenant: TenantId, person: Person) -> Result<()> {
        let channels = self.sandbox_channels(tenant).await?;
        let sender = |channel: &domain::messaging::channels::Channel| SendingChannel {
            tenant,
            channel: channel.id,
            number: NumberMetadata::from(channel),
        };
        let input = Return {
            person,
            channels: channels.iter().map(sender).collect(),
            now: self.now(),
            dice: self.dice().clone(),
            default_scenario: self.config().scenario,
        };
        self.db().write((tenant, input), |tx, (tenant, input)| Box::pin(come_back(tx, *tenant, input))).await?;
        self.wake();
        Ok(())
    }

    /// The people whose phones are offline, by position in the tenant's list of people.
    pub(crate) async fn offline(&self, tenant: TenantId) -> store::Result<Vec<i64>> {
        let settings = sandbox::records::list(self.db(), tenant, Kind::Setting).await?;
        Ok(settings.iter().filter_map(|record| OfflinePhone::person_of(&record.key)).collect())
    }

    /// Finds a person; an error while the person's phone is offline.
    pub(crate) async fn find_online(&self, tenant: TenantId, called: &str) -> Result<Person> {
        let person = self.find(tenant, called).await?;
        self.check_online(tenant, &person).await?;
        Ok(person)
    }

    pub(crate) async fn check_online(&self, tenant: TenantId, person: &Person) -> Result<()> {
        let key = OfflinePhone::key(person.position);
        match sandbox::records::get(self.db(), tenant, Kind::Setting, &key).await? {
            Some(_) => Err(Error::conflict(Field::Person, format!("{}'s phone is offline", person.name))),
            None => Ok(()),
        }
    }
}

async fn go_offline(tx: &mut Tx<'_>, tenant: TenantId, key: &str, phone: &OfflinePhone) -> store::Result<()> {
    if records::read_for_update::<OfflinePhone>(tx, tenant, Kind::Setting, key).await?.is_some() {
        return Ok(());
    }
    records::write(tx, tenant, Kind::Setting, key, phone, phone.since).await
}

async fn come_back(tx: &mut Tx<'_>, tenant: TenantId, input: &Return) -> store::Result<()> {
    let Return { person, channels, now, dice, default_scenario } = input;
    let key = OfflinePhone::key(person.position);
    // Locks the record: a message that a concurrent transaction sends to the offline phone is stored before the
    // messages are read below.
    let offline = records::read_for_update::<OfflinePhone>(tx, tenant, Kind::Setting, &key).await?;
    let Some(OfflinePhone { since }) = offline else { return Ok(()) };
    sandbox::records::delete(tx, tenant, Kind::Setting, &key).await?;
    for sender in channels {
        let mut last: Option<Times> = None;
        for mut message in messages::waiting(tx, tenant, sender.channel, person.position, since).await? {
            let times = Times::roll(dice, &message.id, *now);
            let times = last.map_or(times, |last| times.behind(&last));
            let view = PhoneMessageView::from_message(&message);
            let sent = Sent {
                id: message.id.clone(),
                recipient: WebhookContact::from(person),
                category: view.category.unwrap_or_default(),
                conversation_id: view.conversation_id.unwrap_or_default(),
                callback_data: view.callback_data,
            };
            arrives_late(tx, sender, &sent, times).await?;
            (message.received_at, message.read_at) = (Some(times.delivered), Some(times.read));
            messages::set_times(tx, tenant, sender.channel, &message.id, message.received_at, message.read_at).await?;
            scenario::schedule_reaction(tx, tenant, *default_scenario, dice, &message).await?;
            last = Some(times);
        }
    }
    Ok(())
}
