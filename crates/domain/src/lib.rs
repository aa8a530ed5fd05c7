//! Entities and their rules. No I/O, no async, no SQL, no HTTP.

pub mod accounts;
pub mod activity;
pub mod alerts;
pub mod audit;
mod breaker;
pub mod broadcasts;
pub mod bsuid;
pub mod calls;
pub mod canned_replies;
pub mod change;
pub mod channels;
pub mod clicks;
pub mod clock;
pub mod contacts;
pub mod conversations;
pub mod events;
mod fold;
pub mod hex;
pub mod id;
pub mod idempotency;
pub mod imports;
mod json;
pub mod keys;
pub mod labels;
pub mod log_in;
pub mod log_in_tries;
pub mod member;
pub mod messages;
pub mod money;
mod named;
pub mod networks;
pub mod one_time_links;
pub mod orders;
pub mod pacing;
pub mod passwords;
pub mod payments;
pub mod permission;
pub mod phone;
pub mod plans;
pub mod quotas;
pub mod rate;
pub mod retention;
pub mod roles;
pub mod schema;
pub mod scopes;
pub mod second_factors;
pub mod suggest;
pub mod templates;
mod tenant_id;
pub mod tenants;
pub mod time;
pub mod tokens;
pub mod webhooks;
pub mod zone;

pub use breaker::{BreakerSettings, BreakerState};
pub use change::Change;
pub use clock::Clock;
pub use id::{
    AccountId, AlertId, AssigneeId, AuditEntryId, BroadcastId, CallId, CannedReplyId, ChannelId, ClickId,
    ConsentChangeId, ContactId, ConversationId, DeliveryId, EventId, FetchClaimId, Id, ImportId, JournalEntryId, JwtId,
    LabelId, MediaId, MergeId, MessageId, OrderId, PasskeyId, PendingLogInId, RecipientId, SegmentId, SessionId,
    TargetId, TeamId, TemplateChangeId, TemplateId, TicketId, TokenId, WebhookId,
};
pub use json::{push_json_line, to_json};
pub use member::MemberError;
pub use tenant_id::TenantId;
pub use time::Timestamp;
