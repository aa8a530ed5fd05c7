//! The OpenAPI document. The page that shows it belongs to `web-console`.

use std::sync::OnceLock;

use axum::http::header;

use crate::prelude::*;

/// Get the OpenAPI document
#[utoipa::path(
    get,
    path = "/api/openapi.json",
    tag = "operations",
    responses((status = 200, description = "The document (OpenAPI 3.1).", body = Object, content_type = "application/json")),
)]
pub(crate) async fn openapi_json() -> Response {
    static TEXT: OnceLock<String> = OnceLock::new();
    let text = TEXT.get_or_init(|| crate::openapi().to_json().unwrap_or_default());
    ([(header::CONTENT_TYPE, "application/json")], text.as_str()).into_response()
}
