//! The query string as pairs, decoded strictly: what is not UTF-8 is refused, not guessed.

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use percent_encoding::percent_decode_str;

use super::has_nul;
use crate::error::{ApiError, ApiResult, MALFORMED_REQUEST};

/// The parameters in the order sent. An empty value counts as absent.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        Self::parse(parts.uri.query().unwrap_or_default())
    }
}

impl Query {
    pub fn parse(text: &str) -> ApiResult<Self> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        });
        pairs.collect::<ApiResult<_>>().map(Self)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The parameter under any of its spellings. Two of them at once, or one twice, cannot both be meant.
    pub fn take(&self, spellings: &[&str]) -> ApiResult<Option<&str>> {
        let mut given =
            self.0.iter().filter(|(name, value)| spellings.contains(&name.as_str()) && !value.trim().is_empty());
        let first = given.next();
        match (first, given.next()) {
            (Some(_), Some((second, _))) => Err(ApiError::invalid(second.as_str(), "is there more than once")),
            (Some((_, value)), None) => Ok(Some(value.trim())),
            (None, _) => Ok(None),
        }
    }

    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }
}

fn decode(text: &str) -> ApiResult<String> {
    let spaced: Cow<'_, str> = if text.contains('+') { text.replace('+', " ").into() } else { text.into() };
    let decoded = percent_decode_str(&spaced).decode_utf8();
    let decoded = decoded.map_err(|_| ApiError::new(MALFORMED_REQUEST, "The query is not UTF-8"))?;
    if has_nul(&decoded) {
        return Err(ApiError::new(MALFORMED_REQUEST, "The query holds a NUL character"));
    }
    Ok(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded_and_empty_values_absent() {
        let query = Query::parse("limit=&direction=in%62ound&x=a+b&flag").unwrap();
        assert_eq!(query.take(&["limit"]).unwrap(), None);
        assert_eq!(query.take(&["direction"]).unwrap(), Some("inbound"));
        assert_eq!(query.take(&["x"]).unwrap(), Some("a b"));
        assert_eq!(query.names().count(), 4);
        assert!(Query::parse("a=%ff").is_err());
        assert!(Query::parse("a=%00").is_err());
        let twice = Query::parse("offset=1&skip=2").unwrap();
        let error = twice.take(&["offset", "skip"]).unwrap_err();
        assert!(format!("{error:?}").contains("skip: is there more than once"));
    }
}
