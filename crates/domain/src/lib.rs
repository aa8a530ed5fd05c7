//! Entities and their rules. No I/O, no async, no SQL, no HTTP.

pub mod automation;
pub mod base;
pub mod calls;
pub mod commerce;
pub mod delivery;
pub mod identity;
pub mod inbox;
pub mod messaging;
pub mod people;
pub mod platform;

pub use base::breaker::{BreakerSettings, BreakerState};
pub use base::change::Change;
pub use base::clock::Clock;
pub use base::field::{Field, FieldError, Place, Step};
pub use base::id::{
    AccountId, AlertId, AssigneeId, AuditEntryId, BroadcastId, CallId, CannedReplyId, ChannelId, ClickId,
    ConsentChangeId, ContactId, ConversationId, DeliveryId, EventId, FetchClaimId, Id, ImportId, JournalEntryId, JwtId,
    LabelId, MediaId, MergeId, MessageId, OpeningHoursId, OrderId, PasskeyId, PendingLogInId, RecipientId,
    RoutingRuleId, SegmentId, SessionId, TargetId, TeamId, TemplateChangeId, TemplateId, TicketId, TokenId, WebhookId,
};
pub use base::json::{push_json_line, to_json};
pub use base::tenant_id::TenantId;
pub use base::time::Timestamp;
