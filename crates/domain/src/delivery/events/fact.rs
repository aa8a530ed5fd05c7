//! A fact as it is stored, and the events that it is published as.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::value::RawValue;

use super::{EventType, FactCause, FactKind};
use crate::{ChannelId, ContactId, ConversationId, EventId, Id, Timestamp};

/// Something that happened once, before it has its number in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The id of its first event; the ids of the others follow.
    pub id: EventId,
    pub kind: FactKind,
    /// The number of its events: it takes as many numbers of the log.
    pub event_count: u32,
    pub at: Timestamp,
    pub channel_id: Option<ChannelId>,
    pub conversation_id: Option<ConversationId>,
    /// The contact that the fact is about, if the code that emits it knows the contact.
    pub contact_id: Option<ContactId>,
    pub cause: FactCause,
    /// 0 for what a person or a program did; otherwise one more than that of the fact to which automation reacted.
    pub depth: i64,
    /// One JSON object with the members of all its events.
    pub body: String,
}

/// The channel and the conversation that a fact belongs to. Endpoints filter by the channel, and ordered delivery goes
/// by the conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FactScope {
    pub channel_id: Option<ChannelId>,
    pub conversation_id: Option<ConversationId>,
}

impl Fact {
    /// A fact with all events of its kind. `body` gets the id of the first event.
    pub(super) fn new<B: Serialize>(
        kind: FactKind,
        now: Timestamp,
        scope: FactScope,
        body: impl FnOnce(EventId) -> B,
    ) -> Self {
        Self::about_person(kind, now, scope, true, body)
    }

    /// A fact about a person, without the events that need a BSUID if that of the person is not known.
    pub(super) fn about_person<B: Serialize>(
        kind: FactKind,
        now: Timestamp,
        scope: FactScope,
        has_bsuid: bool,
        body: impl FnOnce(EventId) -> B,
    ) -> Self {
        let types = if has_bsuid { kind.event_types() } else { kind.without_bsuid() };
        let event_count = u32::try_from(types.len()).unwrap_or(1);
        let id = Id::first_of(now, event_count);
        Self {
            id,
            kind,
            event_count,
            at: now,
            channel_id: scope.channel_id,
            conversation_id: scope.conversation_id,
            contact_id: None,
            cause: kind.usual_cause(),
            depth: 0,
            body: crate::to_json(&body(id)),
        }
    }

    #[must_use]
    pub fn caused_by(self, cause: FactCause) -> Self {
        Self { cause, ..self }
    }

    #[must_use]
    pub fn about_contact(self, contact_id: Option<ContactId>) -> Self {
        Self { contact_id, ..self }
    }

    /// The types of its events, in the order of their numbers. The row stores only how many there are: fewer than the
    /// kind has means that the BSUID was not known.
    fn event_types(&self) -> &'static [EventType] {
        let all = self.kind.event_types();
        if usize::try_from(self.event_count) == Ok(all.len()) { all } else { self.kind.without_bsuid() }
    }
}

/// A fact that has its number in the log of its tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedFact {
    pub fact: Fact,
    /// The number of its last event; the earlier events have the numbers directly before it.
    pub last: i64,
}

impl LoggedFact {
    /// The number of its first event.
    pub fn first(&self) -> i64 {
        self.last - i64::from(self.fact.event_count) + 1
    }

    /// Its events, in the order of their numbers.
    pub fn events(self: &Arc<Self>) -> impl Iterator<Item = Event> + use<> {
        let (logged, first) = (Arc::clone(self), self.first());
        (0..).zip(self.fact.event_types()).map(move |(index, kind)| Event {
            number: first + i64::from(index),
            id: logged.fact.id.nth(index),
            kind: *kind,
            logged: Arc::clone(&logged),
            payload: Arc::default(),
        })
    }
}

/// Kinds of facts whose `data` may be the name of a file.
const FILES: [FactKind; 2] = [FactKind::Received, FactKind::SessionSent];

/// What integrators receive: a number (without gaps in its tenant), an id, a type and a payload.
#[derive(Debug, Clone)]
pub struct Event {
    pub number: i64,
    pub id: EventId,
    pub kind: EventType,
    logged: Arc<LoggedFact>,
    /// Rendered at its first use; all endpoints that receive the event share it.
    payload: Arc<OnceLock<String>>,
}

impl Event {
    pub fn at(&self) -> Timestamp {
        self.logged.fact.at
    }

    pub fn channel_id(&self) -> Option<ChannelId> {
        self.logged.fact.channel_id
    }

    pub fn conversation_id(&self) -> Option<ConversationId> {
        self.logged.fact.conversation_id
    }

    /// About how many bytes the event takes in memory, and its payload at most.
    pub fn bytes(&self) -> usize {
        self.logged.fact.body.len()
    }

    /// The JSON text that endpoints and readers of the log get.
    pub fn payload(&self) -> &str {
        self.payload.get_or_init(|| render(self.kind, &self.logged.fact.body))
    }

    /// The payload with the complete address of a file: the fact has the file's name alone, since the public address of
    /// an installation may change. `file_address` is what such an address begins with.
    pub fn payload_at(&self, file_address: &str) -> Cow<'_, str> {
        const DATA: &str = "\"data\":";
        let payload = self.payload();
        // Quotes inside of texts are escaped: the first occurrence is the member itself.
        let place = payload.find(DATA).map(|at| at + DATA.len());
        match place.filter(|at| payload[*at..].starts_with('"')) {
            Some(at) if FILES.contains(&self.logged.fact.kind) => {
                let (before, name) = payload.split_at(at + 1);
                Cow::Owned([before, file_address, name].concat())
            }
            _ => Cow::Borrowed(payload),
        }
    }
}

/// Selects the members of the event type from those of the fact.
pub(super) fn render(kind: EventType, body: &str) -> String {
    let known: HashMap<&str, &RawValue> = serde_json::from_str(body).unwrap_or_default();
    let mut out = String::with_capacity(body.len() + 64);
    out.push('{');
    for (member, may_be_absent) in kind.members() {
        let value = match (member, known.get(member)) {
            ("eventType", _) => Some(None),
            (_, Some(value)) if value.get() != "null" => Some(Some(value.get())),
            _ if may_be_absent => None,
            _ => Some(Some("null")),
        };
        let Some(value) = value else { continue };
        if out.len() > 1 {
            out.push(',');
        }
        write_member(&mut out, member, value, kind);
    }
    out.push('}');
    out
}

/// Writes one member; `eventType` is the only one whose value is not in the fact. Names of types and members need no
/// escaping.
fn write_member(out: &mut String, member: &str, value: Option<&str>, kind: EventType) {
    out.push('"');
    out.push_str(member);
    out.push_str("\":");
    if let Some(value) = value {
        // The fact has the code as a number, the payload shows it as text.
        let quote = if member == "failedCode" && value.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
            "\""
        } else {
            ""
        };
        out.push_str(quote);
        out.push_str(value);
        out.push_str(quote);
    } else {
        out.push('"');
        out.push_str(kind.name());
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(has_bsuid: bool) -> Fact {
        let body = |_| {
            serde_json::json!({"call_id": "c1", "metadata": {"status": "missed"}, "bsuid": "US.1",
            "parentBsuid": "US.ENT.2", "username": null, "waId": null})
        };
        Fact::about_person(
            FactKind::Call,
            Timestamp::from_seconds(1_776_000_000),
            FactScope::default(),
            has_bsuid,
            body,
        )
    }

    #[test]
    fn a_fact_has_as_many_numbers_and_ids_as_events() {
        let logged = Arc::new(LoggedFact { last: 12, fact: fact(true) });
        let events: Vec<Event> = logged.events().collect();
        assert_eq!(events.iter().map(|one| one.number).collect::<Vec<_>>(), [11, 12]);
        assert_eq!(events[1].id, logged.fact.id.nth(1));
        assert_eq!(
            events[0].payload(),
            r#"{"eventType":"call.status","call_id":"c1","metadata":{"status":"missed"},"bsuid":"US.1","parentBsuid":"US.ENT.2"}"#
        );
        assert_eq!(
            events[1].payload(),
            r#"{"eventType":"call.status_bsuid","bsuid":"US.1","parentBsuid":"US.ENT.2","username":null,"call_id":"c1","metadata":{"status":"missed"}}"#
        );
    }

    #[test]
    fn without_a_bsuid_there_is_only_the_event_that_needs_none() {
        let logged = Arc::new(LoggedFact { last: 1, fact: fact(false) });
        assert_eq!(logged.events().map(|one| one.kind).collect::<Vec<_>>(), [EventType::CallStatus]);
    }

    #[test]
    fn an_event_has_the_time_and_scope_of_its_fact() {
        let scope =
            FactScope { channel_id: Some(Id::from_bytes([1; 12])), conversation_id: Some(Id::from_bytes([2; 12])) };
        let now = Timestamp::from_seconds(1_776_000_000);
        let fact = Fact::new(FactKind::SessionSent, now, scope, |id| serde_json::json!({ "id": id }));
        assert_eq!((fact.event_count, fact.kind), (4, FactKind::SessionSent));
        assert_eq!(fact.body, format!(r#"{{"id":"{}"}}"#, fact.id), "the body has the id of the first event");
        let logged = Arc::new(LoggedFact { last: 10, fact });
        assert_eq!(logged.first(), 7);
        let events: Vec<Event> = logged.events().collect();
        assert_eq!(events.iter().map(|one| one.number).collect::<Vec<_>>(), [7, 8, 9, 10]);
        for (index, event) in (0..).zip(&events) {
            assert_eq!((event.at(), event.id), (now, logged.fact.id.nth(index)));
            assert_eq!(event.channel_id(), Some(Id::from_bytes([1; 12])));
            assert_eq!(event.conversation_id(), Some(Id::from_bytes([2; 12])));
        }
        let plain = Fact::about_person(FactKind::SessionSent, now, FactScope::default(), false, |_| ());
        assert_eq!((plain.event_count, plain.channel_id, plain.conversation_id), (2, None, None));
    }

    #[test]
    fn a_body_that_is_no_object_makes_an_event_without_values() {
        let rendered = render(EventType::PaymentCaptured, "nonsense");
        assert_eq!(
            rendered,
            r#"{"eventType":"paymentCaptured","id":null,"created":null,"reference_id":null,"payment":null}"#
        );
    }
}
