//! `GET /api/ext/v3/sandbox/faults`: the faults that still apply.

use sandbox::driver::Faults;

use super::Driver;
use crate::prelude::*;

/// Get faults
#[described::path(
    get,
    path = "/api/ext/v3/sandbox/faults",
    responses((status = 200, description = "The faults that still apply.", body = Faults)),
)]
pub(crate) async fn list_sandbox_faults(driver: Driver) -> ApiResult<Json<Faults>> {
    Ok(Json(driver.sandbox.faults(driver.tenant).await?))
}
