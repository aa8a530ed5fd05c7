//! Sightings: whatever arrives says who somebody is, in any order, and the same sightings end in the same contacts.

use domain::contacts::identity::{Identity, Kind, former_ids, note};
use domain::contacts::{Contact, NewContact, Sighting, show_current};
use domain::{ContactId, TenantId, Timestamp};
use store::Tx;

use super::merge::{merge, moved};
use crate::Result;

/// The contact whom a sighting is of: made, found, or merged from several that it shows to be one person.
pub async fn see(tx: &mut Tx<'_>, tenant: TenantId, sighting: &Sighting, now: Timestamp) -> Result<Contact> {
    Ok(meet(tx, tenant, sighting, now).await?.0)
}

/// The same, and whether nobody had seen this person before.
pub async fn meet(tx: &mut Tx<'_>, tenant: TenantId, sighting: &Sighting, now: Timestamp) -> Result<(Contact, bool)> {
    let holders = store::contacts::holders(tx, tenant, &sighting.keys()).await?;
    let (person, others) = told_apart(tx, tenant, &holders).await?;
    let Some(kept) = united(tx, tenant, person, now).await? else {
        return Ok((make(tx, tenant, sighting, now).await?, true));
    };
    let known = store::contacts::for_update(tx, tenant, kept).await?.ok_or_else(moved)?;
    Ok((touch(tx, tenant, known, &others, sighting, now).await?, false))
}

/// The holders who are one person, and those who are not: from the surest one, which is the last, on to whomever nobody
/// said to be somebody else. What was said of contacts that were merged into these since still counts.
async fn told_apart(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    holders: &[ContactId],
) -> Result<(Vec<ContactId>, Vec<ContactId>)> {
    if holders.len() < 2 {
        return Ok((holders.to_vec(), Vec::new()));
    }
    let (mut person, mut others, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for holder in holders.iter().rev() {
        let known_by = store::contacts::identities(tx, tenant, *holder).await?;
        let theirs: Vec<ContactId> = former_ids(&known_by).chain([*holder]).collect();
        if any_apart(tx, tenant, &ids, &theirs).await? {
            others.push(*holder);
        } else {
            person.push(*holder);
            ids.extend(theirs);
        }
    }
    Ok((person, others))
}

async fn any_apart(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId], others: &[ContactId]) -> Result<bool> {
    for one in ids {
        for other in others {
            if store::contacts::kept_apart(tx, tenant, *one, *other).await? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Merges the holders into one.
async fn united(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    mut holders: Vec<ContactId>,
    now: Timestamp,
) -> Result<Option<ContactId>> {
    // Locks are taken in one order everywhere.
    holders.sort_unstable();
    let Some((first, others)) = holders.split_first() else { return Ok(None) };
    let mut kept = *first;
    for other in others {
        kept = merge(tx, tenant, kept, *other, "sighting", now).await?.contact.id;
    }
    Ok(Some(kept))
}

async fn make(tx: &mut Tx<'_>, tenant: TenantId, sighting: &Sighting, now: Timestamp) -> Result<Contact> {
    let new = NewContact {
        phone: sighting.phone.clone(),
        bsuid: sighting.bsuids.first().cloned(),
        parent_bsuid: sighting.parent_bsuid.clone(),
        username: sighting.username.clone(),
        name: sighting.name.clone().unwrap_or_default(),
        source: sighting.source.clone(),
        custom_params: Vec::new(),
    };
    let contact = Contact::new(new, now);
    let mut identities = sighting.identities();
    note(&mut identities, &Identity::seen(Kind::Bsuid, &contact.bsuid, sighting.at));
    store::contacts::insert(tx, tenant, &contact, &identities).await?;
    Ok(contact)
}

/// Notes what was seen. A number or BSUID that is kept apart from this contact stays with whom it is.
async fn touch(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    known: Contact,
    apart: &[ContactId],
    sighting: &Sighting,
    now: Timestamp,
) -> Result<Contact> {
    let mut identities = store::contacts::identities(tx, tenant, known.id).await?;
    let before = identities.clone();
    for seen in sighting.identities() {
        match holder(tx, tenant, &seen).await? {
            Some(other) if apart.contains(&other) => {}
            Some(other) if other != known.id => return Err(moved()),
            _ => note(&mut identities, &seen),
        }
    }
    let news: Vec<Identity> = identities.iter().filter(|identity| !before.contains(identity)).cloned().collect();
    store::contacts::put_identities(tx, tenant, known.id, &news).await?;
    let mut changed = known.clone();
    show_current(&mut changed, &identities);
    if changed.name.is_empty() {
        changed.name = sighting.name.clone().unwrap_or_default();
    }
    if changed != known {
        changed.updated_at = now.to_millis();
        store::contacts::update(tx, tenant, &known, &changed).await?;
    }
    Ok(changed)
}

/// Handles have no one holder.
async fn holder(tx: &mut Tx<'_>, tenant: TenantId, seen: &Identity) -> Result<Option<ContactId>> {
    if seen.kind == Kind::Username {
        return Ok(None);
    }
    Ok(store::contacts::holders(tx, tenant, std::slice::from_ref(seen)).await?.first().copied())
}
