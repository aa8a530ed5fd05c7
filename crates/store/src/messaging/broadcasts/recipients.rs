//! Recipients of a broadcast: those with a message, and those who were refused.

use domain::messaging::messages::{MessageFailure, MessageState, TemplateParams};
use domain::{BroadcastId, ContactId, MessageId, TenantId, Timestamp};

use super::rows::RefusedRecipient;
use crate::base::columns::{Columns, columns, select};
use crate::{Db, Result, Row, params, read};

statements! {
    MESSAGES = select!(
        MessageRecipient,
        " FROM messages m {indexed_by messages_broadcast}
         LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
         WHERE m.tenant_id = $1 AND m.broadcast_id = $2 ORDER BY m.id LIMIT $3 OFFSET $4"
    );
    OF_STATES = select!(
        MessageRecipient,
        " FROM messages m {indexed_by messages_broadcast}
         LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
         WHERE m.tenant_id = $1 AND m.broadcast_id = $2
             AND {sqlite instr($3, ',' || m.state || ',')}{postgres strpos($3, ',' || m.state || ',')} > 0
         ORDER BY m.id LIMIT $4"
    );
    REFUSALS = select!(RefusedRecipient as "r", ", ", RecipientContact::COLUMNS, "
     FROM broadcast_refusals r
     LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = r.contact_id
     WHERE r.tenant_id = $1 AND r.broadcast_id = $2 ORDER BY r.place LIMIT $3 OFFSET $4");
}

/// The recipient's contact as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientContact {
    pub name: String,
    pub username: Option<String>,
    pub phone: Option<String>,
    pub bsuid: String,
}

columns! { RecipientContact { name: "c.name", username: "c.username", phone: "c.phone", bsuid: "c.bsuid" } }

/// A recipient with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRecipient {
    pub id: MessageId,
    pub contact_id: Option<ContactId>,
    pub contact: Option<RecipientContact>,
    pub state: MessageState,
    pub error: Option<MessageFailure>,
    pub local_id: Option<String>,
    /// None until the network accepted the message.
    pub network_id: Option<String>,
    pub params: Option<TemplateParams>,
    pub created_at: Timestamp,
}

columns! {
    MessageRecipient {
        contact: RecipientContact,
        id: "m.id",
        contact_id: "m.contact_id",
        state: "m.state",
        error: "m.error",
        local_id: "m.local_id",
        network_id: "m.network_id",
        params: "m.params",
        created_at: "m.created_at",
    }
}

/// Recipients with a message, in the order of the request.
pub async fn recipients(
    db: &Db,
    tenant: TenantId,
    broadcast: BroadcastId,
    limit: i64,
    offset: i64,
) -> Result<Vec<MessageRecipient>> {
    db.rows(&MESSAGES, params![tenant, broadcast, limit, offset], read).await
}

/// Recipients whose messages have one of these states, in the order of the request. May take long: it reads every
/// message of the broadcast.
pub async fn recipients_of_states(
    db: &Db,
    tenant: TenantId,
    broadcast: BroadcastId,
    states: &[MessageState],
    limit: i64,
) -> Result<Vec<MessageRecipient>> {
    let names: Vec<&str> = states.iter().map(|state| state.name()).collect();
    let (listed, mut found) = (format!(",{},", names.join(",")), Vec::new());
    let visit = |row: &Row<'_>| {
        found.push(read(row)?);
        Ok(())
    };
    db.long_each(&OF_STATES, params![tenant, broadcast, &listed, limit], visit).await?;
    Ok(found)
}

/// Refused recipients, in the order of the request.
pub async fn refusals(
    db: &Db,
    tenant: TenantId,
    broadcast: BroadcastId,
    limit: i64,
    offset: i64,
) -> Result<Vec<(RefusedRecipient, Option<RecipientContact>)>> {
    db.rows(&REFUSALS, params![tenant, broadcast, limit, offset], read).await
}
