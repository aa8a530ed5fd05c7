//! Operations for monitoring and documentation: health, readiness, the OpenAPI document, metrics.

mod docs;
mod health;
mod metrics;

use axum::Router;
use domain::identity::permission::Permission;

use crate::gate::guarded;
use crate::routing::{Operations, routes};
use crate::state::ApiState;

/// Operations that need no credential.
pub(crate) fn operations() -> Operations {
    Operations::default()
        .routes(guarded(Permission::public(), routes!(health::healthz)))
        .routes(guarded(Permission::public(), routes!(health::readyz)))
        .routes(guarded(Permission::public(), routes!(docs::openapi_json)))
}

/// Paths that are not in the OpenAPI document, for the edge, which corrects the spelling of paths in requests
/// (`edge/paths.rs`): the page of the document, which is added with `Edge::with_pages`, and the metrics.
pub(crate) const UNDOCUMENTED: [&str; 2] = ["/api/docs", "/metrics"];

pub(crate) fn undocumented() -> Router<ApiState> {
    Router::new().route("/metrics", axum::routing::get(metrics::metrics))
}
