//! API tokens, and one statement that reads all that the gate needs to check a token.

use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::identity::tokens::{Token, TokenHash};
use domain::{AccountId, TenantId, Timestamp, TokenId};

use crate::base::columns::{columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = insert!("tokens": Token, "hash");
    FOR_GATE = select!(
        GateToken,
        " FROM tokens t
         JOIN accounts a ON a.tenant_id = t.tenant_id AND a.id = t.account_id
         JOIN tenants n ON n.tenant_id = t.tenant_id
         WHERE t.tenant_id = $1 AND t.id = $2"
    );
    FIND = select!(Token, " FROM tokens WHERE tenant_id = $1 AND id = $2");
    LIST = select!(Token, " FROM tokens WHERE tenant_id = $1 ORDER BY id");
    NAMES_BY_ID = "SELECT t.id, t.name
        FROM {sqlite json_each($2) listed CROSS JOIN tokens t ON t.tenant_id = $1 AND t.id = unhex(listed.value)}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
            JOIN tokens t ON t.tenant_id = $1 AND t.id = decode(listed.value, 'hex')}";
    REVOKE = "UPDATE tokens SET revoked_at = $3 WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL";
    REVOKE_OF_ACCOUNT =
        "UPDATE tokens SET revoked_at = $3 WHERE tenant_id = $1 AND account_id = $2 AND revoked_at IS NULL";
    SHORTEN = "UPDATE tokens SET expires_at = $3
        WHERE tenant_id = $1 AND id = $2 AND (expires_at IS NULL OR expires_at > $3)";
    TOUCH = "UPDATE tokens SET last_used_at = $3, last_used_address = $4
        WHERE tenant_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)";
    REHASH = "UPDATE tokens SET hash = $3 WHERE tenant_id = $1 AND id = $2";
    COUNT_ACTIVE = "SELECT COUNT(*) FROM tokens WHERE tenant_id = $1 AND revoked_at IS NULL";
}

/// A token with the columns of its account and tenant that the gate needs.
#[derive(Debug, Clone)]
pub struct GateToken {
    pub hash: TokenHash,
    pub scopes: ScopeSet,
    pub networks: Networks,
    pub rate_limit: Option<i64>,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub password_version: i64,
    pub account_id: AccountId,
    pub account_email: String,
    pub account_role: Role,
    pub account_disabled: bool,
    pub account_removed_at: Option<Timestamp>,
    pub account_password_version: i64,
    pub plan: String,
    pub tenant_suspended: bool,
}

columns! {
    GateToken {
        hash: "t.hash",
        scopes: "t.scopes",
        networks: "t.networks",
        rate_limit: "t.rate_limit",
        expires_at: "t.expires_at",
        revoked_at: "t.revoked_at",
        password_version: "t.password_version",
        account_id: "t.account_id",
        account_email: "a.email",
        account_role: "a.role",
        account_disabled: "a.disabled",
        account_removed_at: "a.removed_at",
        account_password_version: "a.password_version",
        plan: "n.plan",
        tenant_suspended: "n.suspended_at IS NOT NULL",
    }
}

record! {
    Token {
        id,
        account_id,
        name,
        scopes,
        networks,
        rate_limit,
        created_at,
        expires_at,
        revoked_at,
        password_version,
        last_used_at,
        last_used_address,
    }
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Token, hash: &TokenHash) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new).with(&hash.0)).await.map(drop)
}

pub async fn for_gate(db: &Db, tenant: TenantId, id: TokenId) -> Result<Option<GateToken>> {
    db.row(&FOR_GATE, params![tenant, id], read).await
}

pub async fn find(db: &Db, tenant: TenantId, id: TokenId) -> Result<Option<Token>> {
    db.row(&FIND, params![tenant, id], read).await
}

pub async fn find_in(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId) -> Result<Option<Token>> {
    tx.row(&FIND, params![tenant, id], read).await
}

pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Token>> {
    db.rows(&LIST, params![tenant], read).await
}

/// Ids and names of these tokens.
pub async fn names_by_id(db: &Db, tenant: TenantId, ids: &[TokenId]) -> Result<Vec<(TokenId, String)>> {
    let listed = domain::to_json(ids);
    db.rows(&NAMES_BY_ID, params![tenant, &listed], read).await
}

/// False if there is none, or it was revoked before.
pub async fn revoke(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&REVOKE, params![tenant, id, now]).await? == 1)
}

/// Revokes all tokens of an account.
pub async fn revoke_of_account(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId, now: Timestamp) -> Result<u64> {
    tx.execute(&REVOKE_OF_ACCOUNT, params![tenant, account, now]).await
}

/// Makes the token expire at `until` at the latest.
pub async fn shorten(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId, until: Timestamp) -> Result<()> {
    tx.execute(&SHORTEN, params![tenant, id, until]).await.map(drop)
}

/// The last use of a token.
#[derive(Debug, Clone)]
pub struct TokenUse {
    pub tenant: TenantId,
    pub id: TokenId,
    pub at: Timestamp,
    pub address: String,
}

pub async fn touch(tx: &mut Tx<'_>, uses: &[TokenUse]) -> Result<()> {
    let rows = uses.iter().map(|seen| Params::for_tenant(seen.tenant).with(seen.id).with(seen.at).with(&seen.address));
    tx.execute_many(&TOUCH, rows).await.map(drop)
}

/// Stores the token's hash under the present key, after a change of the secret key.
pub async fn rehash(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId, hash: &TokenHash) -> Result<()> {
    tx.execute(&REHASH, params![tenant, id, &hash.0]).await.map(drop)
}

/// Tokens that are not revoked.
pub async fn count_active(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT_ACTIVE, params![tenant], read).await?.unwrap_or(0))
}
