//! The principal of a credential that acts as its account.

use std::sync::Arc;

use domain::TenantId;
use domain::identity::accounts::Account;
use domain::identity::plans::Plan;
use domain::identity::scopes::ScopeSet;

use crate::identity::gate::{Denial, Unauthenticated};
use crate::identity::principal::{AccountRef, Credential, Principal};

/// Builds the principal of a credential that acts as its account: with the account's role, and without scopes.
pub(crate) fn principal_of(tenant: TenantId, account: &Account, credential: Credential, plan: Arc<Plan>) -> Principal {
    Principal {
        tenant,
        role: account.role,
        credential,
        account: Some(AccountRef { id: account.id, email: account.email.clone() }),
        granted: ScopeSet::EMPTY,
        reached: ScopeSet::EMPTY,
        plan,
        rate_limit: None,
    }
}

pub(super) fn account_ended() -> Denial {
    Denial::unauthenticated(Unauthenticated::TokenRevoked, "The access token's account was removed or disabled")
}
