//! The milestones of a sent message: each becomes one fact. Every milestone occurs once, in any order of the
//! network's reports and however often they are repeated.

use crate::Timestamp;
use crate::messaging::messages::MessageState;

/// How far a message is, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageProgress {
    pub state: MessageState,
    /// The network gave it an id.
    pub is_accepted: bool,
    pub delivered_at: Option<Timestamp>,
    pub read_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageMilestone {
    Sent,
    Failed,
    Delivered(Timestamp),
    Read(Timestamp),
    Replied,
}

impl MessageProgress {
    /// The milestones between the stored progress and the progress `after` it, in the order of a message's life.
    ///
    /// A message that failed or expired may arrive after all: then `Delivered` follows `Failed`. A message that arrived
    /// does not become failed by a later report. That a message is stopped, or its outcome unknown, is no milestone.
    pub fn milestones_to(self, after: Self) -> Vec<MessageMilestone> {
        let mut milestones = Vec::new();
        if after.is_accepted && !self.is_accepted {
            milestones.push(MessageMilestone::Sent);
        }
        if after.has_failed() && !self.has_failed() {
            milestones.push(MessageMilestone::Failed);
        }
        milestones.extend(after.delivered_at.filter(|_| self.delivered_at.is_none()).map(MessageMilestone::Delivered));
        milestones.extend(after.read_at.filter(|_| self.read_at.is_none()).map(MessageMilestone::Read));
        if after.state == MessageState::Replied && self.state != MessageState::Replied {
            milestones.push(MessageMilestone::Replied);
        }
        milestones
    }

    const fn has_failed(self) -> bool {
        matches!(self.state, MessageState::Failed | MessageState::Expired)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AT: Timestamp = Timestamp::from_seconds(1_776_000_000);
    const QUEUED: MessageProgress =
        MessageProgress { state: MessageState::Queued, is_accepted: false, delivered_at: None, read_at: None };

    /// What the network may report of a message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Report {
        Answer,
        Status(MessageState),
        Reply,
    }

    fn after(before: MessageProgress, report: Report) -> MessageProgress {
        let mut now = MessageProgress { is_accepted: true, ..before };
        match report {
            Report::Answer => now.state = before.state.answered(),
            Report::Reply => now.state = before.state.advanced(MessageState::Replied),
            Report::Status(state) => {
                now.state = before.state.advanced(state);
                match state {
                    MessageState::Delivered => now.delivered_at = before.delivered_at.or(Some(AT)),
                    MessageState::Read => now.read_at = before.read_at.or(Some(AT)),
                    _ => {}
                }
            }
        }
        now
    }

    fn milestones(all: &[Report]) -> Vec<MessageMilestone> {
        let mut progress = QUEUED;
        let mut milestones = Vec::new();
        for report in all {
            let now = after(progress, *report);
            milestones.extend(progress.milestones_to(now));
            progress = now;
        }
        milestones
    }

    const STATUSES: [Report; 3] = [
        Report::Status(MessageState::Sent),
        Report::Status(MessageState::Delivered),
        Report::Status(MessageState::Read),
    ];

    #[test]
    fn a_message_that_arrives_has_each_milestone() {
        let all = [Report::Answer, STATUSES[0], STATUSES[1], STATUSES[2], Report::Reply];
        assert_eq!(
            milestones(&all),
            [
                MessageMilestone::Sent,
                MessageMilestone::Delivered(AT),
                MessageMilestone::Read(AT),
                MessageMilestone::Replied
            ]
        );
        assert_eq!(
            milestones(&[STATUSES[2], STATUSES[1]]),
            [MessageMilestone::Sent, MessageMilestone::Read(AT), MessageMilestone::Delivered(AT)]
        );
    }

    #[test]
    fn a_failure_is_one_milestone_and_so_is_a_later_delivery() {
        let failed = Report::Status(MessageState::Failed);
        assert_eq!(milestones(&[Report::Answer, failed, failed]), [MessageMilestone::Sent, MessageMilestone::Failed]);
        assert_eq!(
            milestones(&[failed, STATUSES[1], failed]),
            [MessageMilestone::Sent, MessageMilestone::Failed, MessageMilestone::Delivered(AT)]
        );
        assert_eq!(milestones(&[STATUSES[1], failed]), [MessageMilestone::Sent, MessageMilestone::Delivered(AT)]);
        let expired = MessageProgress { state: MessageState::Expired, ..QUEUED };
        assert_eq!(QUEUED.milestones_to(expired), [MessageMilestone::Failed]);
        assert_eq!(expired.milestones_to(after(expired, failed)), [MessageMilestone::Sent]);
        for quiet in [MessageState::Stopped, MessageState::Unknown, MessageState::Submitted] {
            assert_eq!(QUEUED.milestones_to(MessageProgress { state: quiet, ..QUEUED }), []);
        }
    }

    proptest! {
        #[test]
        fn any_order_and_repeats_give_the_same_milestones(indices in prop::collection::vec(0_usize..5, 0..12)) {
            let all = [Report::Answer, STATUSES[0], STATUSES[1], STATUSES[2], Report::Reply];
            let order: Vec<Report> = indices.iter().map(|index| all[*index]).chain(all).collect();
            let mut milestones = milestones(&order);
            milestones.sort_by_key(|one| format!("{one:?}"));
            prop_assert_eq!(milestones, [MessageMilestone::Delivered(AT), MessageMilestone::Read(AT), MessageMilestone::Replied, MessageMilestone::Sent]);
        }
    }
}
