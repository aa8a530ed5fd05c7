//! Broadcasts: one template to many recipients, with counts and recipients.

mod counts;
mod recipients;
mod retries;
mod rows;

pub use counts::{StateCounts, find_with_counts, overview, progress, state_counts};
pub use recipients::{MessageRecipient, RecipientContact, recipients, recipients_of_states, refusals};
pub use retries::{BroadcastRetry, add_retry, delete_retry, find_retry, postpone_retry, retries_without_timer};
pub use rows::{BroadcastRange, RefusedRecipient};

use domain::{BroadcastId, ContactId, TenantId, Timestamp};

use crate::base::columns::{insert, select};
use crate::{Db, Params, Result, Row, Tx, params, read};

use domain::messaging::broadcasts::Broadcast;

/// The condition of a `BroadcastRange`: `$2` and `$3` are its times, `$4` its channel; `$5` is part of the name.
macro_rules! within {
    () => {
        "b.tenant_id = $1 AND b.created_at BETWEEN $2 AND $3 AND (b.channel_id = $4 OR $4 IS NULL)
            AND (CAST($5 AS TEXT) IS NULL OR {sqlite instr(lower(b.name), lower($5))}
                {postgres strpos(lower(b.name), lower(CAST($5 AS TEXT)))} > 0)"
    };
}

statements! {
    with counts::statements(), recipients::statements(), retries::statements();

    INSERT = insert!("broadcasts": Broadcast);
    INSERT_REFUSAL = insert!("broadcast_refusals": RefusedRecipient, "broadcast_id");
    LIST = select!(
        Broadcast as "b",
        " FROM broadcasts b {indexed_by broadcasts_created} WHERE ",
        within!(),
        " ORDER BY b.created_at DESC, b.id DESC LIMIT $6 OFFSET $7"
    );
    COUNT = concat!("SELECT COUNT(*) FROM broadcasts b {indexed_by broadcasts_created} WHERE ", within!());
    BY_ID = select!(Broadcast as "b", " FROM broadcasts b WHERE b.tenant_id = $1 AND b.id = $2");
    /// Locks the row, so that of two requests to stop a broadcast one waits for the other.
    BY_ID_FOR_UPDATE =
        select!(Broadcast as "b", " FROM broadcasts b WHERE b.tenant_id = $1 AND b.id = $2 {for_update}");
    SET_STOPPED = "UPDATE broadcasts SET stopped_at = $3 WHERE tenant_id = $1 AND id = $2";
    ERASE_REFUSALS = "UPDATE broadcast_refusals SET target = '', local_id = NULL, params = NULL
        WHERE tenant_id = $1 AND contact_id = $2";
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Broadcast, refused: &[RefusedRecipient]) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await?;
    let rows = refused.iter().map(|one| Params::for_tenant(tenant).and(one).with(new.id));
    tx.execute_many(&INSERT_REFUSAL, rows).await.map(drop)
}

/// A page of broadcasts, the most recently created first. May take long: the broadcasts of one channel, or with `name`
/// in their names, are looked for among all of the period.
pub async fn list(
    db: &Db,
    tenant: TenantId,
    filter: &BroadcastRange,
    name: Option<&str>,
    (limit, offset): (i64, i64),
) -> Result<Vec<Broadcast>> {
    let BroadcastRange { from, to, channel } = *filter;
    let mut page = Vec::new();
    let visit = |row: &Row<'_>| {
        page.push(read(row)?);
        Ok(())
    };
    db.long_each(&LIST, params![tenant, from, to, channel, name, limit, offset], visit).await?;
    Ok(page)
}

pub async fn count(db: &Db, tenant: TenantId, filter: &BroadcastRange, name: Option<&str>) -> Result<i64> {
    let BroadcastRange { from, to, channel } = *filter;
    let count = db.long_row(&COUNT, params![tenant, from, to, channel, name], read).await?;
    Ok(count.unwrap_or(0))
}

pub async fn by_id(db: &Db, tenant: TenantId, id: BroadcastId) -> Result<Option<Broadcast>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

/// Locks the row until the transaction ends.
pub async fn by_id_for_update(tx: &mut Tx<'_>, tenant: TenantId, id: BroadcastId) -> Result<Option<Broadcast>> {
    tx.row(&BY_ID_FOR_UPDATE, params![tenant, id], read).await
}

pub async fn set_stopped(tx: &mut Tx<'_>, tenant: TenantId, id: BroadcastId, at: Timestamp) -> Result<()> {
    tx.execute(&SET_STOPPED, params![tenant, id, at]).await.map(drop)
}

/// Erases target, local id and parameters of a refused contact. The row stays with code and reason, for the list of
/// refusals.
pub async fn erase_refusals(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<()> {
    tx.execute(&ERASE_REFUSALS, params![tenant, contact]).await.map(drop)
}
