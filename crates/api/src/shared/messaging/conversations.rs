//! What the conversation operations of all versions share.

use domain::AccountId;
use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use domain::messaging::messages::{Message, MessageDirection, MessageFailure, MessageState};

use crate::prelude::*;

/// Why the message failed, in the most specific text there is. None unless it failed, expired or has an unknown
/// outcome.
pub(crate) fn failed_detail(message: &Message) -> Option<String> {
    last_failure(message.state, message.error.as_ref())
}

/// The network's code for why the message failed, or ours where the network has none.
pub(crate) fn failed_code(message: &Message) -> Option<String> {
    may_have_failed(message.state).then_some(message.error.as_ref()?.code?).map(|code| code.to_string())
}

/// Why a message with this state and error failed. None unless it failed, expired or has an unknown outcome.
pub(crate) fn last_failure(state: MessageState, error: Option<&MessageFailure>) -> Option<String> {
    if !may_have_failed(state) {
        return None;
    }
    error?.detail().map(str::to_owned)
}

const fn may_have_failed(state: MessageState) -> bool {
    matches!(state, MessageState::Failed | MessageState::Expired | MessageState::Unknown)
}

/// Whether the message, or the change that the row records, comes from the business and not from the person.
pub(crate) fn is_owner(message: &Message) -> bool {
    message.direction == MessageDirection::Outbound
}

/// The operator that the conversation is assigned to.
pub(crate) fn assigned_id(conversation: Option<&Conversation>) -> Option<AccountId> {
    match conversation?.assignee {
        Some(Assignee::Operator { id, .. }) => Some(id),
        _ => None,
    }
}

/// Parses a conversation status, in any letter case.
pub(crate) fn status(member: &str, text: &str) -> ApiResult<ConversationStatus> {
    let known = text.trim().to_lowercase().parse();
    known.map_err(|()| ApiError::invalid(member, "expected open, solved, pending or block"))
}
