//! Legacy JWTs that were given out. The tokens themselves are not stored; revoked ones are in `revoked_jwts`.

use domain::{AccountId, JwtId, TenantId, Timestamp};

use crate::base::columns::{columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = insert!("legacy_jwts": IssuedJwt);
    LIST = select!(
        ListedJwt,
        " FROM legacy_jwts j
         JOIN accounts a ON a.tenant_id = $1 AND a.id = j.account_id
         LEFT JOIN revoked_jwts r ON r.tenant_id = $1 AND r.jti = j.jti
         WHERE j.tenant_id = $1 ORDER BY j.jti"
    );
    COUNT_USABLE = "SELECT COUNT(*) FROM legacy_jwts j
        LEFT JOIN revoked_jwts r ON r.tenant_id = $1 AND r.jti = j.jti
        WHERE j.tenant_id = $1 AND j.account_id = $2 AND j.version = $3 AND r.jti IS NULL
        AND (j.expires_at IS NULL OR j.expires_at > $4)";
    FIND = select!(IssuedJwt, " FROM legacy_jwts WHERE tenant_id = $1 AND jti = $2");
}

/// A legacy JWT that was given out.
#[derive(Debug, Clone)]
pub struct IssuedJwt {
    pub jti: JwtId,
    pub account_id: AccountId,
    pub created_at: Timestamp,
    /// None for a JWT that does not expire.
    pub expires_at: Option<Timestamp>,
    /// The account's credential version when the JWT was issued. None for a JWT that a release without such versions
    /// issued.
    pub version: Option<i64>,
}

record! { IssuedJwt { jti, account_id, created_at, expires_at, version } }

/// A legacy JWT with the columns of its account that decide whether it works.
#[derive(Debug, Clone)]
pub struct ListedJwt {
    pub jti: JwtId,
    pub account_id: AccountId,
    pub account_email: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub version: Option<i64>,
    pub revoked_at: Option<Timestamp>,
    pub account_disabled: bool,
    pub account_removed_at: Option<Timestamp>,
    pub account_version: i64,
}

columns! {
    ListedJwt {
        jti: "j.jti",
        account_id: "j.account_id",
        account_email: "a.email",
        created_at: "j.created_at",
        expires_at: "j.expires_at",
        version: "j.version",
        revoked_at: "r.revoked_at",
        account_disabled: "a.disabled",
        account_removed_at: "a.removed_at",
        account_version: "a.credential_version",
    }
}

pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, issued: &IssuedJwt) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(issued)).await.map(drop)
}

pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<ListedJwt>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn find(db: &Db, tenant: TenantId, jti: JwtId) -> Result<Option<IssuedJwt>> {
    db.row(&FIND, params![tenant, jti], read).await
}

/// How many JWTs of the account can be used: of this credential version, neither revoked nor expired.
pub async fn count_usable(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: AccountId,
    version: i64,
    now: Timestamp,
) -> Result<i64> {
    Ok(tx.row(&COUNT_USABLE, params![tenant, account, version, now], read).await?.unwrap_or_default())
}
