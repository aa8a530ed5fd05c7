//! Changes the contact of orders when contacts are merged or erased.

use domain::{ContactId, ConversationId, TenantId};

use crate::{Result, Tx, params};

statements! {
    MOVE_TO_CONTACT = "UPDATE orders SET contact_id = $4 WHERE tenant_id = $1 AND contact_id = $3 AND message_id IN (
            SELECT m.id FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2)";
    /// Erases the texts of the network's reports about the contact's payments, because they name the person. The rows
    /// stay.
    ERASE_REPORTS = "UPDATE network_reports SET doc = '' WHERE tenant_id = $1 AND kind = 'payment' AND subject IN (
            SELECT o.reference_id FROM orders o WHERE o.tenant_id = $1 AND o.contact_id = $2)";
    CLEAR_CONTACT = "UPDATE orders SET contact_id = NULL WHERE tenant_id = $1 AND contact_id = $2";
}

/// Moves the orders of one conversation from one contact to another.
pub async fn move_to_contact(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: ConversationId,
    from: ContactId,
    to: ContactId,
) -> Result<()> {
    tx.execute(&MOVE_TO_CONTACT, params![tenant, conversation, from, to]).await.map(drop)
}

/// Removes the link from orders to the contact, and the texts of the network's reports about their payments. Orders and
/// their ledgers stay as records of money.
pub async fn erase_contact(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<()> {
    tx.execute(&ERASE_REPORTS, params![tenant, contact]).await?;
    tx.execute(&CLEAR_CONTACT, params![tenant, contact]).await.map(drop)
}
