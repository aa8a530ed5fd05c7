//! The caller of commands on the server's machine.

use std::sync::Arc;

use domain::TenantId;
use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;

use crate::identity::Identity;
use crate::identity::principal::{Credential, Principal};
use crate::{Error, Result, Thing};

#[boxed::futures]
impl Identity {
    /// A principal with the role of an administrator of this tenant, for commands on the server's machine. Only for the
    /// control socket: a request over the network must not get one.
    pub async fn local_administrator(&self, tenant: TenantId) -> Result<Arc<Principal>> {
        let found = store::identity::tenants::find(self.db(), tenant).await?.ok_or(Error::NotFound(Thing::Tenant))?;
        Ok(Arc::new(Principal {
            tenant,
            role: Role::Administrator,
            credential: Credential::Machine,
            account: None,
            granted: ScopeSet::EMPTY,
            reached: ScopeSet::EMPTY,
            plan: self.plan_named(&found.plan),
            rate_limit: None,
        }))
    }
}
