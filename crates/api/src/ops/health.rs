//! `/healthz`: the process lives. `/readyz`: it can also work.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::ApiResult;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

/// Is the process alive?
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "operations",
    responses((status = 200, description = "It is.", body = Health)),
)]
pub(crate) async fn healthz() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Can the server work?
///
/// It answers 503 while the database cannot be reached.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operations",
    responses((status = 200, description = "It can.", body = Health)),
)]
pub(crate) async fn readyz(State(state): State<ApiState>) -> ApiResult<Json<Health>> {
    state.app.check_database().await?;
    Ok(Json(Health { status: "ok" }))
}
