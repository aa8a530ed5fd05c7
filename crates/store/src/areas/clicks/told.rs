//! What a message tells of whoever opens its links: one read of a message with its contact.

use domain::{BroadcastId, ChannelId, ConversationId, MessageId, TemplateId, TenantId, TicketId};

use crate::{Db, Result, Row, Statement, Tx, params};

static TOLD: Statement = Statement::new(
    "clicks.told",
    "SELECT m.id, m.channel_id, m.template_id, m.broadcast_id, m.conversation_id, m.ticket_id, m.text, m.params, m.network_id,
         m.local_id, m.operator, c.bsuid, c.parent_bsuid, c.username, c.phone
     FROM messages m LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
     WHERE m.tenant_id = $1 AND m.id = $2",
);

pub(super) static STATEMENTS: [&Statement; 1] = [&TOLD];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub message_id: MessageId,
    pub channel_id: ChannelId,
    pub template_id: Option<TemplateId>,
    pub broadcast_id: Option<BroadcastId>,
    pub conversation_id: Option<ConversationId>,
    pub ticket_id: Option<TicketId>,
    /// None when the person was erased.
    pub text: Option<String>,
    pub params: Option<String>,
    pub network_id: Option<String>,
    pub local_id: Option<String>,
    pub operator: Option<String>,
    pub bsuid: Option<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub phone: Option<String>,
}

fn read(row: &Row<'_>) -> Result<Told> {
    Ok(Told {
        message_id: row.id(0)?,
        channel_id: row.id(1)?,
        template_id: row.opt_id(2)?,
        broadcast_id: row.opt_id(3)?,
        conversation_id: row.opt_id(4)?,
        ticket_id: row.opt_id(5)?,
        text: row.opt_string(6)?,
        params: row.opt_string(7)?,
        network_id: row.opt_string(8)?,
        local_id: row.opt_string(9)?,
        operator: row.opt_string(10)?,
        bsuid: row.opt_string(11)?,
        parent_bsuid: row.opt_string(12)?,
        username: row.opt_string(13)?,
        phone: row.opt_string(14)?,
    })
}

pub async fn told(db: &Db, tenant: TenantId, message: MessageId) -> Result<Option<Told>> {
    db.row(&TOLD, params![tenant, message], read).await
}

pub async fn told_in(tx: &mut Tx<'_>, tenant: TenantId, message: MessageId) -> Result<Option<Told>> {
    tx.row(&TOLD, params![tenant, message], read).await
}
