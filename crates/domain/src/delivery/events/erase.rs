//! Erasing a person from the log: a fact about the person keeps its numbers, and of its body only the members that say
//! nothing about the person beyond the ids and BSUIDs that stay.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Fact, FactKind};
use crate::{ConversationId, to_json};

/// An erased person, or several, as facts name them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedPerson {
    pub conversations: BTreeSet<ConversationId>,
    pub bsuids: BTreeSet<String>,
    /// Phone numbers in digits.
    pub phones: BTreeSet<String>,
}

/// With more names than this, a body is parsed instead of searched for each.
const MOST_SEARCHED: usize = 16;

/// The members of a body that stay. A network's id of a message does not: it contains the phone number.
const KEPT: [&str; 23] = [
    "assignedId",
    "assigneeId",
    "bsuid",
    "channelId",
    "channelPhoneNumber",
    "conversationId",
    "created",
    "failedCode",
    "forwarded",
    "frequentlyForwarded",
    "headerType",
    "id",
    "operatorEmail",
    "operatorName",
    "owner",
    "parentBsuid",
    "sourceType",
    "statusString",
    "templateId",
    "templateName",
    "ticketId",
    "timestamp",
    "type",
];
/// The member with what is known of a call, and the members of it that stay.
const METADATA: &str = "metadata";
const KEPT_OF_CALL: [&str; 6] = ["direction", "duration_seconds", "operator_id", "status", "team_name", "timestamp"];

impl ErasedPerson {
    pub fn add(&mut self, other: &Self) {
        self.conversations.extend(&other.conversations);
        self.bsuids.extend(other.bsuids.iter().cloned());
        self.phones.extend(other.phones.iter().cloned());
    }

    /// The body that replaces that of a fact about the person. None if the fact is not about the person, or has nothing
    /// to erase.
    pub fn erased_body(&self, fact: &Fact) -> Option<String> {
        if !names_person(fact.kind) || !self.may_be_about(fact) {
            return None;
        }
        let Ok(Value::Object(body)) = serde_json::from_str(&fact.body) else { return None };
        if !self.is_conversation_of(fact) && !self.is_named_in(&body) {
            return None;
        }
        let erased = to_json(&erase(fact.kind, body));
        (erased != fact.body).then_some(erased)
    }

    fn is_conversation_of(&self, fact: &Fact) -> bool {
        fact.conversation_id.is_some_and(|id| self.conversations.contains(&id))
    }

    /// Looks for the names in the text, so that most bodies need not be parsed.
    fn may_be_about(&self, fact: &Fact) -> bool {
        let mut names = self.bsuids.iter().chain(&self.phones);
        self.bsuids.len() + self.phones.len() > MOST_SEARCHED
            || self.is_conversation_of(fact)
            || names.any(|name| fact.body.contains(name.as_str()))
    }

    fn is_named_in(&self, body: &Map<String, Value>) -> bool {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let has_phone = |value: Option<&Value>| {
            text(value).is_some_and(|number| self.phones.contains(number.trim_start_matches('+')))
        };
        let call = body.get(METADATA);
        text(body.get("bsuid")).is_some_and(|bsuid| self.bsuids.contains(&bsuid))
            || has_phone(body.get("waId"))
            || ["from_number", "to_number"].iter().any(|name| has_phone(call.and_then(|call| call.get(name))))
    }
}

/// Whether facts of this kind say something about a person. Facts about orders are records of money without the person;
/// those about the work of the team have ids only.
const fn names_person(kind: FactKind) -> bool {
    match kind {
        FactKind::Received
        | FactKind::NewContact
        | FactKind::SessionSent
        | FactKind::SessionFailed
        | FactKind::TemplateSent
        | FactKind::TemplateFailed
        | FactKind::Delivered
        | FactKind::Read
        | FactKind::Replied
        | FactKind::Clicked
        | FactKind::Call => true,
        FactKind::TemplateReviewed
        | FactKind::TemplateQuality
        | FactKind::TemplateCategory
        | FactKind::PaymentCaptured
        | FactKind::OrderUpdated
        | FactKind::WebhookDefective
        | FactKind::InboxChanged => false,
    }
}

fn erase(kind: FactKind, body: Map<String, Value>) -> Map<String, Value> {
    let erased = |(name, value): (String, Value)| match (kind, value) {
        (_, value) if KEPT.contains(&name.as_str()) => Some((name, value)),
        // The members of a click are texts, never null, except for the person's.
        (FactKind::Clicked, Value::String(_)) if !["username", "waId"].contains(&name.as_str()) => {
            Some((name, Value::String(String::new())))
        }
        (FactKind::Call, Value::Object(mut call)) if name == METADATA => {
            call.retain(|name, _| KEPT_OF_CALL.contains(&name.as_str()));
            Some((name, Value::Object(call)))
        }
        _ => None,
    };
    body.into_iter().filter_map(erased).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::delivery::events::{EventType, FactCause, LoggedFact};
    use crate::{Id, Timestamp};

    const CONVERSATION: [u8; 12] = [3; 12];

    fn person() -> ErasedPerson {
        ErasedPerson {
            conversations: BTreeSet::from([Id::from_bytes(CONVERSATION)]),
            bsuids: BTreeSet::from(["US.1".to_owned()]),
            phones: BTreeSet::from(["14155552671".to_owned()]),
        }
    }

    fn fact(kind: FactKind, conversation: Option<[u8; 12]>, body: &Value) -> Fact {
        Fact {
            id: Id::from_bytes([1; 12]),
            kind,
            event_count: u32::try_from(kind.event_types().len()).unwrap(),
            at: Timestamp::from_seconds(1_776_000_000),
            channel_id: None,
            conversation_id: conversation.map(Id::from_bytes),
            contact_id: None,
            cause: FactCause::System,
            depth: 0,
            body: body.to_string(),
        }
    }

    fn message() -> Value {
        json!({
            "id": "m1", "bsuid": "US.1", "waId": "14155552671", "username": "ada", "senderName": "Ada Winter",
            "text": "My address is 1 Main Street", "data": "photo.jpg", "whatsappMessageId": "wamid.1",
            "type": "image", "conversationId": "c1", "operatorEmail": "grace@example.com",
        })
    }

    #[test]
    fn a_fact_is_found_by_its_conversation_its_bsuid_and_its_number() {
        for (conversation, name) in [(Some(CONVERSATION), ""), (None, "bsuid"), (None, "waId")] {
            let mut body = message();
            for other in ["bsuid", "waId"].iter().filter(|other| **other != name) {
                body[*other] = json!("another");
            }
            let erased = person().erased_body(&fact(FactKind::Received, conversation, &body)).unwrap();
            assert!(!["Ada", "ada", "Main", "photo", "wamid"].iter().any(|word| erased.contains(word)), "{erased}");
            assert!(!erased.contains("14155552671"), "{erased}");
            let again = fact(FactKind::Received, conversation, &serde_json::from_str(&erased).unwrap());
            assert_eq!(person().erased_body(&again), None, "there is nothing more to erase");
        }
    }

    #[test]
    fn many_people_are_erased_together() {
        let mut people = person();
        for number in 0..1000 {
            let phones = BTreeSet::from([format!("1212555{number:04}")]);
            people.add(&ErasedPerson { phones, ..ErasedPerson::default() });
        }
        let of = |phone: &str| {
            let mut body = message();
            (body["waId"], body["bsuid"]) = (json!(phone), json!("another"));
            people.erased_body(&fact(FactKind::Received, None, &body))
        };
        assert!(of("14155552671").is_some() && of("12125550999").is_some());
        assert_eq!(of("12125551000"), None);
    }

    #[test]
    fn facts_of_others_and_of_other_kinds_stay() {
        let mut body = message();
        body["bsuid"] = json!("US.2");
        body["waId"] = json!("14155552672");
        body["text"] = json!("Call 14155552671, or US.1");
        assert_eq!(person().erased_body(&fact(FactKind::Received, Some([4; 12]), &body)), None);
        let order = fact(FactKind::OrderUpdated, Some(CONVERSATION), &json!({"reference_id": "o1"}));
        assert_eq!(person().erased_body(&order), None);
        let broken = Fact { body: "14155552671".to_owned(), ..fact(FactKind::Received, None, &body) };
        assert_eq!(person().erased_body(&broken), None);
    }

    #[test]
    fn a_call_keeps_what_it_cost_and_not_who_was_called() {
        let metadata =
            json!({"from_number": "+14155552671", "to_number": "1", "status": "missed", "duration_seconds": 0});
        let body = json!({"call_id": "wacid.1", "metadata": metadata, "waId": null});
        let erased = person().erased_body(&fact(FactKind::Call, None, &body)).unwrap();
        let erased: Value = serde_json::from_str(&erased).unwrap();
        assert_eq!(erased, json!({"metadata": {"duration_seconds": 0, "status": "missed"}}));
    }

    #[test]
    fn an_erased_click_still_has_texts_and_its_numbers() {
        let body = json!({
            "id": "e1", "bsuid": "US.1", "parentBsuid": "US.ENT.1", "username": "ada", "waId": "14155552671",
            "text": "Hello Ada", "buttonUrl": "https://shop.example/ada", "localMessageId": "l",
            "templateName": "offer",
        });
        let mut clicked = fact(FactKind::Clicked, None, &body);
        clicked.body = person().erased_body(&clicked).unwrap();
        let events: Vec<_> = Arc::new(LoggedFact { fact: clicked, last: 9 }).events().collect();
        assert_eq!(events.iter().map(|event| event.number).collect::<Vec<_>>(), [8, 9]);
        assert_eq!(events[1].kind, EventType::CtaUrlClickedBsuid);
        let shown: Value = serde_json::from_str(events[1].payload()).unwrap();
        assert_eq!((&shown["bsuid"], &shown["parentBsuid"]), (&json!("US.1"), &json!("US.ENT.1")));
        assert_eq!((&shown["text"], &shown["buttonUrl"], &shown["username"]), (&json!(""), &json!(""), &Value::Null));
        assert!(shown.get("waId").is_none() && shown["templateName"] == "offer");
    }
}
