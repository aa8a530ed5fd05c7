//! API tokens, and what the gate needs to know of one in a single read.

use domain::networks::Networks;
use domain::roles::Role;
use domain::scopes::ScopeSet;
use domain::tokens::{Token, TokenHash};
use domain::{AccountId, TenantId, Timestamp, TokenId};

use super::accounts::role;
use crate::{Db, Error, Result, Row, Statement, Tx, params};

static INSERT: Statement = Statement::new(
    "tokens.insert",
    "INSERT INTO tokens (tenant_id, id, account_id, name, hash, scopes, networks, rate_limit, created_at, expires_at, password_version)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
);
static FOR_GATE: Statement = Statement::new(
    "tokens.for_gate",
    "SELECT t.hash, t.scopes, t.networks, t.rate_limit, t.expires_at, t.revoked_at, t.password_version,
            t.account_id, a.email, a.role, a.disabled, a.removed_at, a.password_version, n.plan
     FROM tokens t
     JOIN accounts a ON a.tenant_id = t.tenant_id AND a.id = t.account_id
     JOIN tenants n ON n.tenant_id = t.tenant_id
     WHERE t.tenant_id = $1 AND t.id = $2",
);
static FIND: Statement = Statement::new(
    "tokens.find",
    "SELECT id, account_id, name, scopes, networks, rate_limit, created_at, expires_at, revoked_at,
            password_version, last_used_at, last_used_address
     FROM tokens WHERE tenant_id = $1 AND id = $2",
);
static LIST: Statement = Statement::new(
    "tokens.list",
    "SELECT id, account_id, name, scopes, networks, rate_limit, created_at, expires_at, revoked_at,
            password_version, last_used_at, last_used_address
     FROM tokens WHERE tenant_id = $1 ORDER BY id",
);
static REVOKE: Statement = Statement::new(
    "tokens.revoke",
    "UPDATE tokens SET revoked_at = $3 WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL",
);
static SHORTEN: Statement = Statement::new(
    "tokens.shorten",
    "UPDATE tokens SET expires_at = $3 WHERE tenant_id = $1 AND id = $2 AND (expires_at IS NULL OR expires_at > $3)",
);
static TOUCH: Statement = Statement::new(
    "tokens.touch",
    "UPDATE tokens SET last_used_at = $3, last_used_address = $4
     WHERE tenant_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)",
);
static REHASH: Statement =
    Statement::new("tokens.rehash", "UPDATE tokens SET hash = $3 WHERE tenant_id = $1 AND id = $2");

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &FOR_GATE, &FIND, &LIST, &REVOKE, &SHORTEN, &TOUCH, &REHASH];

/// A token with its account and tenant, as the gate judges it.
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
}

fn gate_token(row: &Row<'_>) -> Result<GateToken> {
    Ok(GateToken {
        hash: TokenHash(row.bytes(0)?.try_into().map_err(|_| Error::Column(0))?),
        scopes: ScopeSet::from_text(row.text(1)?),
        networks: networks(row, 2)?,
        rate_limit: row.opt_int(3)?,
        expires_at: row.opt_time(4)?,
        revoked_at: row.opt_time(5)?,
        password_version: row.int(6)?,
        account_id: row.id(7)?,
        account_email: row.string(8)?,
        account_role: role(row.text(9)?, 9)?,
        account_disabled: row.bool(10)?,
        account_removed_at: row.opt_time(11)?,
        account_password_version: row.int(12)?,
        plan: row.string(13)?,
    })
}

fn networks(row: &Row<'_>, column: usize) -> Result<Networks> {
    Networks::from_text(row.text(column)?).map_err(|_| Error::Column(column))
}

fn token(row: &Row<'_>) -> Result<Token> {
    Ok(Token {
        id: row.id(0)?,
        account_id: row.id(1)?,
        name: row.string(2)?,
        scopes: ScopeSet::from_text(row.text(3)?),
        networks: networks(row, 4)?,
        rate_limit: row.opt_int(5)?,
        created_at: row.time(6)?,
        expires_at: row.opt_time(7)?,
        revoked_at: row.opt_time(8)?,
        password_version: row.int(9)?,
        last_used_at: row.opt_time(10)?,
        last_used_address: row.opt_string(11)?,
    })
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Token, hash: &TokenHash) -> Result<()> {
    let (scopes, networks) = (new.scopes.to_text(), new.networks.to_text());
    let row = params![
        tenant,
        new.id,
        new.account_id,
        &new.name,
        &hash.0,
        &scopes,
        &networks,
        new.rate_limit,
        new.created_at,
        new.expires_at,
        new.password_version
    ];
    tx.execute(&INSERT, row).await.map(drop)
}

pub async fn for_gate(db: &Db, tenant: TenantId, id: TokenId) -> Result<Option<GateToken>> {
    db.row(&FOR_GATE, params![tenant, id], gate_token).await
}

pub async fn find(db: &Db, tenant: TenantId, id: TokenId) -> Result<Option<Token>> {
    db.row(&FIND, params![tenant, id], token).await
}

pub async fn find_in(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId) -> Result<Option<Token>> {
    tx.row(&FIND, params![tenant, id], token).await
}

pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Token>> {
    db.rows(&LIST, params![tenant], token).await
}

/// False when there is none, or it was revoked already.
pub async fn revoke(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&REVOKE, params![tenant, id, now]).await? == 1)
}

/// The token ends at `until` at the latest.
pub async fn shorten(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId, until: Timestamp) -> Result<()> {
    tx.execute(&SHORTEN, params![tenant, id, until]).await.map(drop)
}

/// One use of a token, noted behind the request.
#[derive(Debug, Clone)]
pub struct Use {
    pub tenant: TenantId,
    pub id: TokenId,
    pub at: Timestamp,
    pub address: String,
}

pub async fn touch(tx: &mut Tx<'_>, uses: &[Use]) -> Result<()> {
    let rows: Vec<_> = uses.iter().map(|seen| params![seen.tenant, seen.id, seen.at, &seen.address].to_vec()).collect();
    tx.execute_many(&TOUCH, &rows).await.map(drop)
}

/// After a change of the secret key: the same token under the present key.
pub async fn rehash(tx: &mut Tx<'_>, tenant: TenantId, id: TokenId, hash: &TokenHash) -> Result<()> {
    tx.execute(&REHASH, params![tenant, id, &hash.0]).await.map(drop)
}
