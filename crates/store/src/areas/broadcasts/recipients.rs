//! Recipients of a broadcast: those to whom a message leaves or left, and those to whom none was ever meant to.

use domain::messages::State;
use domain::{BroadcastId, ContactId, MessageId, TenantId, Timestamp};

use super::Refused;
use crate::{Db, Error, Result, Row, Statement, params};

pub(super) static MESSAGES: Statement = Statement::new(
    "broadcasts.recipients",
    "SELECT c.name, c.phone, c.bsuid, m.id, m.contact_id, m.state, m.error, m.local_id, m.params, m.created_at
     FROM messages m {indexed_by messages_broadcast}
     LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
     WHERE m.tenant_id = $1 AND m.broadcast_id = $2 ORDER BY m.id LIMIT $3 OFFSET $4",
);
pub(super) static REFUSALS: Statement = Statement::new(
    "broadcast_refusals.list",
    "SELECT c.name, c.phone, c.bsuid, r.place, r.target, r.contact_id, r.local_id, r.code, r.reason, r.params
     FROM broadcast_refusals r
     LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = r.contact_id
     WHERE r.tenant_id = $1 AND r.broadcast_id = $2 ORDER BY r.place LIMIT $3 OFFSET $4",
);

/// Who it is, as far as it is known now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub phone: Option<String>,
    pub bsuid: String,
}

/// One with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// Of the message.
    pub id: MessageId,
    pub contact_id: Option<ContactId>,
    pub person: Option<Person>,
    pub state: State,
    /// JSON of what went wrong.
    pub error: Option<String>,
    pub local_id: Option<String>,
    pub params: Option<String>,
    pub created_at: Timestamp,
}

fn person(row: &Row<'_>) -> Result<Option<Person>> {
    let Some(name) = row.opt_string(0)? else { return Ok(None) };
    Ok(Some(Person { name, phone: row.opt_string(1)?, bsuid: row.string(2)? }))
}

fn recipient(row: &Row<'_>) -> Result<Recipient> {
    Ok(Recipient {
        person: person(row)?,
        id: row.id(3)?,
        contact_id: row.opt_id(4)?,
        state: row.text(5)?.parse().map_err(|()| Error::Column(5))?,
        error: row.opt_string(6)?,
        local_id: row.opt_string(7)?,
        params: row.opt_string(8)?,
        created_at: row.time(9)?,
    })
}

fn refused(row: &Row<'_>) -> Result<(Refused, Option<Person>)> {
    let refused = Refused {
        place: row.int(3)?,
        target: row.string(4)?,
        contact_id: row.opt_id(5)?,
        local_id: row.opt_string(6)?,
        code: row.int(7)?,
        reason: row.string(8)?,
        params: row.opt_string(9)?,
    };
    Ok((refused, person(row)?))
}

/// In the order in which they were given.
pub async fn recipients(
    db: &Db,
    tenant: TenantId,
    broadcast: BroadcastId,
    limit: i64,
    offset: i64,
) -> Result<Vec<Recipient>> {
    db.rows(&MESSAGES, params![tenant, broadcast, limit, offset], recipient).await
}

/// In the order in which they were given.
pub async fn refusals(
    db: &Db,
    tenant: TenantId,
    broadcast: BroadcastId,
    limit: i64,
    offset: i64,
) -> Result<Vec<(Refused, Option<Person>)>> {
    db.rows(&REFUSALS, params![tenant, broadcast, limit, offset], refused).await
}
