//! The message and contact behind a link: the redirect and the event read it with the same statement.

use domain::messaging::messages::{MessageOperator, TemplateParams};
use domain::{BroadcastId, ChannelId, ConversationId, MessageId, TemplateId, TenantId, TicketId};

use crate::base::columns::{columns, listed, select};
use crate::{Db, Result, Tx, params, read};

statements! {
    CONTEXT = select!(
        ClickContext,
        " FROM messages m LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
         WHERE m.tenant_id = $1 AND m.id = $2"
    );
    /// Locks the rows, so that an erasure waits until the hits of the messages are stored.
    WITH_CONTENT = "SELECT m.id
        FROM {sqlite json_each($2) listed CROSS JOIN messages m ON m.tenant_id = $1 AND m.id = unhex(listed.value)
            WHERE m.text IS NOT NULL}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
            JOIN messages m ON m.tenant_id = $1 AND m.id = decode(listed.value, 'hex')
            WHERE m.text IS NOT NULL ORDER BY m.id FOR SHARE OF m}";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClickContext {
    pub message_id: MessageId,
    pub channel_id: ChannelId,
    pub template_id: Option<TemplateId>,
    pub broadcast_id: Option<BroadcastId>,
    pub conversation_id: Option<ConversationId>,
    pub ticket_id: Option<TicketId>,
    /// None after the contact was erased.
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
    ClickContext {
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

pub async fn click_context(db: &Db, tenant: TenantId, message: MessageId) -> Result<Option<ClickContext>> {
    db.row(&CONTEXT, params![tenant, message], read).await
}

/// Which of these messages have their content: the contact was not erased. They keep it until the transaction ends.
pub async fn with_content(tx: &mut Tx<'_>, tenant: TenantId, messages: &[MessageId]) -> Result<Vec<MessageId>> {
    tx.rows(&WITH_CONTENT, params![tenant, &listed(messages)], read).await
}

pub async fn click_context_in(tx: &mut Tx<'_>, tenant: TenantId, message: MessageId) -> Result<Option<ClickContext>> {
    tx.row(&CONTEXT, params![tenant, message], read).await
}
