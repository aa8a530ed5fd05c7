//! Suspending a tenant, and ending the suspension.

use domain::identity::tenants::Tenant;
use domain::{TenantId, Timestamp};

use crate::platform::tenants::TenantLifeCycle;
use crate::{Actor, ActsFor, Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch {
    Suspend,
    Resume,
}

#[boxed::futures]
impl TenantLifeCycle<'_> {
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
        self.0.identity().tenants().find(caller.tenant()).await?;
        let input = (caller.audit_actor(), caller.tenant(), switch, self.0.now().to_millis());
        self.0
            .identity()
            .write_and_publish_credentials(
                input,
                |tx, (actor, id, switch, now): &(Actor, TenantId, Switch, Timestamp)| {
                    Box::pin(async move {
                        let (changed, action) = match switch {
                            Switch::Suspend => {
                                (store::identity::tenants::suspend(tx, *id, *now).await?, "tenant.suspend")
                            }
                            Switch::Resume => (store::identity::tenants::resume(tx, *id, *now).await?, "tenant.resume"),
                        };
                        if changed {
                            actor.record(tx, *id, *now, action, &id.to_string(), serde_json::json!({})).await?;
                            store::delivery::webhooks::endpoints_changed(tx).await?;
                            store::base::epochs::bump_credentials(tx).await?;
                        }
                        Ok::<_, Error>(())
                    })
                },
            )
            .await?;
        self.0.delivery().endpoint_directory().changed();
        self.0.messaging().wake_sender(caller.tenant());
        self.0.identity().tenants().find(caller.tenant()).await
    }
}
