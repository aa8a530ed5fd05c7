//! The argument that names a contact.

use clap::Args;
use domain::TenantId;

/// One contact of a tenant.
#[derive(Debug, Args)]
pub struct ContactArg {
    /// A phone number, contact id or BSUID.
    pub target: String,
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    pub tenant: TenantId,
}
