//! Changes that the team makes in its inbox, for consoles that are open elsewhere. The events do not contain the text
//! of a note: a reader that may see it reads the history.

use serde::Serialize;

use crate::base::named::named;
use crate::delivery::events::fact::FactScope;
use crate::delivery::events::{Fact, FactCause, FactKind};
use crate::messaging::conversations::{Assignee, Conversation};
use crate::{AccountId, ContactId, ConversationId, EventId, LabelId, MessageId, TicketId, Timestamp};

named! {
    /// What has changed: status, assignee, labels or snooze of a conversation; a note; what an operator has read;
    /// labels of a contact; the list of labels; the list of canned replies; the teams or their members; the presence of an
    /// operator, or how much operators have to do; the rules of routing; the opening hours.
    InboxSubject {
        Conversation => "conversation",
        Note => "note",
        NoteDeleted => "noteDeleted",
        Read => "read",
        Contact => "contact",
        Labels => "labels",
        CannedReplies => "cannedReplies",
        Teams => "teams",
        Operators => "operators",
        RoutingRules => "routingRules",
        OpeningHours => "openingHours",
    }
}

/// A change, and what it is about.
#[derive(Debug, Clone, Copy)]
pub struct InboxChange<'a> {
    pub what: InboxSubject,
    /// The conversation after the change.
    pub conversation: Option<&'a Conversation>,
    pub contact: Option<(ContactId, &'a [LabelId])>,
    pub note: Option<MessageId>,
    /// E-mail addresses of the operators whom a note is meant for.
    pub mentions: &'a [&'a str],
    /// Messages that the operator has not seen.
    pub unread: Option<i64>,
    /// The operator whose presence has changed, and the presence that counts now.
    pub presence: Option<(AccountId, &'a str)>,
    /// Why a rule has assigned the conversation.
    pub reason: Option<&'a str>,
    /// Who made the change; None for the server itself and for credentials without an account.
    pub operator: Option<&'a str>,
    pub cause: FactCause,
    /// See `Fact::depth`.
    pub depth: i64,
}

impl InboxChange<'_> {
    pub const fn about(what: InboxSubject) -> Self {
        Self {
            what,
            conversation: None,
            contact: None,
            note: None,
            mentions: &[],
            unread: None,
            presence: None,
            reason: None,
            operator: None,
            cause: FactCause::System,
            depth: 0,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    id: EventId,
    created: String,
    what: InboxSubject,
    conversation_id: Option<ConversationId>,
    contact_id: Option<ContactId>,
    ticket_id: Option<TicketId>,
    status: Option<&'static str>,
    assignee: Option<&'a Assignee>,
    labels: Option<&'a [LabelId]>,
    snoozed_until: Option<String>,
    version: Option<i64>,
    note_id: Option<MessageId>,
    mentions: Option<&'a [&'a str]>,
    unread: Option<i64>,
    operator_id: Option<AccountId>,
    presence: Option<&'a str>,
    reason: Option<&'a str>,
    operator_email: Option<&'a str>,
}

impl Fact {
    pub fn inbox_changed(now: Timestamp, change: &InboxChange<'_>) -> Self {
        let one = change.conversation;
        let scope = FactScope { channel_id: one.map(|one| one.channel_id), conversation_id: one.map(|one| one.id) };
        let contact_id = one.map(|one| one.contact_id).or(change.contact.map(|(id, _)| id));
        let fact = Self::new(FactKind::InboxChanged, now, scope, |id| Body {
            id,
            created: now.to_rfc3339(),
            what: change.what,
            conversation_id: one.map(|one| one.id),
            contact_id,
            ticket_id: one.map(|one| one.ticket_id),
            status: one.map(|one| one.status.name()),
            assignee: one.and_then(|one| one.assignee.as_ref()),
            labels: one.map(|one| one.labels.as_slice()).or(change.contact.map(|(_, labels)| labels)),
            snoozed_until: one.and_then(|one| one.snoozed_until).map(Timestamp::to_rfc3339),
            version: one.map(|one| one.version),
            note_id: change.note,
            mentions: change.note.map(|_| change.mentions),
            unread: change.unread,
            operator_id: change.presence.map(|(id, _)| id),
            presence: change.presence.map(|(_, presence)| presence),
            reason: change.reason,
            operator_email: change.operator,
        });
        Self { depth: change.depth, ..fact.caused_by(change.cause).about_contact(contact_id) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Id;
    use crate::delivery::events::{EventType, LoggedFact};

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn payload(change: &InboxChange<'_>) -> serde_json::Value {
        let logged = std::sync::Arc::new(LoggedFact { fact: Fact::inbox_changed(NOW, change), last: 1 });
        let event = logged.events().next().unwrap();
        assert_eq!(event.kind, EventType::InboxChanged);
        serde_json::from_str(event.payload()).unwrap()
    }

    #[test]
    fn a_change_of_a_conversation_has_its_state() {
        let mut one = Conversation::new(Id::seeded(NOW, 1), Id::seeded(NOW, 2), NOW);
        one.assign(Some(Assignee::Bot), NOW);
        let change = InboxChange {
            conversation: Some(&one),
            operator: Some("grace@example.com"),
            ..InboxChange::about(InboxSubject::Conversation)
        };
        let shown = payload(&change);
        assert_eq!((shown["what"].as_str(), shown["status"].as_str()), (Some("conversation"), Some("open")));
        assert_eq!((shown["version"].as_i64(), shown["operatorEmail"].as_str()), (Some(2), Some("grace@example.com")));
        assert_eq!((&shown["assignee"], &shown["labels"]), (&json!({"kind": "bot"}), &json!([])));
        assert!(shown.get("snoozedUntil").is_none() && shown.get("noteId").is_none());
    }

    #[test]
    fn a_note_has_its_id_and_mentions_and_never_its_text() {
        let one = Conversation::new(Id::seeded(NOW, 1), Id::seeded(NOW, 2), NOW);
        let change = InboxChange {
            conversation: Some(&one),
            note: Some(Id::seeded(NOW, 3)),
            mentions: &["ben@example.com"],
            ..InboxChange::about(InboxSubject::Note)
        };
        let shown = payload(&change);
        assert_eq!(shown["mentions"], json!(["ben@example.com"]));
        assert!(shown["noteId"].is_string() && shown.get("text").is_none());
    }

    #[test]
    fn a_change_of_presence_names_the_operator() {
        let grace: AccountId = Id::seeded(NOW, 4);
        let presence = Some((grace, "busy"));
        let shown = payload(&InboxChange { presence, ..InboxChange::about(InboxSubject::Operators) });
        assert_eq!((&shown["operatorId"], &shown["presence"]), (&json!(grace), &json!("busy")));
    }

    #[test]
    fn a_change_of_a_list_names_only_the_list() {
        let shown = payload(&InboxChange::about(InboxSubject::Labels));
        let mut members: Vec<&str> = shown.as_object().unwrap().keys().map(String::as_str).collect();
        members.sort_unstable();
        assert_eq!(members, ["created", "eventType", "id", "what"]);
    }
}
