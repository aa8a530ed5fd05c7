//! Path parameters. An invalid one gets the error body of this API: axum's own would be plain text.

use axum::extract::{FromRequestParts, Path as AxumPath, RawPathParams};
use axum::http::request::Parts;
use domain::Id;
use domain::base::id::IdKind;
use serde::de::DeserializeOwned;

use crate::error::{ApiError, ApiResult, MALFORMED_REQUEST, NOT_FOUND};

/// Texts in the path, which the operation describes.
#[derive(Debug)]
pub(crate) struct FromPath<T>(pub T);

/// The ids in the path as a tuple, in its order; each describes itself. A text that is no id names nothing: 404.
#[derive(Debug)]
pub(crate) struct Path<T>(pub T);

/// One id or two.
pub(crate) trait PathIds: Sized {
    fn parse<'a>(texts: impl Iterator<Item = &'a str>) -> ApiResult<Self>;
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for FromPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let AxumPath(value) = AxumPath::from_request_parts(parts, state).await.map_err(|_| not_utf8())?;
        Ok(Self(value))
    }
}

impl<S: Send + Sync, T: PathIds> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let texts = RawPathParams::from_request_parts(parts, state).await.map_err(|_| not_utf8())?;
        T::parse(texts.iter().map(|(_, text)| text)).map(Self)
    }
}

impl<K: IdKind> PathIds for (Id<K>,) {
    fn parse<'a>(mut texts: impl Iterator<Item = &'a str>) -> ApiResult<Self> {
        Ok((id(texts.next())?,))
    }
}

impl<A: IdKind, B: IdKind> PathIds for (Id<A>, Id<B>) {
    fn parse<'a>(mut texts: impl Iterator<Item = &'a str>) -> ApiResult<Self> {
        Ok((id(texts.next())?, id(texts.next())?))
    }
}

fn id<K: IdKind>(text: Option<&str>) -> ApiResult<Id<K>> {
    let id = text.and_then(|text| text.parse().ok());
    id.ok_or_else(|| ApiError::new(NOT_FOUND, format!("There is no such {}", K::NOUN)))
}

fn not_utf8() -> ApiError {
    ApiError::new(MALFORMED_REQUEST, "The path is not UTF-8")
}
