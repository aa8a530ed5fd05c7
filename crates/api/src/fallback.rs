//! Answers to requests that match no operation. The message says how the path should begin, if that is clear.

use axum::http::{Method, Uri};

use crate::error::{ApiError, METHOD_NOT_ALLOWED, ROUTE_NOT_FOUND, TENANT_SEGMENT_MISSING, TENANT_SEGMENT_UNEXPECTED};

pub(crate) async fn not_found(uri: Uri) -> ApiError {
    let path = uri.path().to_ascii_lowercase();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match segments.as_slice() {
        ["api", version @ ("v1" | "v2"), ..] => ApiError::new(
            TENANT_SEGMENT_MISSING,
            format!("A legacy path begins with the tenant: /{{tenantId}}/api/{version}/..."),
        ),
        [_, "api", "ext", ..] => {
            ApiError::new(TENANT_SEGMENT_UNEXPECTED, "A V3 path has no tenant: it begins with /api/ext/v3/")
        }
        _ => ApiError::new(ROUTE_NOT_FOUND, "There is no such operation; /api/docs lists those that exist"),
    }
}

pub(crate) async fn method_not_allowed(method: Method) -> ApiError {
    ApiError::new(METHOD_NOT_ALLOWED, format!("{method} is not possible here"))
}
