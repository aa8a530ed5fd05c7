//! What a message tells of whoever opens its links: one read of a message with its contact.

use domain::messages::{MessageOperator, TemplateParams};
use domain::{BroadcastId, ChannelId, ConversationId, MessageId, TemplateId, TenantId, TicketId};

use crate::columns::{columns, select};
use crate::{Db, Result, Statement, Tx, params, read};

static TOLD: Statement = Statement::new(
    "clicks.told",
    select!(
        Told,
        " FROM messages m LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
         WHERE m.tenant_id = $1 AND m.id = $2"
    ),
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
    pub params: Option<TemplateParams>,
    pub network_id: Option<String>,
    pub local_id: Option<String>,
    pub operator: Option<MessageOperator>,
    pub bsuid: Option<String>,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub phone: Option<String>,
}

columns! {
    Told {
        message_id: "m.id",
        channel_id: "m.channel_id",
        template_id: "m.template_id",
        broadcast_id: "m.broadcast_id",
        conversation_id: "m.conversation_id",
        ticket_id: "m.ticket_id",
        text: "m.text",
        params: "m.params",
        network_id: "m.network_id",
        local_id: "m.local_id",
        operator: "m.operator",
        bsuid: "c.bsuid",
        parent_bsuid: "c.parent_bsuid",
        username: "c.username",
        phone: "c.phone",
    }
}

pub async fn told(db: &Db, tenant: TenantId, message: MessageId) -> Result<Option<Told>> {
    db.row(&TOLD, params![tenant, message], read).await
}

pub async fn told_in(tx: &mut Tx<'_>, tenant: TenantId, message: MessageId) -> Result<Option<Told>> {
    tx.row(&TOLD, params![tenant, message], read).await
}
