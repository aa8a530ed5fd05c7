//! The labels of a conversation.

use domain::messaging::conversations::Conversation;
use domain::messaging::messages::MessageOperator;
use domain::{ConversationId, Field, TenantId, Timestamp};
use store::Tx;

use super::{Conversations, author};
use crate::messaging::conversations::NO_CONVERSATION;
use crate::messaging::conversations::emit::emit_conversation;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::people::labels::LabelsWanted;
use crate::{ActsFor, Error, Result};

#[derive(Debug)]
struct LabelsRequest {
    tenant: TenantId,
    id: ConversationId,
    wanted: LabelsWanted,
    author: Option<MessageOperator>,
    now: Timestamp,
}

#[boxed::futures]
impl Conversations<'_> {
    /// Replaces the labels of a conversation, or adds and removes some. A label that does not exist is refused.
    pub async fn set_labels(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        wanted: LabelsWanted,
    ) -> Result<Conversation> {
        let tenant = caller.tenant();
        let id = find_conversation(self.0.db(), tenant, target).await?.id;
        let change = LabelsRequest { tenant, id, wanted, author: author(caller), now: self.0.now() };
        self.0.db().write(change, |tx, change| Box::pin(set(tx, change))).await
    }
}

async fn set(tx: &mut Tx<'_>, change: &LabelsRequest) -> Result<Conversation> {
    let LabelsRequest { tenant, id, wanted, author, now } = change;
    let labels = store::people::labels::list_in(tx, *tenant).await?;
    let wanted = wanted.change(&labels)?;
    let mut conversation =
        store::messaging::conversations::for_update(tx, *tenant, *id).await?.ok_or(NO_CONVERSATION)?;
    // Drops ids of labels that were removed.
    let present: Vec<_> =
        conversation.labels.iter().filter(|id| labels.iter().any(|label| label.id == **id)).copied().collect();
    let after = wanted.apply(&present).map_err(|error| Error::invalid(Field::Labels, error))?;
    if conversation.set_labels(after, *now) {
        store::messaging::conversations::set_labels(tx, *tenant, &conversation).await?;
        emit_conversation(tx, *tenant, &conversation, author.as_ref(), *now).await?;
    }
    Ok(conversation)
}
