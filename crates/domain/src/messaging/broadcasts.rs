//! Broadcasts: the status of each recipient, and counts by status.

use crate::base::named::named;
use crate::messaging::messages::{MessageOperator, MessageState};
use crate::{BroadcastId, ChannelId, TemplateId, Timestamp};

/// One template to many recipients, as it was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    pub id: BroadcastId,
    pub channel_id: ChannelId,
    pub name: String,
    pub template_id: TemplateId,
    pub template_name: String,
    pub operator: Option<MessageOperator>,
    pub source: String,
    /// Recipients who were refused when the broadcast was accepted.
    pub refused: i64,
    pub scheduled_at: Option<Timestamp>,
    pub stopped_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

named! {
    /// The status of a recipient. A recipient has exactly one. `UNKNOWN`: the network may have accepted the message,
    /// and its answer was lost.
    RecipientStatus {
        Pending => "PENDING",
        Queued => "QUEUED",
        Sending => "SENDING",
        Unknown => "UNKNOWN",
        Sent => "SENT",
        Delivered => "DELIVERED",
        Read => "READ",
        Replied => "REPLIED",
        Failed => "FAILED",
        Stopped => "STOPPED",
    }
}

impl RecipientStatus {
    /// The status before the scheduled time of the broadcast.
    pub const fn when_early(state: MessageState) -> Self {
        match state {
            MessageState::Accepted => Self::Pending,
            other => Self::from_state(other),
        }
    }

    pub const fn from_state(state: MessageState) -> Self {
        match state {
            MessageState::Accepted | MessageState::Queued => Self::Queued,
            MessageState::Submitted => Self::Sending,
            MessageState::Unknown => Self::Unknown,
            MessageState::Sent => Self::Sent,
            MessageState::Delivered => Self::Delivered,
            MessageState::Read => Self::Read,
            MessageState::Replied => Self::Replied,
            MessageState::Expired | MessageState::Failed => Self::Failed,
            MessageState::Stopped => Self::Stopped,
        }
    }
}

named! {
    /// The status of a broadcast.
    BroadcastStatus {
        Scheduled => "scheduled",
        Sending => "sending",
        Sent => "sent",
        Canceled => "canceled",
        Failed => "failed",
    }
}

/// How far the messages of a broadcast are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BroadcastProgress {
    /// Messages that have not left.
    pub waiting: i64,
    /// Messages that failed or expired.
    pub failed: i64,
    pub messages: i64,
}

impl Broadcast {
    pub fn status(&self, progress: BroadcastProgress, now: Timestamp) -> BroadcastStatus {
        match self.scheduled_at {
            _ if self.stopped_at.is_some() => BroadcastStatus::Canceled,
            Some(at) if at > now => BroadcastStatus::Scheduled,
            _ if progress.waiting > 0 => BroadcastStatus::Sending,
            _ if progress.failed == progress.messages => BroadcastStatus::Failed,
            _ => BroadcastStatus::Sent,
        }
    }

    /// When the broadcast itself last changed: it was created, its scheduled time came, or it was canceled.
    pub fn last_updated(&self, now: Timestamp) -> Timestamp {
        let started = self.scheduled_at.filter(|at| *at <= self.stopped_at.unwrap_or(now));
        [started, self.stopped_at].into_iter().flatten().fold(self.created_at, Timestamp::max)
    }
}

/// The number of recipients by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics([i64; RecipientStatus::ALL.len()]);

impl Statistics {
    pub fn add(&mut self, status: RecipientStatus, recipients: i64) {
        self.0[status as usize] += recipients;
    }

    pub const fn get(&self, status: RecipientStatus) -> i64 {
        self.0[status as usize]
    }

    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }

    pub fn progress(&self) -> BroadcastProgress {
        let waiting = self.get(RecipientStatus::Pending) + self.get(RecipientStatus::Queued);
        BroadcastProgress { waiting, failed: self.get(RecipientStatus::Failed), messages: self.total() }
    }
}

/// Counts as the API shows them: a message counts in its status and in every earlier one from `SENT` on, so that sent ≥
/// delivered ≥ read ≥ replied. A message that failed after it was sent counts in `SENT` and in `FAILED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CumulativeStatistics {
    pub by_status: Statistics,
    /// Messages that failed after the network had reported them as sent.
    pub failed_after_sent: i64,
}

impl CumulativeStatistics {
    pub fn total(&self) -> i64 {
        self.by_status.total()
    }

    pub fn get(&self, status: RecipientStatus) -> i64 {
        const AFTER_SENT: [RecipientStatus; 4] =
            [RecipientStatus::Sent, RecipientStatus::Delivered, RecipientStatus::Read, RecipientStatus::Replied];
        let Some(place) = AFTER_SENT.iter().position(|one| *one == status) else { return self.by_status.get(status) };
        let reached: i64 = AFTER_SENT.iter().skip(place).map(|one| self.by_status.get(*one)).sum();
        reached + if status == RecipientStatus::Sent { self.failed_after_sent } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn counts_are_cumulative_from_sent_on() {
        let mut by_status = Statistics::default();
        for status in RecipientStatus::ALL {
            by_status.add(*status, 1);
        }
        let shown = CumulativeStatistics { by_status, failed_after_sent: 1 };
        let counts: Vec<i64> = RecipientStatus::ALL.iter().map(|status| shown.get(*status)).collect();
        assert_eq!(counts, [1, 1, 1, 1, 5, 3, 2, 1, 1, 1]);
        assert_eq!(shown.total(), 10);
    }

    #[test]
    fn the_status_of_a_broadcast_follows_from_its_times_and_messages() {
        let (now, later) = (Timestamp::from_seconds(1_776_000_000), Timestamp::from_seconds(1_776_000_100));
        let broadcast = |scheduled_at, stopped_at| Broadcast {
            id: Id::seeded(now, 1),
            channel_id: Id::seeded(now, 2),
            name: "May".into(),
            template_id: Id::seeded(now, 3),
            template_name: "offer".into(),
            operator: None,
            source: "API".into(),
            refused: 0,
            scheduled_at,
            stopped_at,
            created_at: now,
        };
        let progress = |waiting, failed, messages| BroadcastProgress { waiting, failed, messages };
        for (broadcast, progress, status) in [
            (broadcast(Some(later), None), progress(2, 0, 2), "scheduled"),
            (broadcast(Some(now), None), progress(1, 0, 2), "sending"),
            (broadcast(None, None), progress(0, 1, 2), "sent"),
            (broadcast(None, None), progress(0, 2, 2), "failed"),
            (broadcast(Some(later), Some(now)), progress(0, 0, 2), "canceled"),
        ] {
            assert_eq!(broadcast.status(progress, now).name(), status);
        }
        assert_eq!(broadcast(Some(later), None).last_updated(now), now);
        assert_eq!(broadcast(Some(later), None).last_updated(later), later);
        assert_eq!(broadcast(None, Some(later)).last_updated(now), later);
        let far = Timestamp::from_seconds(1_776_000_200);
        assert_eq!(broadcast(Some(far), Some(later)).last_updated(far), later, "the scheduled time never came");
    }

    #[test]
    fn every_state_has_one_status_and_nothing_is_counted_twice() {
        let mut statistics = Statistics::default();
        for state in MessageState::ALL {
            statistics.add(RecipientStatus::from_state(*state), 1);
        }
        assert_eq!(statistics.total(), i64::try_from(MessageState::ALL.len()).unwrap());
        let counts: Vec<i64> = RecipientStatus::ALL.iter().map(|status| statistics.get(*status)).collect();
        assert_eq!(counts, [0, 2, 1, 1, 1, 1, 1, 1, 2, 1]);
    }

    #[test]
    fn only_a_message_before_its_scheduled_time_is_pending() {
        for state in MessageState::ALL {
            assert_eq!(
                RecipientStatus::when_early(*state) == RecipientStatus::Pending,
                *state == MessageState::Accepted,
                "{state}"
            );
            assert_ne!(RecipientStatus::from_state(*state), RecipientStatus::Pending, "{state}");
        }
    }

    #[test]
    fn the_status_of_a_recipient_follows_from_the_state_of_the_message() {
        for (state, early, due) in [
            (MessageState::Accepted, "PENDING", "QUEUED"),
            (MessageState::Queued, "QUEUED", "QUEUED"),
            (MessageState::Submitted, "SENDING", "SENDING"),
            (MessageState::Unknown, "UNKNOWN", "UNKNOWN"),
            (MessageState::Sent, "SENT", "SENT"),
            (MessageState::Stopped, "STOPPED", "STOPPED"),
            (MessageState::Expired, "FAILED", "FAILED"),
            (MessageState::Failed, "FAILED", "FAILED"),
            (MessageState::Delivered, "DELIVERED", "DELIVERED"),
            (MessageState::Read, "READ", "READ"),
            (MessageState::Replied, "REPLIED", "REPLIED"),
        ] {
            assert_eq!(
                (RecipientStatus::when_early(state).name(), RecipientStatus::from_state(state).name()),
                (early, due),
                "{state}"
            );
        }
    }

    #[test]
    fn counts_of_one_status_add_up_and_do_not_change_the_others() {
        let mut statistics = Statistics::default();
        statistics.add(RecipientStatus::Sent, 3);
        statistics.add(RecipientStatus::Sent, 4);
        statistics.add(RecipientStatus::Failed, 10);
        statistics.add(RecipientStatus::Sent, -2);
        assert_eq!((statistics.get(RecipientStatus::Sent), statistics.get(RecipientStatus::Failed)), (5, 10));
        assert_eq!((statistics.get(RecipientStatus::Read), statistics.total()), (0, 15));
    }
}
