//! Console sessions, and legacy JWTs that were replaced before their account's credentials ended.

use domain::{AccountId, JwtId, SessionId, TenantId, Timestamp};

use crate::{Db, Result, Row, Statement, Tx, params};

static INSERT: Statement = Statement::new(
    "sessions.insert",
    "INSERT INTO sessions (tenant_id, id, account_id, hash, credential_version, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)",
);
static FIND: Statement = Statement::new(
    "sessions.find",
    "SELECT account_id, hash, credential_version, expires_at FROM sessions WHERE tenant_id = $1 AND id = $2",
);
static END: Statement = Statement::new("sessions.end", "DELETE FROM sessions WHERE tenant_id = $1 AND id = $2");
static SWEEP: Statement = Statement::tenantless(
    "sessions.sweep",
    "sessions of the past are swept for all tenants together",
    "DELETE FROM sessions WHERE expires_at < $1",
);
static REVOKE_JWT: Statement = Statement::new(
    "sessions.revoke_jwt",
    "INSERT INTO revoked_jwts (tenant_id, jti, account_id, revoked_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant_id, jti) DO NOTHING",
);
static JWT_REVOKED: Statement =
    Statement::new("sessions.jwt_revoked", "SELECT revoked_at FROM revoked_jwts WHERE tenant_id = $1 AND jti = $2");

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &FIND, &END, &SWEEP, &REVOKE_JWT, &JWT_REVOKED];

#[derive(Debug, Clone)]
pub struct Session {
    pub id: SessionId,
    pub account_id: AccountId,
    /// Keyed hash of the cookie's value.
    pub hash: [u8; 32],
    pub credential_version: i64,
    pub expires_at: Timestamp,
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Session, now: Timestamp) -> Result<()> {
    let row = params![tenant, new.id, new.account_id, &new.hash, new.credential_version, now, new.expires_at];
    tx.execute(&INSERT, row).await.map(drop)
}

pub async fn find(db: &Db, tenant: TenantId, id: SessionId) -> Result<Option<Session>> {
    let session = |row: &Row<'_>| {
        Ok(Session {
            id,
            account_id: row.id(0)?,
            hash: row.bytes(1)?.try_into().map_err(|_| crate::Error::Column(1))?,
            credential_version: row.int(2)?,
            expires_at: row.time(3)?,
        })
    };
    db.row(&FIND, params![tenant, id], session).await
}

pub async fn end(tx: &mut Tx<'_>, tenant: TenantId, id: SessionId) -> Result<()> {
    tx.execute(&END, params![tenant, id]).await.map(drop)
}

pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![now]).await
}

/// False when it was revoked already.
pub async fn revoke_jwt(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    jti: JwtId,
    account: AccountId,
    now: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&REVOKE_JWT, params![tenant, jti, account, now]).await? == 1)
}

pub async fn jwt_revoked(db: &Db, tenant: TenantId, jti: JwtId) -> Result<bool> {
    Ok(db.row(&JWT_REVOKED, params![tenant, jti], |row| row.int(0)).await?.is_some())
}
