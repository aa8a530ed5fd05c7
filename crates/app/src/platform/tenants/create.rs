//! Creating a tenant.

use domain::Field;
use domain::identity::plans::DEFAULT_PLAN;
use domain::identity::tenants::Tenant;

use crate::identity::accounts::checked_name;
use crate::platform::tenants::TenantLifeCycle;
use crate::{ActsFor, Error, Result};

#[derive(Debug, Clone)]
pub struct NewTenant {
    pub name: String,
    /// None: the default plan.
    pub plan: Option<String>,
    pub with_sandbox: bool,
}

#[boxed::futures]
impl TenantLifeCycle<'_> {
    /// Creates the tenant that the caller acts for, with a sandbox channel unless the sandbox is disabled or the request
    /// declines it.
    pub async fn create(&self, caller: &dyn ActsFor, new: NewTenant) -> Result<Tenant> {
        let (id, NewTenant { name, plan, with_sandbox }) = (caller.tenant(), new);
        let plan = self.0.identity().tenants().known_plan(plan.as_deref().unwrap_or(DEFAULT_PLAN))?;
        let name = checked_name(&name)?;
        let tenant = Tenant { id, name, plan, created_at: self.0.now().to_millis(), suspended_at: None };
        let channel = if with_sandbox { self.0.messaging().sandbox_channel(id, tenant.created_at)? } else { None };
        let made = self.0.identity().write_and_publish_credentials(
            (caller.audit_actor(), tenant, channel),
            |tx, (actor, tenant, channel)| {
                Box::pin(async move {
                    if !store::identity::tenants::insert(tx, tenant).await? {
                        return Err(Error::conflict(Field::Id, format!("tenant {} already exists", tenant.id)));
                    }
                    if let Some(channel) = channel {
                        channel.insert(tx, tenant.id).await?;
                    }
                    let details = serde_json::json!({"name": tenant.name, "plan": tenant.plan});
                    actor
                        .record(tx, tenant.id, tenant.created_at, "tenant.create", &tenant.id.to_string(), details)
                        .await?;
                    store::base::epochs::bump_credentials(tx).await?;
                    Ok(tenant.clone())
                })
            },
        );
        made.await
    }
}
