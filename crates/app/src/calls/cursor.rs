//! Cursors of the call log: the position of a call in the list.

use domain::{CallId, Id, TenantId, Timestamp};

use crate::base::cursor;
use crate::calls::Calls;

const AREA: &[u8] = b"calls";

pub(super) fn write(calls: &Calls, tenant: TenantId, (started_at, id): (Timestamp, CallId)) -> String {
    cursor::write(calls, tenant, AREA, &[&started_at.micros().to_be_bytes()[..], id.bytes()].concat())
}

pub(super) fn read(calls: &Calls, tenant: TenantId, text: &str) -> Option<(Timestamp, CallId)> {
    let position: [u8; 20] = cursor::read(calls, tenant, AREA, text)?;
    let (started_at, id) = position.split_at(8);
    let started_at = i64::from_be_bytes(started_at.try_into().ok()?);
    Some((Timestamp::from_micros(started_at), Id::from_bytes(id.try_into().ok()?)))
}
