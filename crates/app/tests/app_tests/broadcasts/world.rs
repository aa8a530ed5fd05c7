//! A business that sends an approved template to twelve people.

use app::inbox::conversations::PageRequest;
use app::messaging::broadcasts::{BroadcastDetails, BroadcastRecipient, RecipientFilter};
use app::messaging::messages::AcceptedBroadcast;
use domain::messaging::broadcasts::{RecipientStatus, Statistics};
use domain::{BroadcastId, Timestamp};
use testkit::sends::{template_send, to};
use testkit::world::OnWorld;
use testkit::{Engine, World};

use crate::sending::world::{OFFER, Sending as _, greeting};

/// A number in no numbering plan.
pub const INVALID_NUMBER: &str = "11111111111";

pub async fn campaigner(engine: Engine) -> World {
    let world = World::simulated(engine).await;
    world.create_template(None, greeting(OFFER, "MARKETING")).await.unwrap();
    world.later(5).await;
    world.crowd(12).await;
    world
}

/// The numbers of the people of `campaigner`.
pub fn people() -> Vec<String> {
    (0..12).map(|i| format!("1212{}", 2_000_000 + i)).collect()
}

pub trait Broadcasts: OnWorld {
    /// Sends the template to all people, and to two recipients who are refused.
    async fn campaign(self, scheduled_at: Option<Timestamp>) -> AcceptedBroadcast {
        let mut recipients: Vec<_> = people().iter().map(|phone| to(phone)).collect();
        recipients.insert(3, to(INVALID_NUMBER));
        recipients.push(recipients[0].clone());
        let mut send = template_send(OFFER, recipients);
        send.scheduled_at = scheduled_at;
        self.send_template(send).await.unwrap()
    }

    async fn find(self, id: BroadcastId) -> BroadcastDetails {
        self.app.messaging().broadcasts().find(&self.me(), id).await.unwrap()
    }

    /// All recipients, read in pages of five.
    async fn recipients(self, id: BroadcastId) -> Vec<BroadcastRecipient> {
        let (broadcasts, me) = (self.app.messaging().broadcasts(), self.me());
        let mut all = Vec::new();
        for number in 1.. {
            let page = PageRequest::new(number, 5).unwrap();
            let found = broadcasts.recipients(&me, id, &RecipientFilter::default(), page).await.unwrap();
            if found.recipients.is_empty() {
                assert_eq!(usize::try_from(found.total), Ok(all.len()));
                break;
            }
            all.extend(found.recipients);
        }
        all
    }
}

impl Broadcasts for &World {}

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
        .map(|status| (*status, statistics.get(*status)))
        .filter(|(_, count)| *count > 0)
        .collect()
}
