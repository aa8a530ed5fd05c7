//! `/healthz`: the process runs. `/readyz`: it can serve requests.

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

/// Check that the process is running
#[described::path(
    get,
    path = "/healthz",
    tag = "operations",
    responses((status = 200, description = "The process is running.", body = Health)),
)]
pub(crate) async fn healthz() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Check that the server is ready
///
/// Returns `503` while the database cannot be reached or written, for example because its disk is full.
#[described::path(
    get,
    path = "/readyz",
    tag = "operations",
    responses((status = 200, description = "The server is ready.", body = Health)),
)]
pub(crate) async fn readyz(State(state): State<ApiState>) -> ApiResult<Json<Health>> {
    state.app.check_ready().await?;
    Ok(Json(Health { status: "ok" }))
}
