//! A sample of each event, for testing an endpoint before anything has happened. The constructors of real facts make
//! it, so that its shape cannot differ from theirs.

use std::sync::Arc;

use super::fact::FactScope;
use super::{
    ClickedLink, DefectiveWebhook, Event, EventPerson, EventType, Fact, FactKind, FailedMessage, InboxChange,
    InboxSubject, LoggedFact, NewContact, OrderSnapshot, ReceivedMessage, SentMessage, SessionSent, TappedReply,
    TemplateButton, TemplateContent, TemplateSent, TemplateSubject,
};
use crate::calls::{Call, CallDirection, CallParty, CallStatus};
use crate::commerce::money::Amount;
use crate::commerce::orders::{NewContent, NewItem, NewOrder, OrderDocument};
use crate::commerce::payments::{
    FoundPayment, Ledger, LookupAnswer, Money, PaymentFact, PaymentStatus, Transaction, TransactionStatus,
    WebhookReport,
};
use crate::messaging::channels::Channel;
use crate::messaging::conversations::Conversation;
use crate::messaging::messages::MessageFailure;
use crate::messaging::templates::{Category, Content, Template, TemplateStatus};
use crate::{Id, Timestamp};

const PERSON: &str = "14155552671";
const BODY: &str = "Hi Ada, your order 4711 is on its way.";

/// An event of this type, as if it had happened now over this channel. Its number is 0, since it is in no log.
pub fn sample(kind: EventType, now: Timestamp, channel: Option<&Channel>) -> Option<Event> {
    let fact = sample_fact(kind, now, channel)?;
    let mut event = Arc::new(LoggedFact { fact, last: 0 }).events().find(|event| event.kind == kind)?;
    event.number = 0;
    Some(event)
}

/// The fact that an event of this type is published for, as if it had happened now over this channel.
pub fn sample_fact(kind: EventType, now: Timestamp, channel: Option<&Channel>) -> Option<Fact> {
    let made_up = some_channel(now);
    let of = FactKind::ALL.iter().copied().find(|one| one.event_types().contains(&kind))?;
    Some(fact(of, now, channel.unwrap_or(&made_up)))
}

fn fact(kind: FactKind, now: Timestamp, channel: &Channel) -> Fact {
    match kind {
        FactKind::Received => Fact::received(now, channel, &received(now)),
        FactKind::NewContact => Fact::new_contact(now, channel, Some(id(now, 3)), &new_contact(now)),
        FactKind::SessionSent => Fact::session_sent(now, channel, &session_sent(now)),
        FactKind::SessionFailed => Fact::failed(now, channel, &failed(now, false)),
        FactKind::TemplateSent => Fact::template_sent(now, channel, &template_sent(now)),
        FactKind::TemplateFailed => Fact::failed(now, channel, &failed(now, true)),
        FactKind::Delivered => Fact::delivered(now, channel, &sent_message(now, "template"), now),
        FactKind::Read => Fact::read(now, channel, &sent_message(now, "template"), now),
        FactKind::Replied => Fact::replied(now, channel, &sent_message(now, "template"), now),
        FactKind::TemplateReviewed | FactKind::TemplateQuality | FactKind::TemplateCategory => {
            template_fact(kind, now, channel)
        }
        FactKind::Clicked => Fact::clicked(now, channel, &clicked(now)),
        FactKind::Call => Fact::call(now, &call(now, channel)),
        FactKind::PaymentCaptured | FactKind::OrderUpdated => order_fact(kind, now, channel),
        FactKind::WebhookDefective => Fact::webhook_defective(now, &defective(now)),
        FactKind::InboxChanged => inbox_changed(now, channel),
    }
}

fn inbox_changed(now: Timestamp, channel: &Channel) -> Fact {
    let new = Conversation::new(channel.id, id(now, 5), now);
    let conversation = Conversation { id: id(now, 3), ticket_id: id(now, 4), ..new };
    let change = InboxChange {
        conversation: Some(&conversation),
        operator: Some("grace@example.com"),
        ..InboxChange::about(InboxSubject::Conversation)
    };
    Fact::inbox_changed(now, &change)
}

/// Each entity of a sample has an id of its own, from its index.
fn id<K>(now: Timestamp, index: u64) -> Id<K> {
    Id::seeded(now, index)
}

fn some_channel(now: Timestamp) -> Channel {
    Channel {
        id: id(now, 1),
        name: "Support".to_owned(),
        phone_number: "14155550100".to_owned(),
        phone_number_id: "106540352242922".to_owned(),
        account_id: "102290129340398".to_owned(),
        network: "whatsapp".to_owned(),
        is_default: true,
        enabled: true,
        quality: None,
        problem: None,
        created_at: now,
        updated_at: now,
    }
}

fn person() -> EventPerson {
    EventPerson {
        bsuid: Some("US.13491208655302741918".to_owned()),
        parent_bsuid: Some("US.ENT.11815799212886844830".to_owned()),
        username: Some("ada".to_owned()),
        wa_id: Some(PERSON.to_owned()),
    }
}

fn network_id() -> String {
    "wamid.HBgLMTQxNTU1NTI2NzEVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA".to_owned()
}

fn received(now: Timestamp) -> ReceivedMessage {
    ReceivedMessage {
        person: person(),
        message_id: id(now, 2),
        network_id: Some(network_id()),
        conversation_id: Some(id(now, 3)),
        ticket_id: Some(id(now, 4)),
        kind: "text".to_owned(),
        text: Some("When does my order arrive?".to_owned()),
        data: None,
        at: now,
        sender_name: Some("Ada Lovelace".to_owned()),
        assigned_id: None,
        operator_name: None,
        operator_email: None,
        contacts: None,
        answered: TappedReply::default(),
        reply_context_id: None,
        source_id: None,
        source_url: None,
        forwarded: false,
        frequently_forwarded: false,
    }
}

fn new_contact(now: Timestamp) -> NewContact {
    NewContact {
        person: person(),
        contact_id: id(now, 5),
        sender_name: Some("Ada Lovelace".to_owned()),
        source_id: None,
        source_url: None,
    }
}

fn sent_message(now: Timestamp, kind: &str) -> SentMessage {
    SentMessage {
        person: person(),
        message_id: id(now, 2),
        local_message_id: Some("order-4711".to_owned()),
        network_id: Some(network_id()),
        conversation_id: Some(id(now, 3)),
        ticket_id: Some(id(now, 4)),
        text: Some(BODY.to_owned()),
        r#type: kind.to_owned(),
        assignee_id: None,
        operator_email: "grace@example.com".to_owned(),
    }
}

fn session_sent(now: Timestamp) -> SessionSent {
    SessionSent {
        message: sent_message(now, "text"),
        data: None,
        operator_name: Some("Grace Hopper".to_owned()),
        reply_context_id: None,
    }
}

fn failed(now: Timestamp, is_template: bool) -> FailedMessage {
    let failure = MessageFailure {
        code: Some(131_026),
        title: Some("Message undeliverable".to_owned()),
        message: Some("Message undeliverable".to_owned()),
        details: Some("The number cannot be reached over this network.".to_owned()),
    };
    FailedMessage { message: sent_message(now, "text"), is_template, failure }
}

fn template_sent(now: Timestamp) -> TemplateSent {
    let button = TemplateButton {
        r#type: "url".to_owned(),
        text: Some("Track it".to_owned()),
        url: Some("https://shop.example/orders/4711".to_owned()),
        target_url: Some("https://shop.example/orders/4711".to_owned()),
        original_url: Some("https://shop.example/orders/{{1}}".to_owned()),
        ..TemplateButton::default()
    };
    TemplateSent {
        message: sent_message(now, "template"),
        template_id: id(now, 6),
        template_name: "order_update".to_owned(),
        created: now,
        source: "API",
        header_link: None,
        header_type: None,
        content: TemplateContent { header_text: None, footer_text: None, buttons: vec![button] },
    }
}

fn clicked(now: Timestamp) -> ClickedLink {
    ClickedLink {
        message: sent_message(now, "template"),
        template_id: id(now, 6),
        template_name: "order_update".to_owned(),
        display_text: "Track it".to_owned(),
        button_url: "https://shop.example/orders/4711".to_owned(),
        source: "API",
    }
}

fn template_fact(kind: FactKind, now: Timestamp, channel: &Channel) -> Fact {
    let template = template(now, channel);
    let subject = TemplateSubject { template: &template, channel: Some(channel) };
    match kind {
        FactKind::TemplateQuality => Fact::template_quality(now, subject, Some("GREEN"), "YELLOW"),
        FactKind::TemplateCategory => Fact::template_category(now, subject, "UTILITY", "MARKETING"),
        _ => Fact::template_reviewed(now, subject, TemplateStatus::Pending, TemplateStatus::Approved),
    }
}

fn template(now: Timestamp, channel: &Channel) -> Template {
    Template {
        id: id(now, 6),
        account_id: channel.account_id.clone(),
        channel_id: channel.id,
        name: "order_update".to_owned(),
        language: "en_US".to_owned(),
        category: Category::Utility,
        status: TemplateStatus::Approved,
        quality: Some("GREEN".to_owned()),
        reason: None,
        network_id: Some("1627019861106475".to_owned()),
        content: Content { body: BODY.to_owned(), ..Content::default() },
        origin: "API".to_owned(),
        created_at: now,
        updated_at: now,
        reported_at: now,
        deleted_at: None,
    }
}

fn call(now: Timestamp, channel: &Channel) -> Call {
    let person = person();
    Call {
        id: id(now, 7),
        call_id: "wacid.HBgLMTQxNTU1NTI2NzEVAgASGCA0RkE".to_owned(),
        direction: CallDirection::Inbound,
        status: CallStatus::Completed,
        from_number: PERSON.to_owned(),
        to_number: channel.phone_number.clone(),
        started_at: now.plus_seconds(-192),
        answered_at: Some(now.plus_seconds(-185)),
        ended_at: Some(now),
        end_reason: None,
        operator: None,
        team_name: Some("Support".to_owned()),
        caller: CallParty {
            contact_id: Some(id(now, 5)),
            bsuid: person.bsuid,
            parent_bsuid: person.parent_bsuid,
            username: person.username,
            wa_id: person.wa_id,
        },
        conversation_id: Some(id(now, 3)),
        channel_id: Some(channel.id),
        channel_phone_number: Some(channel.phone_number.clone()),
        talk_seconds: None,
    }
}

fn order_fact(kind: FactKind, now: Timestamp, channel: &Channel) -> Fact {
    let Ok(order) = new_order().check() else { return Fact::new(kind, now, FactScope::default(), |_| ()) };
    let mut ledger = Ledger::default();
    for fact in paid(now, &order) {
        ledger.apply(&fact);
    }
    let (payment, conversation_id) = (ledger.state(), Some(id(now, 3)));
    let snapshot = OrderSnapshot { order: &order, payment: &payment, channel_id: channel.id, conversation_id };
    match kind {
        FactKind::PaymentCaptured => Fact::payment_captured(now, snapshot),
        _ => Fact::order_updated(now, snapshot),
    }
}

fn new_order() -> NewOrder {
    let amount = Some(Amount::new(4500));
    let item = NewItem {
        retailer_id: "mug-blue".to_owned(),
        name: "Mug, blue".to_owned(),
        amount,
        quantity: Some(1),
        ..NewItem::default()
    };
    NewOrder {
        reference_id: "order-4711".to_owned(),
        goods: "physical-goods".to_owned(),
        currency: "INR".to_owned(),
        total_amount: amount,
        order: NewContent { items: vec![item], ..NewContent::default() },
        payment_configuration: Some("main".to_owned()),
        ..NewOrder::default()
    }
}

/// The order, the report that it is paid, and the look-up that confirms it.
fn paid(now: Timestamp, order: &OrderDocument) -> [PaymentFact; 3] {
    let (amount, currency) = (order.total_amount, order.currency);
    let money = Some(Money { amount, currency: Some(currency.code().to_owned()) });
    let transaction = Transaction {
        id: "tx-8a5f".to_owned(),
        kind: Some("razorpay".to_owned()),
        status: Some(TransactionStatus::Success),
        method: Some("upi".to_owned()),
        money: money.clone(),
        created: Some(now),
        updated: Some(now),
        ..Transaction::default()
    };
    let status = PaymentStatus::Captured;
    let report = WebhookReport { at: now, status, money: money.clone(), transaction: Some(transaction.clone()) };
    let found = FoundPayment { status, money, transactions: vec![transaction] };
    [
        PaymentFact::Ordered { at: now.plus_seconds(-600), amount, currency },
        PaymentFact::Webhook(report),
        PaymentFact::Lookup(LookupAnswer { at: now, found: Some(found) }),
    ]
}

fn defective(now: Timestamp) -> DefectiveWebhook {
    DefectiveWebhook {
        webhook_id: id(now, 8),
        url: "https://example.com/hook".to_owned(),
        failed_attempts: 151,
        failing_since: now.plus_seconds(-86_400),
        last_delivered: Some(now.plus_seconds(-90_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_sample_of_every_type_with_all_members_of_a_known_person() {
        let now = Timestamp::from_seconds(1_776_000_000);
        for kind in EventType::ALL {
            let event = sample(*kind, now, None).unwrap();
            assert_eq!((event.kind, event.number), (*kind, 0));
            let payload: serde_json::Value = serde_json::from_str(event.payload()).unwrap();
            assert_eq!(payload["eventType"], kind.name());
            if kind.is_bsuid() {
                assert!(payload["bsuid"].is_string() && payload["parentBsuid"].is_string(), "{payload}");
            }
            let empty = payload.as_object().unwrap().values().filter(|value| value.is_null()).count();
            assert!(empty <= 17, "{kind}: {payload}");
        }
    }

    #[test]
    fn a_sample_goes_over_the_channel_that_was_given() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let own = Channel { id: Id::from_bytes([9; 12]), is_default: false, ..some_channel(now) };
        for kind in EventType::ALL {
            let (given, made_up) = (sample(*kind, now, Some(&own)).unwrap(), sample(*kind, now, None).unwrap());
            let expected = if *kind == EventType::WebhookDefective { None } else { Some(own.id) };
            assert_eq!((given.channel_id(), given.at()), (expected, now), "{kind}");
            assert_ne!(made_up.channel_id(), Some(own.id), "{kind}");
        }
    }

    fn payload(kind: EventType) -> serde_json::Value {
        let event = sample(kind, Timestamp::from_seconds(1_776_000_000), None).unwrap();
        serde_json::from_str(event.payload()).unwrap()
    }

    const NETWORK_ID: &str = "wamid.HBgLMTQxNTU1NTI2NzEVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA";

    #[test]
    fn samples_have_the_members_of_real_events() {
        for (kind, member, value) in [
            (EventType::Message, "text", "When does my order arrive?"),
            (EventType::Message, "created", "2026-04-12T13:20:00.000Z"),
            (EventType::NewContactMessageReceived, "senderName", "Ada Lovelace"),
            (EventType::SessionMessageSentV2, "operatorName", "Grace Hopper"),
            (EventType::SessionMessageFailed, "failedDetail", "The number cannot be reached over this network."),
            (EventType::SessionMessageFailed, "type", "session"),
            (EventType::TemplateMessageFailed, "type", "template"),
            (EventType::TemplateMessageSentV2, "templateName", "order_update"),
            (EventType::SentMessageDelivered, "statusString", "Delivered"),
            (EventType::SentMessageReadV2, "statusString", "Read"),
            (EventType::SentMessageReplied, "statusString", "Replied"),
            (EventType::TemplateQualityUpdated, "oldTemplateQuality", "GREEN"),
            (EventType::TemplateQualityUpdated, "newTemplateQuality", "YELLOW"),
            (EventType::TemplateCategoryUpdated, "oldTemplateCategory", "UTILITY"),
            (EventType::TemplateCategoryUpdated, "newTemplateCategory", "MARKETING"),
            (EventType::CtaUrlClicked, "buttonUrl", "https://shop.example/orders/4711"),
            (EventType::CallStatus, "call_id", "wacid.HBgLMTQxNTU1NTI2NzEVAgASGCA0RkE"),
            (EventType::PaymentCaptured, "reference_id", "order-4711"),
            (EventType::OrderUpdated, "reference_id", "order-4711"),
            (EventType::WebhookDefective, "url", "https://example.com/hook"),
            (EventType::InboxChanged, "what", "conversation"),
            (EventType::MessageBsuid, "waId", "14155552671"),
            (EventType::MessageBsuid, "username", "ada"),
            (EventType::MessageBsuid, "whatsappMessageId", NETWORK_ID),
        ] {
            assert_eq!(payload(kind)[member], value, "{kind}");
        }
        assert_eq!(payload(EventType::SessionMessageFailed)["failedCode"], "131026");
        assert_eq!(
            (
                &payload(EventType::TemplateReviewed)["oldTemplateStatus"],
                &payload(EventType::TemplateReviewed)["newTemplateStatus"]
            ),
            (&1.into(), &2.into())
        );
        let call = payload(EventType::CallStatus);
        assert_eq!(
            (&call["metadata"]["duration_seconds"], &call["metadata"]["status"]),
            (&185.into(), &"completed".into())
        );
        let order = payload(EventType::OrderUpdated);
        assert_eq!(
            (&order["order"]["total_amount"]["value"], &order["payment"]["status"]),
            (&4500.into(), &"captured".into())
        );
        assert_eq!(order["payment"]["transactions"][0]["confirmed"], true);
        assert!(order["payment"].get("conflict").is_none());
        let defective = payload(EventType::WebhookDefective);
        assert_eq!(
            (&defective["failedAttempts"], &defective["failingSince"]),
            (&151.into(), &"2026-04-11T13:20:00.000Z".into())
        );
        assert_eq!(defective["lastDelivered"], "2026-04-11T12:20:00.000Z");
        let button = payload(EventType::TemplateMessageSentV2)["templateContent"]["buttons"][0].clone();
        assert_eq!(
            (&button["text"], &button["originalUrl"]),
            (&"Track it".into(), &"https://shop.example/orders/{{1}}".into())
        );
    }

    #[test]
    fn entities_of_a_sample_have_ids_of_their_own() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let event = sample(EventType::Message, now, None).unwrap();
        let payload: serde_json::Value = serde_json::from_str(event.payload()).unwrap();
        let [message, conversation, ticket] = ["id", "conversationId", "ticketId"].map(|name| payload[name].clone());
        assert!(message != conversation && conversation != ticket && message != ticket);
        assert_eq!(event.conversation_id().map(|id| id.to_string()), conversation.as_str().map(str::to_owned));
    }

    #[test]
    fn the_sample_of_an_order_is_complete() {
        let sample = payload(EventType::OrderUpdated);
        let amount = serde_json::json!({ "value": 4500, "offset": 100 });
        let now = "2026-04-12T13:20:00.000Z";
        assert_eq!(
            sample["order"],
            serde_json::json!({
                "reference_id": "order-4711", "type": "physical-goods", "currency": "INR", "total_amount": amount,
                "order": {
                    "status": "pending",
                    "items": [{ "retailer_id": "mug-blue", "name": "Mug, blue", "amount": amount, "quantity": 1 }],
                    "subtotal": amount,
                    "tax": { "value": 0, "offset": 100 },
                },
                "payment_configuration": "main",
            })
        );
        assert_eq!(
            sample["payment"],
            serde_json::json!({
                "status": "captured", "amount": amount, "currency": "INR",
                "transactions": [{
                    "id": "tx-8a5f", "type": "razorpay", "status": "success", "confirmed": true, "method": "upi",
                    "amount": amount, "created": now, "updated": now,
                }],
                "captured_at": now, "as_of": now, "sources": ["business", "webhook", "lookup"],
            })
        );
        assert_eq!(
            payload(EventType::TemplateMessageSentV2)["templateContent"],
            serde_json::json!({ "headerText": null, "footerText": null, "buttons": [{
                "index": 0, "cardIndex": null, "type": "url", "text": "Track it", "phoneNumber": null,
                "url": "https://shop.example/orders/4711", "targetUrl": "https://shop.example/orders/4711",
                "originalUrl": "https://shop.example/orders/{{1}}",
            }] })
        );
    }
}
