//! Opt-in, opt-out, block and the like: each decision with its time and where it was made.

use domain::{ConsentChangeId, ContactId, Id, TenantId, Timestamp};

use crate::{Result, Statement, Tx, params};

static ADD: Statement = Statement::new(
    "contact_consents.add",
    "INSERT INTO contact_consents (tenant_id, contact_id, id, at, change, source) VALUES ($1, $2, $3, $4, $5, $6)",
);
static OF_CONTACT: Statement = Statement::new(
    "contact_consents.of_contact",
    "SELECT at, change, source FROM contact_consents WHERE tenant_id = $1 AND contact_id = $2 ORDER BY id",
);

pub(super) static STATEMENTS: &[&Statement] = &[&ADD, &OF_CONTACT];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentChange {
    pub at: Timestamp,
    /// `opt_in`, `opt_out`, `block`, `unblock`, `allow_broadcast`, `deny_broadcast`, `allow_sms`, `deny_sms`.
    pub change: String,
    pub source: String,
}

pub async fn add_consent(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId, new: &ConsentChange) -> Result<()> {
    let row = params![tenant, contact, ConsentChangeId::new(new.at), new.at, &new.change, &new.source];
    tx.execute(&ADD, row).await.map(drop)
}

/// Many at once.
pub async fn add_consents(tx: &mut Tx<'_>, tenant: TenantId, new: &[(ContactId, ConsentChange)]) -> Result<()> {
    let row = |(contact, new): &'_ (ContactId, ConsentChange)| (*contact, Id::new(new.at));
    let ids: Vec<(ContactId, ConsentChangeId)> = new.iter().map(row).collect();
    let rows = new
        .iter()
        .zip(&ids)
        .map(|((_, new), (contact, id))| params![tenant, *contact, *id, new.at, &new.change, &new.source].to_vec());
    tx.execute_many(&ADD, &rows.collect::<Vec<_>>()).await.map(drop)
}

/// Oldest first.
pub async fn consents(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<ConsentChange>> {
    let read =
        |row: &crate::Row<'_>| Ok(ConsentChange { at: row.time(0)?, change: row.string(1)?, source: row.string(2)? });
    tx.rows(&OF_CONTACT, params![tenant, contact], read).await
}
