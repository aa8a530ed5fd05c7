//! The notifications as types. Their texts are free of NUL characters, which PostgreSQL refuses.

use std::fmt;

use domain::Timestamp;
use domain::calls::CallDirection;
use domain::messaging::messages::MessageState;

/// A person as a notification names one. The phone number may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Person {
    /// The phone number, as digits.
    pub wa_id: Option<String>,
    /// The BSUID (Business Solution User ID).
    pub user_id: Option<String>,
    pub parent_user_id: Option<String>,
    /// Without the `@`.
    pub username: Option<String>,
    pub name: Option<String>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    pub id: String,
    pub from: Person,
    pub at: Timestamp,
    /// `text`, `image`, … or a type that this version does not know.
    pub kind: String,
    /// Body, caption, or title of the tapped button; emoji of a reaction (absent when it was removed).
    pub text: Option<String>,
    /// The payload of the tapped button or row; the answers of a flow as JSON text.
    pub payload: Option<String>,
    /// The message that a reaction, edit or revocation refers to.
    pub target: Option<String>,
    pub media: Option<Media>,
    pub context: Option<Context>,
    pub group_id: Option<String>,
    /// Why the network could not deliver the content.
    pub error: Option<NetworkError>,
    /// The complete message object as JSON text.
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    pub id: String,
    pub mime_type: Option<String>,
    pub sha256: Option<String>,
    pub filename: Option<String>,
    /// A voice message, in contrast to an audio file.
    pub voice: bool,
}

/// What a message replies to, and whether it was forwarded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    pub id: Option<String>,
    pub from: Option<String>,
    pub forwarded: bool,
    pub frequently_forwarded: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub id: String,
    pub state: MessageState,
    /// The network's status text; `played` has the state `Read`.
    pub reported: String,
    pub at: Timestamp,
    pub recipient: Person,
    pub group_id: Option<String>,
    pub callback_data: Option<String>,
    pub error: Option<NetworkError>,
    /// JSON text.
    pub pricing: Option<String>,
    /// JSON text.
    pub conversation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkError {
    pub code: i64,
    pub title: Option<String>,
    pub message: Option<String>,
    pub details: Option<String>,
    pub href: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEventKind {
    Connect,
    Terminate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    Completed,
    Failed,
}

#[derive(Clone, PartialEq, Eq)]
pub struct CallEvent {
    pub id: String,
    pub event: CallEventKind,
    /// The person, as caller or as called.
    pub person: Person,
    pub direction: CallDirection,
    pub from: Option<String>,
    pub to: Option<String>,
    pub at: Timestamp,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// Seconds of talk.
    pub duration: Option<i64>,
    pub outcome: Option<CallOutcome>,
    pub error: Option<NetworkError>,
    pub callback_data: Option<String>,
    /// SDP of a connect notification.
    pub sdp: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallProgress {
    Ringing,
    Accepted,
    Rejected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallStatusReport {
    pub id: String,
    pub status: CallProgress,
    pub at: Timestamp,
    pub recipient: Person,
    pub callback_data: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentReport {
    /// The message with the order.
    pub message_id: Option<String>,
    /// The business's reference of the order.
    pub reference_id: String,
    pub at: Timestamp,
    pub recipient: Person,
    /// `captured`, `pending`, `failed`, …
    pub status: String,
    pub amount: Option<Amount>,
    pub currency: Option<String>,
    pub transaction: Option<Transaction>,
    pub callback_data: Option<String>,
    /// The complete status object as JSON text.
    pub content: String,
}

/// `value / offset` units of the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    pub value: i64,
    pub offset: i64,
}

/// One attempt to pay. A webhook may contain less than a look-up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transaction {
    pub id: Option<String>,
    /// The gateway: `razorpay`, `pix`, …
    pub kind: Option<String>,
    /// `pending`, `success`, `failed`
    pub status: Option<String>,
    /// `upi`, `card`, `wallet`, …
    pub method: Option<String>,
    pub amount: Option<Amount>,
    pub currency: Option<String>,
    pub error: Option<TransactionError>,
    pub created: Option<Timestamp>,
    pub updated: Option<Timestamp>,
    pub refunds: Vec<Refund>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionError {
    pub code: Option<String>,
    pub reason: Option<String>,
}

/// A refund. The payment keeps its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    pub id: String,
    /// `pending`, `completed`, `failed`
    pub status: String,
    pub amount: Option<Amount>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateStatusReport {
    pub id: String,
    pub name: String,
    pub language: String,
    /// `APPROVED`, `REJECTED`, `PAUSED`, …
    pub event: String,
    pub category: Option<String>,
    pub reason: Option<String>,
    pub detail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateQuality {
    pub id: String,
    pub name: String,
    pub language: String,
    pub previous: Option<String>,
    pub new: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateCategory {
    pub id: String,
    pub name: String,
    pub language: String,
    pub previous: Option<String>,
    /// The category in force.
    pub new: String,
    /// The future category, when the network only announces a change.
    pub correct: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberQuality {
    pub display_phone_number: String,
    /// `ONBOARDING`, `THROUGHPUT_UPGRADE`, `FLAGGED`, `UPGRADE`, …
    pub event: String,
    pub current_limit: Option<String>,
    pub previous_limit: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberName {
    pub display_phone_number: String,
    pub decision: String,
    pub requested_name: Option<String>,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountUpdate {
    /// `VERIFIED_ACCOUNT`, `DISABLED_UPDATE`, `ACCOUNT_VIOLATION`, `ACCOUNT_RESTRICTION`, …
    pub event: String,
    /// The complete `value` object as JSON text.
    pub content: String,
}

/// A person's phone number or BSUID changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserIdChange {
    /// The person after the change.
    pub person: Person,
    /// Earlier BSUIDs, including parent BSUIDs.
    pub previous: Vec<String>,
    pub previous_wa_id: Option<String>,
    pub at: Timestamp,
    /// The id of the system message with the change.
    pub message_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preference {
    pub person: Person,
    /// `marketing_messages`
    pub category: String,
    /// The network's value: `stop`, `resume` or `signup`.
    pub value: String,
    pub allowed: bool,
    pub at: Timestamp,
    pub detail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkClick {
    /// Usually empty: the network does not name the person.
    pub person: Person,
    pub message_id: Option<String>,
    /// `marketing_messages_link_click`, `landing_page_view`, …
    pub action: String,
    pub click_id: Option<String>,
    pub tracking_token: Option<String>,
    pub at: Timestamp,
    /// The complete action object as JSON text.
    pub content: String,
}

/// Omits the text of the message.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Message");
        shown.field("id", &self.id).field("from", &self.from).field("at", &self.at).field("kind", &self.kind);
        shown.field("context", &self.context).field("target", &self.target).field("media", &self.media);
        shown.field("group_id", &self.group_id).field("error", &self.error).finish_non_exhaustive()
    }
}

/// Omits the session description, which contains media keys.
impl fmt::Debug for CallEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("CallEvent");
        shown.field("id", &self.id).field("event", &self.event).field("person", &self.person);
        shown.field("direction", &self.direction).field("from", &self.from).field("to", &self.to);
        shown.field("at", &self.at).field("started", &self.started).field("ended", &self.ended);
        shown.field("duration", &self.duration).field("outcome", &self.outcome).field("error", &self.error);
        shown.field("callback_data", &self.callback_data).finish_non_exhaustive()
    }
}
