//! What a tenant demands of sessions in its console: single sign-on, and the client's address. An administrator cannot
//! set what their own session does not meet; a command can, and can undo it.

use std::net::IpAddr;

use domain::Field;
use domain::identity::memberships::{AccessRefusal, ConsoleAccess, MAX_CONSOLE_NETWORKS};
use domain::identity::second_factors::LogInMethod;

use crate::identity::Identity;
use crate::identity::sessions::session_id;
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct ConsoleAccesses<'a>(&'a Identity);

impl Identity {
    pub fn console_access(&self) -> ConsoleAccesses<'_> {
        ConsoleAccesses(self)
    }
}

#[boxed::futures]
impl ConsoleAccesses<'_> {
    pub async fn show(&self, caller: &dyn ActsFor) -> Result<ConsoleAccess> {
        Ok(store::identity::console_access::find(self.0.db(), caller.tenant()).await?)
    }

    /// Sets what the tenant demands. `from` is the address of the caller's session; a command has none.
    pub async fn set(&self, caller: &dyn ActsFor, access: ConsoleAccess, from: Option<IpAddr>) -> Result<()> {
        let tenant = caller.tenant();
        self.0.tenants().find(tenant).await?;
        if access.networks.len() > MAX_CONSOLE_NETWORKS {
            return Err(Error::invalid(Field::Networks, format!("expected at most {MAX_CONSOLE_NETWORKS} networks")));
        }
        if access.single_sign_on && self.0.oidc_log_ins().providers_of(tenant).next().is_none() {
            let message = "no identity provider is configured for this tenant (oidc.providers)";
            return Err(Error::conflict(Field::SingleSignOnRequired, message));
        }
        if let Some(from) = from {
            self.check_own(caller, &access, from).await?;
        }
        let input = (caller.audit_actor(), tenant, access, self.0.now());
        let set = self.0.db().write(input, |tx, (actor, tenant, access, now)| {
            Box::pin(async move {
                store::identity::console_access::save(tx, *tenant, access, *now).await?;
                let details =
                    serde_json::json!({ "single_sign_on": access.single_sign_on, "networks": access.networks });
                actor.record(tx, *tenant, *now, "tenant.set_console_access", &tenant.to_string(), details).await
            })
        });
        Ok(set.await?)
    }

    /// Refuses what would lock the caller out.
    async fn check_own(&self, caller: &dyn ActsFor, access: &ConsoleAccess, from: IpAddr) -> Result<()> {
        let session = store::identity::sessions::find(self.0.db(), caller.tenant(), session_id(caller)?).await?;
        let session = session.ok_or(Error::NotFound(Thing::Session))?;
        match access.refusal(session.log_in_method.unwrap_or(LogInMethod::Password), from) {
            None => Ok(()),
            Some(AccessRefusal::SingleSignOn) => {
                let message = "log in through the identity provider first, so that you can still log in afterwards";
                Err(Error::conflict(Field::SingleSignOnRequired, message))
            }
            Some(AccessRefusal::Network) => Err(Error::conflict(
                Field::Networks,
                format!("the list does not contain your own address, {}", from.to_canonical()),
            )),
        }
    }
}
