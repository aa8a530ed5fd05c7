//! Bounds the time of a request and answers panics.

use std::future::Future;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};

use crate::error::{ApiError, INTERNAL, REQUEST_TIMEOUT};

pub(crate) async fn with_timeout<E>(
    work: impl Future<Output = std::thread::Result<Result<Response, E>>>,
    limit: Duration,
) -> Response {
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(Ok(response))) => response,
        Ok(Ok(Err(_)) | Err(_)) => {
            tracing::error!("a request panicked");
            ApiError::new(INTERNAL, "Something went wrong; search the server's log for the request id").into_response()
        }
        Err(_) => ApiError::new(REQUEST_TIMEOUT, "The request took too long").into_response(),
    }
}
