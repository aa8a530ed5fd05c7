//! The names of leases for the work of one tenant. They begin with the job and the tenant, so that they can be deleted
//! with the tenant.

use std::fmt::Display;

use domain::TenantId;

/// A job that is done for each tenant, one node at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TenantJob {
    Inbound,
    Sender,
}

impl TenantJob {
    pub const ALL: [Self; 2] = [Self::Inbound, Self::Sender];

    /// The beginning of the names of all of its leases for this tenant.
    pub fn prefix(self, tenant: TenantId) -> String {
        let job = match self {
            Self::Inbound => "inbound",
            Self::Sender => "sender",
        };
        format!("{job}/{tenant}/")
    }

    /// The name of the lease for one part of the tenant's work, such as a channel.
    pub fn lease(self, tenant: TenantId, part: impl Display) -> String {
        self.prefix(tenant) + &part.to_string()
    }
}
