//! Console sessions, and revoked legacy JWTs.

use domain::identity::second_factors::LogInMethod;
use domain::{AccountId, JwtId, SessionId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = insert!("sessions": Session);
    FIND = select!(Session, " FROM sessions WHERE tenant_id = $1 AND id = $2");
    OF_ACCOUNT = select!(
        Session,
        " FROM sessions WHERE tenant_id = $1 AND account_id = $2 AND credential_version = $3 AND expires_at > $4"
    );
    OPEN = "SELECT created_at, id FROM sessions
        WHERE tenant_id = $1 AND account_id = $2 AND credential_version = $3 AND expires_at > $4";
    TOUCH = "UPDATE sessions SET last_used_at = $3
        WHERE tenant_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)";
    SET_LOG_IN_METHOD = "UPDATE sessions SET log_in_method = $3 WHERE tenant_id = $1 AND id = $2";
    END_OWN = "DELETE FROM sessions WHERE tenant_id = $1 AND id = $2 AND account_id = $3";
    END = "DELETE FROM sessions WHERE tenant_id = $1 AND id = $2";
    END_OTHERS = "DELETE FROM sessions WHERE tenant_id = $1 AND account_id = $2 AND id <> $3";
    SWEEP tenantless "sessions of the past are swept for all tenants together" =
        "DELETE FROM sessions WHERE expires_at < $1";
    REVOKE_JWT = "INSERT INTO revoked_jwts (tenant_id, jti, account_id, revoked_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, jti) DO NOTHING";
    JWT_REVOKED = "SELECT revoked_at FROM revoked_jwts WHERE tenant_id = $1 AND jti = $2";
}

#[derive(Debug, Clone)]
pub struct Session {
    pub id: SessionId,
    pub account_id: AccountId,
    /// Keyed hash of the session's secret value, which only the browser has.
    pub hash: [u8; 32],
    pub credential_version: i64,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// None for a session that an earlier version created and that was not used since: that version did not store the
    /// time.
    pub last_used_at: Option<Timestamp>,
    /// IP address of the client at the log-in.
    pub address: Option<String>,
    /// The `User-Agent` header of the log-in, shortened.
    pub user_agent: Option<String>,
    /// How the person logged in. None in a session of a version that did not store it.
    pub log_in_method: Option<LogInMethod>,
}

record! {
    Session {
        id,
        account_id,
        hash,
        credential_version,
        created_at,
        expires_at,
        last_used_at,
        address,
        user_agent,
        log_in_method,
    }
}

/// The last use of a session.
#[derive(Debug, Clone, Copy)]
pub struct SessionUse {
    pub tenant: TenantId,
    pub id: SessionId,
    pub at: Timestamp,
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Session) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

pub async fn find(db: &Db, tenant: TenantId, id: SessionId) -> Result<Option<Session>> {
    db.row(&FIND, params![tenant, id], read).await
}

/// The sessions that an account can use: of its present credentials and not expired.
pub async fn of_account(
    db: &Db,
    tenant: TenantId,
    account: AccountId,
    credential_version: i64,
    now: Timestamp,
) -> Result<Vec<Session>> {
    db.rows(&OF_ACCOUNT, params![tenant, account, credential_version, now], read).await
}

/// Ends the oldest sessions of the account beyond `most`.
pub async fn end_oldest(tx: &mut Tx<'_>, tenant: TenantId, newest: &Session, most: usize) -> Result<()> {
    let of = params![tenant, newest.account_id, newest.credential_version, newest.created_at];
    let mut open: Vec<(Timestamp, SessionId)> = tx.rows(&OPEN, of, read).await?;
    open.sort_unstable();
    let beyond = open.len().saturating_sub(most);
    let rows = open.iter().take(beyond).map(|(_, id)| Params::for_tenant(tenant).with(*id));
    tx.execute_many(&END, rows).await.map(drop)
}

/// Saves the last use of each session, unless a later one is stored.
pub async fn touch(tx: &mut Tx<'_>, uses: &[SessionUse]) -> Result<()> {
    let rows = uses.iter().map(|one| Params::for_tenant(one.tenant).with(one.id).with(one.at));
    tx.execute_many(&TOUCH, rows).await.map(drop)
}

/// The person has shown a second factor after the log-in.
pub async fn set_log_in_method(tx: &mut Tx<'_>, tenant: TenantId, id: SessionId, method: LogInMethod) -> Result<()> {
    tx.execute(&SET_LOG_IN_METHOD, params![tenant, id, method.name()]).await.map(drop)
}

/// Ends a session of the account. False if the account has no such session.
pub async fn end_own(tx: &mut Tx<'_>, tenant: TenantId, id: SessionId, account: AccountId) -> Result<bool> {
    Ok(tx.execute(&END_OWN, params![tenant, id, account]).await? == 1)
}

pub async fn end(tx: &mut Tx<'_>, tenant: TenantId, id: SessionId) -> Result<()> {
    tx.execute(&END, params![tenant, id]).await.map(drop)
}

/// Ends all sessions of the account but this one.
pub async fn end_others(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId, kept: SessionId) -> Result<()> {
    tx.execute(&END_OTHERS, params![tenant, account, kept]).await.map(drop)
}

pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![now]).await
}

/// False if the JWT was revoked before.
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
