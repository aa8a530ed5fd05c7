//! `GET /api/ext/v3/sandbox/faults`: the faults that still apply.

use axum::Json;
use sandbox::driver::Faults;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};

/// Get the faults
#[utoipa::path(
    get,
    path = "/api/ext/v3/sandbox/faults",
    tag = "sandbox",
    responses(
        (status = 200, description = "The faults that still apply.", body = Faults),
        (status = 404, description = "Reasons: `sandbox_off`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_sandbox_faults(driver: Driver) -> ApiResult<Json<Faults>> {
    Ok(Json(driver.sandbox.faults(driver.tenant).await?))
}
