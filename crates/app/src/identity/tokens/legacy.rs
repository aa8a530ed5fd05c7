//! Legacy JWTs: issued at the console or by a command, listed, revoked one by one, and replaced by a request with a
//! legacy JWT of the same account.

use domain::identity::accounts::Account;
use domain::identity::memberships::MAX_LEGACY_JWTS;
use domain::{AccountId, Field, Id, JwtId, TenantId, Timestamp};
use store::Tx;
use store::identity::legacy_jwts::{IssuedJwt, ListedJwt};

use super::{Tokens, manages};
use crate::identity::credentials::legacy_jwt::{LegacyClaims, LegacyJwtError};
use crate::{Actor, ActsFor, Error, Result, Thing};

/// A legacy JWT as its account and administrators see it, without its value.
#[derive(Debug, Clone)]
pub struct LegacyJwtView {
    pub id: JwtId,
    pub account_id: AccountId,
    pub account: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    /// `active`, `expired`, `revoked`, `account_disabled` or `account_removed`; `ended` after a password change or a
    /// log-out everywhere; `unknown` if an earlier version issued it, so that it may have ended in that way.
    pub state: &'static str,
}

impl LegacyJwtView {
    fn new(listed: ListedJwt, now: Timestamp) -> Self {
        let state = state_of(&listed, now);
        Self {
            id: listed.jti,
            account_id: listed.account_id,
            account: listed.account_email,
            created_at: listed.created_at,
            expires_at: listed.expires_at,
            revoked_at: listed.revoked_at,
            state,
        }
    }
}

fn state_of(listed: &ListedJwt, now: Timestamp) -> &'static str {
    if listed.revoked_at.is_some() {
        "revoked"
    } else if listed.expires_at.is_some_and(|at| at <= now) {
        "expired"
    } else if listed.account_removed_at.is_some() {
        "account_removed"
    } else if listed.account_disabled {
        "account_disabled"
    } else {
        match listed.version {
            Some(version) if version == listed.account_version => "active",
            Some(_) => "ended",
            None => "unknown",
        }
    }
}

#[boxed::futures]
impl Tokens<'_> {
    /// Issues a legacy JWT for an account, for clients that support no other credential.
    pub async fn legacy(&self, caller: &dyn ActsFor, account: &str) -> Result<String> {
        let owner = self.0.accounts().find(caller, account).await?;
        if owner.disabled {
            return Err(Error::invalid(Field::Account, "is disabled"));
        }
        let claims = self.claims_for(caller.tenant(), &owner);
        let input = (caller.audit_actor(), claims.clone(), self.0.now());
        self.0
            .db()
            .write(input, |tx, (actor, claims, now)| {
                Box::pin(async move {
                    check_cap(tx, claims, *now).await?;
                    let details = serde_json::json!({"account": claims.account});
                    Ok::<_, Error>(insert_and_record(tx, actor, claims, *now, "legacy_jwt.create", details).await?)
                })
            })
            .await?;
        Ok(self.0.legacy_jwt_keys().sign(&claims))
    }

    /// The legacy JWTs that the caller manages, the oldest first: all of the tenant for an administrator or a command,
    /// its own for a developer.
    pub async fn list_legacy(&self, caller: &dyn ActsFor) -> Result<Vec<LegacyJwtView>> {
        self.0.tenants().find(caller.tenant()).await?;
        let mut all = store::identity::legacy_jwts::list(self.0.db(), caller.tenant()).await?;
        all.retain(|jwt| manages(caller, jwt.account_id));
        Ok(all.into_iter().map(|listed| LegacyJwtView::new(listed, self.0.now())).collect())
    }

    /// Ends a legacy JWT at once. One that the caller does not manage counts as not found. Nothing changes if it is
    /// already revoked.
    pub async fn revoke_legacy(&self, caller: &dyn ActsFor, id: JwtId) -> Result<()> {
        let found = store::identity::legacy_jwts::find(self.0.db(), caller.tenant(), id).await?;
        let found = found.filter(|jwt| manages(caller, jwt.account_id));
        let account = found.ok_or(Error::NotFound(Thing::Token))?.account_id;
        let input = (caller.audit_actor(), caller.tenant(), id, account, self.0.now());
        self.0
            .write_and_publish_credentials(input, |tx, (actor, tenant, id, account, now)| {
                Box::pin(async move {
                    if store::identity::sessions::revoke_jwt(tx, *tenant, *id, *account, *now).await? {
                        let details = serde_json::json!({"account": account});
                        actor.record(tx, *tenant, *now, "legacy_jwt.revoke", &id.to_string(), details).await?;
                        store::base::epochs::bump_credentials(tx).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Replaces a legacy JWT of the caller's account by a new one. The old one ends at once; if it was replaced or
    /// revoked before, that is a conflict. One that has expired, or has ended with a password change or a log-out
    /// everywhere, is not replaced. The gate refuses roles that get no legacy JWTs in the console either: those of a
    /// demoted account are not prolonged.
    pub async fn rotate_legacy(&self, caller: &dyn ActsFor, replaced: &str) -> Result<String> {
        let owner = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let wrong = |error: LegacyJwtError| Error::invalid(Field::Token, error);
        let old = self.0.legacy_jwt_keys().verify(replaced).map_err(wrong)?;
        if old.tenant != caller.tenant() || old.account != owner {
            return Err(Error::invalid(Field::Token, "expected one of your own tokens"));
        }
        let account = store::identity::accounts::by_id(self.0.db(), caller.tenant(), owner).await?;
        let account = account.ok_or(Error::NotFound(Thing::Account))?;
        let has_expired = old.expires_at.is_some_and(|at| at <= self.0.now());
        if old.version != account.credential_version || has_expired {
            return Err(Error::invalid(Field::Token, "has ended"));
        }
        let claims = self.claims_for(caller.tenant(), &account);
        let input = (caller.audit_actor(), old, claims.clone(), self.0.now());
        self.0
            .write_and_publish_credentials(input, |tx, (actor, old, claims, now)| {
                Box::pin(async move {
                    if !store::identity::sessions::revoke_jwt(tx, old.tenant, old.jti, old.account, *now).await? {
                        return Err(Error::conflict(Field::Token, "was already replaced or revoked"));
                    }
                    let details = serde_json::json!({"replaces": old.jti});
                    insert_and_record(tx, actor, claims, *now, "legacy_jwt.rotate", details).await?;
                    Ok(store::base::epochs::bump_credentials(tx).await?)
                })
            })
            .await?;
        Ok(self.0.legacy_jwt_keys().sign(&claims))
    }

    fn claims_for(&self, tenant: TenantId, account: &Account) -> LegacyClaims {
        let now = self.0.now();
        let issued_at = Timestamp::from_seconds(now.seconds());
        let days = i64::from(self.0.lifetimes().legacy_jwt_days);
        LegacyClaims {
            account: account.id,
            tenant,
            role: account.role,
            jti: Id::new(now),
            issued_at,
            expires_at: (days > 0).then(|| issued_at.plus_seconds(days * 86_400)),
            version: account.credential_version,
        }
    }
}

/// Refuses a further JWT of an account that has as many that can be used as it may have.
async fn check_cap(tx: &mut Tx<'_>, claims: &LegacyClaims, now: Timestamp) -> Result<()> {
    let LegacyClaims { tenant, account, version, .. } = claims;
    store::identity::accounts::lock(tx, *tenant, *account).await?;
    let used = store::identity::legacy_jwts::count_usable(tx, *tenant, *account, *version, now).await?;
    let used = u64::try_from(used).unwrap_or_default();
    if used >= MAX_LEGACY_JWTS {
        return Err(Error::LimitReached { limit: "legacy_jwts", used, max: MAX_LEGACY_JWTS });
    }
    Ok(())
}

async fn insert_and_record(
    tx: &mut Tx<'_>,
    actor: &Actor,
    claims: &LegacyClaims,
    now: Timestamp,
    action: &str,
    details: serde_json::Value,
) -> store::Result<()> {
    let issued = IssuedJwt {
        jti: claims.jti,
        account_id: claims.account,
        created_at: now.to_millis(),
        expires_at: claims.expires_at,
        version: Some(claims.version),
    };
    store::identity::legacy_jwts::insert(tx, claims.tenant, &issued).await?;
    actor.record(tx, claims.tenant, now, action, &claims.jti.to_string(), details).await
}
