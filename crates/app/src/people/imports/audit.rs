//! The entry of an import in the audit log.

use domain::people::imports::Import;
use domain::{TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use crate::Actor;

pub(super) async fn audit_import(
    tx: &mut Tx<'_>,
    actor: &Actor,
    tenant: TenantId,
    import: &Import,
    now: Timestamp,
) -> store::Result<()> {
    let details = json!({"format": import.format, "dry_run": import.dry_run, "bytes": import.bytes_total});
    actor.record(tx, tenant, now, "contacts.import", &import.id.to_string(), details).await
}
