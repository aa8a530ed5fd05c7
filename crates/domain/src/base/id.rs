//! Ids: 24 lower-case hex digits in the ObjectId layout (seconds, process, counter), so they sort by time.

use std::cmp;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Timestamp;
use crate::base::hex;

/// The id of a `K`. Ids of different kinds are different types over the same twelve bytes: swapping two is a compile
/// error.
///
/// ```
/// fn retry(delivery: domain::DeliveryId) {}
/// fn of_event(event: domain::EventId) {
///     retry(event.delivery());
/// }
/// ```
///
/// ```compile_fail
/// fn retry(delivery: domain::DeliveryId) {}
/// fn of_conversation(conversation: domain::ConversationId) {
///     retry(conversation);
/// }
/// ```
pub struct Id<K>([u8; 12], PhantomData<fn() -> K>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected 24 lower-case hex digits")]
pub struct NotAnId;

/// What an id is the id of. [`kind`] has all of them.
pub trait IdKind {
    /// The name of the id's type.
    const NAME: &'static str;
    /// The word in descriptions and errors.
    const NOUN: &'static str;
    const EXAMPLE: &'static str;
}

const EXAMPLE: &str = "69eb4e9a1f0c2d3e4a5b6c7d";

macro_rules! kinds {
    ($($(#[$doc:meta])* $alias:ident = $kind:ident $noun:literal $example:expr;)+) => {
        /// Marker types of ids; they have no values.
        pub mod kind {
            $($(#[$doc])* #[derive(Debug)] pub enum $kind {})+
        }
        $($(#[$doc])* pub type $alias = Id<kind::$kind>;)+
        $(impl IdKind for kind::$kind {
            const NAME: &'static str = stringify!($alias);
            const NOUN: &'static str = $noun;
            const EXAMPLE: &'static str = $example;
        })+
    };
}

kinds! {
    /// An account of the console. Operators are accounts.
    AccountId = Account "account" "69eb4e9a1f0c2d3e4a5b6c01";
    AlertId = Alert "alert" EXAMPLE;
    /// The assignee of a conversation: an operator's or a team's id.
    AssigneeId = Assignee "assignee" "69eb4e9a1f0c2d3e4a5b6c01";
    /// An entry of the audit log.
    AuditEntryId = AuditEntry "audit entry" EXAMPLE;
    BroadcastId = Broadcast "broadcast" EXAMPLE;
    CallId = Call "call" EXAMPLE;
    CannedReplyId = CannedReply "canned reply" EXAMPLE;
    ChannelId = Channel "channel" EXAMPLE;
    /// One recorded hit of a tracked link.
    ClickId = Click "click" EXAMPLE;
    /// A change of a contact's consent.
    ConsentChangeId = ConsentChange "consent change" EXAMPLE;
    ContactId = Contact "contact" "507f1f77bcf86cd799439011";
    ConversationId = Conversation "conversation" "685bd235e6119686e693a093";
    /// The delivery of an event to one endpoint; it has the bytes of the event's id.
    DeliveryId = Delivery "delivery" "69eb4e9a1f0c2d3e4a5b6c7e";
    EventId = Event "event" EXAMPLE;
    /// One run of the worker that claims received files to fetch.
    FetchClaimId = FetchClaim "claim" EXAMPLE;
    ImportId = Import "import" "507f1f77bcf86cd799439011";
    /// An entry of the inbound journal.
    JournalEntryId = JournalEntry "journal entry" EXAMPLE;
    /// A legacy JWT, its `jti`.
    JwtId = Jwt "token" EXAMPLE;
    LabelId = Label "label" EXAMPLE;
    MediaId = Media "file" EXAMPLE;
    /// A merge of two contacts.
    MergeId = Merge "merge" EXAMPLE;
    MessageId = Message "message" EXAMPLE;
    /// A schedule of opening hours.
    OpeningHoursId = OpeningHours "schedule" EXAMPLE;
    OrderId = Order "order" EXAMPLE;
    PasskeyId = Passkey "passkey" EXAMPLE;
    /// A log-in that waits for its second factor.
    PendingLogInId = PendingLogIn "log-in" EXAMPLE;
    /// A recipient of a broadcast: the id of its message, or its own if there is no message.
    RecipientId = Recipient "recipient" EXAMPLE;
    RoutingRuleId = RoutingRule "routing rule" EXAMPLE;
    SegmentId = Segment "segment" EXAMPLE;
    SessionId = Session "session" EXAMPLE;
    /// An id in a request: the look-up decides whether it is a contact's or a conversation's.
    TargetId = Target "target" EXAMPLE;
    TeamId = Team "team" EXAMPLE;
    /// A change of a template by a review.
    TemplateChangeId = TemplateChange "template change" EXAMPLE;
    TemplateId = Template "template" EXAMPLE;
    TicketId = Ticket "ticket" "685bd235e6119686e693a0aa";
    TokenId = Token "token" EXAMPLE;
    WebhookId = Webhook "webhook" EXAMPLE;
}

impl<K> Id<K> {
    /// Before all other ids.
    pub const LEAST: Self = Self::from_bytes([0; 12]);

    /// A new id. Ids of one process are unique up to 16 million in a second.
    pub fn new(now: Timestamp) -> Self {
        Self::first_of(now, 1)
    }

    /// The first of `many` new ids; `nth` gives the others.
    pub fn first_of(now: Timestamp, many: u32) -> Self {
        static COUNTER: OnceLock<AtomicU32> = OnceLock::new();
        static PROCESS: OnceLock<[u8; 5]> = OnceLock::new();
        let process = PROCESS.get_or_init(rand::random);
        let counter = COUNTER.get_or_init(|| AtomicU32::new(rand::random::<u32>() & 0x00ff_ffff));
        let count = counter.fetch_add(many, Ordering::Relaxed).to_be_bytes();
        let [_, s4, s5, s6, s7] = seconds_bytes(now);
        let [p0, p1, p2, p3, p4] = *process;
        Self::from_bytes([s4, s5, s6, s7, p0, p1, p2, p3, p4, count[1], count[2], count[3]])
    }

    /// The id at this offset, of several that were created at once.
    #[must_use]
    pub fn nth(&self, place: u32) -> Self {
        let mut bytes = self.0;
        let [.., high, middle, low] = bytes;
        let [_, counter @ ..] = u32::from_be_bytes([0, high, middle, low]).wrapping_add(place).to_be_bytes();
        bytes[9..].copy_from_slice(&counter);
        Self::from_bytes(bytes)
    }

    /// An id from given parts, for reproducible seeded data.
    pub fn seeded(at: Timestamp, entropy: u64) -> Self {
        let [_, s4, s5, s6, s7] = seconds_bytes(at);
        let [e0, e1, e2, e3, e4, e5, e6, e7] = entropy.to_be_bytes();
        Self::from_bytes([s4, s5, s6, s7, e0, e1, e2, e3, e4, e5, e6, e7])
    }

    /// A lower bound of all ids of this second and later ones, for ranges of time.
    pub fn first_of_second(at: Timestamp) -> Self {
        // Clamped to the seconds that ids can hold: other times must not wrap around.
        let seconds = at.seconds().clamp(0, u32::MAX.into());
        Self::seeded(Timestamp::from_seconds(seconds), 0)
    }

    /// The time of its creation, in seconds since 1970.
    pub fn second(&self) -> i64 {
        let [a, b, c, d, ..] = self.0;
        i64::from(u32::from_be_bytes([a, b, c, d]))
    }

    pub const fn from_bytes(bytes: [u8; 12]) -> Self {
        Self(bytes, PhantomData)
    }

    pub const fn bytes(&self) -> &[u8; 12] {
        &self.0
    }
}

impl EventId {
    /// The delivery of this event.
    pub const fn delivery(&self) -> DeliveryId {
        Id::from_bytes(self.0)
    }
}

impl DeliveryId {
    /// The delivered event.
    pub const fn event(&self) -> EventId {
        Id::from_bytes(self.0)
    }
}

impl TargetId {
    pub const fn contact(&self) -> ContactId {
        Id::from_bytes(self.0)
    }

    pub const fn conversation(&self) -> ConversationId {
        Id::from_bytes(self.0)
    }
}

impl From<ContactId> for TargetId {
    fn from(id: ContactId) -> Self {
        Self::from_bytes(id.0)
    }
}

impl From<MessageId> for RecipientId {
    fn from(id: MessageId) -> Self {
        Self::from_bytes(id.0)
    }
}

impl From<AccountId> for AssigneeId {
    fn from(id: AccountId) -> Self {
        Self::from_bytes(id.0)
    }
}

impl From<TeamId> for AssigneeId {
    fn from(id: TeamId) -> Self {
        Self::from_bytes(id.0)
    }
}

// Implemented by hand: a derive would require the same of `K`.
impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Id<K> {}

impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K> Eq for Id<K> {}

impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// The low five bytes of the seconds; the first is zero until the year 2106.
fn seconds_bytes(at: Timestamp) -> [u8; 5] {
    let [.., b3, b4, b5, b6, b7] = at.seconds().to_be_bytes();
    [b3, b4, b5, b6, b7]
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(const_hex::Buffer::<12>::new().format(&self.0))
    }
}

impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K> FromStr for Id<K> {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        hex::decode(text).map(Self::from_bytes).ok_or(NotAnId)
    }
}

impl<'de, K> serde::Deserialize<'de> for Id<K> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl<K> serde::Serialize for Id<K> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Id = ContactId;

    #[test]
    fn ids_are_unique_ordered_and_read_back() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let ids: Vec<Id> = (0..1000).map(|_| Id::new(now)).collect();
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len());
        assert!(Id::new(now.plus_seconds(1)) > ids[999]);
        assert_eq!(ids[7].to_string().parse::<Id>(), Ok(ids[7]));
    }

    #[test]
    fn ids_created_at_once_are_consecutive_and_unique() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let first = Id::first_of(now, 4);
        let several = [0, 1, 2, 3].map(|place| first.nth(place));
        assert_eq!(several[0], first);
        assert!(!several.contains(&Id::new(now)));
        let last = Id::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff, 0xff, 0xff]);
        assert_eq!(last.nth(1), Id::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0]));
    }

    #[test]
    fn bounds_of_times_that_ids_cannot_have() {
        assert_eq!(Id::first_of_second(Timestamp::from_seconds(-1)), Id::from_bytes([0; 12]));
        let far = Id::first_of_second(Timestamp::from_seconds(i64::from(u32::MAX) + 10));
        assert!(far > Id::new(Timestamp::from_seconds(1_776_000_000)));
    }

    #[test]
    fn other_shapes_are_refused() {
        for bad in
            ["", "507F1f77bcf86cd799439011", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g", "14155552671"]
        {
            assert_eq!(bad.parse::<Id>(), Err(NotAnId), "{bad}");
        }
    }

    #[test]
    fn an_id_begins_with_its_second_and_ends_with_its_entropy() {
        let at = Timestamp::from_seconds(0x1122_3344);
        assert_eq!(
            Id::seeded(at, 0x0102_0304_0506_0708),
            Id::from_bytes([0x11, 0x22, 0x33, 0x44, 1, 2, 3, 4, 5, 6, 7, 8])
        );
        assert_eq!(Id::seeded(at, 7).second(), 0x1122_3344);
        assert_eq!(Id::new(at).second(), 0x1122_3344);
        assert_eq!(Id::from_bytes([7; 12]).bytes(), &[7; 12]);
    }

    #[test]
    fn a_later_place_is_a_higher_number_in_the_same_second_and_process() {
        let first = Id::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0xfe]);
        for (place, counter) in [(0, [0, 0, 0xfe]), (1, [0, 0, 0xff]), (2, [0, 1, 0]), (0x1_0002, [1, 1, 0])] {
            let [a, b, c] = counter;
            assert_eq!(first.nth(place), Id::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, a, b, c]), "{place}");
        }
    }

    #[test]
    fn many_ids_at_once_are_not_given_out_again() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let several = Id::first_of(now, 1000);
        let next = Id::new(now);
        assert!((0..1000).all(|place| several.nth(place) != next));
    }

    #[test]
    fn the_first_of_a_second_is_below_every_id_of_it_and_above_those_before() {
        let at = Timestamp::from_micros(1_776_000_000_999_999);
        let bound = Id::first_of_second(at);
        assert!(bound <= Id::seeded(at, 0) && bound > Id::seeded(at.plus_seconds(-1), u64::MAX));
        assert_eq!(bound.second(), 1_776_000_000);
        assert_eq!(
            Id::first_of_second(Timestamp::from_seconds(i64::from(u32::MAX) + 10)).second(),
            i64::from(u32::MAX)
        );
    }

    #[test]
    fn an_id_is_shown_and_read_as_24_hex_digits() {
        let id = Id::from_bytes([0x50, 0x7f, 0x1f, 0x77, 0xbc, 0xf8, 0x6c, 0xd7, 0x99, 0x43, 0x90, 0x11]);
        let text = "507f1f77bcf86cd799439011";
        assert_eq!((id.to_string().as_str(), format!("{id:?}").as_str()), (text, text));
        assert_eq!(serde_json::to_value(id).unwrap(), text);
        assert_eq!(serde_json::from_value::<Id>(text.into()).unwrap(), id);
        assert!(serde_json::from_str::<Id>("\"507f\"").is_err());
    }
}
