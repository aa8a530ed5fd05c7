//! Emits events of the type `inboxChanged`, which open consoles follow, in the transaction of the change.

use domain::delivery::events::{Fact, FactCause, InboxChange, InboxSubject};
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::MessageOperator;
use domain::{TenantId, Timestamp};
use store::Tx;

use crate::Result;

pub(crate) async fn emit(tx: &mut Tx<'_>, tenant: TenantId, change: &InboxChange<'_>, now: Timestamp) -> Result<()> {
    crate::base::emit::emit(tx, tenant, &[Fact::inbox_changed(now.to_millis(), change)]).await
}

/// Emits that status, assignee, labels or snooze of a conversation have changed.
pub(crate) async fn emit_conversation(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: &Conversation,
    author: Option<&MessageOperator>,
    now: Timestamp,
) -> Result<()> {
    let change = InboxChange {
        conversation: Some(conversation),
        operator: author.and_then(|author| author.email.as_deref()),
        cause: FactCause::of(author),
        ..InboxChange::about(InboxSubject::Conversation)
    };
    emit(tx, tenant, &change, now).await
}
