//! API access tokens. The order of checks: checksum, one look-up (cached), hash in constant time, revocation, expiry,
//! account, client address.

use std::net::IpAddr;
use std::sync::Arc;

use domain::identity::tokens::PresentedToken;
use domain::{TenantId, TokenId};
use store::identity::tokens::GateToken;

use super::account_principal::account_ended;
use super::token_cache::CachedToken;
use crate::identity::Identity;
use crate::identity::gate::{Denial, Forbidden, Unauthenticated};
use crate::identity::principal::{AccountRef, Credential, Principal};

pub(super) async fn authenticate(identity: &Identity, value: &str, from: IpAddr) -> Result<Arc<Principal>, Denial> {
    let Some(presented) = PresentedToken::parse(value) else {
        return Err(Denial::unauthenticated(
            Unauthenticated::TokenMalformed,
            "The access token is incomplete or mistyped",
        ));
    };
    let known = load_token(identity, &presented).await?.ok_or_else(unknown)?;
    check_hash(identity, &presented, &known).await?;
    check_ended(identity, &known.token)?;
    if !known.token.networks.allows(from) {
        return Err(Denial::Forbidden(Forbidden::Ip));
    }
    identity.last_uses().record_token(presented.tenant, presented.id, identity.now(), from);
    Ok(known.principal.clone())
}

fn unknown() -> Denial {
    Denial::unauthenticated(Unauthenticated::TokenUnknown, "The access token is not known to this server")
}

/// Reads the token from the cache if the credentials epoch is unchanged, else from the database.
async fn load_token(identity: &Identity, presented: &PresentedToken<'_>) -> Result<Option<Arc<CachedToken>>, Denial> {
    let key = (presented.tenant, presented.id);
    let epoch = identity.token_cache().epoch(identity.db()).await?;
    if let Some(known) = identity.token_cache().get(key, epoch) {
        return Ok(Some(known));
    }
    let Some(token) = store::identity::tokens::for_gate(identity.db(), presented.tenant, presented.id).await? else {
        return Ok(None);
    };
    let principal = Arc::new(principal(identity, presented.tenant, presented.id, &token));
    let known = Arc::new(CachedToken { epoch, token, principal });
    identity.token_cache().insert(key, known.clone());
    Ok(Some(known))
}

fn principal(identity: &Identity, tenant: TenantId, id: TokenId, token: &GateToken) -> Principal {
    Principal {
        tenant,
        role: domain::identity::roles::Role::ApiToken,
        credential: Credential::ApiToken { id },
        account: Some(AccountRef { id: token.account_id, email: token.account_email.clone() }),
        granted: token.scopes,
        reached: identity.hierarchy().expand(token.scopes),
        plan: identity.plan_named(&token.plan),
        rate_limit: token.rate_limit,
    }
}

/// Compares the token with the stored hash, under the present key first. A token that was hashed under the previous key
/// is hashed again under the present one.
async fn check_hash(identity: &Identity, presented: &PresentedToken<'_>, known: &CachedToken) -> Result<(), Denial> {
    let mut keys = identity.keys().token_hash.iter();
    let Some(present) = keys.next() else { return Err(unknown()) };
    if presented.matches(&known.token.hash, present) {
        return Ok(());
    }
    if !keys.any(|previous| presented.matches(&known.token.hash, previous)) {
        return Err(unknown());
    }
    let renewed = (presented.tenant, presented.id, presented.hash(present));
    identity
        .write_and_publish_credentials(renewed, |tx, (tenant, id, hash)| {
            Box::pin(async move {
                store::identity::tokens::rehash(tx, *tenant, *id, hash).await?;
                store::base::epochs::bump_credentials(tx).await
            })
        })
        .await?;
    Ok(())
}

fn check_ended(identity: &Identity, token: &GateToken) -> Result<(), Denial> {
    if token.revoked_at.is_some() {
        return Err(Denial::unauthenticated(Unauthenticated::TokenRevoked, "The access token was revoked"));
    }
    if token.expires_at.is_some_and(|at| at <= identity.now()) {
        return Err(Denial::unauthenticated(Unauthenticated::TokenExpired, "The access token has expired"));
    }
    if token.account_disabled || token.account_removed_at.is_some() {
        return Err(account_ended());
    }
    if !token.account_role.may_own_tokens() {
        let message = "The access token's account is no longer ADMINISTRATOR or DEVELOPER";
        return Err(Denial::unauthenticated(Unauthenticated::TokenRevoked, message));
    }
    if token.password_version != token.account_password_version {
        let message = "The access token ended when its account's password was changed; create a new one";
        return Err(Denial::unauthenticated(Unauthenticated::PasswordChanged, message));
    }
    if token.tenant_suspended {
        return Err(Denial::Forbidden(Forbidden::TenantSuspended));
    }
    Ok(())
}
