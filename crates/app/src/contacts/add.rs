//! Adding a contact by what a business knows of it: its number, or the BSUID that the network gave.

use domain::contacts::identity::{Identity, Kind};
use domain::contacts::{Contact, CustomParam, TargetRef, check, check_params, merge_params};
use domain::{TenantId, Timestamp};
use store::Tx;

use super::{Contacts, held, target};
use crate::{ActsFor, Error, Result};

#[derive(Debug, Clone)]
pub struct NewContact {
    pub target: String,
    /// The wire's own name of the target's member, for errors.
    pub member: &'static str,
    pub name: String,
    pub custom_params: Vec<CustomParam>,
}

#[derive(Debug)]
struct Draft {
    tenant: TenantId,
    person: TargetRef,
    member: &'static str,
    name: String,
    custom_params: Vec<CustomParam>,
    now: Timestamp,
}

impl Contacts<'_> {
    /// Adds a contact; the same number or BSUID again updates it.
    pub async fn add(&self, caller: &impl ActsFor, new: NewContact) -> Result<Contact> {
        let person = target(new.member, &new.target)?;
        check(&new.name, &new.custom_params).map_err(|error| Error::from_member_text(&error))?;
        let draft = Draft {
            tenant: caller.tenant(),
            person,
            member: new.member,
            name: new.name,
            custom_params: new.custom_params,
            now: self.0.now().to_millis(),
        };
        self.0.db().write(draft, |tx, draft| Box::pin(upsert(tx, draft))).await
    }
}

async fn upsert(tx: &mut Tx<'_>, draft: &Draft) -> Result<Contact> {
    if let Some(known) = held(tx, draft.tenant, &draft.person).await? {
        let changed = updated(&known, &draft.name, &draft.custom_params, draft.now)?;
        store::contacts::update(tx, draft.tenant, &known, &changed).await?;
        return Ok(changed);
    }
    let (phone, bsuid) = match &draft.person {
        TargetRef::Phone(phone) => (Some(phone.clone()), None),
        TargetRef::Bsuid(bsuid) => (None, Some(bsuid.as_str().to_owned())),
        TargetRef::Id(_) => return Err(Error::Missing { parameter: draft.member.to_owned(), what: "contact" }),
    };
    let new = domain::contacts::NewContact {
        phone,
        bsuid,
        name: draft.name.clone(),
        source: "API".to_owned(),
        custom_params: draft.custom_params.clone(),
        ..domain::contacts::NewContact::default()
    };
    let contact = Contact::new(new, draft.now);
    store::contacts::insert(tx, draft.tenant, &contact, &first_identities(&contact)).await?;
    Ok(contact)
}

/// What a contact is known by when it is made.
pub(super) fn first_identities(contact: &Contact) -> Vec<Identity> {
    let at = contact.created_at;
    let phone = contact.phone.iter().map(|phone| Identity::seen(Kind::Phone, phone, at));
    let username = contact.username.iter().map(|name| Identity::seen(Kind::Username, name, at));
    [Identity::seen(Kind::Bsuid, &contact.bsuid, at)].into_iter().chain(phone).chain(username).collect()
}

/// A contact after somebody named it again: an empty name changes nothing, attributes are replaced by name.
pub(super) fn updated(known: &Contact, name: &str, params: &[CustomParam], now: Timestamp) -> Result<Contact> {
    let mut changed = known.clone();
    if !name.is_empty() {
        name.clone_into(&mut changed.name);
    }
    merge_params(&mut changed.custom_params, params);
    check_params(&changed.custom_params).map_err(|error| Error::from_member_text(&error))?;
    changed.updated_at = now;
    Ok(changed)
}
