//! The calls of a contact, newest first.

use domain::calls::CallFilter;
use domain::{CallId, ContactId, TenantId, Timestamp};

use super::list::upper_bound;
use crate::{Db, Param, Result, read};

statements! {
    OF_CONTACT = "SELECT doc, started_at, id FROM calls {indexed_by calls_contact}
        WHERE tenant_id = $1 AND contact_id = $2 AND started_at >= $3 AND (started_at, id) < ($4, $5)
            AND (direction = $6 OR CAST($6 AS TEXT) IS NULL) AND duration_seconds BETWEEN $7 AND $8
        ORDER BY started_at DESC, id DESC LIMIT $9";
}

/// A call of a contact: its JSON text and its position in the list.
pub type CallOfContact = (String, Timestamp, CallId);

/// The calls that the filter allows, up to its limit after its offset. Operator and outcome of the filter are ignored.
pub async fn of_contact(
    db: &Db,
    tenant: TenantId,
    contact: ContactId,
    filter: &CallFilter,
) -> Result<Vec<CallOfContact>> {
    let (before, before_id) = upper_bound(filter);
    let params: [Param<'_>; 9] = [
        tenant.into(),
        contact.into(),
        filter.from.map_or(i64::MIN, Timestamp::micros).into(),
        before.into(),
        before_id.map_or(Param::Bytes(&[]), Param::from),
        filter.direction.map(domain::calls::CallDirection::name).into(),
        filter.min_duration.unwrap_or(0).into(),
        filter.max_duration.unwrap_or(i64::MAX).into(),
        filter.limit.saturating_add(filter.offset).into(),
    ];
    db.rows(&OF_CONTACT, &params, read).await
}
