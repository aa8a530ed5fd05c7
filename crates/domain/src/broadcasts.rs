//! Broadcasts: where each recipient stands, and counts of them that add up.

use crate::messages::{MessageOperator, MessageState};
use crate::named::named;
use crate::{BroadcastId, ChannelId, TemplateId, Timestamp};

/// One template to many people, as it was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    pub id: BroadcastId,
    pub channel_id: ChannelId,
    pub name: String,
    pub template_id: TemplateId,
    pub template_name: String,
    pub operator: Option<MessageOperator>,
    pub source: String,
    /// Recipients to whom nothing was ever meant to leave.
    pub refused: i64,
    pub scheduled_at: Option<Timestamp>,
    pub stopped_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

named! {
    /// Where a recipient stands. Each stands in one place.
    Status {
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

impl Status {
    /// `is_early`: the broadcast's time has not come.
    pub const fn of(state: MessageState, is_early: bool) -> Self {
        match state {
            MessageState::Accepted if is_early => Self::Pending,
            MessageState::Accepted | MessageState::Queued => Self::Queued,
            // The network has it, or may have it.
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

/// How many recipients stand where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics([i64; Status::ALL.len()]);

impl Statistics {
    pub fn add(&mut self, status: Status, recipients: i64) {
        self.0[status as usize] += recipients;
    }

    pub const fn of(&self, status: Status) -> i64 {
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
    fn every_state_stands_somewhere_and_nothing_is_counted_twice() {
        let mut statistics = Statistics::default();
        for state in MessageState::ALL {
            statistics.add(Status::of(*state, false), 1);
        }
        assert_eq!(statistics.total(), i64::try_from(MessageState::ALL.len()).unwrap());
        let counts: Vec<i64> = Status::ALL.iter().map(|status| statistics.of(*status)).collect();
        assert_eq!(counts, [0, 2, 2, 1, 1, 1, 1, 2, 1]);
    }

    #[test]
    fn only_what_waits_for_its_time_is_pending() {
        for state in MessageState::ALL {
            assert_eq!(Status::of(*state, true) == Status::Pending, *state == MessageState::Accepted, "{state}");
            assert_ne!(Status::of(*state, false), Status::Pending, "{state}");
        }
    }

    #[test]
    fn a_recipient_stands_where_the_state_of_the_message_says() {
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
            assert_eq!((Status::of(state, true).name(), Status::of(state, false).name()), (early, due), "{state}");
        }
    }

    #[test]
    fn counts_of_one_status_add_up_and_leave_the_others_alone() {
        let mut statistics = Statistics::default();
        statistics.add(Status::Sent, 3);
        statistics.add(Status::Sent, 4);
        statistics.add(Status::Failed, 10);
        statistics.add(Status::Sent, -2);
        assert_eq!((statistics.of(Status::Sent), statistics.of(Status::Failed)), (5, 10));
        assert_eq!((statistics.of(Status::Read), statistics.total()), (0, 15));
    }
}
