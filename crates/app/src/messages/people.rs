//! Recipients: who is known by the targets of a request, and contacts for those who are not.

use std::collections::HashMap;

use domain::contacts::identity::{self, Kind};
use domain::contacts::{Contact, NewContact, TargetRef};
use domain::phone::PhoneNumber;
use domain::{ContactId, Id, TenantId, Timestamp};
use store::Tx;
use store::contacts::Addressee;

use super::{Problem, Refusal};
use crate::Result;

/// Who is known by what.
#[derive(Debug, Default)]
pub(super) struct Known {
    phones: HashMap<String, Addressee>,
    bsuids: HashMap<String, Addressee>,
    ids: HashMap<String, Addressee>,
}

impl Known {
    /// One look-up for each form of target, however many there are.
    pub async fn look_up(tx: &mut Tx<'_>, tenant: TenantId, people: &[&TargetRef]) -> Result<Self> {
        let (mut phones, mut bsuids, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for person in people {
            match person {
                TargetRef::Phone(phone) => phones.push(phone.as_str()),
                TargetRef::Bsuid(bsuid) => bsuids.push(bsuid.as_str()),
                TargetRef::Id(id) => ids.push(id.contact()),
            }
        }
        let mut known = Self::default();
        if !phones.is_empty() {
            known.phones = store::contacts::addressed(tx, tenant, Kind::Phone, &phones).await?.into_iter().collect();
        }
        if !bsuids.is_empty() {
            known.bsuids = store::contacts::addressed(tx, tenant, Kind::Bsuid, &bsuids).await?.into_iter().collect();
        }
        if !ids.is_empty() {
            known.ids = by_id(tx, tenant, &ids).await?;
        }
        Ok(known)
    }

    pub fn get(&self, person: &TargetRef) -> Option<&Addressee> {
        match person {
            TargetRef::Phone(phone) => self.phones.get(phone),
            TargetRef::Bsuid(bsuid) => self.bsuids.get(bsuid.as_str()),
            TargetRef::Id(id) => self.ids.get(&id.to_string()),
        }
    }
}

/// An id that a contact had before it was merged means the one that it was merged into.
async fn by_id(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId]) -> Result<HashMap<String, Addressee>> {
    let mut found: HashMap<_, _> = store::contacts::addressed_by_id(tx, tenant, ids).await?.into_iter().collect();
    let texts: Vec<String> = ids.iter().map(Id::to_string).filter(|id| !found.contains_key(id)).collect();
    if !texts.is_empty() {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        found.extend(store::contacts::addressed(tx, tenant, Kind::Id, &texts).await?);
    }
    Ok(found)
}

/// A contact for somebody whom nobody has named before.
pub(super) fn fresh(person: &TargetRef, member: &str, now: Timestamp) -> Result<Contact, Problem> {
    let (phone, bsuid) = match person {
        TargetRef::Phone(phone) => {
            PhoneNumber::parse(phone).map_err(|error| Problem::told(Refusal::InvalidNumber, member, error))?;
            (Some(phone.clone()), None)
        }
        TargetRef::Bsuid(bsuid) => (None, Some(bsuid.as_str().to_owned())),
        TargetRef::Id(_) => return Err(Problem::new(Refusal::UnknownContact, member)),
    };
    let new = NewContact { phone, bsuid, source: "API".to_owned(), ..NewContact::default() };
    Ok(Contact::new(new, now))
}

pub(super) fn addressee(contact: &Contact) -> Addressee {
    Addressee {
        id: contact.id,
        phone: contact.phone.clone(),
        bsuid: contact.bsuid.clone(),
        name: contact.name.clone(),
        opted_in: contact.consent.opted_in,
        allow_broadcast: contact.allow_broadcast,
        is_blocked: contact.blocked_at.is_some(),
    }
}

pub(super) async fn make(tx: &mut Tx<'_>, tenant: TenantId, new: &[Contact]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let identities: Vec<_> = new.iter().map(identity::of_new).collect();
    let rows: Vec<_> = new.iter().zip(&identities).map(|(contact, known_by)| (contact, known_by.as_slice())).collect();
    Ok(store::contacts::insert_many(tx, tenant, &rows).await?)
}

/// How the network is told who it is: by number, or by the BSUID that the network gave. One of ours is never sent; a
/// contact that has one has a number.
pub(super) fn recipient(contact: &Addressee) -> String {
    contact.phone.clone().unwrap_or_else(|| contact.bsuid.clone())
}
