//! Answers to requests that match no operation. The message says how the path should begin, if that is clear.

use axum::http::{Method, Uri};

use crate::error::{ApiError, METHOD_NOT_ALLOWED, ROUTE_NOT_FOUND, TENANT_SEGMENT_MISSING, TENANT_SEGMENT_UNEXPECTED};

pub(crate) async fn not_found(uri: Uri) -> ApiError {
    let path = uri.path().to_ascii_lowercase();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match segments.as_slice() {
        ["api", version @ ("v1" | "v2"), ..] => ApiError::new(
            TENANT_SEGMENT_MISSING,
            format!("Legacy paths begin with the tenant id: /{{tenantId}}/api/{version}/..."),
        ),
        [_, "api", "ext", ..] => ApiError::new(
            TENANT_SEGMENT_UNEXPECTED,
            "V3 paths do not contain a tenant id: they begin with /api/ext/v3/",
        ),
        _ => ApiError::new(ROUTE_NOT_FOUND, "There is no such operation; /api/docs lists all operations"),
    }
}

pub(crate) async fn method_not_allowed(method: Method) -> ApiError {
    ApiError::new(METHOD_NOT_ALLOWED, format!("This path does not support {method}"))
}
