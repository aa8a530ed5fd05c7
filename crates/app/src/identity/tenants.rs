//! Tenants and their plans, which the installation's administrator assigns. Their life cycle is in `platform/tenants/`.

use domain::identity::tenants::Tenant;
use domain::{Field, TenantId, Timestamp};
use store::Tx;

use crate::identity::Identity;
use crate::identity::accounts::checked_name;
use crate::{Actor, ActsFor, Error, Result, Thing};

#[derive(Debug)]
pub struct Tenants<'a>(&'a Identity);

impl Identity {
    pub fn tenants(&self) -> Tenants<'_> {
        Tenants(self)
    }
}

#[boxed::futures]
impl Tenants<'_> {
    pub async fn list(&self) -> Result<Vec<Tenant>> {
        Ok(store::identity::tenants::list(self.0.db()).await?)
    }

    pub async fn find(&self, id: TenantId) -> Result<Tenant> {
        store::identity::tenants::find(self.0.db(), id).await?.ok_or(Error::NotFound(Thing::Tenant))
    }

    pub async fn set_plan(&self, caller: &dyn ActsFor, plan: &str) -> Result<Tenant> {
        let plan = self.known_plan(plan)?;
        let input = (caller.audit_actor(), caller.tenant(), plan, self.0.now());
        self.0
            .write_and_publish_credentials(
                input,
                |tx, (actor, id, plan, now): &(Actor, TenantId, String, Timestamp)| {
                    Box::pin(async move {
                        if !store::identity::tenants::set_plan(tx, *id, plan, *now).await? {
                            return Err(Error::NotFound(Thing::Tenant));
                        }
                        let details = serde_json::json!({"plan": plan});
                        actor.record(tx, *id, *now, "tenant.set_plan", &id.to_string(), details).await?;
                        Ok(store::base::epochs::bump_credentials(tx).await?)
                    })
                },
            )
            .await?;
        self.find(caller.tenant()).await
    }

    /// Changes the name that the tenant's members see.
    pub async fn rename(&self, caller: &dyn ActsFor, name: &str) -> Result<Tenant> {
        let input = (caller.audit_actor(), caller.tenant(), checked_name(name)?, self.0.now());
        self.0.db().write(input, |tx, (actor, id, name, now)| Box::pin(set_name(tx, actor, *id, name, *now))).await?;
        self.find(caller.tenant()).await
    }

    pub(crate) fn known_plan(&self, name: &str) -> Result<String> {
        let plans = self.0.plans();
        match plans.get(name) {
            Some(_) => Ok(name.to_owned()),
            None => Err(Error::invalid(
                Field::Plan,
                format!("unknown plan {name:?}; expected one of {}", plans.names().join(", ")),
            )),
        }
    }
}

async fn set_name(tx: &mut Tx<'_>, actor: &Actor, id: TenantId, name: &str, now: Timestamp) -> Result<()> {
    if !store::identity::tenants::set_name(tx, id, name, now).await? {
        return Err(Error::NotFound(Thing::Tenant));
    }
    let details = serde_json::json!({"name": name});
    Ok(actor.record(tx, id, now, "tenant.set_name", &id.to_string(), details).await?)
}
