//! Which operators are in a conversation now. Nodes on one PostgreSQL share the rows; a process with a SQLite database
//! keeps them in memory.
//!
//! A row is valid until `until`. `changed_at` is the time of the last change of state; repeated reports of the same
//! state do not change it. When an operator leaves, the row ends at `changed_at` and stays until the sweep, so that
//! other nodes find that change, too.

use const_format::concatcp;
use domain::inbox::presence::Present;
use domain::{AccountId, ConversationId, TenantId, Timestamp};

use crate::base::columns::{Columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    SET = concatcp!(
        insert!("presences": Present, "conversation_id, changed_at"),
        " ON CONFLICT (tenant_id, conversation_id, account_id)
         DO UPDATE SET email = excluded.email, state = excluded.state, until = excluded.until,
             changed_at = CASE WHEN presences.state = excluded.state AND presences.until > excluded.changed_at
                 THEN presences.changed_at ELSE excluded.changed_at END
         RETURNING changed_at"
    );
    CLEAR = "UPDATE presences SET until = $4, changed_at = $4
        WHERE tenant_id = $1 AND conversation_id = $2 AND account_id = $3 AND until > $4";
    LIST = select!(
        Present,
        " FROM presences WHERE tenant_id = $1 AND conversation_id = $2 AND until > $3 ORDER BY account_id LIMIT $4"
    );
    CHANGES tenantless "one scan finds what other nodes have stored for all tenants" = concatcp!(
        "SELECT tenant_id, conversation_id, changed_at, ",
        Present::COLUMNS,
        " FROM presences WHERE changed_at > $1 ORDER BY changed_at DESC LIMIT $2"
    );
    SWEEP tenantless "a sweep of the whole installation" = "DELETE FROM presences WHERE until <= $1";
}

record! { Present { account_id, email, state, until } }

/// A change of presence that a node has stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChange {
    pub tenant: TenantId,
    pub conversation: ConversationId,
    pub changed_at: Timestamp,
    /// The presence after the change; it is over at `changed_at` if the operator has left.
    pub present: Present,
}

/// Most operators that one answer lists.
const MOST_LISTED: i64 = 100;
/// Most changes that are read of all tenants.
const MOST_CHANGES: i64 = 1000;

/// Saves a presence at `now`, and returns whether it is a change: a repeated report of the same state is none.
pub async fn set(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: ConversationId,
    one: &Present,
    now: Timestamp,
) -> Result<bool> {
    let values = Params::for_tenant(tenant).and(one).with(conversation).with(now);
    let changed_at: Option<Timestamp> = tx.row(&SET, &values, read).await?;
    Ok(changed_at == Some(now))
}

/// Ends a presence at `now`, and returns whether there was one.
pub async fn clear(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: ConversationId,
    account: AccountId,
    now: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&CLEAR, params![tenant, conversation, account, now]).await? > 0)
}

/// The operators in the conversation whose rows are still valid, at most `MOST_LISTED`.
pub async fn list(db: &Db, tenant: TenantId, conversation: ConversationId, now: Timestamp) -> Result<Vec<Present>> {
    db.rows(&LIST, params![tenant, conversation, now, MOST_LISTED], read).await
}

/// Reads across tenants: the changes after this time, the latest first, at most `MOST_CHANGES`.
pub async fn changes(db: &Db, after: Timestamp) -> Result<Vec<StoredChange>> {
    let rows: Vec<(TenantId, ConversationId, Timestamp, Present)> =
        db.rows(&CHANGES, params![after, MOST_CHANGES], read).await?;
    let change =
        |(tenant, conversation, changed_at, present)| StoredChange { tenant, conversation, changed_at, present };
    Ok(rows.into_iter().map(change).collect())
}

/// Deletes the rows that ended before this time.
pub async fn sweep(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![before]).await
}
