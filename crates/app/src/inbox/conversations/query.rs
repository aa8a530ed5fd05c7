//! The filters of a list of conversations, as a request names them.

use domain::messaging::conversations::ConversationStatus;

/// Filters of a list; None does not filter.
#[derive(Debug, Clone, Default)]
pub struct ConversationQuery {
    pub status: Option<ConversationStatus>,
    /// `me`, an operator's e-mail address, a team's name, `bot` or `unassigned`.
    pub assignee: Option<String>,
    /// Name, phone number or id of a channel.
    pub channel: Option<String>,
    /// Part of the contact's name, number or handle.
    pub search: Option<String>,
    /// Phone number, BSUID or id of a contact.
    pub contact: Option<String>,
    /// Name or id of a label.
    pub label: Option<String>,
    pub snoozed: Option<bool>,
    /// Only conversations with messages that the caller has not seen.
    pub unread: bool,
    /// Adds what an inbox shows besides the conversation: the number of unread messages and the last message.
    pub details: bool,
}
