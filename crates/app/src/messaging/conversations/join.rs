//! Joining two conversations over one channel whose contacts were merged.

use domain::messaging::conversations::{Conversation, ConversationStatus};
use domain::people::labels::MAX_LABELS_ON_ONE;
use domain::{LabelId, Timestamp};

/// Joins the state of both conversations into the kept one. Blocked wins over open, open over pending, pending over
/// solved; the ticket is that of the conversation with the winning status.
pub(crate) fn join(kept: &Conversation, other: &Conversation, now: Timestamp) -> Conversation {
    let (ticket, second) = if urgency(other.status) > urgency(kept.status) { (other, kept) } else { (kept, other) };
    let last = if other.last_at > kept.last_at { other } else { kept };
    Conversation {
        status: ticket.status,
        ticket_id: ticket.ticket_id,
        opened_at: ticket.opened_at,
        assignee: ticket.assignee.clone().or_else(|| second.assignee.clone()),
        version: kept.version.max(other.version) + 1,
        window_until: kept.window_until.max(other.window_until),
        last_at: last.last_at,
        last_text: last.last_text.clone(),
        labels: labels(kept, other),
        snoozed_until: kept.snoozed_until.min(other.snoozed_until),
        inbound_count: kept.inbound_count + other.inbound_count,
        inbound_before_ticket: kept.inbound_before_ticket + other.inbound_before_ticket,
        created_at: kept.created_at.min(other.created_at),
        updated_at: now.to_millis(),
        ..kept.clone()
    }
}

/// The labels of both, those of the kept one first; at most as many as a conversation may have.
fn labels(kept: &Conversation, other: &Conversation) -> Vec<LabelId> {
    let others = other.labels.iter().filter(|label| !kept.labels.contains(label));
    kept.labels.iter().chain(others).copied().take(MAX_LABELS_ON_ONE).collect()
}

const fn urgency(status: ConversationStatus) -> u8 {
    match status {
        ConversationStatus::Solved => 0,
        ConversationStatus::Pending => 1,
        ConversationStatus::Open => 2,
        ConversationStatus::Blocked => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Id;

    use domain::messaging::conversations::Assignee;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn conversation(status: ConversationStatus, last: i64, text: &str) -> Conversation {
        let mut one = Conversation::new(Id::new(NOW), Id::new(NOW), NOW);
        one.status = status;
        one.last_at = NOW.plus_seconds(last);
        one.last_text = Some(text.to_owned());
        one
    }

    #[test]
    fn what_is_open_stays_open_and_the_last_message_is_shown() {
        let kept = conversation(ConversationStatus::Solved, 0, "thanks");
        let mut other = conversation(ConversationStatus::Pending, 60, "hello?");
        other.window_until = NOW.plus_seconds(90);
        other.assignee = Some(Assignee::Bot);
        let one = join(&kept, &other, NOW);
        assert_eq!((one.id, one.contact_id, one.channel_id), (kept.id, kept.contact_id, kept.channel_id));
        assert_eq!((one.status, one.ticket_id), (ConversationStatus::Pending, other.ticket_id));
        assert_eq!((one.assignee, one.window_until), (Some(Assignee::Bot), other.window_until));
        assert_eq!((one.last_at, one.last_text.as_deref()), (other.last_at, Some("hello?")));
        assert_eq!(one.version, 2);
    }

    #[test]
    fn labels_and_counts_of_both_are_kept_and_a_snooze_only_if_both_have_one() {
        let mut kept = conversation(ConversationStatus::Open, 0, "a");
        let mut other = conversation(ConversationStatus::Open, 1, "b");
        (kept.labels, other.labels) = (vec![Id::from_bytes([1; 12])], [1, 2].map(|n| Id::from_bytes([n; 12])).to_vec());
        (kept.inbound_count, other.inbound_count) = (3, 4);
        kept.snoozed_until = Some(NOW.plus_seconds(60));
        let one = join(&kept, &other, NOW);
        assert_eq!((one.labels, one.inbound_count, one.snoozed_until), (other.labels.clone(), 7, None));
        other.snoozed_until = Some(NOW.plus_seconds(30));
        assert_eq!(join(&kept, &other, NOW).snoozed_until, other.snoozed_until, "the earlier");
    }

    #[test]
    fn a_blocked_person_stays_blocked() {
        for (kept, other) in [
            (ConversationStatus::Blocked, ConversationStatus::Open),
            (ConversationStatus::Open, ConversationStatus::Blocked),
        ] {
            let one = join(&conversation(kept, 0, "a"), &conversation(other, 0, "b"), NOW);
            assert_eq!((one.status, one.last_text.as_deref()), (ConversationStatus::Blocked, Some("a")));
        }
    }
}
