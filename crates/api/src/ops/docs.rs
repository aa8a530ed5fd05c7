//! The OpenAPI document, and a page to browse it that loads nothing from other hosts.

use std::sync::OnceLock;

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::ApiState;

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

pub(crate) fn page() -> Router<ApiState> {
    let config =
        utoipa_swagger_ui::Config::from("/api/openapi.json").try_it_out_enabled(true).persist_authorization(false);
    Router::from(utoipa_swagger_ui::SwaggerUi::new("/api/docs").config(config))
}
