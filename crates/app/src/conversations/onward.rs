//! What merging, parting and deleting contacts does to their conversations, in the transaction that does it.

use domain::{ContactId, ConversationId, TenantId, Timestamp};
use store::Tx;

use super::join::joined;
use crate::Result;

/// The conversations of a contact that was merged are with the kept one from now on. Where it has one over the same
/// channel, both become one. Answers those that changed hands as they were: they can go back.
pub(crate) async fn follow(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    merged: ContactId,
    kept: ContactId,
    now: Timestamp,
) -> Result<Vec<ConversationId>> {
    let mut given = Vec::new();
    for mut one in store::conversations::of_contact_held(tx, tenant, merged).await? {
        store::orders::move_to_contact(tx, tenant, one.id, merged, kept).await?;
        match store::conversations::with(tx, tenant, kept, one.channel_id).await? {
            None => {
                one.contact_id = kept;
                store::conversations::update(tx, tenant, &one).await?;
                store::conversations::give(tx, tenant, one.id, kept).await?;
                given.push(one.id);
            }
            Some(theirs) => {
                store::conversations::give(tx, tenant, one.id, kept).await?;
                store::messages::move_to(tx, tenant, one.id, theirs.id).await?;
                store::conversations::update(tx, tenant, &joined(&theirs, &one, now)).await?;
                store::conversations::remove(tx, tenant, one.id).await?;
            }
        }
    }
    Ok(given)
}

/// A merge is undone: what it gave to the kept contact goes back to the other one. What it joined stays joined.
pub(crate) async fn part(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    given: &[ConversationId],
    kept: ContactId,
    back_to: ContactId,
) -> Result<()> {
    for id in given {
        let found = store::conversations::held(tx, tenant, *id).await?;
        if let Some(mut one) = found.filter(|one| one.contact_id == kept) {
            one.contact_id = back_to;
            store::conversations::update(tx, tenant, &one).await?;
            store::conversations::give(tx, tenant, *id, back_to).await?;
            store::orders::move_to_contact(tx, tenant, *id, kept, back_to).await?;
        }
    }
    Ok(())
}

/// A contact is deleted: its conversations go, what waits for it is stopped, and nothing that was said stays. Its orders
/// and payments stay as records of money, without whose they were. `ids` are its own and those of contacts that were
/// merged into it.
pub(crate) async fn erase(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId]) -> Result<()> {
    for contact in ids {
        for one in store::conversations::of_contact_held(tx, tenant, *contact).await? {
            store::clicks::erase_person(tx, tenant, one.id).await?;
            store::conversations::erase(tx, tenant, one.id).await?;
        }
        store::conversations::erase_loose(tx, tenant, *contact).await?;
        store::broadcasts::forget(tx, tenant, *contact).await?;
        store::orders::erase_contact(tx, tenant, *contact).await?;
    }
    Ok(())
}
