//! The payload of each kind of event, member by member.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::Id;
use crate::calls::{Call, CallDirection, CallOperator, CallParty, CallStatus};
use crate::delivery::events::{Event, EventType, Fact, FactKind, LoggedFact};
use crate::messaging::messages::MessageFailure;

const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

fn channel(is_default: bool) -> Channel {
    Channel {
        id: Id::from_bytes([1; 12]),
        name: "Support".into(),
        phone_number: "14155550100".into(),
        phone_number_id: "1".into(),
        account_id: "2".into(),
        network: "whatsapp".into(),
        is_default,
        enabled: true,
        quality: None,
        problem: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn person(bsuid: Option<&str>) -> EventPerson {
    EventPerson { bsuid: bsuid.map(str::to_owned), wa_id: Some("14155552671".into()), ..EventPerson::default() }
}

fn message(bsuid: Option<&str>) -> SentMessage {
    SentMessage {
        person: person(bsuid),
        message_id: Id::from_bytes([2; 12]),
        local_message_id: Some("local".into()),
        network_id: Some("wamid.1".into()),
        conversation_id: Some(Id::from_bytes([3; 12])),
        ticket_id: Some(Id::from_bytes([4; 12])),
        text: Some("Hi".into()),
        r#type: "text".into(),
        assignee_id: None,
        operator_email: "grace@example.com".into(),
    }
}

fn events(fact: Fact) -> Vec<Event> {
    Arc::new(LoggedFact { fact, last: 9 }).events().collect()
}

fn types(fact: &Fact) -> Vec<EventType> {
    events(fact.clone()).iter().map(|event| event.kind).collect()
}

/// The payload of the event of this type.
fn payload(fact: &Fact, kind: EventType) -> Value {
    let all = events(fact.clone());
    let event = all.iter().find(|event| event.kind == kind).unwrap();
    serde_json::from_str(event.payload()).unwrap()
}

fn received(bsuid: Option<&str>) -> ReceivedMessage {
    ReceivedMessage {
        person: person(bsuid),
        message_id: Id::from_bytes([2; 12]),
        network_id: Some("wamid.1".into()),
        conversation_id: Some(Id::from_bytes([3; 12])),
        ticket_id: None,
        kind: "text".into(),
        text: Some("Hi".into()),
        data: None,
        at: NOW.plus_seconds(-5),
        sender_name: None,
        assigned_id: None,
        operator_name: None,
        operator_email: None,
        contacts: None,
        answered: TappedReply::default(),
        reply_context_id: None,
        source_id: None,
        source_url: None,
        forwarded: true,
        frequently_forwarded: false,
    }
}

#[test]
fn events_with_a_bsuid_exist_only_when_it_is_known() {
    let new_contact = |bsuid| NewContact {
        person: person(bsuid),
        contact_id: Id::from_bytes([5; 12]),
        sender_name: None,
        source_id: None,
        source_url: None,
    };
    let session =
        |bsuid| SessionSent { message: message(bsuid), data: None, operator_name: None, reply_context_id: None };
    let template = |bsuid| TemplateSent {
        message: message(bsuid),
        template_id: Id::from_bytes([6; 12]),
        template_name: "offer".into(),
        created: NOW,
        source: "API",
        header_link: None,
        header_type: None,
        content: TemplateContent::default(),
    };
    let clicked = |bsuid| ClickedLink {
        message: message(bsuid),
        template_id: Id::from_bytes([6; 12]),
        template_name: "offer".into(),
        display_text: "Go".into(),
        button_url: "https://a.example/".into(),
        source: "WEB",
    };
    let own = channel(true);
    let all = |bsuid: Option<&'static str>| {
        [
            Fact::received(NOW, &own, &received(bsuid)),
            Fact::new_contact(NOW, &own, None, &new_contact(bsuid)),
            Fact::session_sent(NOW, &own, &session(bsuid)),
            Fact::template_sent(NOW, &own, &template(bsuid)),
            Fact::clicked(NOW, &own, &clicked(bsuid)),
            Fact::call(NOW, &call(bsuid)),
        ]
    };
    for fact in all(None) {
        assert_eq!(types(&fact), fact.kind.without_bsuid(), "{}", fact.kind);
    }
    for fact in all(Some("US.1")) {
        assert_eq!(types(&fact), fact.kind.event_types(), "{}", fact.kind);
    }
}

#[test]
fn a_received_message_is_published_with_its_own_time_and_channel() {
    let fact = Fact::received(NOW, &channel(false), &received(Some("US.1")));
    let shown = payload(&fact, EventType::Message);
    assert_eq!((&shown["created"], &shown["timestamp"]), (&json!("2026-04-12T13:19:55.000Z"), &json!("1775999995")));
    assert_eq!((&shown["owner"], &shown["forwarded"], &shown["sourceType"]), (&json!(false), &json!(true), &json!(0)));
    assert_eq!(
        (&shown["channelId"], &shown["channelPhoneNumber"]),
        (&json!("010101010101010101010101"), &json!("14155550100"))
    );
    assert_eq!((fact.channel_id, fact.conversation_id), (Some(channel(false).id), Some(Id::from_bytes([3; 12]))));
    let over_default = Fact::received(NOW, &channel(true), &received(None));
    assert_eq!(payload(&over_default, EventType::Message)["channelId"], Value::Null, "the default one has no id here");
}

#[test]
fn a_status_is_published_with_its_word_and_the_time_that_the_network_gave() {
    let (own, sent, at) = (channel(true), message(None), NOW.plus_seconds(-7));
    for (fact, kind, event, word) in [
        (Fact::delivered(NOW, &own, &sent, at), FactKind::Delivered, EventType::SentMessageDeliveredV2, "Delivered"),
        (Fact::read(NOW, &own, &sent, at), FactKind::Read, EventType::SentMessageReadV2, "Read"),
        (Fact::replied(NOW, &own, &sent, at), FactKind::Replied, EventType::SentMessageRepliedV2, "Replied"),
    ] {
        assert_eq!(fact.kind, kind);
        assert_eq!(fact.conversation_id, sent.conversation_id);
        let shown = payload(&fact, event);
        assert_eq!((&shown["statusString"], &shown["timestamp"]), (&json!(word), &json!("1775999993")));
        assert_eq!((&shown["localMessageId"], &shown["type"]), (&json!("local"), &json!("text")));
    }
}

#[test]
fn a_failure_is_one_of_a_template_or_of_a_session() {
    let failure = MessageFailure { code: Some(7), title: Some("No".into()), ..MessageFailure::default() };
    for (is_template, kind, event, word) in [
        (true, FactKind::TemplateFailed, EventType::TemplateMessageFailed, "template"),
        (false, FactKind::SessionFailed, EventType::SessionMessageFailed, "session"),
    ] {
        let failed = FailedMessage { message: message(None), is_template, failure: failure.clone() };
        let fact = Fact::failed(NOW, &channel(true), &failed);
        assert_eq!(fact.kind, kind);
        let shown = payload(&fact, event);
        assert_eq!((&shown["type"], &shown["statusString"]), (&json!(word), &json!("Failed")));
        assert_eq!((&shown["failedCode"], &shown["failedDetail"]), (&json!("7"), &json!("No")));
    }
}

fn call(bsuid: Option<&str>) -> Call {
    Call {
        id: Id::from_bytes([7; 12]),
        call_id: "wacid.1".into(),
        direction: CallDirection::Outbound,
        status: CallStatus::Completed,
        from_number: "1".into(),
        to_number: "2".into(),
        started_at: NOW,
        answered_at: Some(NOW.plus_seconds(5)),
        ended_at: Some(NOW.plus_seconds(65)),
        end_reason: None,
        operator: None,
        team_name: None,
        caller: CallParty { bsuid: bsuid.map(str::to_owned), ..CallParty::default() },
        conversation_id: Some(Id::from_bytes([3; 12])),
        channel_id: Some(Id::from_bytes([1; 12])),
        channel_phone_number: None,
        talk_seconds: None,
    }
}

#[test]
fn a_call_is_published_with_the_time_of_the_last_thing_that_happened_to_it() {
    let shown = |call: &Call| payload(&Fact::call(NOW, call), EventType::CallStatus);
    let one = call(None);
    assert_eq!(
        shown(&one),
        json!({ "eventType": "call.status", "call_id": "wacid.1", "metadata": {
            "direction": "outbound", "status": "completed", "from_number": "1", "to_number": "2",
            "duration_seconds": 60, "timestamp": "1776000065", "operator_id": null, "team_name": null } })
    );
    let open = Call { ended_at: None, status: CallStatus::InProgress, ..one.clone() };
    assert_eq!(shown(&open)["metadata"]["timestamp"], "1776000005");
    let ringing = Call { answered_at: None, status: CallStatus::Ringing, ..open };
    assert_eq!(shown(&ringing)["metadata"]["timestamp"], "1776000000");
    let fact = Fact::call(NOW, &one);
    assert_eq!((fact.channel_id, fact.conversation_id), (one.channel_id, one.conversation_id));
}

#[test]
fn a_change_of_a_call_is_published_only_when_its_payload_changes() {
    let before = call(Some("US.1"));
    let fact_of = |change: fn(&mut Call)| {
        let mut after = before.clone();
        change(&mut after);
        Fact::call_changed(NOW, &before, &after)
    };
    assert_eq!(fact_of(|_| ()), None);
    assert_eq!(fact_of(|call| call.started_at = NOW.plus_seconds(-1)), None, "clocks that differ are nothing new");
    assert_eq!(fact_of(|call| call.end_reason = Some("x".into())), None, "no event shows it");
    let changes: [fn(&mut Call); 5] = [
        |call| call.status = CallStatus::Failed,
        |call| call.to_number = "3".into(),
        |call| call.team_name = Some("Sales".into()),
        |call| call.caller.username = Some("ada".into()),
        |call| {
            call.operator =
                Some(CallOperator { id: Id::from_bytes([8; 12]), email: String::new(), name: String::new() });
        },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut after = before.clone();
        change(&mut after);
        let fact = fact_of(change).unwrap();
        assert_eq!(fact.body, Fact::call(NOW, &after).body, "change {index}");
    }
}

#[test]
fn a_click_is_published_with_texts_where_others_have_null() {
    let unknown_person = SentMessage {
        person: EventPerson::default(),
        local_message_id: None,
        network_id: None,
        conversation_id: None,
        ticket_id: None,
        text: None,
        ..message(None)
    };
    let click = ClickedLink {
        message: unknown_person,
        template_id: Id::from_bytes([6; 12]),
        template_name: "offer".into(),
        display_text: "Go".into(),
        button_url: "https://a.example/".into(),
        source: "WEB",
    };
    let fact = Fact::clicked(NOW, &channel(false), &click);
    let shown = payload(&fact, EventType::CtaUrlClicked);
    for member in ["localMessageId", "whatsappMessageId", "conversationId", "ticketId", "text", "bsuid", "parentBsuid"]
    {
        assert_eq!(shown[member], "", "{member}");
    }
    assert_eq!((&shown["created"], &shown["sourceType"]), (&json!("2026-04-12T13:20:00"), &json!("WEB")));
    assert_eq!(shown["id"], fact.id.to_string(), "the event's own id");
    let full = ClickedLink { message: message(Some("US.1")), ..click };
    let shown = payload(&Fact::clicked(NOW, &channel(false), &full), EventType::CtaUrlClickedBsuid);
    assert_eq!((&shown["bsuid"], &shown["waId"]), (&json!("US.1"), &json!("14155552671")));
    assert_eq!(
        (&shown["conversationId"], &shown["ticketId"]),
        (&json!("030303030303030303030303"), &json!("040404040404040404040404"))
    );
}
