//! Operators: the presence that each has chosen, and how many conversations each has open.

use domain::automation::routing::OperatorPresence;
use domain::{AccountId, TenantId, Timestamp};

use crate::base::columns::{columns, listed, select};
use crate::{Db, Param, Result, Tx, params, read};

statements! {
    CHOOSE = "INSERT INTO operator_presences (tenant_id, account_id, chosen, seen_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, account_id) DO UPDATE SET chosen = excluded.chosen,
            seen_at = COALESCE(excluded.seen_at, operator_presences.seen_at)";
    OF = select!(StoredPresence as "p",
        " FROM {sqlite json_each($2) listed CROSS JOIN operator_presences p
             ON p.tenant_id = $1 AND p.account_id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN operator_presences p ON p.tenant_id = $1 AND p.account_id = decode(listed.value, 'hex')}"
    );
    SEEN = "UPDATE operator_presences SET seen_at = $3 WHERE tenant_id = $1 AND account_id = $2";
    ASSIGNED = "UPDATE operator_presences SET last_assigned_at = $3 WHERE tenant_id = $1 AND account_id = $2";
    LIST = select!(OperatorRow,
        " FROM accounts a LEFT JOIN operator_presences p ON p.tenant_id = $1 AND p.account_id = a.id
          WHERE a.tenant_id = $1 AND a.removed_at IS NULL AND NOT a.disabled"
    );
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPresence {
    pub account_id: AccountId,
    pub chosen: OperatorPresence,
    /// When the operator was connected last; None: never.
    pub seen_at: Option<Timestamp>,
}

columns! { StoredPresence { account_id, chosen, seen_at } }

/// An active account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorRow {
    pub id: AccountId,
    pub email: String,
    pub name: String,
    /// None: the operator has never chosen one.
    pub chosen: Option<OperatorPresence>,
    pub seen_at: Option<Timestamp>,
    pub last_assigned_at: Option<Timestamp>,
    /// The number of the operator's open conversations.
    pub open: i64,
}

columns! {
    OperatorRow {
        id: "a.id",
        email: "a.email",
        name: "a.name",
        chosen: "p.chosen",
        seen_at: "p.seen_at",
        last_assigned_at: "p.last_assigned_at",
        open: "(SELECT COUNT(*) FROM conversations v
            WHERE v.tenant_id = $1 AND v.assignee_id = a.id AND v.status = 'open')",
    }
}

/// Saves the presence that an operator has chosen. With `seen_at`, the operator was connected then.
pub async fn choose(tx: &mut Tx<'_>, tenant: TenantId, presence: &StoredPresence) -> Result<()> {
    let StoredPresence { account_id, chosen, seen_at } = presence;
    tx.execute(&CHOOSE, params![tenant, *account_id, chosen.name(), *seen_at]).await.map(drop)
}

/// The presences of those of these operators that have chosen one, in any order.
pub async fn of(tx: &mut Tx<'_>, tenant: TenantId, ids: &[AccountId]) -> Result<Vec<StoredPresence>> {
    tx.rows(&OF, params![tenant, &listed(ids)], read).await
}

/// Saves that these operators were connected.
pub async fn seen(tx: &mut Tx<'_>, tenant: TenantId, ids: &[AccountId], at: Timestamp) -> Result<()> {
    let rows = ids.iter().map(|id| [tenant.into(), (*id).into(), Param::from(at)]);
    tx.execute_set(&SEEN, rows).await.map(drop)
}

/// Saves when routing last gave an operator a conversation.
pub async fn assigned(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, at: Timestamp) -> Result<()> {
    tx.execute(&ASSIGNED, params![tenant, id, at]).await.map(drop)
}

/// The operators of a tenant, in any order.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<OperatorRow>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<OperatorRow>> {
    tx.rows(&LIST, params![tenant], read).await
}
