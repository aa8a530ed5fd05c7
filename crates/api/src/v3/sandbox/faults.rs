//! `GET /api/ext/v3/sandbox/faults`: what is yet to go wrong.

use axum::Json;
use sandbox::driver::Faults;

use super::Driver;
use crate::error::{ApiResult, ErrorBody};

/// Get the faults that were ordered
#[utoipa::path(
    get,
    path = "/api/ext/v3/sandbox/faults",
    tag = "sandbox",
    responses(
        (status = 200, description = "Those that strike yet.", body = Faults),
        (status = 404, description = "Reasons: `sandbox_off`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_sandbox_faults(driver: Driver) -> ApiResult<Json<Faults>> {
    Ok(Json(driver.sandbox.faults(driver.tenant).await?))
}
