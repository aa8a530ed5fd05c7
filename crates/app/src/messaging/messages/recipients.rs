//! Recipients of a request: finds the contacts that its targets name, and builds contacts for new numbers and BSUIDs.

use std::collections::HashMap;

use domain::people::contacts::identity::{self, IdentityKind};
use domain::people::contacts::{Contact, NewContact, TargetRef};
use domain::people::phone::PhoneNumber;
use domain::{ContactId, Field, Id, TenantId, Timestamp};
use store::Tx;
use store::people::contacts::Addressee;

use super::{RecipientProblem, Refusal};
use crate::Result;

/// The contacts that the targets of a request name.
#[derive(Debug, Default)]
pub(super) struct KnownContacts {
    phones: HashMap<String, Addressee>,
    bsuids: HashMap<String, Addressee>,
    ids: HashMap<String, Addressee>,
}

impl KnownContacts {
    /// Reads the contacts of all targets. The number of statements does not grow with the number of targets.
    pub async fn look_up(tx: &mut Tx<'_>, tenant: TenantId, targets: &[&TargetRef]) -> Result<Self> {
        let (mut phones, mut bsuids, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for target in targets {
            match target {
                TargetRef::Phone(phone) => phones.push(phone.as_str()),
                TargetRef::Bsuid(bsuid) => bsuids.push(bsuid.as_str()),
                TargetRef::Id(id) => ids.push(id.contact()),
            }
        }
        let mut known = Self::default();
        if !phones.is_empty() {
            known.phones = store::people::contacts::addressed(tx, tenant, IdentityKind::Phone, &phones)
                .await?
                .into_iter()
                .collect();
        }
        if !bsuids.is_empty() {
            known.bsuids = store::people::contacts::addressed(tx, tenant, IdentityKind::Bsuid, &bsuids)
                .await?
                .into_iter()
                .collect();
        }
        if !ids.is_empty() {
            known.ids = by_id(tx, tenant, &ids).await?;
        }
        Ok(known)
    }

    pub fn get(&self, target: &TargetRef) -> Option<&Addressee> {
        match target {
            TargetRef::Phone(phone) => self.phones.get(phone),
            TargetRef::Bsuid(bsuid) => self.bsuids.get(bsuid.as_str()),
            TargetRef::Id(id) => self.ids.get(&id.to_string()),
        }
    }
}

/// Finds contacts by id. The id of a contact that was merged leads to the contact that it was merged into.
async fn by_id(tx: &mut Tx<'_>, tenant: TenantId, ids: &[ContactId]) -> Result<HashMap<String, Addressee>> {
    let mut found: HashMap<_, _> =
        store::people::contacts::addressed_by_id(tx, tenant, ids).await?.into_iter().collect();
    let texts: Vec<String> = ids.iter().map(Id::to_string).filter(|id| !found.contains_key(id)).collect();
    if !texts.is_empty() {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        found.extend(store::people::contacts::addressed(tx, tenant, IdentityKind::Id, &texts).await?);
    }
    Ok(found)
}

/// Builds a contact for a target that no contact has. An id that no contact has is an error.
pub(super) fn new_contact(target: &TargetRef, named_by: Field, now: Timestamp) -> Result<Contact, RecipientProblem> {
    let (phone, bsuid) = match target {
        TargetRef::Phone(phone) => {
            PhoneNumber::parse(phone)
                .map_err(|error| RecipientProblem::with_message(Refusal::InvalidNumber, named_by, error))?;
            (Some(phone.clone()), None)
        }
        TargetRef::Bsuid(bsuid) => (None, Some(bsuid.as_str().to_owned())),
        TargetRef::Id(_) => return Err(RecipientProblem::new(Refusal::UnknownContact, named_by)),
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

pub(super) async fn insert_contacts(tx: &mut Tx<'_>, tenant: TenantId, new: &[Contact]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let identities: Vec<_> = new.iter().map(identity::initial_identities).collect();
    let rows: Vec<_> = new.iter().zip(&identities).map(|(contact, known_by)| (contact, known_by.as_slice())).collect();
    Ok(store::people::contacts::insert_many(tx, tenant, &rows).await?)
}

/// How the network addresses the contact: by number, else by BSUID. A BSUID that Switchboard generated is never sent,
/// since only contacts with a number have one.
pub(super) fn network_recipient(contact: &Addressee) -> String {
    contact.phone.clone().unwrap_or_else(|| contact.bsuid.clone())
}
