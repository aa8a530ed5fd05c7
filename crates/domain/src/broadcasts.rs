//! Broadcasts: the status of each recipient, and counts by status.

use crate::messages::{MessageOperator, MessageState};
use crate::named::named;
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
    /// The status of a recipient. A recipient has exactly one.
    RecipientStatus {
        Pending => "PENDING",
        Queued => "QUEUED",
        Sending => "SENDING",
        Sent => "SENT",
        Delivered => "DELIVERED",
        Read => "READ",
        Replied => "REPLIED",
        Failed => "FAILED",
        Stopped => "STOPPED",
    }
}

impl RecipientStatus {
    /// `is_early`: the scheduled time of the broadcast has not come.
    pub const fn of(state: MessageState, is_early: bool) -> Self {
        match state {
            MessageState::Accepted if is_early => Self::Pending,
            MessageState::Accepted | MessageState::Queued => Self::Queued,
            // The network has accepted it, or may have.
            MessageState::Submitted | MessageState::Unknown => Self::Sending,
            MessageState::Sent => Self::Sent,
            MessageState::Delivered => Self::Delivered,
            MessageState::Read => Self::Read,
            MessageState::Replied => Self::Replied,
            MessageState::Expired | MessageState::Failed => Self::Failed,
            MessageState::Stopped => Self::Stopped,
        }
    }
}

/// The number of recipients by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics([i64; RecipientStatus::ALL.len()]);

impl Statistics {
    pub fn add(&mut self, status: RecipientStatus, recipients: i64) {
        self.0[status as usize] += recipients;
    }

    pub const fn of(&self, status: RecipientStatus) -> i64 {
        self.0[status as usize]
    }

    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_status_and_nothing_is_counted_twice() {
        let mut statistics = Statistics::default();
        for state in MessageState::ALL {
            statistics.add(RecipientStatus::of(*state, false), 1);
        }
        assert_eq!(statistics.total(), i64::try_from(MessageState::ALL.len()).unwrap());
        let counts: Vec<i64> = RecipientStatus::ALL.iter().map(|status| statistics.of(*status)).collect();
        assert_eq!(counts, [0, 2, 2, 1, 1, 1, 1, 2, 1]);
    }

    #[test]
    fn only_a_message_before_its_scheduled_time_is_pending() {
        for state in MessageState::ALL {
            assert_eq!(
                RecipientStatus::of(*state, true) == RecipientStatus::Pending,
                *state == MessageState::Accepted,
                "{state}"
            );
            assert_ne!(RecipientStatus::of(*state, false), RecipientStatus::Pending, "{state}");
        }
    }

    #[test]
    fn the_status_of_a_recipient_follows_from_the_state_of_the_message() {
        for (state, early, due) in [
            (MessageState::Accepted, "PENDING", "QUEUED"),
            (MessageState::Queued, "QUEUED", "QUEUED"),
            (MessageState::Submitted, "SENDING", "SENDING"),
            (MessageState::Unknown, "SENDING", "SENDING"),
            (MessageState::Sent, "SENT", "SENT"),
            (MessageState::Stopped, "STOPPED", "STOPPED"),
            (MessageState::Expired, "FAILED", "FAILED"),
            (MessageState::Failed, "FAILED", "FAILED"),
            (MessageState::Delivered, "DELIVERED", "DELIVERED"),
            (MessageState::Read, "READ", "READ"),
            (MessageState::Replied, "REPLIED", "REPLIED"),
        ] {
            assert_eq!(
                (RecipientStatus::of(state, true).name(), RecipientStatus::of(state, false).name()),
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
        assert_eq!((statistics.of(RecipientStatus::Sent), statistics.of(RecipientStatus::Failed)), (5, 10));
        assert_eq!((statistics.of(RecipientStatus::Read), statistics.total()), (0, 15));
    }
}
