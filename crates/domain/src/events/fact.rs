//! A fact, as it is stored, and the events that it is told as.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::value::RawValue;

use super::{EventType, Kind};
use crate::{ChannelId, ConversationId, EventId, Id, Timestamp};

/// Something that happened once, before it has its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Of its first event; those of the others follow.
    pub id: EventId,
    pub kind: Kind,
    /// How many events it is told as: the first so many types of its kind.
    pub width: u32,
    pub at: Timestamp,
    pub channel_id: Option<ChannelId>,
    pub conversation_id: Option<ConversationId>,
    /// One JSON object with the members of all its events.
    pub body: String,
}

/// Where a fact belongs, so that listeners can choose and order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub channel_id: Option<ChannelId>,
    pub conversation_id: Option<ConversationId>,
}

impl Fact {
    /// `body` is told the id of the first event.
    pub(super) fn new<B: Serialize>(
        kind: Kind,
        now: Timestamp,
        place: Place,
        knows_person: bool,
        body: impl FnOnce(EventId) -> B,
    ) -> Self {
        let width = if knows_person { kind.types().len() } else { kind.plain() };
        let width = u32::try_from(width).unwrap_or(1);
        let id = Id::first_of(now, width);
        Self {
            id,
            kind,
            width,
            at: now,
            channel_id: place.channel_id,
            conversation_id: place.conversation_id,
            body: serde_json::to_string(&body(id)).unwrap_or_else(|_| "{}".to_owned()),
        }
    }
}

/// A fact that has its place in the log of its tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    pub fact: Fact,
    /// The number of its last event; its events have this and those before it.
    pub last: i64,
}

impl Logged {
    /// The number of its first event.
    pub fn first(&self) -> i64 {
        self.last - i64::from(self.fact.width) + 1
    }

    /// Its events, in the order of their numbers.
    pub fn events(self: &Arc<Self>) -> impl Iterator<Item = Event> + use<> {
        let (of, first) = (Arc::clone(self), self.first());
        let types = self.fact.kind.types().iter().take(usize::try_from(self.fact.width).unwrap_or(0));
        (0..).zip(types).map(move |(place, kind)| Event {
            number: first + i64::from(place),
            id: of.fact.id.nth(place),
            kind: *kind,
            of: Arc::clone(&of),
            payload: Arc::default(),
        })
    }
}

/// One thing that integrators are told: a number without gaps in its tenant, an id, a type and a payload.
#[derive(Debug, Clone)]
pub struct Event {
    pub number: i64,
    pub id: EventId,
    pub kind: EventType,
    of: Arc<Logged>,
    /// Written when first asked for; whoever listens to the same event shares it.
    payload: Arc<OnceLock<String>>,
}

impl Event {
    pub fn at(&self) -> Timestamp {
        self.of.fact.at
    }

    pub fn channel_id(&self) -> Option<ChannelId> {
        self.of.fact.channel_id
    }

    pub fn conversation_id(&self) -> Option<ConversationId> {
        self.of.fact.conversation_id
    }

    /// The JSON text that is posted and pulled.
    pub fn payload(&self) -> &str {
        self.payload.get_or_init(|| render(self.kind, &self.of.fact.body))
    }
}

/// Picks the type's members out of the fact's.
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

/// Names of types and members need no escaping. Only the type itself is not in the fact.
fn write_member(out: &mut String, member: &str, value: Option<&str>, kind: EventType) {
    out.push('"');
    out.push_str(member);
    out.push_str("\":");
    if let Some(value) = value {
        out.push_str(value);
    } else {
        out.push('"');
        out.push_str(kind.name());
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(knows_person: bool) -> Fact {
        let body = |_| {
            serde_json::json!({"call_id": "c1", "metadata": {"status": "missed"}, "bsuid": "US.1",
            "parentBsuid": "US.ENT.2", "username": null, "waId": null})
        };
        Fact::new(Kind::Call, Timestamp::from_seconds(1_776_000_000), Place::default(), knows_person, body)
    }

    #[test]
    fn a_fact_has_as_many_numbers_and_ids_as_events() {
        let logged = Arc::new(Logged { last: 12, fact: fact(true) });
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
    fn of_an_unknown_person_only_the_plain_event_is_told() {
        let logged = Arc::new(Logged { last: 1, fact: fact(false) });
        assert_eq!(logged.events().map(|one| one.kind).collect::<Vec<_>>(), [EventType::CallStatus]);
    }

    #[test]
    fn an_event_knows_when_and_where_its_fact_happened() {
        let place = Place { channel_id: Some(Id::from_bytes([1; 12])), conversation_id: Some(Id::from_bytes([2; 12])) };
        let now = Timestamp::from_seconds(1_776_000_000);
        let fact = Fact::new(Kind::SessionSent, now, place, true, |id| serde_json::json!({ "id": id }));
        assert_eq!((fact.width, fact.kind), (4, Kind::SessionSent));
        assert_eq!(fact.body, format!(r#"{{"id":"{}"}}"#, fact.id), "the body is told the id of the first event");
        let logged = Arc::new(Logged { last: 10, fact });
        assert_eq!(logged.first(), 7);
        let events: Vec<Event> = logged.events().collect();
        assert_eq!(events.iter().map(|one| one.number).collect::<Vec<_>>(), [7, 8, 9, 10]);
        for (place, event) in (0..).zip(&events) {
            assert_eq!((event.at(), event.id), (now, logged.fact.id.nth(place)));
            assert_eq!(event.channel_id(), Some(Id::from_bytes([1; 12])));
            assert_eq!(event.conversation_id(), Some(Id::from_bytes([2; 12])));
        }
        let plain = Fact::new(Kind::SessionSent, now, Place::default(), false, |_| ());
        assert_eq!((plain.width, plain.channel_id, plain.conversation_id), (2, None, None));
    }

    #[test]
    fn a_body_that_is_no_object_makes_an_event_without_values() {
        let shown = render(EventType::PaymentCaptured, "nonsense");
        assert_eq!(
            shown,
            r#"{"eventType":"paymentCaptured","id":null,"created":null,"reference_id":null,"payment":null}"#
        );
    }
}
