//! What waits in the queues of a tenant, for its administrators and for alerts. Each count ends at `MOST`, so that its
//! cost does not grow with the queue.

use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::webhooks::WebhookStatus;
use domain::messaging::messages::Urgency;
use domain::{ChannelId, Timestamp, WebhookId};
use store::platform::queues::Waiting;

use crate::delivery::webhooks::WebhookView;
use crate::platform::Platform;
use crate::platform::health::{CheckState, lateness};
use crate::{ActsFor, Result};

/// Counts end at this number.
pub const MOST: i64 = 10_000;

/// One kind of work that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueView {
    pub name: &'static str,
    /// Number of pieces of work that wait; at most `MOST`.
    pub waiting: i64,
    /// Since when the oldest piece of work is due.
    pub oldest_at: Option<Timestamp>,
    pub state: CheckState,
}

/// How far an endpoint is behind the log.
#[derive(Debug, Clone)]
pub struct EndpointLag {
    pub webhook: WebhookView,
    /// Number of events after the endpoint's position, including events of types that the endpoint does not subscribe
    /// to; at most `MOST`.
    pub behind: i64,
    /// When the first of these events happened.
    pub oldest_at: Option<Timestamp>,
    pub state: CheckState,
}

/// A job of the installation and the node that holds its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseView {
    pub name: String,
    pub holder: String,
    pub expires_at: Timestamp,
}

/// The messages that wait to leave over a channel, and the time of its last message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelTraffic {
    /// Number of due messages; at most `MOST`.
    pub waiting: i64,
    pub oldest_due_at: Option<Timestamp>,
    /// Time of the last message in any of the channel's conversations, in either direction.
    pub last_message_at: Option<Timestamp>,
}

impl QueueView {
    fn new(name: &'static str, waiting: Waiting, now: Timestamp) -> Self {
        let (waiting, oldest_at) = (waiting.count.min(MOST), waiting.oldest_at);
        Self { name, waiting, oldest_at, state: lateness(oldest_at, now) }
    }
}

#[boxed::futures]
impl Platform {
    pub async fn queues(&self, caller: &dyn ActsFor) -> Result<Vec<QueueView>> {
        let (db, tenant, now) = (self.db(), caller.tenant(), self.now());
        let (mut outbox, mut inbound, mut fetches) = (Waiting::default(), Waiting::default(), Waiting::default());
        for channel in self.messaging().channels().list(caller).await? {
            if channel.enabled {
                outbox = outbox.and(self.due_messages(caller, channel.id).await?);
            }
            inbound = inbound.and(store::platform::queues::inbound(db, tenant, channel.id, MOST).await?);
            fetches = fetches.and(store::platform::queues::fetches(db, tenant, channel.id, now, MOST).await?);
        }
        let parked = store::platform::queues::parked(db, tenant, MOST).await?;
        let parked_state = if parked.count > 0 { CheckState::Warn } else { CheckState::Ok };
        let of = |name, waiting| QueueView::new(name, waiting, now);
        Ok(vec![
            of("outbox", outbox),
            of("inbound", inbound),
            // A parked record waits for an administrator, not for a worker.
            QueueView { state: parked_state, ..of("parked", parked) },
            of("events", store::platform::queues::events(db, tenant, MOST).await?),
            of("fetches", fetches),
            of("imports", store::platform::queues::imports(db, tenant, MOST).await?),
            of("activity", store::platform::queues::consumer(db, tenant, ConsumerGroup::Projections).await?),
        ])
    }

    /// The endpoints of a tenant, and how far each is behind the log. An endpoint that is not enabled counts as not
    /// behind.
    pub async fn endpoint_lags(&self, caller: &dyn ActsFor) -> Result<Vec<EndpointLag>> {
        let (db, tenant, now) = (self.db(), caller.tenant(), self.now());
        let last = store::delivery::events::log(db, tenant).await?.last;
        let positions = store::delivery::webhooks::dispatch_state::of_tenant(db, tenant).await?;
        let position = |id: WebhookId| positions.iter().find(|(one, _)| *one == id).map(|(_, state)| state.position);
        let mut lags = Vec::new();
        for webhook in self.delivery().webhooks().list(caller).await? {
            let is_served = webhook.status == WebhookStatus::Enabled;
            let position = position(webhook.id).filter(|position| *position < last && is_served);
            let (behind, oldest_at) = match position {
                Some(position) => {
                    let first = store::delivery::events::page(db, tenant, position, 1).await?;
                    ((last - position).min(MOST), first.first().map(|logged| logged.fact.at))
                }
                None => (0, None),
            };
            let state = match webhook.status {
                WebhookStatus::Defective => CheckState::Bad,
                _ if webhook.health.failed_in_a_row > 0 => CheckState::Warn.max(lateness(oldest_at, now)),
                _ => lateness(oldest_at, now),
            };
            lags.push(EndpointLag { webhook, behind, oldest_at, state });
        }
        Ok(lags)
    }

    /// The leases that are held now: of jobs of the whole installation, and of the tenant's own channels and accounts.
    pub async fn current_leases(&self, caller: &dyn ActsFor) -> Result<Vec<LeaseView>> {
        let own = self.messaging().channels().list(caller).await?;
        let is_own = |name: &str| {
            let Some((_, subject)) = name.split_once('/') else { return true };
            let is_of = |channel: &domain::messaging::channels::Channel| {
                subject == channel.id.to_string() || subject == format!("{}/{}", caller.tenant(), channel.account_id)
            };
            own.iter().any(is_of)
        };
        let current = store::base::leases::current(self.db(), "", self.now()).await?;
        let own = current.into_iter().filter(|lease| is_own(&lease.name));
        let view = |lease: store::base::leases::CurrentLease| LeaseView {
            name: lease.name,
            holder: lease.holder,
            expires_at: lease.expires_at,
        };
        Ok(own.map(view).collect())
    }

    pub async fn channel_traffic(&self, caller: &dyn ActsFor, channel: ChannelId) -> Result<ChannelTraffic> {
        let Waiting { count, oldest_at } = self.due_messages(caller, channel).await?;
        let order = store::inbox::pages::InboxOrder::Channel(channel);
        let latest = store::inbox::pages::inbox(self.db(), caller.tenant(), order, None, None, 1).await?;
        let last_message_at = latest.first().map(|conversation| conversation.last_at);
        Ok(ChannelTraffic { waiting: count.min(MOST), oldest_due_at: oldest_at, last_message_at })
    }

    async fn due_messages(&self, caller: &dyn ActsFor, channel: ChannelId) -> Result<Waiting> {
        let (db, tenant, now) = (self.db(), caller.tenant(), self.now());
        let mut waiting = Waiting::default();
        for urgency in Urgency::ALL {
            waiting =
                waiting.and(store::platform::queues::outbox(db, tenant, channel, urgency.rank(), now, MOST).await?);
        }
        Ok(waiting)
    }
}
