//! Tenants: created and assigned to plans by the installation's administrator.

mod data;

use domain::plans::DEFAULT_PLAN;
use domain::tenants::Tenant;
use domain::{TenantId, Timestamp};

use crate::{Actor, ActsFor, App, Error, Result, Thing};

#[derive(Debug)]
pub struct Tenants<'a>(&'a App);

impl App {
    pub fn tenants(&self) -> Tenants<'_> {
        Tenants(self)
    }
}

#[derive(Debug, Clone)]
pub struct NewTenant {
    pub name: String,
    /// None: the default plan.
    pub plan: Option<String>,
    pub with_sandbox: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch {
    Suspend,
    Resume,
}

const MAX_NAME_CHARACTERS: usize = 200;

#[boxed::futures]
impl Tenants<'_> {
    /// Creates the tenant that the caller acts for, with a sandbox channel unless the sandbox is disabled or the request
    /// declines it.
    pub async fn create(&self, caller: &dyn ActsFor, new: NewTenant) -> Result<Tenant> {
        let (id, NewTenant { name, plan, with_sandbox }) = (caller.tenant(), new);
        let plan = self.known_plan(plan.as_deref().unwrap_or(DEFAULT_PLAN))?;
        if !(1..=MAX_NAME_CHARACTERS).contains(&name.trim().chars().count()) {
            return Err(Error::invalid("name", format!("expected 1 to {MAX_NAME_CHARACTERS} characters")));
        }
        let tenant =
            Tenant { id, name: name.trim().to_owned(), plan, created_at: self.0.now().to_millis(), suspended_at: None };
        let channel = if with_sandbox { self.0.sandbox_channel(id, tenant.created_at)? } else { None };
        let made = self.0.change((caller.audit_actor(), tenant, channel), |tx, (actor, tenant, channel)| {
            Box::pin(async move {
                if !store::tenants::insert(tx, tenant).await? {
                    return Err(Error::conflict("id", format!("tenant {} already exists", tenant.id)));
                }
                if let Some(channel) = channel {
                    channel.insert(tx, tenant.id).await?;
                }
                let details = serde_json::json!({"name": tenant.name, "plan": tenant.plan});
                actor.note(tx, tenant.id, tenant.created_at, "tenant.create", &tenant.id.to_string(), details).await?;
                store::epochs::bump_credentials(tx).await?;
                Ok(tenant.clone())
            })
        });
        made.await
    }

    pub async fn list(&self) -> Result<Vec<Tenant>> {
        Ok(store::tenants::list(self.0.db()).await?)
    }

    pub async fn find(&self, id: TenantId) -> Result<Tenant> {
        store::tenants::find(self.0.db(), id).await?.ok_or(Error::NotFound(Thing::Tenant))
    }

    pub async fn set_plan(&self, caller: &dyn ActsFor, plan: &str) -> Result<Tenant> {
        let plan = self.known_plan(plan)?;
        let input = (caller.audit_actor(), caller.tenant(), plan, self.0.now());
        self.0
            .change(input, |tx, (actor, id, plan, now): &(Actor, TenantId, String, Timestamp)| {
                Box::pin(async move {
                    if !store::tenants::set_plan(tx, *id, plan, *now).await? {
                        return Err(Error::NotFound(Thing::Tenant));
                    }
                    let details = serde_json::json!({"plan": plan});
                    actor.note(tx, *id, *now, "tenant.set_plan", &id.to_string(), details).await?;
                    Ok(store::epochs::bump_credentials(tx).await?)
                })
            })
            .await?;
        self.find(caller.tenant()).await
    }

    /// Refuses the tenant's credentials from now on, and stops its messages and webhooks, whatever their state. What
    /// people send is still received. Nothing is deleted. A suspended tenant stays as it is.
    pub async fn suspend(&self, caller: &dyn ActsFor) -> Result<Tenant> {
        self.switch(caller, Switch::Suspend).await
    }

    /// Ends the suspension. Messages that waited are checked again and sent if they still may be; events that waited and
    /// are still kept are delivered. An active tenant stays as it is.
    pub async fn resume(&self, caller: &dyn ActsFor) -> Result<Tenant> {
        self.switch(caller, Switch::Resume).await
    }

    async fn switch(&self, caller: &dyn ActsFor, switch: Switch) -> Result<Tenant> {
        self.find(caller.tenant()).await?;
        let input = (caller.audit_actor(), caller.tenant(), switch, self.0.now().to_millis());
        self.0
            .change(input, |tx, (actor, id, switch, now): &(Actor, TenantId, Switch, Timestamp)| {
                Box::pin(async move {
                    let (changed, action) = match switch {
                        Switch::Suspend => (store::tenants::suspend(tx, *id, *now).await?, "tenant.suspend"),
                        Switch::Resume => (store::tenants::resume(tx, *id, *now).await?, "tenant.resume"),
                    };
                    if changed {
                        actor.note(tx, *id, *now, action, &id.to_string(), serde_json::json!({})).await?;
                        store::webhooks::endpoints_changed(tx).await?;
                        store::epochs::bump_credentials(tx).await?;
                    }
                    Ok::<_, Error>(())
                })
            })
            .await?;
        self.0.endpoint_directory().changed();
        self.0.wake_sender();
        self.find(caller.tenant()).await
    }

    fn known_plan(&self, name: &str) -> Result<String> {
        let plans = self.0.plans();
        match plans.get(name) {
            Some(_) => Ok(name.to_owned()),
            None => Err(Error::invalid(
                "plan",
                format!("unknown plan {name:?}; expected one of {}", plans.names().join(", ")),
            )),
        }
    }
}
