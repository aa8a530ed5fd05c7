//! Console sessions, and revoked legacy JWTs.

use domain::{AccountId, JwtId, SessionId, TenantId, Timestamp};

use crate::columns::{insert, record, select};
use crate::{Db, Params, Result, Statement, Tx, params, read};

static INSERT: Statement = Statement::new("sessions.insert", insert!("sessions": Session, "created_at"));
static FIND: Statement =
    Statement::new("sessions.find", select!(Session, " FROM sessions WHERE tenant_id = $1 AND id = $2"));
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
    /// Keyed hash of the session's value.
    pub hash: [u8; 32],
    pub credential_version: i64,
    pub expires_at: Timestamp,
}

record! { Session { id, account_id, hash, credential_version, expires_at } }

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Session, now: Timestamp) -> Result<()> {
    tx.execute(&INSERT, &Params::of(tenant).and(new).with(now)).await.map(drop)
}

pub async fn find(db: &Db, tenant: TenantId, id: SessionId) -> Result<Option<Session>> {
    db.row(&FIND, params![tenant, id], read).await
}

pub async fn end(tx: &mut Tx<'_>, tenant: TenantId, id: SessionId) -> Result<()> {
    tx.execute(&END, params![tenant, id]).await.map(drop)
}

pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![now]).await
}

/// False if it was revoked before.
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
    Ok(db.row(&JWT_REVOKED, params![tenant, jti], |_| Ok(())).await?.is_some())
}
