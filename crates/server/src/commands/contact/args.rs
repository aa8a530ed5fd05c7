//! The argument that names a contact.

use clap::Args;

use crate::commands::tenant_arg::TenantArg;

/// One contact of a tenant.
#[derive(Debug, Args)]
pub struct ContactArg {
    /// A phone number, contact id or BSUID.
    pub target: String,
    #[command(flatten)]
    pub tenant: TenantArg,
}
