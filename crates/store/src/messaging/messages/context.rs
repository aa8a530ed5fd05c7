//! Messages with what their events also contain: the contact, the assignee of the conversation, the name of the file.
//! One statement reads them for all given messages.

use domain::delivery::events::EventPerson;
use domain::{AccountId, MessageId, TenantId};

use super::Message;
use crate::base::columns::{columns, listed, select};
use crate::{Result, Tx, params, read};

statements! {
    /// Locks the messages until the transaction ends: which events follow depends on the state before.
    CONTEXT = select!(
        MessageContext,
        " FROM {sqlite json_each($2) listed CROSS JOIN messages m ON m.tenant_id = $1 AND m.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN messages m ON m.tenant_id = $1 AND m.id = decode(listed.value, 'hex')}
         LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
         LEFT JOIN conversations v ON v.tenant_id = $1 AND v.id = m.conversation_id
         LEFT JOIN media f ON f.tenant_id = $1 AND f.id = m.media_id
         {postgres FOR UPDATE OF m}"
    );
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageContext {
    pub message: Message,
    /// Empty when the contact was deleted.
    pub person: EventPerson,
    /// The operator to whom the conversation is assigned.
    pub assignee_id: Option<AccountId>,
    /// Name of the stored file that the message has.
    pub file_name: Option<String>,
}

columns! { EventPerson { bsuid: "c.bsuid", parent_bsuid: "c.parent_bsuid", username: "c.username", wa_id: "c.phone" } }

columns! {
    MessageContext {
        message: (Message as "m"),
        person: EventPerson,
        assignee_id: "CASE WHEN v.assignee = 'operator' THEN v.assignee_id END",
        file_name: "f.file_name",
    }
}

/// The messages that exist, in any order. Locks them until the transaction ends.
pub async fn load_context(tx: &mut Tx<'_>, tenant: TenantId, ids: &[MessageId]) -> Result<Vec<MessageContext>> {
    tx.rows(&CONTEXT, params![tenant, &listed(ids)], read).await
}
