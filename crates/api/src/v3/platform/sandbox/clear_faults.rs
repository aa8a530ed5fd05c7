//! `DELETE /api/ext/v3/sandbox/faults`: removes all faults.

use super::Driver;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClearedSandboxFaults {
    /// The number of removed faults.
    #[schema(example = 2)]
    cleared: u64,
}

/// Remove all faults
#[described::path(
    delete,
    path = "/api/ext/v3/sandbox/faults",
    responses((status = 200, description = "All faults were removed.", body = ClearedSandboxFaults)),
)]
pub(crate) async fn clear_sandbox_faults(driver: Driver) -> ApiResult<Json<ClearedSandboxFaults>> {
    Ok(Json(ClearedSandboxFaults { cleared: driver.sandbox.clear_faults(driver.tenant).await? }))
}
