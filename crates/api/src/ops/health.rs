//! `/healthz`: the process runs. `/readyz`: it can serve requests.

use axum::http::{HeaderValue, header};

use crate::error::UNAVAILABLE;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    #[schema(example = "ok")]
    status: &'static str,
    /// Workers of a distributed database that do not respond. Requests of their tenants get `503`; all others are served.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["10.0.0.7:5432"]))]
    away: Vec<String>,
}

/// Check that the process is running
#[described::path(
    get,
    path = "/healthz",
    tag = "operations",
    responses((status = 200, description = "The process is running.", body = Health)),
)]
pub(crate) async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", away: Vec::new() })
}

/// Check that the server is ready
///
/// Returns `503` while the database cannot be reached or written, for example because its disk is full, and while the
/// server is stopping. If only a part of a distributed database is away, returns `200` and names that part.
#[described::path(
    get,
    path = "/readyz",
    tag = "operations",
    responses((status = 200, description = "The server is ready.", body = Health)),
)]
pub(crate) async fn readyz(State(state): State<ApiState>) -> ApiResult<Json<Health>> {
    if state.app.is_draining() {
        let stopping = ApiError::new(UNAVAILABLE, "The server is stopping");
        return Err(stopping.with_header(header::RETRY_AFTER, HeaderValue::from_static("1")));
    }
    state.app.check_ready().await?;
    Ok(Json(Health { status: "ok", away: state.app.db().away() }))
}
