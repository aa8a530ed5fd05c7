//! Adding a contact by its phone number or by its BSUID (Business Solution User ID).

use domain::people::contacts::{
    Contact, CustomParam, TargetRef, check, check_params, check_source, identity, merge_params, without_own,
};
use domain::{Field, TenantId, Timestamp};
use store::Tx;

use super::{Contacts, find_for_update, target};
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug, Clone)]
pub struct NewContact {
    pub target: String,
    pub name: String,
    pub custom_params: Vec<CustomParam>,
    /// The source that a new contact gets; `API` when absent. A known contact keeps its own.
    pub source: Option<String>,
    /// True if the attributes may list the contact's own name and number (V1). That name is used where `name` is empty.
    pub own_in_params: bool,
}

const SOURCE: &str = "API";

#[derive(Debug)]
struct Draft {
    tenant: TenantId,
    person: TargetRef,
    name: String,
    custom_params: Vec<CustomParam>,
    /// The contact to insert if there is none; none if the target is an id. Built before the transaction, so that the
    /// look-up of the country does not delay other writers.
    fresh: Option<Contact>,
    now: Timestamp,
}

#[boxed::futures]
impl Contacts<'_> {
    /// Adds a contact, or updates the one that has this number, BSUID or id already.
    pub async fn add(&self, caller: &dyn ActsFor, new: NewContact) -> Result<Contact> {
        let NewContact { target: text, mut name, mut custom_params, source, own_in_params } = new;
        let person = target(Field::Target, &text)?;
        check(&name, &custom_params).map_err(|error| Error::of_field(&error))?;
        let source = source.unwrap_or_else(|| SOURCE.to_owned());
        check_source(&source).map_err(|error| Error::of_field(&error))?;
        if own_in_params {
            let (own, attributes) = without_own(custom_params);
            custom_params = attributes;
            if name.is_empty() {
                name = own.unwrap_or_default();
                check(&name, &[]).map_err(|error| Error::of_field(&error))?;
            }
        }
        let now = self.0.now().to_millis();
        let fresh = fresh(&person, &name, &custom_params, source, now);
        let draft = Draft { tenant: caller.tenant(), person, name, custom_params, fresh, now };
        self.0.db().write(draft, |tx, draft| Box::pin(upsert(tx, draft))).await
    }
}

/// Builds the contact to insert. None if the target is an id: only Switchboard creates ids.
fn fresh(person: &TargetRef, name: &str, params: &[CustomParam], source: String, now: Timestamp) -> Option<Contact> {
    let (phone, bsuid) = match person {
        TargetRef::Phone(phone) => (Some(phone.clone()), None),
        TargetRef::Bsuid(bsuid) => (None, Some(bsuid.as_str().to_owned())),
        TargetRef::Id(_) => return None,
    };
    let new = domain::people::contacts::NewContact {
        phone,
        bsuid,
        name: name.to_owned(),
        source,
        custom_params: params.to_vec(),
        ..domain::people::contacts::NewContact::default()
    };
    Some(Contact::new(new, now))
}

async fn upsert(tx: &mut Tx<'_>, draft: &Draft) -> Result<Contact> {
    if let Some(known) = find_for_update(tx, draft.tenant, &draft.person).await? {
        let changed = updated(&known, &draft.name, &draft.custom_params, draft.now)?;
        store::people::contacts::update(tx, draft.tenant, &known, &changed).await?;
        return Ok(changed);
    }
    let contact = draft.fresh.clone().ok_or_else(|| Error::missing(Field::Target, Thing::Contact))?;
    store::people::contacts::insert(tx, draft.tenant, &contact, &identity::initial_identities(&contact)).await?;
    Ok(contact)
}

/// The contact after a repeated add: an empty name changes nothing, an attribute replaces the one with the same name.
pub(super) fn updated(known: &Contact, name: &str, params: &[CustomParam], now: Timestamp) -> Result<Contact> {
    let mut changed = known.clone();
    if !name.is_empty() {
        name.clone_into(&mut changed.name);
    }
    merge_params(&mut changed.custom_params, params);
    check_params(&changed.custom_params).map_err(|error| Error::of_field(&error))?;
    changed.updated_at = now;
    Ok(changed)
}
