//! Path parameters. An invalid one gets the error body of this API: axum's own would be plain text.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::{ApiError, ApiResult, MALFORMED_REQUEST};

#[derive(Debug)]
pub(crate) struct FromPath<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for FromPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let read = Path::from_request_parts(parts, state).await;
        let Path(value) = read.map_err(|_| ApiError::new(MALFORMED_REQUEST, "The path is not UTF-8"))?;
        Ok(Self(value))
    }
}
