//! The types of events, and which of them a fact of each kind is published as.

use crate::base::named::named;

named! {
    EventType {
        Message => "message",
        NewContactMessageReceived => "newContactMessageReceived",
        SessionMessageSent => "sessionMessageSent",
        SessionMessageSentV2 => "sessionMessageSent_v2",
        SessionMessageFailed => "sessionMessageFailed",
        TemplateMessageSent => "templateMessageSent",
        TemplateMessageSentV2 => "templateMessageSent_v2",
        TemplateMessageFailed => "templateMessageFailed",
        SentMessageDelivered => "sentMessageDELIVERED",
        SentMessageDeliveredV2 => "sentMessageDELIVERED_v2",
        SentMessageRead => "sentMessageREAD",
        SentMessageReadV2 => "sentMessageREAD_v2",
        SentMessageReplied => "sentMessageREPLIED",
        SentMessageRepliedV2 => "sentMessageREPLIED_v2",
        TemplateReviewed => "templateReviewed",
        TemplateQualityUpdated => "templateQualityUpdated",
        TemplateCategoryUpdated => "templateCategoryUpdated",
        CtaUrlClicked => "ctaUrlClicked",
        CallStatus => "call.status",
        PaymentCaptured => "paymentCaptured",
        OrderUpdated => "orderUpdated",
        WebhookDefective => "webhookDefective",
        InboxChanged => "inboxChanged",
        MessageBsuid => "message_bsuid",
        NewContactMessageReceivedBsuid => "newContactMessageReceived_bsuid",
        SessionMessageSentBsuid => "sessionMessageSent_bsuid",
        SessionMessageSentV2Bsuid => "sessionMessageSent_v2_bsuid",
        TemplateMessageSentBsuid => "templateMessageSent_bsuid",
        TemplateMessageSentV2Bsuid => "templateMessageSent_v2_bsuid",
        CtaUrlClickedBsuid => "ctaUrlClicked_bsuid",
        CallStatusBsuid => "call.status_bsuid",
    }
}

named! {
    /// What happened. The names are stored with each fact.
    FactKind {
        Received => "received",
        NewContact => "new_contact",
        SessionSent => "session_sent",
        SessionFailed => "session_failed",
        TemplateSent => "template_sent",
        TemplateFailed => "template_failed",
        Delivered => "delivered",
        Read => "read",
        Replied => "replied",
        TemplateReviewed => "template_reviewed",
        TemplateQuality => "template_quality",
        TemplateCategory => "template_category",
        Clicked => "clicked",
        Call => "call",
        PaymentCaptured => "payment_captured",
        OrderUpdated => "order_updated",
        WebhookDefective => "webhook_defective",
        InboxChanged => "inbox_changed",
    }
}

impl FactKind {
    /// The types of its events, in the order of their numbers, when the BSUID of the person is known.
    pub const fn event_types(self) -> &'static [EventType] {
        match self {
            Self::Received => &[EventType::Message, EventType::MessageBsuid],
            Self::NewContact => &[EventType::NewContactMessageReceived, EventType::NewContactMessageReceivedBsuid],
            Self::SessionSent => &[
                EventType::SessionMessageSent,
                EventType::SessionMessageSentV2,
                EventType::SessionMessageSentBsuid,
                EventType::SessionMessageSentV2Bsuid,
            ],
            Self::SessionFailed => &[EventType::SessionMessageFailed],
            Self::TemplateSent => &[
                EventType::TemplateMessageSent,
                EventType::TemplateMessageSentV2,
                EventType::TemplateMessageSentBsuid,
                EventType::TemplateMessageSentV2Bsuid,
            ],
            Self::TemplateFailed => &[EventType::TemplateMessageFailed],
            Self::Delivered => &[EventType::SentMessageDelivered, EventType::SentMessageDeliveredV2],
            Self::Read => &[EventType::SentMessageRead, EventType::SentMessageReadV2],
            Self::Replied => &[EventType::SentMessageReplied, EventType::SentMessageRepliedV2],
            Self::TemplateReviewed => &[EventType::TemplateReviewed],
            Self::TemplateQuality => &[EventType::TemplateQualityUpdated],
            Self::TemplateCategory => &[EventType::TemplateCategoryUpdated],
            Self::Clicked => &[EventType::CtaUrlClicked, EventType::CtaUrlClickedBsuid],
            Self::Call => &[EventType::CallStatus, EventType::CallStatusBsuid],
            Self::PaymentCaptured => &[EventType::PaymentCaptured],
            Self::OrderUpdated => &[EventType::OrderUpdated],
            Self::WebhookDefective => &[EventType::WebhookDefective],
            Self::InboxChanged => &[EventType::InboxChanged],
        }
    }

    /// The types of its events when the BSUID is not known: those that do not lead with it.
    pub const fn without_bsuid(self) -> &'static [EventType] {
        match self {
            Self::Received => &[EventType::Message],
            Self::NewContact => &[EventType::NewContactMessageReceived],
            Self::SessionSent => &[EventType::SessionMessageSent, EventType::SessionMessageSentV2],
            Self::TemplateSent => &[EventType::TemplateMessageSent, EventType::TemplateMessageSentV2],
            Self::Clicked => &[EventType::CtaUrlClicked],
            Self::Call => &[EventType::CallStatus],
            Self::SessionFailed
            | Self::TemplateFailed
            | Self::Delivered
            | Self::Read
            | Self::Replied
            | Self::TemplateReviewed
            | Self::TemplateQuality
            | Self::TemplateCategory
            | Self::PaymentCaptured
            | Self::OrderUpdated
            | Self::WebhookDefective
            | Self::InboxChanged => self.event_types(),
        }
    }
}

impl EventType {
    /// Whether endpoints can subscribe to it. The others are about the work of the team: consoles follow them in the
    /// log.
    pub const fn is_for_webhooks(self) -> bool {
        !matches!(self, Self::InboxChanged)
    }

    /// The types that endpoints can subscribe to.
    pub fn for_webhooks() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|one| one.is_for_webhooks())
    }

    /// Whether its payload leads with the person's BSUID (Business Solution User ID).
    pub fn is_bsuid(self) -> bool {
        self.name().ends_with("_bsuid")
    }
}

/// A set of event types: what an endpoint or a reader of the log asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventTypes(u64);

impl EventTypes {
    pub const NONE: Self = Self(0);

    pub fn all() -> Self {
        EventType::ALL.iter().copied().collect()
    }

    pub const fn contains(self, one: EventType) -> bool {
        self.0 & (1 << one as u64) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = EventType> {
        EventType::ALL.iter().copied().filter(move |one| self.contains(*one))
    }
}

impl FromIterator<EventType> for EventTypes {
    fn from_iter<I: IntoIterator<Item = EventType>>(types: I) -> Self {
        Self(types.into_iter().fold(0, |all, one| all | 1 << one as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_belongs_to_one_kind() {
        let all: Vec<EventType> = FactKind::ALL.iter().flat_map(|kind| kind.event_types()).copied().collect();
        assert_eq!(all.len(), EventType::ALL.len());
        assert!(EventType::ALL.iter().all(|one| all.contains(one)));
    }

    #[test]
    fn without_a_bsuid_the_same_types_come_first_and_only_those_that_lead_with_it_are_missing() {
        for kind in FactKind::ALL {
            let (all, without) = (kind.event_types(), kind.without_bsuid());
            let (first, rest) = all.split_at(without.len());
            assert_eq!(first, without, "{kind}");
            assert!(!first.iter().any(|one| one.is_bsuid()) && rest.iter().all(|one| one.is_bsuid()), "{kind}");
        }
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: EventTypes = [EventType::Message, EventType::CallStatusBsuid].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [EventType::Message, EventType::CallStatusBsuid]);
        assert!(EventType::ALL.iter().all(|one| EventTypes::all().contains(*one)) && EventTypes::NONE.is_empty());
    }

    #[test]
    fn a_set_contains_what_was_put_in_and_nothing_else() {
        for one in EventType::ALL {
            let set: EventTypes = [*one].into_iter().collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), [*one]);
            assert!(!set.is_empty() && set != EventTypes::NONE);
        }
        let twice: EventTypes = [EventType::Message, EventType::Message].into_iter().collect();
        assert_eq!(twice.iter().collect::<Vec<_>>(), [EventType::Message]);
        assert_eq!(EventTypes::all().iter().count(), EventType::ALL.len());
        assert_eq!(EventTypes::default(), EventTypes::NONE);
    }

    #[test]
    fn types_that_lead_with_a_bsuid_are_named_after_it() {
        assert!(EventType::CallStatusBsuid.is_bsuid() && !EventType::CallStatus.is_bsuid());
        assert_eq!(EventType::ALL.iter().filter(|one| one.is_bsuid()).count(), 8);
    }
}
