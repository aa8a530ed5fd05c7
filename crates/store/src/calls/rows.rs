//! The columns of calls.

use domain::TenantId;
use domain::calls::{Call, CallOperator, CallParty};

use crate::Params;
use crate::base::columns::record;

record! { CallOperator { id: "operator_id", email: "operator_email", name: "operator_name" } }

record! { CallParty { contact_id, bsuid, parent_bsuid, username, wa_id } }

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
        operator: CallOperator,
        team_name,
        caller: CallParty,
        conversation_id,
        channel_id,
        channel_phone_number,
        talk_seconds,
    }
}

/// Binds the columns of a call, and those derived from them: duration, facet and JSON text.
pub(super) fn bind<'a>(tenant: TenantId, call: &'a Call, doc: &'a str) -> Params<'a> {
    Params::for_tenant(tenant).and(call).with(call.duration_seconds()).with(call.facet()).with(doc)
}
