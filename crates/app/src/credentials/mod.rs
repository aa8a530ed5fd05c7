//! Credentials in `Authorization: Bearer`: parses and verifies each kind and builds the `Principal`.

mod api_token;
mod jwt;
pub mod legacy_jwt;
pub mod oidc;
pub mod token_cache;
pub(crate) mod uses;

use std::net::IpAddr;
use std::sync::Arc;

use domain::plans::Plan;
use domain::tokens::PREFIX;
use domain::{TenantId, accounts::Account};

use crate::gate::{Denial, Forbidden, Unauthenticated};
use crate::principal::{AccountRef, Credential, Principal};
use legacy_jwt::JwtKind;

/// How long credentials of accounts last.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    /// A session of the console that is not used for this long ends. 0: only its lifetime ends it.
    pub session_idle_minutes: u32,
    /// A new legacy JWT ends after this many days. 0: it has no end.
    pub legacy_jwt_days: u32,
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self { session_idle_minutes: 120, legacy_jwt_days: 365 }
    }
}

#[boxed::futures]
impl crate::App {
    /// Authenticates a bearer credential and returns its principal. `from` is the client's address.
    pub async fn authenticate(&self, value: &str, from: IpAddr) -> Result<Arc<Principal>, Denial> {
        if value.starts_with(PREFIX) {
            return api_token::authenticate(self, value, from).await;
        }
        match legacy_jwt::kind_of(value) {
            Some(JwtKind::Legacy) => self.authenticate_legacy(value).await,
            Some(JwtKind::Issuer(_)) => self.authenticate_oidc(value).await,
            None => {
                Err(Denial::unauthenticated(Unauthenticated::TokenMalformed, "The access token has an unknown format"))
            }
        }
    }

    async fn authenticate_legacy(&self, value: &str) -> Result<Arc<Principal>, Denial> {
        let claims = self
            .keys()
            .legacy_jwt
            .verify(value)
            .map_err(|error| Denial::unauthenticated(error.reason(), error.to_string()))?;
        if claims.expires_at.is_some_and(|at| at <= self.now()) {
            return Err(Denial::unauthenticated(Unauthenticated::TokenExpired, "The access token has expired"));
        }
        let account = store::accounts::by_id(self.db(), claims.tenant, claims.account).await?;
        let account = account.filter(Account::is_active).ok_or_else(account_ended)?;
        if account.credential_version != claims.version {
            let message =
                "The access token ended with a password change, a log-out everywhere or its account's removal";
            return Err(Denial::unauthenticated(Unauthenticated::PasswordChanged, message));
        }
        if store::sessions::jwt_revoked(self.db(), claims.tenant, claims.jti).await? {
            return Err(Denial::unauthenticated(
                Unauthenticated::TokenRevoked,
                "The access token was revoked, or replaced by a newer one",
            ));
        }
        let plan = self.plan_of(claims.tenant).await?;
        let credential = Credential::LegacyJwt { jti: claims.jti };
        Ok(Arc::new(principal_of(claims.tenant, &account, credential, plan)))
    }

    async fn authenticate_oidc(&self, value: &str) -> Result<Arc<Principal>, Denial> {
        let identity = self.oidc().verify(value).await;
        let identity = identity.map_err(|error| Denial::unauthenticated(error.reason(), error.to_string()))?;
        let tenant = identity.tenant.ok_or(Denial::Forbidden(Forbidden::Tenant))?;
        let plan = self.plan_of(tenant).await?;
        Ok(Arc::new(Principal {
            tenant,
            role: identity.role,
            credential: Credential::Oidc { issuer: identity.issuer, subject: identity.subject },
            account: None,
            granted: identity.scopes,
            reached: identity.scopes,
            plan,
            rate_limit: None,
        }))
    }

    /// Finds the plan of a tenant that is not suspended. A tenant that does not exist gets the same answer as one that
    /// the caller may not use.
    pub(crate) async fn plan_of(&self, tenant: TenantId) -> Result<Arc<Plan>, Denial> {
        let found = store::tenants::find(self.db(), tenant).await?;
        let tenant = found.ok_or(Denial::Forbidden(Forbidden::Tenant))?;
        if tenant.suspended_at.is_some() {
            return Err(Denial::Forbidden(Forbidden::TenantSuspended));
        }
        Ok(self.plan_named(&tenant.plan))
    }

    /// Finds a plan by name. A name that is no longer configured is a plan without features and without limits: the
    /// calls of its tenants are not limited.
    pub(crate) fn plan_named(&self, name: &str) -> Arc<Plan> {
        let known = self.plans().get(name).cloned();
        known.unwrap_or_else(|| Arc::new(Plan { name: name.to_owned(), ..Plan::default() }))
    }
}

/// Builds the principal of a credential that acts as its account: with the account's role, and without scopes.
pub(crate) fn principal_of(tenant: TenantId, account: &Account, credential: Credential, plan: Arc<Plan>) -> Principal {
    Principal {
        tenant,
        role: account.role,
        credential,
        account: Some(AccountRef { id: account.id, email: account.email.clone() }),
        granted: domain::scopes::ScopeSet::EMPTY,
        reached: domain::scopes::ScopeSet::EMPTY,
        plan,
        rate_limit: None,
    }
}

fn account_ended() -> Denial {
    Denial::unauthenticated(Unauthenticated::TokenRevoked, "The access token's account was removed or disabled")
}
