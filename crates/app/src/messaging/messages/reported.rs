//! Joins what the network reported about a message before its network id was known to be ours.

use domain::Timestamp;
use domain::messaging::messages::Message;

/// Our message, joined with what the network reported under its own id before that id was known to be ours.
pub(crate) fn merge_reported(mut ours: Message, reported: &Message) -> Message {
    ours.state = ours.state.advanced(reported.state);
    ours.sent_at = Timestamp::earlier(ours.sent_at, reported.sent_at);
    ours.delivered_at = Timestamp::earlier(ours.delivered_at, reported.delivered_at);
    ours.read_at = Timestamp::earlier(ours.read_at, reported.read_at);
    ours.failed_at = Timestamp::earlier(ours.failed_at, reported.failed_at);
    ours.error = ours.error.or_else(|| reported.error.clone());
    ours.contact_id = ours.contact_id.or(reported.contact_id);
    ours
}
