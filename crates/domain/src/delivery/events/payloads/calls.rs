//! Calls, as they are at the time of the fact.

use serde::Serialize;

use super::EventPerson;
use crate::calls::{Call, CallDirection};
use crate::delivery::events::fact::FactScope;
use crate::delivery::events::{Fact, FactCause, FactKind};
use crate::{AccountId, Timestamp};

#[derive(PartialEq, Eq, Serialize)]
struct Body<'a> {
    call_id: &'a str,
    metadata: Metadata<'a>,
    #[serde(flatten)]
    person: EventPerson,
}

#[derive(PartialEq, Eq, Serialize)]
struct Metadata<'a> {
    direction: &'static str,
    status: &'static str,
    from_number: &'a str,
    to_number: &'a str,
    duration_seconds: i64,
    timestamp: String,
    operator_id: Option<AccountId>,
    team_name: Option<&'a str>,
}

impl Fact {
    pub fn call(now: Timestamp, call: &Call) -> Self {
        let scope = FactScope { channel_id: call.channel_id, conversation_id: call.conversation_id };
        let timestamp = super::seconds(call.ended_at.or(call.answered_at).unwrap_or(call.started_at));
        let cause = match call.direction {
            CallDirection::Inbound => FactCause::Person,
            CallDirection::Outbound => FactCause::Operator,
        };
        let has_bsuid = call.caller.bsuid.is_some();
        let fact = Self::about_person(FactKind::Call, now, scope, has_bsuid, |_| body(call, timestamp));
        fact.caused_by(cause).about_contact(call.caller.contact_id)
    }

    /// The fact of a changed call. None when the payload would be the same but for its timestamp: reports from clocks
    /// that differ are no change.
    pub fn call_changed(now: Timestamp, before: &Call, after: &Call) -> Option<Self> {
        let without_time = |call| body(call, String::new());
        (without_time(before) != without_time(after)).then(|| Self::call(now, after))
    }
}

fn body(call: &Call, timestamp: String) -> Body<'_> {
    let caller = &call.caller;
    Body {
        call_id: &call.call_id,
        metadata: Metadata {
            direction: call.direction.name(),
            status: call.status.name(),
            from_number: &call.from_number,
            to_number: &call.to_number,
            duration_seconds: call.duration_seconds(),
            timestamp,
            operator_id: call.operator.as_ref().map(|operator| operator.id),
            team_name: call.team_name.as_deref(),
        },
        person: EventPerson {
            bsuid: caller.bsuid.clone(),
            parent_bsuid: caller.parent_bsuid.clone(),
            username: caller.username.clone(),
            wa_id: caller.wa_id.clone(),
        },
    }
}
