//! Merging two contacts into one, and undoing it.

use domain::people::contacts::identity::{Identity, IdentityKind, add_sighting, former_ids};
use domain::people::contacts::{Contact, Merge, TargetRef, combine, divide, restore, separate};
use domain::{ContactId, ConversationId, Field, Id, MergeId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;

use super::followers::{ContactFollowers, ContactMove};
use super::{Contacts, find_for_update, target};
use crate::{ActsFor, Error, Result, Thing};

/// Both contacts as they were before the merge, for undoing it.
#[derive(Debug, Serialize, Deserialize)]
struct Before {
    kept: Contact,
    kept_by: Vec<Identity>,
    merged: Contact,
    merged_by: Vec<Identity>,
    /// Conversations that moved from the merged contact to the kept one.
    #[serde(default)]
    conversations: Vec<ConversationId>,
}

/// The result of a merge.
#[derive(Debug)]
pub struct Merged {
    pub id: MergeId,
    pub contact: Contact,
}

/// What a merge would make of two contacts.
#[derive(Debug)]
pub struct MergePreview {
    pub contact: Contact,
    pub kept_id: ContactId,
    pub merged_id: ContactId,
}

#[boxed::futures]
impl Contacts<'_> {
    /// The contact that a merge of these two would make. Changes nothing.
    pub async fn preview_merge(&self, caller: &dyn ActsFor, one: &str, other: &str) -> Result<MergePreview> {
        let both = (target(Field::Target, one)?, target(Field::Duplicate, other)?);
        let input = (caller.tenant(), both, self.0.now().to_millis());
        let read = self.0.db().write(input, |tx, (tenant, both, now)| {
            Box::pin(async move {
                let (one, other) = find_both_for_update(tx, *tenant, both).await?;
                let before = before_merge(tx, *tenant, one, other).await?;
                let (contact, _) = before.as_one(*now);
                Ok(MergePreview { contact, kept_id: before.kept.id, merged_id: before.merged.id })
            })
        });
        read.await
    }

    /// Merges two contacts that are one person. The older one is kept. Adds an entry to the audit log.
    pub async fn merge(&self, caller: &dyn ActsFor, one: &str, other: &str) -> Result<Merged> {
        let both = (target(Field::Target, one)?, target(Field::Duplicate, other)?);
        let input = (caller.tenant(), both, self.0.now().to_millis(), caller.audit_actor());
        let followers = *self.0.contact_followers();
        self.0
            .db()
            .write(input, move |tx, (tenant, both, now, actor)| {
                Box::pin(async move {
                    let (one, other) = find_both_for_update(tx, *tenant, both).await?;
                    let merged = merge(tx, *tenant, one, other, "api", *now, followers).await?;
                    let details = serde_json::json!({"merge": merged.id});
                    actor.record(tx, *tenant, *now, "contact.merge", &merged.contact.id.to_string(), details).await?;
                    Ok(merged)
                })
            })
            .await
    }

    /// Undoes a merge and returns both contacts, the kept one first. Later sightings do not merge these two again.
    pub async fn undo_merge(&self, caller: &dyn ActsFor, id: MergeId) -> Result<(Contact, Contact)> {
        let input = (caller.tenant(), id, self.0.now().to_millis(), caller.audit_actor());
        let followers = *self.0.contact_followers();
        self.0
            .db()
            .write(input, move |tx, (tenant, id, now, actor)| {
                Box::pin(async move {
                    let (kept, other) = undo(tx, *tenant, *id, *now, followers).await?;
                    let details = serde_json::json!({"merge": id});
                    actor.record(tx, *tenant, *now, "contact.unmerge", &kept.id.to_string(), details).await?;
                    Ok((kept, other))
                })
            })
            .await
    }
}

/// The ids of two different contacts.
async fn find_both_for_update(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    (one, other): &(TargetRef, TargetRef),
) -> Result<(ContactId, ContactId)> {
    let missing = |field: Field| Error::missing(field, Thing::Contact);
    let one = find_for_update(tx, tenant, one).await?.ok_or_else(|| missing(Field::Target))?.id;
    let other = find_for_update(tx, tenant, other).await?.ok_or_else(|| missing(Field::Duplicate))?.id;
    if one == other {
        return Err(Error::conflict(Field::Duplicate, "this is the same contact"));
    }
    Ok((one, other))
}

/// Both contacts, locked, the older one as the one to keep.
async fn before_merge(tx: &mut Tx<'_>, tenant: TenantId, one: ContactId, other: ContactId) -> Result<Before> {
    let lower = store::people::contacts::for_update(tx, tenant, one.min(other)).await?.ok_or_else(moved)?;
    let upper = store::people::contacts::for_update(tx, tenant, one.max(other)).await?.ok_or_else(moved)?;
    // Ids order contacts by the second of creation only: within a second, ids of several processes have no order.
    let (kept, merged) = if upper.created_at < lower.created_at { (upper, lower) } else { (lower, upper) };
    let kept_by = store::people::contacts::identities(tx, tenant, kept.id).await?;
    let merged_by = store::people::contacts::identities(tx, tenant, merged.id).await?;
    Ok(Before { kept, kept_by, merged, merged_by, conversations: Vec::new() })
}

/// Merges two contacts: keeps the older one, removes the row of the other, and leads the other's identities to the kept
/// one.
pub(super) async fn merge(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    one: ContactId,
    other: ContactId,
    reason: &str,
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<Merged> {
    let mut before = before_merge(tx, tenant, one, other).await?;
    let (first, second) = (before.kept.id, before.merged.id);
    for follower in followers {
        let moved = ContactMove { tenant, from: second, to: first, now };
        before.conversations.extend(follower.merged(tx, moved).await?);
    }
    let (contact, identities) = before.as_one(now);

    store::people::contacts::remove(tx, tenant, &before.merged).await?;
    store::people::contacts::move_identities(tx, tenant, second, None, &before.merged_by).await?;
    store::people::contacts::save_identities(tx, tenant, first, &identities).await?;
    store::people::contacts::update(tx, tenant, &before.kept, &contact).await?;
    let merge = Merge {
        id: Id::new(now),
        kept_id: first,
        merged_id: second,
        before: serde_json::to_string(&before).map_err(|error| corrupt(&error))?,
        reason: reason.to_owned(),
        merged_at: now,
        undone_at: None,
    };
    store::people::contacts::insert_merge(tx, tenant, &merge).await?;
    Ok(Merged { id: merge.id, contact })
}

impl Before {
    fn read(merge: &Merge) -> Result<Self> {
        serde_json::from_str(&merge.before).map_err(|error| corrupt(&error))
    }

    /// The contact after the merge, and its identities.
    fn as_one(&self, at: Timestamp) -> (Contact, Vec<Identity>) {
        let mut identities = self.kept_by.clone();
        self.merged_by.iter().for_each(|identity| add_sighting(&mut identities, identity));
        let former_id = Identity::seen(IdentityKind::Id, &self.merged.id.to_string(), at);
        add_sighting(&mut identities, &former_id);
        (combine(&self.kept, &self.merged, &identities, at.to_millis()), identities)
    }
}

async fn undo(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: MergeId,
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<(Contact, Contact)> {
    let merge =
        store::people::contacts::merge_for_update(tx, tenant, id).await?.ok_or(Error::NotFound(Thing::Merge))?;
    if merge.undone_at.is_some() {
        return Err(Error::conflict(Field::Id, "this merge was already undone"));
    }
    let present = store::people::contacts::for_update(tx, tenant, merge.kept_id).await?;
    if let Some(later) = later_merge(tx, tenant, &merge).await? {
        return Err(Error::conflict(
            Field::Id,
            format!("the contact has been merged again since: undo merge {later} first"),
        ));
    }
    let present = present.ok_or_else(moved)?;
    let before = Before::read(&merge)?;
    let (merged, _) = before.as_one(merge.merged_at);
    let known_by = store::people::contacts::identities(tx, tenant, present.id).await?;
    let mut back = divide(&before.kept_by, &before.merged_by, &known_by);
    back.kept.retain(|identity| !identity.is(IdentityKind::Id, &before.merged.id.to_string()));
    let kept = separate(&before.kept, &merged, &present, &back.kept);
    let other = restore(&before.merged, &merged, &present, &back.other, now);

    store::people::contacts::move_identities(tx, tenant, present.id, None, &known_by).await?;
    store::people::contacts::save_identities(tx, tenant, kept.id, &back.kept).await?;
    store::people::contacts::save_identities(tx, tenant, other.id, &back.other).await?;
    store::people::contacts::update(tx, tenant, &present, &kept).await?;
    store::people::contacts::restore(tx, tenant, &other).await?;
    for follower in followers {
        let moved = ContactMove { tenant, from: kept.id, to: other.id, now };
        follower.separated(tx, &before.conversations, moved).await?;
    }
    store::people::contacts::set_undone(tx, tenant, id, now).await?;
    Ok((kept, other))
}

/// The latest merge that includes the result of this one. It has to be undone first, since its changes and those of
/// this merge cannot be separated.
async fn later_merge(tx: &mut Tx<'_>, tenant: TenantId, merge: &Merge) -> Result<Option<MergeId>> {
    let all = store::people::contacts::merges(tx, tenant, merge.kept_id).await?;
    for other in all.iter().rev().filter(|other| other.undone_at.is_none() && other.id != merge.id) {
        let knew = |before: Before| former_ids(&before.kept_by).any(|id| id == merge.merged_id);
        if other.merged_id == merge.kept_id || knew(Before::read(other)?) {
            return Ok(Some(other.id));
        }
    }
    Ok(None)
}

/// The error when another transaction merged, separated or deleted the contact between two reads. It makes the
/// transaction's body run again, which then finds the present state.
pub(super) fn moved() -> Error {
    Error::Store(store::Error::TryAgain("the contact has just been merged or deleted".to_owned()))
}

fn corrupt(error: &serde_json::Error) -> Error {
    Error::Store(store::Error::Statement { statement: "contact_merges.before".to_owned(), message: error.to_string() })
}
