//! Changing the attributes of contacts, all of them in one transaction.

use domain::people::contacts::{BadContact, Contact, CustomParam, TargetRef, check, check_params, without_own};
use domain::{MemberError as _, TenantId, Timestamp};
use store::Tx;

use super::{Contacts, add, find_for_update, target};
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug, Clone)]
pub struct AttributeUpdate {
    pub target: String,
    /// The name of the target's member on the wire, for errors.
    pub member: &'static str,
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
    /// The member of the body that holds the batch, such as `contacts`; empty when the body itself is the only update.
    list: &'static str,
}

#[derive(Debug)]
struct Update {
    person: TargetRef,
    member: &'static str,
    /// Empty: the name stays.
    name: String,
    custom_params: Vec<CustomParam>,
    removed_params: Vec<String>,
}

impl Batch {
    /// The path of a member for errors: `contacts[3].target`, or `target`.
    fn path(&self, i: usize, member: &str) -> String {
        if self.list.is_empty() { member.to_owned() } else { format!("{}[{i}].{member}", self.list) }
    }
}

#[boxed::futures]
impl Contacts<'_> {
    /// Updates one contact.
    pub async fn update(&self, caller: &dyn ActsFor, update: AttributeUpdate) -> Result<Contact> {
        let mut changed = self.update_listed(caller, "", vec![update]).await?;
        changed.pop().ok_or(super::NO_CONTACT)
    }

    /// Updates many contacts in one transaction; `list` is the member of the body that holds them, for errors. Two
    /// updates of one contact are applied one after the other: if both set an attribute, the later value stays.
    pub async fn update_listed(
        &self,
        caller: &dyn ActsFor,
        list: &'static str,
        updates: Vec<AttributeUpdate>,
    ) -> Result<Vec<Contact>> {
        let now = self.0.now().to_millis();
        let mut batch = Batch { tenant: caller.tenant(), updates: Vec::new(), now, list };
        for (i, update) in updates.into_iter().enumerate() {
            let AttributeUpdate { target: text, member, custom_params, removed_params, name, own_in_params } = update;
            let person = target(&batch.path(i, member), &text)?;
            let bad = |error: BadContact| Error::invalid(batch.path(i, &error.member()), error);
            check_params(&custom_params).map_err(bad)?;
            let (own, custom_params) = if own_in_params { without_own(custom_params) } else { (None, custom_params) };
            let name = own.or(name).unwrap_or_default();
            check(&name, &[]).map_err(bad)?;
            batch.updates.push(Update { person, member, name, custom_params, removed_params });
        }
        self.0.db().write(batch, |tx, batch| Box::pin(apply(tx, batch))).await
    }
}

async fn apply(tx: &mut Tx<'_>, batch: &Batch) -> Result<Vec<Contact>> {
    let mut changed = Vec::with_capacity(batch.updates.len());
    for (i, update) in batch.updates.iter().enumerate() {
        let Some(known) = find_for_update(tx, batch.tenant, &update.person).await? else {
            return Err(Error::Missing { parameter: batch.path(i, update.member), what: Thing::Contact });
        };
        let mut kept = known.clone();
        kept.custom_params.retain(|param| !update.removed_params.contains(&param.name));
        let after = add::updated(&kept, &update.name, &update.custom_params, batch.now);
        let after = after.map_err(|error| match error {
            Error::Invalid { parameter, message } => Error::invalid(batch.path(i, &parameter), message),
            other => other,
        })?;
        store::people::contacts::update(tx, batch.tenant, &known, &after).await?;
        changed.push(after);
    }
    Ok(changed)
}
