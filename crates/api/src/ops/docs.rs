//! The OpenAPI document, and a page to browse it that loads nothing from other hosts.

use std::sync::OnceLock;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};

use crate::ApiState;

/// Content security policy of the documentation page. Swagger UI needs inline styles and icons from `data:` addresses;
/// its scripts are files of this server.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

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
    Router::from(utoipa_swagger_ui::SwaggerUi::new("/api/docs").config(config)).layer(map_response(with_policy))
}

async fn with_policy(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
