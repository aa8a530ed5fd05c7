//! JSON bodies: the content types that clients use, one size limit, and errors that name the member by its path.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;

use super::MAX_BODY;
use crate::error::{ApiError, ApiResult, BODY_TOO_LARGE, INVALID_BODY, UNSUPPORTED_MEDIA_TYPE};

#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        if !is_json(request.headers()) {
            let message = "The Content-Type must be application/json";
            return Err(ApiError::new(UNSUPPORTED_MEDIA_TYPE, message));
        }
        parse(&read(request).await?).map(Self)
    }
}

/// The whole body, if it is not too large.
pub(super) async fn read(request: Request) -> ApiResult<Bytes> {
    let too_large = || ApiError::new(BODY_TOO_LARGE, format!("A body may have at most {MAX_BODY} bytes"));
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse::<usize>().ok()).is_some_and(|length| length > MAX_BODY) {
        return Err(too_large());
    }
    let body = http_body_util::Limited::new(request.into_body(), MAX_BODY);
    match http_body_util::BodyExt::collect(body).await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Err(_) => Err(ApiError::new(INVALID_BODY, "The body did not arrive whole")),
    }
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mime = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    mime == "text/json" || mime == "application/json" || (mime.starts_with("application/") && mime.ends_with("+json"))
}

pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| describe(&error))?;
    deserializer.end().map_err(|_| ApiError::new(INVALID_BODY, "The body goes on after the end of its JSON"))?;
    Ok(value)
}

fn describe(error: &serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    let path = error.path().to_string();
    let text = error.inner().to_string();
    // serde ends its messages with the place in the text, which means little to a caller.
    let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
    if error.inner().is_data() && path != "." {
        return ApiError::about(INVALID_BODY, path, message);
    }
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    match missing {
        Some(member) => ApiError::about(INVALID_BODY, member, "is required"),
        None => ApiError::new(INVALID_BODY, format!("The body is not the JSON that is expected: {message}")),
    }
}
