//! Deleting a contact: everything that the tables of contacts hold about the person is deleted; only a tombstone with
//! the id and the BSUIDs stays, because other rows refer to them.

use domain::people::contacts::Contact;
use domain::people::contacts::identity::IdentityKind;
use domain::{ContactId, TenantId, Timestamp};

use super::identities::{identities, move_identities};
use super::rows::remove;
use crate::{Result, Tx, params};

statements! {
    INSERT_TOMBSTONE = "INSERT INTO deleted_contacts (tenant_id, id, bsuid, parent_bsuid, created_at, deleted_at)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
    ERASE_CONSENTS = "DELETE FROM contact_consents WHERE tenant_id = $1 AND contact_id = $2";
    ERASE_MERGES = "DELETE FROM contact_merges WHERE tenant_id = $1 AND (kept_id = $2 OR merged_id = $2)";
}

/// Deletes the row, its terms and identities, and the consents and merges of the contact and of those merged into it. A
/// tombstone keeps the id and the BSUIDs.
pub async fn erase(tx: &mut Tx<'_>, tenant: TenantId, gone: &Contact, at: Timestamp) -> Result<()> {
    let known_by = identities(tx, tenant, gone.id).await?;
    remove(tx, tenant, gone).await?;
    move_identities(tx, tenant, gone.id, None, &known_by).await?;
    let former = known_by.iter().filter(|identity| identity.kind == IdentityKind::Id);
    let ids = former.filter_map(|identity| identity.value.parse::<ContactId>().ok()).chain([gone.id]);
    for id in ids {
        tx.execute(&ERASE_CONSENTS, params![tenant, id]).await?;
        tx.execute(&ERASE_MERGES, params![tenant, id]).await?;
    }
    let row = params![tenant, gone.id, &gone.bsuid, &gone.parent_bsuid, gone.created_at, at];
    tx.execute(&INSERT_TOMBSTONE, row).await.map(drop)
}
