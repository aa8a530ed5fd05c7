//! A contact's history: its identities, consent decisions and merges.

use domain::people::contacts::identity::{Identity, former_ids};
use domain::people::contacts::{ConsentChange, Contact, Merge, TargetRef};
use domain::{ContactId, Field, TenantId};
use store::Tx;

use super::{Contacts, find_for_update, target};
use crate::{ActsFor, Result};

#[derive(Debug)]
pub struct History {
    pub contact: Contact,
    pub identities: Vec<Identity>,
    /// Oldest first, including those of merged contacts.
    pub consents: Vec<ConsentChange>,
    /// Oldest first, including those of merged contacts.
    pub merges: Vec<Merge>,
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn history(&self, caller: &dyn ActsFor, to: &str) -> Result<History> {
        let person = target(Field::Target, to).map_err(|_| super::NO_CONTACT)?;
        let input = (caller.tenant(), person);
        self.0.db().write(input, |tx, (tenant, person)| Box::pin(read(tx, *tenant, person))).await
    }
}

/// The consent decisions of a contact and of those that were merged into it, oldest first.
pub(crate) async fn consents(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<ConsentChange>> {
    let identities = store::people::contacts::identities(tx, tenant, contact).await?;
    let mut consents = Vec::new();
    for id in former_ids(&identities).chain([contact]) {
        consents.extend(store::people::contacts::consents(tx, tenant, id).await?);
    }
    consents.sort_by_key(|change| change.at);
    Ok(consents)
}

async fn read(tx: &mut Tx<'_>, tenant: TenantId, person: &TargetRef) -> Result<History> {
    let contact = find_for_update(tx, tenant, person).await?.ok_or(super::NO_CONTACT)?;
    let identities = store::people::contacts::identities(tx, tenant, contact.id).await?;
    let (consents, mut merges) = (consents(tx, tenant, contact.id).await?, Vec::new());
    for id in former_ids(&identities).chain([contact.id]) {
        merges.extend(store::people::contacts::merges(tx, tenant, id).await?);
    }
    merges.sort_by_key(|merge| (merge.merged_at, merge.id));
    merges.dedup();
    Ok(History { contact, identities, consents, merges })
}
