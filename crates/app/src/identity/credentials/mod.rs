//! Credentials in `Authorization: Bearer`: parses and verifies each kind and builds the `Principal`.

mod account_principal;
mod api_token;
mod changes;
mod jwt;
pub(crate) mod last_uses;
pub mod legacy_jwt;
mod lifetimes;
mod local_administrator;
pub mod oidc;
pub mod token_cache;

use std::net::IpAddr;
use std::sync::Arc;

use domain::TenantId;
use domain::identity::accounts::Account;
use domain::identity::plans::Plan;
use domain::identity::tokens::PREFIX;

pub(crate) use account_principal::principal_of;
pub use lifetimes::Lifetimes;

use crate::identity::gate::{Denial, Forbidden, Unauthenticated};
use crate::identity::principal::{Credential, Principal};
use account_principal::account_ended;
use legacy_jwt::JwtKind;

#[boxed::futures]
impl crate::identity::Identity {
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
            .legacy_jwt_keys()
            .verify(value)
            .map_err(|error| Denial::unauthenticated(error.reason(), error.to_string()))?;
        if claims.expires_at.is_some_and(|at| at <= self.now()) {
            return Err(Denial::unauthenticated(Unauthenticated::TokenExpired, "The access token has expired"));
        }
        let account = store::identity::accounts::by_id(self.db(), claims.tenant, claims.account).await?;
        let account = account.filter(Account::is_active).ok_or_else(account_ended)?;
        if account.credential_version != claims.version {
            let message =
                "The access token ended with a password change, a log-out everywhere or its account's removal";
            return Err(Denial::unauthenticated(Unauthenticated::PasswordChanged, message));
        }
        if store::identity::sessions::jwt_revoked(self.db(), claims.tenant, claims.jti).await? {
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
        let found = store::identity::tenants::find(self.db(), tenant).await?;
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
