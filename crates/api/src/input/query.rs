//! The query string as pairs, decoded strictly: what is not UTF-8 is refused, not guessed.

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::time::Moment;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::{has_nul, json};
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

    /// A whole number between two bounds. Refusals name the first spelling.
    pub fn number(&self, spellings: &[&str], low: i64, high: i64) -> ApiResult<Option<i64>> {
        let Some(text) = self.take(spellings)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (low..=high).contains(number));
        let wrong = || ApiError::invalid(spellings[0], format!("expected a whole number from {low} to {high}"));
        number.map(Some).ok_or_else(wrong)
    }

    /// A date or a time.
    pub fn moment(&self, spellings: &[&str]) -> ApiResult<Option<Moment>> {
        let Some(text) = self.take(spellings)? else { return Ok(None) };
        // A `+` of a time zone that was not encoded arrives as a space.
        let text = if text.contains('T') { text.replace(' ', "+") } else { text.to_owned() };
        Moment::parse(&text).map(Some).map_err(|error| ApiError::invalid(spellings[0], error))
    }

    /// A text that holds JSON.
    pub fn json<T: DeserializeOwned>(&self, spellings: &[&str]) -> ApiResult<Option<T>> {
        let Some(text) = self.take(spellings)? else { return Ok(None) };
        json::of_member(spellings[0], json::from_text(spellings[0], text)?).map(Some)
    }

    /// False when absent.
    pub fn flag(&self, spellings: &[&str]) -> ApiResult<bool> {
        match self.take(spellings)? {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(ApiError::invalid(spellings[0], "expected true or false")),
        }
    }

    /// Every value of a parameter that may be repeated, or have several values with commas between them.
    pub fn list(&self, name: &str) -> Vec<String> {
        let values = self.0.iter().filter(|(given, _)| given == name).flat_map(|(_, value)| value.split(','));
        values.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
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
