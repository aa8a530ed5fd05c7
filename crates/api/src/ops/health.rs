//! `/healthz`: the process runs. `/readyz`: it can serve requests.

use axum::http::{HeaderValue, header};

use crate::error::UNAVAILABLE;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    #[schema(example = "ok")]
    status: &'static str,
    /// How many workers of a distributed database do not respond. Requests of their tenants get `503`; all others are
    /// served. Absent if all workers respond.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1, nullable = false)]
    workers_away: Option<usize>,
}

impl Health {
    /// Strangers can read this, so it contains no address.
    fn of(away: &[String]) -> Self {
        Self { status: "ok", workers_away: (!away.is_empty()).then_some(away.len()) }
    }
}

/// Check that the process is running
#[described::path(
    get,
    path = "/healthz",
    tag = "operations",
    responses((status = 200, description = "The process is running.", body = Health)),
)]
pub(crate) async fn healthz() -> Json<Health> {
    Json(Health::of(&[]))
}

/// Check that the server is ready
///
/// Returns `503` while the database cannot be reached or written, for example because its disk is full, and while the
/// server is stopping. If only some workers of a distributed database are away, returns `200` and their number.
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
    Ok(Json(Health::of(&state.app.db().away())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_number_of_workers_is_public() {
        let away = ["10.0.0.7:5432".to_owned(), "10.0.0.8:5432".to_owned()];
        for (away, expected) in [(&away[..0], r#"{"status":"ok"}"#), (&away, r#"{"status":"ok","workers_away":2}"#)] {
            assert_eq!(serde_json::to_string(&Health::of(away)).unwrap(), expected);
        }
    }
}
