//! The history of consent: each decision with its time and source.

use domain::{ConsentChangeId, ContactId, TenantId};

use crate::base::columns::{insert, record, select};
use crate::{Params, Result, Tx, params, read};

use domain::people::contacts::ConsentChange;

statements! {
    ADD = insert!("contact_consents": ConsentChange, "contact_id, id");
    OF_CONTACT = select!(ConsentChange, " FROM contact_consents WHERE tenant_id = $1 AND contact_id = $2 ORDER BY id");
}

record! { ConsentChange { at, change, source } }

pub async fn add_consent(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId, new: &ConsentChange) -> Result<()> {
    tx.execute(&ADD, &row(tenant, contact, new)).await.map(drop)
}

/// Adds decisions of several contacts.
pub async fn add_consents(tx: &mut Tx<'_>, tenant: TenantId, new: &[(ContactId, ConsentChange)]) -> Result<()> {
    tx.execute_many(&ADD, new.iter().map(|(contact, new)| row(tenant, *contact, new))).await.map(drop)
}

fn row(tenant: TenantId, contact: ContactId, new: &ConsentChange) -> Params<'_> {
    Params::for_tenant(tenant).and(new).with(contact).with(ConsentChangeId::new(new.at))
}

/// The consent decisions of a contact, oldest first.
pub async fn consents(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<ConsentChange>> {
    tx.rows(&OF_CONTACT, params![tenant, contact], read).await
}
