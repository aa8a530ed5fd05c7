//! `/metrics` for Prometheus on the API's listener, with the configured token. Without one the path does not exist.

use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq as _;

use crate::error::{ROUTE_NOT_FOUND, TOKEN_UNKNOWN};
use crate::prelude::*;

pub(crate) async fn metrics(State(state): State<ApiState>, headers: HeaderMap) -> ApiResult<Response> {
    let Some(metrics) = &state.settings.metrics else {
        return Err(ApiError::new(ROUTE_NOT_FOUND, "Metrics are not served here"));
    };
    let presented = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let presented = presented.strip_prefix("Bearer ").unwrap_or_default();
    if !bool::from(presented.as_bytes().ct_eq(metrics.token.as_bytes())) {
        return Err(ApiError::new(TOKEN_UNKNOWN, "Metrics require the token in metrics.token"));
    }
    let text = (metrics.render)();
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}
