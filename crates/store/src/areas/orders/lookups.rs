//! Payments of which the network is to be asked, whoever's they are.

use domain::{ChannelId, OrderId, TenantId, Timestamp};

use crate::columns::{columns, select};
use crate::{Db, Param, Result, Statement, Tx, params, read};

static NEXT: Statement = Statement::tenantless(
    "orders.next_lookup",
    "workers look for what is to do, whoever's it is",
    "SELECT lookup_at FROM orders {indexed_by orders_lookup} WHERE lookup_at IS NOT NULL ORDER BY lookup_at LIMIT 1",
);
static DUE: Statement = Statement::tenantless(
    "orders.due",
    "workers look for what is to do, whoever's it is",
    select!(
        Due,
        " FROM orders {indexed_by orders_lookup}
         WHERE lookup_at IS NOT NULL AND lookup_at <= $1 ORDER BY lookup_at LIMIT $2 {skip_locked}"
    ),
);
static POSTPONE: Statement =
    Statement::new("orders.postpone", "UPDATE orders SET lookup_at = $3 WHERE tenant_id = $1 AND id = $2");

pub(super) static STATEMENTS: [&Statement; 3] = [&NEXT, &DUE, &POSTPONE];

/// A payment to ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub tenant: TenantId,
    pub id: OrderId,
    pub channel_id: ChannelId,
    pub reference_id: String,
    pub payment_configuration: Option<String>,
}

columns! { Due { tenant: "tenant_id", id, channel_id, reference_id, payment_configuration } }

/// When the first one of all is due.
pub async fn next_lookup(db: &Db) -> Result<Option<Timestamp>> {
    db.row(&NEXT, &[], read).await
}

/// Those that are due, the longest due first. Whoever takes them says with `postpone` until when nobody else does.
pub async fn due(tx: &mut Tx<'_>, now: Timestamp, limit: i64) -> Result<Vec<Due>> {
    tx.rows(&DUE, params![now, limit], read).await
}

pub async fn postpone(tx: &mut Tx<'_>, until: &[(&Due, Timestamp)]) -> Result<()> {
    let row = |(due, until): &(&Due, Timestamp)| [Param::from(due.tenant), due.id.into(), (*until).into()];
    tx.execute_many(&POSTPONE, until.iter().map(row).collect::<Vec<_>>()).await.map(drop)
}
