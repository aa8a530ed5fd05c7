//! Values stored in one column.

use domain::delivery::events::{EventType, EventTypes};
use domain::{Id, TenantId, Timestamp};

use super::{Bind, Params};
use crate::{Error, FromRow, Param, Result, Row};

/// Implements `FromRow` for types of one column.
macro_rules! reads {
    ($($type:ty: |$row:ident, $at:ident| $read:expr;)+) => {
        $(impl<'r> FromRow<'r> for $type {
            const WIDTH: usize = 1;

            fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self> {
                Self::optional(row, at)?.ok_or(Error::Column(at))
            }

            fn optional($row: &'r Row<'_>, $at: usize) -> Result<Option<Self>> {
                $read
            }
        })+
    };
}

reads! {
    i64: |row, at| row.opt_int(at);
    bool: |row, at| row.opt_bool(at);
    &'r str: |row, at| row.opt_text(at);
    &'r [u8]: |row, at| row.opt_bytes(at);
    String: |row, at| row.opt_string(at);
    Vec<u8>: |row, at| Ok(row.opt_bytes(at)?.map(<[u8]>::to_vec));
    Timestamp: |row, at| row.opt_time(at);
    TenantId: |row, at| Ok(row.opt_int(at)?.map(Self::from_number));
    u32: |row, at| row.opt_int(at)?.map(|value| value.try_into().map_err(|_| Error::Column(at))).transpose();
    domain::identity::tokens::TokenHash: |row, at| Ok(<[u8; 32]>::optional(row, at)?.map(Self));
    domain::identity::one_time_links::CodeHash: |row, at| Ok(<[u8; 32]>::optional(row, at)?.map(Self));
    [u8; 32]: |row, at| row.opt_bytes(at)?.map(|value| value.try_into().map_err(|_| Error::Column(at))).transpose();
}

impl<'r, K> FromRow<'r> for Id<K> {
    const WIDTH: usize = 1;

    fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self> {
        row.id(at)
    }

    fn optional(row: &'r Row<'_>, at: usize) -> Result<Option<Self>> {
        row.opt_id(at)
    }
}

macro_rules! binds {
    ($($type:ty: |$value:ident| $param:expr;)+) => {
        $(impl Bind for $type {
            fn bind<'a>(&'a self, to: &mut Params<'a>) {
                let $value = self;
                to.push($param);
            }
        })+
    };
}

binds! {
    i64: |value| *value;
    bool: |value| *value;
    String: |value| value;
    Vec<u8>: |value| value;
    [u8; 32]: |value| value;
    domain::identity::one_time_links::CodeHash: |value| &value.0;
    Timestamp: |value| *value;
    TenantId: |value| *value;
    u32: |value| i64::from(*value);
}

impl<K> Bind for Id<K> {
    fn bind<'a>(&'a self, to: &mut Params<'a>) {
        to.push(*self);
    }
}

/// Types stored as text, with their parser and writer. A text that cannot be parsed is an error of the column.
macro_rules! texts {
    ($($type:ty: |$text:ident| $parse:expr, |$value:ident| $write:expr;)+) => {
        reads! { $($type: |row, at| {
            let parse = |$text: &str| $parse;
            row.opt_text(at)?.map(|text| parse(text).ok_or(Error::Column(at))).transpose()
        };)+ }
        binds! { $($type: |$value| $write;)+ }
    };
}

/// Enums stored by name.
macro_rules! names {
    ($($type:ty),+ $(,)?) => {
        texts! { $($type: |text| text.parse().ok(), |value| value.name();)+ }
    };
}

/// Structs stored as JSON.
macro_rules! json {
    ($($type:ty),+ $(,)?) => {
        texts! { $($type: |text| serde_json::from_str(text).ok(),
            |value| Param::Owned(domain::to_json(value));)+ }
    };
}

/// Structs stored as JSON, where a text that this version cannot parse reads as absent: a later version may have
/// written it.
macro_rules! lenient_json {
    ($($type:ty),+ $(,)?) => {
        reads! { $($type: |row, at| Ok(row.opt_text(at)?.and_then(|text| serde_json::from_str(text).ok()));)+ }
        binds! { $($type: |value| Param::Owned(domain::to_json(value));)+ }
    };
}

names! {
    domain::automation::routing::OperatorPresence,
    domain::platform::activity::ActivityMetric,
    domain::platform::alerts::AlertKind,
    domain::platform::alerts::AlertStep,
    domain::messaging::messages::FetchFailure,
    domain::messaging::messages::FileStore,
    domain::calls::CallDirection,
    domain::calls::CallStatus,
    domain::messaging::clicks::ClickClass,
    domain::messaging::templates::TemplateChangeKind,
    domain::messaging::clicks::ClickSource,
    domain::messaging::conversations::ConversationStatus,
    domain::inbox::presence::PresenceState,
    EventType,
    domain::delivery::events::FactCause,
    domain::delivery::events::FactKind,
    domain::people::labels::LabelColor,
    domain::people::teams::AssignmentMethod,
    domain::messaging::messages::MessageDirection,
    domain::messaging::messages::HistoryKind,
    domain::messaging::messages::MessageState,
    domain::identity::memberships::Reach,
    domain::identity::one_time_links::LinkPurpose,
    domain::commerce::orders::OrderStatus,
    domain::commerce::payments::PaymentStatus,
    domain::platform::retention::RetentionKind,
    domain::identity::roles::Role,
    domain::identity::second_factors::LogInMethod,
    domain::messaging::templates::Category,
    domain::messaging::templates::TemplateStatus,
    domain::delivery::webhooks::DeliveryState,
    domain::delivery::webhooks::RedeliveryCause,
    domain::delivery::webhooks::WebhookStatus,
}

texts! {
    domain::people::consent_values::ConsentColumn: |text| Self::from_text(text),
        |value| Param::Owned(value.to_text());
    domain::people::contacts::identity::IdentityKind: |text| Self::named(text), |value| value.name();
    domain::people::imports::ImportStatus: |text| Self::named(text), |value| value.name();
    // Ignores names that a later version wrote: this version could not deliver such events.
    EventTypes: |text| Some(text.split_whitespace().filter_map(|name| name.parse().ok()).collect()),
        |value| Param::Owned(value.iter().map(EventType::name).collect::<Vec<_>>().join(" "));
    domain::identity::networks::Networks: |text| Self::from_text(text).ok(), |value| Param::Owned(value.to_text());
    domain::identity::scopes::ScopeSet: |text| Some(Self::from_text(text)), |value| Param::Owned(value.to_text());
}

json! {
    domain::platform::alerts::AlertSettings,
    domain::delivery::events::ErasedPerson,
    domain::people::segments::SegmentMembers,
    domain::automation::opening_hours::Schedule,
    domain::automation::routing::RoutingConditions,
    domain::automation::routing::RoutingTarget,
    domain::automation::routing::WaitingQueue,
    domain::commerce::orders::OrderDocument,
    domain::commerce::payments::Ledger,
    domain::messaging::templates::Content,
    Vec<domain::people::contacts::CustomParam>,
    Vec<domain::people::contacts::Team>,
    std::collections::BTreeSet<domain::people::teams::Language>,
    std::collections::BTreeSet<domain::LabelId>,
    Vec<domain::SegmentId>,
    Vec<domain::LabelId>,
    Vec<domain::MediaId>,
}

lenient_json! {
    domain::messaging::messages::MessageFailure,
    domain::messaging::messages::MessageOperator,
    domain::messaging::messages::TemplateParams,
    domain::delivery::webhooks::AttemptTrace,
}
