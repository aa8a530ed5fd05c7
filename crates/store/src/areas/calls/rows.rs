//! Calls as columns.

use domain::TenantId;
use domain::calls::{Call, Caller, Operator};

use crate::Params;
use crate::columns::record;

record! { Operator { id: "operator_id", email: "operator_email", name: "operator_name" } }

record! { Caller { contact_id, bsuid, parent_bsuid, username, wa_id } }

record! {
    Call {
        id,
        call_id,
        direction,
        status,
        from_number,
        to_number,
        started_at,
        answered_at,
        ended_at,
        end_reason,
        operator: Operator,
        team_name,
        caller: Caller,
        conversation_id,
        channel_id,
        channel_phone_number,
    }
}

/// The columns of a call, and those that follow from them: duration, facet, and the JSON text that shows it.
pub(super) fn bind<'a>(tenant: TenantId, call: &'a Call, doc: &'a str) -> Params<'a> {
    Params::of(tenant).and(call).with(call.duration_seconds()).with(call.facet()).with(doc)
}
