//! One story causes every event of messages, templates and calls. Each has the members of the contract in the right
//! order, and equals its stored snapshot.

use app::inbox::conversations::{AssignTo, Assignment};
use app::messaging::messages::SessionSend;
use app::messaging::templates::TemplateCreation;
use domain::delivery::events::EventType;
use domain::messaging::templates::{NewButton, NewHeader, NewTemplate};
use sandbox::driver::{Fail, PlaceCall, Review, Say, Tap};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use testkit::World;
use testkit::world::OnWorld;

use crate::callers::TestCaller;
use crate::events::log::{OPERATOR, Published as _, PublishedEvent};
use crate::sending::world::{ADA, business, param, template_send, text_send, to};

const SALE: &str = "summer_sale";

/// Event types that other tests cover.
const OTHERS: [EventType; 6] = [
    EventType::CtaUrlClicked,
    EventType::CtaUrlClickedBsuid,
    EventType::PaymentCaptured,
    EventType::OrderUpdated,
    EventType::WebhookDefective,
    EventType::InboxChanged,
];

const TRIO: &str = "bsuid, parentBsuid, username";
const MESSAGE: &str = "id, created, whatsappMessageId, conversationId, ticketId, text, type, data, sourceId, sourceUrl, \
    timestamp, owner, eventType, statusString, avatarUrl, assignedId, operatorName, operatorEmail, waId, messageContact, \
    senderName, listReply, interactiveButtonReply, buttonReply, replyContextId, sourceType, frequentlyForwarded, \
    forwarded, channelId, channelPhoneNumber";
const NEW_CONTACT: &str = "eventType, id, created, waId, senderName, sourceId, sourceUrl, sourceType";
const SESSION_SENT: &str = "eventType, id, whatsappMessageId, conversationId, ticketId, text, type, data, timestamp, owner, \
    statusString, assigneeId, operatorEmail, operatorName, waId";
const SESSION_SENT_V2: &str = "eventType, localMessageId, chatbotTriggeredEventId, id, whatsappMessageId, conversationId, \
    ticketId, text, type, data, timestamp, owner, statusString, assigneeId, operatorEmail, operatorName, waId, \
    replyContextId, channelId, channelPhoneNumber";
const TEMPLATE_SENT: &str = "eventType, id, whatsappMessageId, templateId, templateName, created, conversationId, ticketId, \
    text, operatorEmail, waId, type, statusString, sourceType";
const TEMPLATE_SENT_V2: &str = "eventType, localMessageId, id, whatsappMessageId, templateId, templateName, created, \
    conversationId, ticketId, text, operatorEmail, waId, type, statusString, sourceType, headerLink, headerType, \
    templateContent, channelId, channelPhoneNumber";
const STATUS: &str = "eventType, statusString, id, whatsappMessageId, conversationId, ticketId, text, type, timestamp, \
    assigneeId, operatorEmail";
const STATUS_V2: &str = "eventType, statusString, localMessageId, id, whatsappMessageId, conversationId, ticketId, text, \
    type, timestamp, assigneeId, operatorEmail, channelId, channelPhoneNumber";
const FAILED: &str = "eventType, statusString, localMessageId, failedCode, failedDetail, id, whatsappMessageId, \
    conversationId, ticketId, text, type, timestamp, assigneeId, operatorEmail";
const REVIEWED: &str = "eventType, wabaId, templateName, templateId, watiTemplateId, oldTemplateStatus, newTemplateStatus, \
    channelId, channelPhoneNumber";
const CALL: &str = "eventType, call_id, metadata";

/// The members of a type in the contract, and whether the members about the person belong to it.
fn listed(kind: EventType) -> (String, bool) {
    use EventType as T;
    let (members, has_person) = match kind {
        T::Message | T::MessageBsuid => (MESSAGE, true),
        T::NewContactMessageReceived | T::NewContactMessageReceivedBsuid => (NEW_CONTACT, true),
        T::SessionMessageSent | T::SessionMessageSentBsuid => (SESSION_SENT, true),
        T::SessionMessageSentV2 | T::SessionMessageSentV2Bsuid => (SESSION_SENT_V2, true),
        T::TemplateMessageSent | T::TemplateMessageSentBsuid => (TEMPLATE_SENT, true),
        T::TemplateMessageSentV2 | T::TemplateMessageSentV2Bsuid => (TEMPLATE_SENT_V2, true),
        T::SentMessageDelivered | T::SentMessageRead | T::SentMessageReplied => (STATUS, false),
        T::SentMessageDeliveredV2 | T::SentMessageReadV2 | T::SentMessageRepliedV2 => (STATUS_V2, false),
        T::SessionMessageFailed | T::TemplateMessageFailed => (FAILED, false),
        T::TemplateQualityUpdated => return (REVIEWED.replace("Status", "Quality"), false),
        T::TemplateCategoryUpdated => return (REVIEWED.replace("Status", "Category"), false),
        T::CallStatus | T::CallStatusBsuid => (CALL, true),
        _ => (REVIEWED, false),
    };
    (members.to_owned(), has_person)
}

/// The members in the order of the payload: those about the person come first in `_bsuid` types, and last in the
/// others.
fn expected(kind: EventType) -> Vec<String> {
    let (members, has_person) = listed(kind);
    let members: Vec<String> = members.split(", ").map(str::to_owned).collect();
    let trio: Vec<String> = TRIO.split(", ").map(str::to_owned).collect();
    if !kind.is_bsuid() {
        return if has_person { [members, trio].concat() } else { members };
    }
    let mut first = vec!["eventType".to_owned()];
    first.extend(trio);
    first.push("waId".to_owned());
    let rest: Vec<String> = members.into_iter().filter(|member| !first.contains(member)).collect();
    [first, rest].concat()
}

/// The names of an object's members, in the order of the text.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Keys;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(All)
    }
}

fn button(kind: &str, text: &str) -> NewButton {
    NewButton { kind: kind.to_owned(), text: Some(text.to_owned()), ..NewButton::default() }
}

fn sale() -> NewTemplate {
    let url = Some("https://shop.example/{{code}}".to_owned());
    let phone_number = Some("+14155550199".to_owned());
    NewTemplate {
        name: SALE.to_owned(),
        category: "MARKETING".to_owned(),
        language: "en".to_owned(),
        header: Some(NewHeader {
            kind: "text".to_owned(),
            text: Some("For {{who}}".to_owned()),
            ..NewHeader::default()
        }),
        body: Some("Hello {{who}}, there is a sale.".to_owned()),
        footer: Some("Until Sunday".to_owned()),
        buttons: vec![
            NewButton { url, ..button("url", "Shop") },
            NewButton { phone_number, ..button("phone_number", "Call us") },
            button("quick_reply", "No thanks"),
        ],
        samples: vec![param("who", "Ada"), param("code", "spring")],
        click_tracking: true,
        ..NewTemplate::default()
    }
}

trait Selling: OnWorld {
    async fn make_sale(self) {
        let public_url = Some("http://switchboard.test".to_owned());
        let input = TemplateCreation { channel: None, template: sale(), public_url };
        self.app.messaging().templates().create(&self.me(), input).await.unwrap();
        self.later(5).await;
    }

    async fn send_sale(self, caller: &TestCaller) {
        let mut recipient = to(ADA);
        recipient.params = vec![param("who", "Ada"), param("code", "summer 26")];
        self.app.messaging().messages().send_template(caller, template_send(SALE, vec![recipient])).await.unwrap();
        self.drain().await;
    }

    async fn strikes(self, kind: &str) {
        let fail = Fail { kind: kind.to_owned(), count: Some(1), code: Some(131_026), ..Fail::default() };
        self.sandbox().fail(self.tenant(), fail).await.unwrap();
    }

    async fn review_sale(self, review: Review) {
        self.sandbox().review(self.tenant(), Review { name: SALE.to_owned(), ..review }).await.unwrap();
        self.later(2).await;
    }
}

impl Selling for &World {}

/// The story: from a stranger's first message to a call.
async fn story(world: &World) {
    let operator = world.operator().await;
    world.make_sale().await;
    world.say(ADA, "hello").await;
    let assignment = Assignment { to: AssignTo::Operator(OPERATOR.to_owned()), from: None, take_over: false };
    world.app.inbox().conversations().assign(&operator, ADA.into(), assignment).await.unwrap();
    let first = world.payloads_of(EventType::Message).await[0]["whatsappMessageId"].as_str().unwrap().to_owned();
    let answer = SessionSend { reply_to: Some(first), ..text_send(ADA, "Hi Ada!") };
    let sent = world.app.messaging().messages().send(&operator, answer).await.unwrap();
    world.drain().await;
    world.later(60).await;
    let reply_to = world.message(sent.message.id).await.network_id;
    let say = Say { text: Some("I need a kettle".to_owned()), reply_to, ..Say::default() };
    world.sandbox().say(world.tenant(), ADA, say).await.unwrap();
    world.later(2).await;
    world.send_sale(&operator).await;
    world.later(60).await;
    world.sandbox().tap(world.tenant(), ADA, Tap { message: None, button: "No thanks".to_owned() }).await.unwrap();
    world.later(2).await;
    world.strikes("refuse").await;
    world.send_sale(&operator).await;
    world.strikes("fail").await;
    world.app.messaging().messages().send(&operator, text_send(ADA, "Sorry")).await.unwrap();
    world.drain().await;
    world.later(60).await;
    world.review_sale(Review { quality: Some("YELLOW".to_owned()), ..Review::default() }).await;
    world.review_sale(Review { category: Some("UTILITY".to_owned()), ..Review::default() }).await;
    let call = PlaceCall { seconds: Some(42), ..PlaceCall::default() };
    world.sandbox().call(world.tenant(), ADA, call).await.unwrap();
    world.later(1).await;
    world.later(120).await;
}

/// Replaces values that differ between runs.
fn settled(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(settled),
        Value::Array(all) => all.iter_mut().for_each(settled),
        Value::String(text) => {
            let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
            if (text.len() == 24 || text.len() == 36) && is_hex(text) {
                let shown = if text.len() == 24 { "[id]" } else { "[local id]" };
                shown.clone_into(text);
            }
            for beginning in ["http://switchboard.test/c/", "wamid.", "wacid.", "US.ENT."] {
                if text.starts_with(beginning) {
                    *text = format!("{beginning}[…]");
                }
            }
        }
        _ => {}
    }
}

/// The last event of a type; in this story it has the most members with a value.
fn last(all: &[PublishedEvent], kind: EventType) -> &PublishedEvent {
    all.iter().rev().find(|event| event.kind == kind).unwrap_or_else(|| panic!("{kind} was not published"))
}

/// Asserts that the sample of a type has every member of the real event, with the same JSON type if both have a value.
fn assert_sample_fits(event: &PublishedEvent) {
    let sample =
        domain::delivery::events::sample(event.kind, domain::Timestamp::from_seconds(1_776_000_000), None).unwrap();
    let sample: Value = serde_json::from_str(sample.payload()).unwrap();
    for (member, value) in event.payload.as_object().unwrap() {
        let shown = sample.get(member).unwrap_or_else(|| panic!("{}: the sample has no {member}", event.kind));
        let is_alike = std::mem::discriminant(shown) == std::mem::discriminant(value);
        assert!(is_alike || shown.is_null() || value.is_null(), "{}: {member} is {value}, sampled {shown}", event.kind);
    }
}

testkit::both_databases! {
    async fn every_event_is_caused_and_has_the_members_of_the_contract(world = business) {
        story(&world).await;
        let events = world.published().await;
        for kind in EventType::ALL.iter().copied().filter(|kind| !OTHERS.contains(kind)) {
            let event = last(&events, kind);
            assert_eq!(event.payload["eventType"], kind.name());
            let mut members = expected(kind);
            // The plain types leave `username` out if the person has no handle.
            members.retain(|member| member != "username" || kind.is_bsuid() || !event.payload["username"].is_null());
            let keys: Keys = serde_json::from_str(&event.text).unwrap();
            assert_eq!(keys.0, members, "{kind}");
            assert_sample_fits(event);
            let mut shown = event.payload.clone();
            settled(&mut shown);
            insta::allow_duplicates! { insta::assert_json_snapshot!(kind.name().replace('.', "_"), shown); }
        }
    }
}
