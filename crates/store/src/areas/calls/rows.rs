//! Calls as columns.

use domain::TenantId;
use domain::calls::{Call, Caller, Operator};

use crate::{Error, Param, Result, Row};

pub(super) fn bind<'a>(tenant: TenantId, call: &'a Call, doc: &'a str) -> [Param<'a>; 26] {
    let operator = call.operator.as_ref();
    [
        tenant.into(),
        call.id.into(),
        (&call.call_id).into(),
        call.direction.name().into(),
        call.status.name().into(),
        (&call.from_number).into(),
        (&call.to_number).into(),
        call.started_at.into(),
        call.answered_at.into(),
        call.ended_at.into(),
        call.duration_seconds().into(),
        call.facet().into(),
        (&call.end_reason).into(),
        operator.map(|operator| operator.id).into(),
        operator.map(|operator| operator.email.as_str()).into(),
        operator.map(|operator| operator.name.as_str()).into(),
        (&call.team_name).into(),
        call.caller.contact_id.into(),
        (&call.caller.bsuid).into(),
        (&call.caller.parent_bsuid).into(),
        (&call.caller.username).into(),
        (&call.caller.wa_id).into(),
        call.conversation_id.into(),
        call.channel_id.into(),
        (&call.channel_phone_number).into(),
        doc.into(),
    ]
}

pub(super) fn call(row: &Row<'_>) -> Result<Call> {
    Ok(Call {
        id: row.id(0)?,
        call_id: row.string(1)?,
        direction: row.text(2)?.parse().map_err(|()| Error::Column(2))?,
        status: row.text(3)?.parse().map_err(|()| Error::Column(3))?,
        from_number: row.string(4)?,
        to_number: row.string(5)?,
        started_at: row.time(6)?,
        answered_at: row.opt_time(7)?,
        ended_at: row.opt_time(8)?,
        end_reason: row.opt_string(9)?,
        operator: operator(row)?,
        team_name: row.opt_string(13)?,
        caller: Caller {
            contact_id: row.opt_id(14)?,
            bsuid: row.opt_string(15)?,
            parent_bsuid: row.opt_string(16)?,
            username: row.opt_string(17)?,
            wa_id: row.opt_string(18)?,
        },
        conversation_id: row.opt_id(19)?,
        channel_id: row.opt_id(20)?,
        channel_phone_number: row.opt_string(21)?,
    })
}

fn operator(row: &Row<'_>) -> Result<Option<Operator>> {
    let Some(id) = row.opt_id(10)? else { return Ok(None) };
    Ok(Some(Operator { id, email: row.string(11)?, name: row.string(12)? }))
}
