//! Resolves sightings to contacts. A sighting is one observation of a person's identities in something that arrived.
//!
//! Invariant: in whatever order sightings arrive, they join the same identities to one contact, unless a merge is
//! undone. A sighting is applied in the transaction of the record that it came with, so a crash leaves neither or both.

use std::collections::{BTreeMap, HashMap};

use domain::people::bsuid::Bsuid;
use domain::people::contacts::identity::{Identity, IdentityKind, add_sighting, former_ids};
use domain::people::contacts::{Contact, NewContact, Sighting, give_way, show_current};
use domain::{ContactId, TenantId, Timestamp};
use store::Tx;

use super::followers::ContactFollowers;
use super::merge::{merge, moved};
use crate::Result;

/// The source of a sighting in a response of the network.
const NETWORK: &str = "WHATSAPP";

/// Finds or creates the contact of a sighting. Merges contacts that the sighting shows to be one person.
#[boxed::futures]
pub async fn resolve_contact(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    sighting: &Sighting,
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<Contact> {
    Ok(resolve_or_create(tx, tenant, sighting, now, followers).await?.0)
}

/// Like `resolve_contact`, and returns true if the contact was created.
#[boxed::futures]
pub async fn resolve_or_create(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    sighting: &Sighting,
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<(Contact, bool)> {
    let holders = store::people::contacts::holders(tx, tenant, &sighting.keys()).await?;
    let (person, others) = split_holders(tx, tenant, &holders).await?;
    let Some(kept) = merge_holders(tx, tenant, person, now, followers).await? else {
        return Ok((create(tx, tenant, sighting, now).await?, true));
    };
    let known = store::people::contacts::for_update(tx, tenant, kept).await?.ok_or_else(moved)?;
    Ok((record_sighting(tx, tenant, known, &others, sighting, now).await?, false))
}

/// Splits the contacts that have the sighting's keys into those that are one person and those that an undone merge
/// keeps apart from it. Begins with the last contact, whose key is the most reliable. Undone merges of contacts that
/// were merged into one of these since count too.
async fn split_holders(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    holders: &[ContactId],
) -> Result<(Vec<ContactId>, Vec<ContactId>)> {
    if holders.len() < 2 {
        return Ok((holders.to_vec(), Vec::new()));
    }
    let (mut person, mut others, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for holder in holders.iter().rev() {
        let known_by = store::people::contacts::identities(tx, tenant, *holder).await?;
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
            if store::people::contacts::kept_apart(tx, tenant, *one, *other).await? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Merges the contacts into one and returns its id. None without contacts.
async fn merge_holders(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    mut holders: Vec<ContactId>,
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<Option<ContactId>> {
    // In the order of their ids, so that two sightings of the same contacts lock them in the same order.
    holders.sort_unstable();
    let Some((first, others)) = holders.split_first() else { return Ok(None) };
    let mut kept = *first;
    for other in others {
        kept = merge(tx, tenant, kept, *other, "sighting", now, followers).await?.contact.id;
    }
    Ok(Some(kept))
}

async fn create(tx: &mut Tx<'_>, tenant: TenantId, sighting: &Sighting, now: Timestamp) -> Result<Contact> {
    let (contact, identities) = sighted_contact(sighting, now);
    store::people::contacts::insert(tx, tenant, &contact, &identities).await?;
    Ok(contact)
}

/// Builds a contact for a person who was not known before, with its identities. Stores nothing.
pub(crate) fn sighted_contact(sighting: &Sighting, now: Timestamp) -> (Contact, Vec<Identity>) {
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
    add_sighting(&mut identities, &Identity::seen(IdentityKind::Bsuid, &contact.bsuid, sighting.at));
    (contact, identities)
}

/// Adds the sighting's identities to `identities` and returns the contact after the sighting.
pub(crate) fn apply_sighting(
    known: &Contact,
    identities: &mut Vec<Identity>,
    sighting: &Sighting,
    now: Timestamp,
) -> Contact {
    for seen in sighting.identities() {
        add_sighting(identities, &seen);
    }
    with_current_identity(known, identities, sighting, now)
}

/// The contact with its current number and handle, and with the network's BSUIDs in place of generated ones. A contact
/// without a name gets that of the sighting.
fn with_current_identity(known: &Contact, identities: &[Identity], sighting: &Sighting, now: Timestamp) -> Contact {
    let mut changed = known.clone();
    show_current(&mut changed, identities);
    if let Some(parent) = &sighting.parent_bsuid {
        give_way(&mut changed.parent_bsuid, parent);
    }
    if changed.name.is_empty() {
        changed.name = sighting.name.clone().unwrap_or_default();
    }
    if changed != *known {
        changed.updated_at = now.to_millis();
    }
    changed
}

/// Whether a BSUID is valid and belongs to one person; a parent BSUID is shared by several.
pub(crate) fn is_of_one_person(id: &str) -> bool {
    id.parse::<Bsuid>().is_ok() && !id.contains(".ENT.")
}

/// Replaces generated BSUIDs of contacts by the ones in the network's responses, before events of the same transaction
/// name the people. Where another contact has that BSUID, the network shows both to be one person: they are merged,
/// unless an undone merge keeps them apart.
pub(crate) async fn name_contacts(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    named: &BTreeMap<ContactId, &str>,
    now: Timestamp,
    followers: ContactFollowers,
) -> Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    let ids: Vec<ContactId> = named.keys().copied().collect();
    let unnamed = store::people::contacts::unnamed(tx, tenant, &ids).await?;
    let known = store::people::contacts::by_ids_for_update(tx, tenant, &unnamed).await?;
    let bsuids: Vec<&str> = known.iter().filter_map(|contact| named.get(&contact.id).copied()).collect();
    let held = store::people::contacts::holders_of(tx, tenant, IdentityKind::Bsuid, &bsuids).await?;
    let mut holders: HashMap<&str, ContactId> = held.iter().map(|(bsuid, id)| (bsuid.as_str(), *id)).collect();
    let (mut identities, mut changes, mut duplicates) = (Vec::new(), Vec::new(), Vec::new());
    for contact in known {
        let Some(bsuid) = named.get(&contact.id).copied() else { continue };
        let mut after = Contact { updated_at: now.to_millis(), ..contact.clone() };
        give_way(&mut after.bsuid, bsuid);
        if after.bsuid == contact.bsuid {
            continue;
        }
        if *holders.entry(bsuid).or_insert(contact.id) == contact.id {
            identities.push((contact.id, Identity::seen(IdentityKind::Bsuid, bsuid, now)));
            changes.push((contact, after));
        } else {
            duplicates.push(sighting_of_both(contact.bsuid, bsuid, now));
        }
    }
    let rows: Vec<(ContactId, &Identity)> = identities.iter().map(|(id, identity)| (*id, identity)).collect();
    if !rows.is_empty() {
        store::people::contacts::save_identities_of(tx, tenant, &rows).await?;
    }
    store::people::contacts::update_many(tx, tenant, &changes).await?;
    for sighting in &duplicates {
        resolve_contact(tx, tenant, sighting, now, followers).await?;
    }
    Ok(())
}

/// A sighting of a person by a generated BSUID and by the network's, which merges the two contacts.
fn sighting_of_both(generated: String, named: &str, now: Timestamp) -> Sighting {
    Sighting {
        phone: None,
        bsuids: vec![generated, named.to_owned()],
        parent_bsuid: None,
        username: None,
        name: None,
        source: NETWORK.to_owned(),
        at: now,
    }
}

/// Adds the sighting's identities to the contact and saves it. A number or BSUID of a contact in `apart` stays with
/// that contact.
async fn record_sighting(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    known: Contact,
    apart: &[ContactId],
    sighting: &Sighting,
    now: Timestamp,
) -> Result<Contact> {
    let mut identities = store::people::contacts::identities(tx, tenant, known.id).await?;
    let before = identities.clone();
    for seen in sighting.identities() {
        match holder(tx, tenant, &seen).await? {
            Some(other) if apart.contains(&other) => {}
            Some(other) if other != known.id => return Err(moved()),
            _ => add_sighting(&mut identities, &seen),
        }
    }
    let news: Vec<Identity> = identities.iter().filter(|identity| !before.contains(identity)).cloned().collect();
    store::people::contacts::save_identities(tx, tenant, known.id, &news).await?;
    let changed = with_current_identity(&known, &identities, sighting, now);
    if changed != known {
        store::people::contacts::update(tx, tenant, &known, &changed).await?;
    }
    Ok(changed)
}

/// The contact that has this number or BSUID. None for a handle, which several contacts may have.
async fn holder(tx: &mut Tx<'_>, tenant: TenantId, seen: &Identity) -> Result<Option<ContactId>> {
    if seen.kind == IdentityKind::Username {
        return Ok(None);
    }
    Ok(store::people::contacts::holders(tx, tenant, std::slice::from_ref(seen)).await?.first().copied())
}
