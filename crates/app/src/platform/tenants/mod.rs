//! Tenants' life cycle: creation, suspension, export and deletion.

mod create;
mod data;
mod suspend;

pub use create::NewTenant;

use crate::platform::Platform;

#[derive(Debug)]
pub struct TenantLifeCycle<'a>(&'a Platform);

impl Platform {
    pub fn tenants(&self) -> TenantLifeCycle<'_> {
        TenantLifeCycle(self)
    }
}
