//! The effects of merging, separating and deleting contacts on their orders, in the same transaction. Orders are found
//! by the conversations that their messages are in, so they follow before the conversations do.

use domain::{ContactId, ConversationId, TenantId};
use futures_util::future::BoxFuture;
use store::Tx;

use crate::Result;
use crate::people::contacts::{ContactFollower, ContactMove, ErasedTraces};

/// Orders follow their contacts.
#[derive(Debug)]
pub(crate) struct FollowContacts;

impl ContactFollower for FollowContacts {
    fn merged<'t>(&self, tx: &'t mut Tx<'_>, moved: ContactMove) -> BoxFuture<'t, Result<Vec<ConversationId>>> {
        Box::pin(async move {
            for one in store::messaging::conversations::of_contact_for_update(tx, moved.tenant, moved.from).await? {
                store::commerce::orders::move_to_contact(tx, moved.tenant, one.id, moved.from, moved.to).await?;
            }
            Ok(Vec::new())
        })
    }

    fn separated<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        given: &'t [ConversationId],
        moved: ContactMove,
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            for id in given {
                let found = store::messaging::conversations::for_update(tx, moved.tenant, *id).await?;
                if found.is_some_and(|one| one.contact_id == moved.from) {
                    store::commerce::orders::move_to_contact(tx, moved.tenant, *id, moved.from, moved.to).await?;
                }
            }
            Ok(())
        })
    }

    /// Orders and payments stay as records of money, without the person.
    fn erased<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        tenant: TenantId,
        contacts: &'t [ContactId],
    ) -> BoxFuture<'t, Result<ErasedTraces>> {
        Box::pin(async move {
            for contact in contacts {
                store::commerce::orders::erase_contact(tx, tenant, *contact).await?;
            }
            Ok(ErasedTraces::default())
        })
    }
}
