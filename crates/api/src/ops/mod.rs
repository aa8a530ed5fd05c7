//! Operations for monitoring and documentation: health, readiness, the OpenAPI document and its page, metrics.

mod docs;
mod health;
mod metrics;

use axum::Router;
use domain::permission::Permission;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::ApiState;
use crate::gate::guarded;

/// Public operations. A test holds the list: it may only shrink.
pub(crate) fn operations() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(guarded(Permission::public(), routes!(health::healthz)))
        .routes(guarded(Permission::public(), routes!(health::readyz)))
        .routes(guarded(Permission::public(), routes!(docs::openapi_json)))
}

/// Routes that are not operations of the API: pages and metrics.
pub(crate) const UNDOCUMENTED: [&str; 2] = ["/api/docs", "/metrics"];

pub(crate) fn undocumented() -> Router<ApiState> {
    docs::page().route("/metrics", axum::routing::get(metrics::metrics))
}
