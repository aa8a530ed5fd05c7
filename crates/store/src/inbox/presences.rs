//! Which operators are in a conversation now. A row is valid for some seconds; nodes on one PostgreSQL share the rows.
//! A process with a SQLite database keeps them in memory.

use const_format::concatcp;
use domain::inbox::presence::Present;
use domain::{AccountId, ConversationId, TenantId, Timestamp};

use crate::base::columns::{Columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    SET = concatcp!(
        insert!("presences": Present, "conversation_id"),
        " ON CONFLICT (tenant_id, conversation_id, account_id)
         DO UPDATE SET email = excluded.email, state = excluded.state, until = excluded.until"
    );
    CLEAR = "DELETE FROM presences WHERE tenant_id = $1 AND conversation_id = $2 AND account_id = $3";
    LIST = select!(
        Present,
        " FROM presences WHERE tenant_id = $1 AND conversation_id = $2 AND until > $3 ORDER BY account_id LIMIT $4"
    );
    RECENT tenantless "one scan finds what other nodes have stored for all tenants" = concatcp!(
        "SELECT tenant_id, conversation_id, ",
        Present::COLUMNS,
        " FROM presences WHERE until > $1 ORDER BY until LIMIT $2"
    );
    SWEEP tenantless "a sweep of the whole installation" = "DELETE FROM presences WHERE until <= $1";
}

record! { Present { account_id, email, state, until } }

/// Most operators that one answer lists.
const MOST_LISTED: i64 = 100;
/// Most presences that are read of all tenants.
const MOST_RECENT: i64 = 1000;

pub async fn set(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId, one: &Present) -> Result<()> {
    tx.execute(&SET, &Params::for_tenant(tenant).and(one).with(conversation)).await.map(drop)
}

pub async fn clear(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId, account: AccountId) -> Result<()> {
    tx.execute(&CLEAR, params![tenant, conversation, account]).await.map(drop)
}

/// The operators in the conversation whose rows are still valid, at most `MOST_LISTED`.
pub async fn list(db: &Db, tenant: TenantId, conversation: ConversationId, now: Timestamp) -> Result<Vec<Present>> {
    db.rows(&LIST, params![tenant, conversation, now, MOST_LISTED], read).await
}

/// Reads across tenants: the presences that end after this time.
pub async fn recent(db: &Db, after: Timestamp) -> Result<Vec<(TenantId, ConversationId, Present)>> {
    db.rows(&RECENT, params![after, MOST_RECENT], read).await
}

pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![now]).await
}
