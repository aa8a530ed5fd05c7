//! Which events there are, and which of them one fact is told as.

use crate::named::named;

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
    /// What happened.
    Kind {
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
    }
}

impl Kind {
    /// How many of its types say nothing that only a known person has.
    pub const fn plain(self) -> usize {
        match self {
            Self::SessionSent | Self::TemplateSent | Self::Delivered | Self::Read | Self::Replied => 2,
            _ => 1,
        }
    }

    /// What it is told as: the plain types first, then those that lead with the person's BSUID.
    pub const fn types(self) -> &'static [EventType] {
        use EventType as T;
        match self {
            Self::Received => &[T::Message, T::MessageBsuid],
            Self::NewContact => &[T::NewContactMessageReceived, T::NewContactMessageReceivedBsuid],
            Self::SessionSent => &[
                T::SessionMessageSent,
                T::SessionMessageSentV2,
                T::SessionMessageSentBsuid,
                T::SessionMessageSentV2Bsuid,
            ],
            Self::SessionFailed => &[T::SessionMessageFailed],
            Self::TemplateSent => &[
                T::TemplateMessageSent,
                T::TemplateMessageSentV2,
                T::TemplateMessageSentBsuid,
                T::TemplateMessageSentV2Bsuid,
            ],
            Self::TemplateFailed => &[T::TemplateMessageFailed],
            Self::Delivered => &[T::SentMessageDelivered, T::SentMessageDeliveredV2],
            Self::Read => &[T::SentMessageRead, T::SentMessageReadV2],
            Self::Replied => &[T::SentMessageReplied, T::SentMessageRepliedV2],
            Self::TemplateReviewed => &[T::TemplateReviewed],
            Self::TemplateQuality => &[T::TemplateQualityUpdated],
            Self::TemplateCategory => &[T::TemplateCategoryUpdated],
            Self::Clicked => &[T::CtaUrlClicked, T::CtaUrlClickedBsuid],
            Self::Call => &[T::CallStatus, T::CallStatusBsuid],
            Self::PaymentCaptured => &[T::PaymentCaptured],
            Self::OrderUpdated => &[T::OrderUpdated],
            Self::WebhookDefective => &[T::WebhookDefective],
        }
    }
}

impl EventType {
    /// Does it lead with the person's BSUID?
    pub fn is_bsuid(self) -> bool {
        self.name().ends_with("_bsuid")
    }
}

/// A set of types: what somebody listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Types(u64);

impl Types {
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

impl FromIterator<EventType> for Types {
    fn from_iter<I: IntoIterator<Item = EventType>>(types: I) -> Self {
        Self(types.into_iter().fold(0, |all, one| all | 1 << one as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_belongs_to_one_kind_and_twins_come_last() {
        let told: Vec<EventType> = Kind::ALL.iter().flat_map(|kind| kind.types()).copied().collect();
        assert_eq!(told.len(), EventType::ALL.len());
        assert!(EventType::ALL.iter().all(|one| told.contains(one)));
        for kind in Kind::ALL {
            let (plain, twins) = kind.types().split_at(kind.plain());
            assert!(!plain.iter().any(|one| one.is_bsuid()) && twins.iter().all(|one| one.is_bsuid()), "{kind}");
        }
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: Types = [EventType::Message, EventType::CallStatusBsuid].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [EventType::Message, EventType::CallStatusBsuid]);
        assert!(EventType::ALL.iter().all(|one| Types::all().contains(*one)) && Types::NONE.is_empty());
    }

    #[test]
    fn a_set_contains_what_was_put_in_and_nothing_else() {
        for one in EventType::ALL {
            let set: Types = [*one].into_iter().collect();
            assert_eq!(set.iter().collect::<Vec<_>>(), [*one]);
            assert!(!set.is_empty() && set != Types::NONE);
        }
        let twice: Types = [EventType::Message, EventType::Message].into_iter().collect();
        assert_eq!(twice.iter().collect::<Vec<_>>(), [EventType::Message]);
        assert_eq!(Types::all().iter().count(), EventType::ALL.len());
        assert_eq!(Types::default(), Types::NONE);
    }

    #[test]
    fn what_leads_with_a_bsuid_is_named_so() {
        assert!(EventType::CallStatusBsuid.is_bsuid() && !EventType::CallStatus.is_bsuid());
        assert_eq!(EventType::ALL.iter().filter(|one| one.is_bsuid()).count(), 8);
    }
}
