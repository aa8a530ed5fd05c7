//! The effects of merging, separating and deleting contacts on their conversations, in the same transaction.

use domain::base::timers::TimerKind;
use domain::messaging::conversations::{Assignee, ConversationStatus};
use domain::{ContactId, ConversationId, TenantId, Timestamp};
use futures_util::future::BoxFuture;
use store::Tx;

use super::emit::emit_conversation;
use super::join::join;
use crate::Result;
use crate::people::contacts::{ContactFollower, ContactMove, ErasedTraces};

/// Conversations and messages follow their contacts.
#[derive(Debug)]
pub(crate) struct FollowContacts;

impl ContactFollower for FollowContacts {
    fn merged<'t>(&self, tx: &'t mut Tx<'_>, moved: ContactMove) -> BoxFuture<'t, Result<Vec<ConversationId>>> {
        Box::pin(move_to_kept(tx, moved.tenant, moved.from, moved.to, moved.now))
    }

    fn separated<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        given: &'t [ConversationId],
        moved: ContactMove,
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(move_back(tx, moved.tenant, given, moved.from, moved.to))
    }

    fn erased<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        tenant: TenantId,
        contacts: &'t [ContactId],
    ) -> BoxFuture<'t, Result<ErasedTraces>> {
        Box::pin(erase_of_contacts(tx, tenant, contacts))
    }
}

/// Moves the conversations of a merged contact to the kept one. Where the kept one has a conversation over the same
/// channel, both are joined. Returns the conversations that moved without a join, which `move_back` can move back.
async fn move_to_kept(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    merged: ContactId,
    kept: ContactId,
    now: Timestamp,
) -> Result<Vec<ConversationId>> {
    let mut given = Vec::new();
    for mut one in store::messaging::conversations::of_contact_for_update(tx, tenant, merged).await? {
        match store::messaging::conversations::with_contact_for_update(tx, tenant, kept, one.channel_id).await? {
            None => {
                one.contact_id = kept;
                store::messaging::conversations::update(tx, tenant, &one).await?;
                store::messaging::conversations::reassign(tx, tenant, one.id, kept).await?;
                given.push(one.id);
            }
            Some(theirs) => {
                store::messaging::conversations::reassign(tx, tenant, one.id, kept).await?;
                store::messaging::messages::move_to(tx, tenant, one.id, theirs.id).await?;
                let joined = join(&theirs, &one, now);
                store::messaging::conversations::join_into(tx, tenant, one.id, &joined).await?;
                if let Some(until) = joined.snoozed_until {
                    store::base::timers::set(tx, tenant, TimerKind::Snooze, joined.id, until).await?;
                }
                emit_conversation(tx, tenant, &joined, None, now).await?;
            }
        }
    }
    Ok(given)
}

/// Undoes `move_to_kept`: moves the conversations back to the separated contact. Joined conversations stay joined.
async fn move_back(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    given: &[ConversationId],
    kept: ContactId,
    back_to: ContactId,
) -> Result<()> {
    for id in given {
        let found = store::messaging::conversations::for_update(tx, tenant, *id).await?;
        if let Some(mut one) = found.filter(|one| one.contact_id == kept) {
            one.contact_id = back_to;
            store::messaging::conversations::update(tx, tenant, &one).await?;
            store::messaging::conversations::reassign(tx, tenant, *id, back_to).await?;
        }
    }
    Ok(())
}

/// Deletes the data of a contact: removes its conversations, stops its waiting messages that no sender has claimed, and
/// erases the content of all its messages, and the addresses and headers of its hits. Returns the conversations, and
/// the files that the messages had: their bytes may be outside the database, and may take long to delete. `ids` are the
/// contact's id and those of contacts that were merged into it.
async fn erase_of_contacts(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId]) -> Result<ErasedTraces> {
    let mut traces = ErasedTraces::default();
    for contact in ids {
        for one in store::messaging::conversations::of_contact_for_update(tx, tenant, *contact).await? {
            traces.files.extend(store::messaging::conversations::files(tx, tenant, one.id).await?);
            store::messaging::clicks::erase_person(tx, tenant, one.id).await?;
            store::messaging::conversations::erase(tx, tenant, one.id).await?;
            traces.conversations.push(one.id);
            let has_operator = matches!(one.assignee, Some(Assignee::Operator { .. }));
            traces.frees_operator |= has_operator && one.status == ConversationStatus::Open;
        }
        traces.files.extend(store::messaging::conversations::unattached_files(tx, tenant, *contact).await?);
        store::messaging::conversations::erase_unattached(tx, tenant, *contact).await?;
        store::messaging::broadcasts::erase_refusals(tx, tenant, *contact).await?;
    }
    Ok(traces)
}
