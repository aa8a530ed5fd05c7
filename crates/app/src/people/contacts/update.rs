//! Changing the attributes of contacts, all of them in one transaction.

use domain::people::contacts::{BadContact, Contact, CustomParam, TargetRef, check, check_params, without_own};
use domain::{Field, TenantId, Timestamp};
use store::Tx;

use super::{Contacts, add, find_for_update, target};
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug, Clone)]
pub struct AttributeUpdate {
    pub target: String,
    /// The part of the update that has the target, for errors.
    pub named_by: Field,
    pub custom_params: Vec<CustomParam>,
    /// Names of attributes that the contact loses.
    pub removed_params: Vec<String>,
    /// None: the name stays.
    pub name: Option<String>,
    /// True if the attributes may list the contact's own name, which is then changed, and its number, which is ignored
    /// (V1).
    pub own_in_params: bool,
}

#[derive(Debug)]
struct Batch {
    tenant: TenantId,
    updates: Vec<Update>,
    now: Timestamp,
    /// The request has a list of contacts. Otherwise it is the only update itself.
    is_listed: bool,
}

#[derive(Debug)]
struct Update {
    person: TargetRef,
    named_by: Field,
    /// Empty: the name stays.
    name: String,
    custom_params: Vec<CustomParam>,
    removed_params: Vec<String>,
}

impl Batch {
    /// The error of an update, which is about `contacts[3].target` in a list.
    fn error(&self, i: usize, error: Error) -> Error {
        if self.is_listed { error.within(Field::Contacts.at(i)) } else { error }
    }
}

#[boxed::futures]
impl Contacts<'_> {
    /// Updates one contact.
    pub async fn update(&self, caller: &dyn ActsFor, update: AttributeUpdate) -> Result<Contact> {
        let mut changed = self.update_batch(caller, false, vec![update]).await?;
        changed.pop().ok_or(super::NO_CONTACT)
    }

    /// Updates many contacts in one transaction. Two updates of one contact are applied one after the other: if both
    /// set an attribute, the later value stays.
    pub async fn update_listed(&self, caller: &dyn ActsFor, updates: Vec<AttributeUpdate>) -> Result<Vec<Contact>> {
        self.update_batch(caller, true, updates).await
    }

    async fn update_batch(
        &self,
        caller: &dyn ActsFor,
        is_listed: bool,
        updates: Vec<AttributeUpdate>,
    ) -> Result<Vec<Contact>> {
        let now = self.0.now().to_millis();
        let mut batch = Batch { tenant: caller.tenant(), updates: Vec::new(), now, is_listed };
        for (i, update) in updates.into_iter().enumerate() {
            let AttributeUpdate { target: text, named_by, custom_params, removed_params, name, own_in_params } = update;
            let person = target(named_by, &text).map_err(|error| batch.error(i, error))?;
            let bad = |error: BadContact| batch.error(i, Error::of_field(&error));
            check_params(&custom_params).map_err(bad)?;
            let (own, custom_params) = if own_in_params { without_own(custom_params) } else { (None, custom_params) };
            let name = own.or(name).unwrap_or_default();
            check(&name, &[]).map_err(bad)?;
            batch.updates.push(Update { person, named_by, name, custom_params, removed_params });
        }
        self.0.db().write(batch, |tx, batch| Box::pin(apply(tx, batch))).await
    }
}

async fn apply(tx: &mut Tx<'_>, batch: &Batch) -> Result<Vec<Contact>> {
    let mut changed = Vec::with_capacity(batch.updates.len());
    for (i, update) in batch.updates.iter().enumerate() {
        let Some(known) = find_for_update(tx, batch.tenant, &update.person).await? else {
            return Err(batch.error(i, Error::missing(update.named_by, Thing::Contact)));
        };
        let mut kept = known.clone();
        kept.custom_params.retain(|param| !update.removed_params.contains(&param.name));
        let after = add::updated(&kept, &update.name, &update.custom_params, batch.now);
        let after = after.map_err(|error| batch.error(i, error))?;
        store::people::contacts::update(tx, batch.tenant, &known, &after).await?;
        changed.push(after);
    }
    Ok(changed)
}
