//! The members of each event's payload, in their order. A member whose name ends in `?` is left out when it has no
//! value; the others are always present, as null when they have none.

use super::EventType;

/// The first members of events that lead with the BSUID; other events have some of them at the end.
const PERSON_FIRST: &[&str] = &["eventType", "bsuid", "parentBsuid", "username", "waId?"];

const MESSAGE: &[&str] = &[
    "id",
    "created",
    "whatsappMessageId",
    "conversationId",
    "ticketId",
    "text",
    "type",
    "data",
    "sourceId",
    "sourceUrl",
    "timestamp",
    "owner",
    "eventType",
    "statusString",
    "avatarUrl",
    "assignedId",
    "operatorName",
    "operatorEmail",
    "waId",
    "messageContact",
    "senderName",
    "listReply",
    "interactiveButtonReply",
    "buttonReply",
    "replyContextId",
    "sourceType",
    "frequentlyForwarded",
    "forwarded",
    "channelId",
    "channelPhoneNumber",
    "bsuid?",
    "parentBsuid?",
    "username?",
];
const NEW_CONTACT: &[&str] = &[
    "eventType",
    "id",
    "created",
    "waId",
    "senderName",
    "sourceId",
    "sourceUrl",
    "sourceType",
    "bsuid?",
    "parentBsuid?",
    "username?",
];
const SESSION_SENT: &[&str] = &[
    "eventType",
    "id",
    "whatsappMessageId",
    "conversationId",
    "ticketId",
    "text",
    "type",
    "data",
    "timestamp",
    "owner",
    "statusString",
    "assigneeId",
    "operatorEmail",
    "operatorName",
    "waId",
    "bsuid?",
    "parentBsuid?",
    "username?",
];
const SESSION_SENT_V2: &[&str] = &[
    "eventType",
    "localMessageId",
    "chatbotTriggeredEventId",
    "id",
    "whatsappMessageId",
    "conversationId",
    "ticketId",
    "text",
    "type",
    "data",
    "timestamp",
    "owner",
    "statusString",
    "assigneeId",
    "operatorEmail",
    "operatorName",
    "waId",
    "replyContextId",
    "channelId",
    "channelPhoneNumber",
    "bsuid?",
    "parentBsuid?",
    "username?",
];
const TEMPLATE_SENT: &[&str] = &[
    "eventType",
    "id",
    "whatsappMessageId",
    "templateId",
    "templateName",
    "created",
    "conversationId",
    "ticketId",
    "text",
    "operatorEmail",
    "waId",
    "type",
    "statusString",
    "sourceType",
    "bsuid?",
    "parentBsuid?",
    "username?",
];
const TEMPLATE_SENT_V2: &[&str] = &[
    "eventType",
    "localMessageId",
    "id",
    "whatsappMessageId",
    "templateId",
    "templateName",
    "created",
    "conversationId",
    "ticketId",
    "text",
    "operatorEmail",
    "waId",
    "type",
    "statusString",
    "sourceType",
    "headerLink",
    "headerType",
    "templateContent",
    "channelId",
    "channelPhoneNumber",
    "bsuid?",
    "parentBsuid?",
    "username?",
];
const STATUS: &[&str] = &[
    "eventType",
    "statusString",
    "id",
    "whatsappMessageId",
    "conversationId",
    "ticketId",
    "text",
    "type",
    "timestamp",
    "assigneeId",
    "operatorEmail",
];
const STATUS_V2: &[&str] = &[
    "eventType",
    "statusString",
    "localMessageId",
    "id",
    "whatsappMessageId",
    "conversationId",
    "ticketId",
    "text",
    "type",
    "timestamp",
    "assigneeId",
    "operatorEmail",
    "channelId",
    "channelPhoneNumber",
];
const FAILED: &[&str] = &[
    "eventType",
    "statusString",
    "localMessageId",
    "failedCode",
    "failedDetail",
    "id",
    "whatsappMessageId",
    "conversationId",
    "ticketId",
    "text",
    "type",
    "timestamp",
    "assigneeId",
    "operatorEmail",
];
const TEMPLATE_REVIEWED: &[&str] = &[
    "eventType",
    "wabaId",
    "templateName",
    "templateId",
    "watiTemplateId",
    "oldTemplateStatus",
    "newTemplateStatus",
    "channelId",
    "channelPhoneNumber",
];
const TEMPLATE_QUALITY: &[&str] = &[
    "eventType",
    "wabaId",
    "templateName",
    "templateId",
    "watiTemplateId",
    "oldTemplateQuality",
    "newTemplateQuality",
    "channelId",
    "channelPhoneNumber",
];
const TEMPLATE_CATEGORY: &[&str] = &[
    "eventType",
    "wabaId",
    "templateName",
    "templateId",
    "watiTemplateId",
    "oldTemplateCategory",
    "newTemplateCategory",
    "channelId",
    "channelPhoneNumber",
];
const CLICKED: &[&str] = &[
    "eventType",
    "waId",
    "localMessageId",
    "id",
    "whatsappMessageId",
    "templateId",
    "templateName",
    "created",
    "conversationId",
    "ticketId",
    "displayText",
    "buttonUrl",
    "text",
    "operatorEmail",
    "type",
    "statusString",
    "sourceType",
    "channelId",
    "channelPhoneNumber",
    "bsuid?",
    "parentBsuid?",
    "username?",
];
const CALL: &[&str] = &["eventType", "call_id", "metadata", "bsuid?", "parentBsuid?", "username?"];
const PAYMENT: &[&str] = &["eventType", "id", "created", "reference_id", "payment"];
const ORDER: &[&str] = &["eventType", "id", "created", "reference_id", "order", "payment"];
const DEFECTIVE: &[&str] =
    &["eventType", "id", "created", "webhookId", "url", "status", "failedAttempts", "failingSince", "lastDelivered"];
const INBOX: &[&str] = &[
    "eventType",
    "id",
    "created",
    "what",
    "conversationId?",
    "contactId?",
    "ticketId?",
    "status?",
    "assignee?",
    "labels?",
    "snoozedUntil?",
    "version?",
    "noteId?",
    "mentions?",
    "unread?",
    "operatorId?",
    "presence?",
    "reason?",
    "operatorEmail?",
];

impl EventType {
    /// The members in their order, each with whether it is left out when it has no value.
    pub(super) fn members(self) -> impl Iterator<Item = (&'static str, bool)> {
        let own = own_members(self);
        let first = if self.is_bsuid() { PERSON_FIRST } else { &[] };
        let rest = own.iter().filter(move |own| !first.iter().any(|first| bare(first) == bare(own)));
        first.iter().chain(rest).map(|member| (bare(member), member.ends_with('?')))
    }
}

fn bare(member: &'static str) -> &'static str {
    member.trim_end_matches('?')
}

const fn own_members(event: EventType) -> &'static [&'static str] {
    match event {
        EventType::Message | EventType::MessageBsuid => MESSAGE,
        EventType::NewContactMessageReceived | EventType::NewContactMessageReceivedBsuid => NEW_CONTACT,
        EventType::SessionMessageSent | EventType::SessionMessageSentBsuid => SESSION_SENT,
        EventType::SessionMessageSentV2 | EventType::SessionMessageSentV2Bsuid => SESSION_SENT_V2,
        EventType::TemplateMessageSent | EventType::TemplateMessageSentBsuid => TEMPLATE_SENT,
        EventType::TemplateMessageSentV2 | EventType::TemplateMessageSentV2Bsuid => TEMPLATE_SENT_V2,
        EventType::SentMessageDelivered | EventType::SentMessageRead | EventType::SentMessageReplied => STATUS,
        EventType::SentMessageDeliveredV2 | EventType::SentMessageReadV2 | EventType::SentMessageRepliedV2 => STATUS_V2,
        EventType::SessionMessageFailed | EventType::TemplateMessageFailed => FAILED,
        EventType::TemplateReviewed => TEMPLATE_REVIEWED,
        EventType::TemplateQualityUpdated => TEMPLATE_QUALITY,
        EventType::TemplateCategoryUpdated => TEMPLATE_CATEGORY,
        EventType::CtaUrlClicked | EventType::CtaUrlClickedBsuid => CLICKED,
        EventType::CallStatus | EventType::CallStatusBsuid => CALL,
        EventType::PaymentCaptured => PAYMENT,
        EventType::OrderUpdated => ORDER,
        EventType::WebhookDefective => DEFECTIVE,
        EventType::InboxChanged => INBOX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_names_its_type_once_and_no_member_twice() {
        for event in EventType::ALL {
            let mut names: Vec<&str> = event.members().map(|(name, _)| name).collect();
            assert_eq!(names.iter().filter(|name| **name == "eventType").count(), 1, "{event}");
            assert!(names.iter().all(|name| !name.ends_with('?')), "{event}");
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{event}");
        }
    }

    #[test]
    fn an_event_with_a_bsuid_begins_with_the_person_and_has_all_members_of_the_event_without() {
        for (plain, twin) in [
            (EventType::Message, EventType::MessageBsuid),
            (EventType::NewContactMessageReceived, EventType::NewContactMessageReceivedBsuid),
            (EventType::SessionMessageSentV2, EventType::SessionMessageSentV2Bsuid),
            (EventType::TemplateMessageSent, EventType::TemplateMessageSentBsuid),
            (EventType::CtaUrlClicked, EventType::CtaUrlClickedBsuid),
            (EventType::CallStatus, EventType::CallStatusBsuid),
        ] {
            let first: Vec<(&str, bool)> = twin.members().take(5).collect();
            let person =
                [("eventType", false), ("bsuid", false), ("parentBsuid", false), ("username", false), ("waId", true)];
            assert_eq!(first, person, "{twin}");
            let all: Vec<&str> = twin.members().map(|(name, _)| name).collect();
            assert!(plain.members().all(|(name, _)| all.contains(&name)), "{twin}");
        }
        let call: Vec<(&str, bool)> = EventType::CallStatus.members().collect();
        let absent = [("bsuid", true), ("parentBsuid", true), ("username", true)];
        assert_eq!(call[..3], [("eventType", false), ("call_id", false), ("metadata", false)]);
        assert_eq!(call[3..], absent);
    }
}
