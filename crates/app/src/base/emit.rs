//! Emits facts: every area appends what has happened to the log of events, in the transaction that makes it true, so a
//! fact is stored if and only if it happened. `events` numbers, reads and deletes the log.

use domain::TenantId;
use domain::delivery::events::Fact;
use store::Tx;

use crate::Result;

/// Appends facts in the transaction that makes them true. The commit wakes the numbering worker of this process.
pub(crate) async fn emit(tx: &mut Tx<'_>, tenant: TenantId, facts: &[Fact]) -> Result<()> {
    Ok(store::base::facts::append(tx, tenant, facts).await?)
}
