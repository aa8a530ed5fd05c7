//! Payments whose look-up is due. The worker reads across tenants.

use domain::{ChannelId, OrderId, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Param, Result, Tx, params, read};

statements! {
    NEXT tenantless "the worker reads due look-ups of all tenants" =
        "SELECT lookup_at, tenant_id FROM orders {indexed_by orders_lookup}
         WHERE lookup_at IS NOT NULL ORDER BY lookup_at LIMIT 1";
    DUE tenantless "the worker reads due look-ups of all tenants" = select!(
        DueLookup,
        " FROM orders {indexed_by orders_lookup}
         WHERE lookup_at IS NOT NULL AND lookup_at <= $1 ORDER BY lookup_at LIMIT $2"
    );
    POSTPONE = "UPDATE orders SET lookup_at = $3 WHERE tenant_id = $1 AND id = $2 AND lookup_at = $4";
}

/// What the worker needs to ask the network about one payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueLookup {
    pub tenant: TenantId,
    pub id: OrderId,
    pub channel_id: ChannelId,
    pub reference_id: String,
    pub payment_configuration: Option<String>,
    pub lookup_at: Timestamp,
}

columns! { DueLookup { tenant: "tenant_id", id, channel_id, reference_id, payment_configuration, lookup_at } }

/// When the earliest look-up of all tenants is due.
pub async fn next_lookup(db: &Db) -> Result<Option<Timestamp>> {
    db.row(&NEXT, &[], read).await
}

/// Look-ups that are due, earliest first. The caller claims them with [`postpone_lookups`] in the same transaction.
pub async fn due_lookups(tx: &mut Tx<'_>, now: Timestamp, limit: i64) -> Result<Vec<DueLookup>> {
    tx.rows(&DUE, params![now, limit], read).await
}

/// Sets when each look-up is due next: until then no other node reads it as due. A look-up whose time has changed since
/// it was read keeps the new time.
pub async fn postpone_lookups(tx: &mut Tx<'_>, until: &[(&DueLookup, Timestamp)]) -> Result<()> {
    let row = |(due, until): &(&DueLookup, Timestamp)| {
        [Param::from(due.tenant), due.id.into(), (*until).into(), due.lookup_at.into()]
    };
    tx.execute_set(&POSTPONE, until.iter().map(row).collect::<Vec<_>>()).await.map(drop)
}
