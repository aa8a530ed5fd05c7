//! The query string as pairs, decoded strictly: invalid UTF-8 is refused.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use app::people::imports::Format;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::Timestamp;
use domain::base::time::Moment;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::{has_nul, json};
use crate::error::{ApiError, ApiResult, MALFORMED_REQUEST};

/// Parses a parameter with up to 50 words, separated by commas. `parse` returns None for an unknown word, which is an
/// error.
pub(crate) fn comma_separated<T>(
    member: &str,
    text: Option<&str>,
    parse: impl Fn(&str) -> Option<T>,
) -> ApiResult<Vec<T>> {
    const MOST: usize = 50;
    let words: Vec<&str> = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    if words.len() > MOST {
        return Err(ApiError::invalid(member, format!("at most {MOST} words")));
    }
    let parsed = words.into_iter().map(|word| parse(word).ok_or_else(|| format!("unknown value {word:?}")));
    parsed.collect::<Result<_, _>>().map_err(|message| ApiError::invalid(member, message))
}

type Span = (Option<Timestamp>, Option<Timestamp>);

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

    /// The value of a parameter under any of its spellings. An error if two of the spellings, or one twice, have a
    /// value.
    pub fn take(&self, spellings: &[&str]) -> ApiResult<Option<&str>> {
        let mut given =
            self.0.iter().filter(|(name, value)| spellings.contains(&name.as_str()) && !value.trim().is_empty());
        let first = given.next();
        match (first, given.next()) {
            (Some(_), Some((second, _))) => Err(ApiError::invalid(second.as_str(), "appears more than once")),
            (Some((_, value)), None) => Ok(Some(value.trim())),
            (None, _) => Ok(None),
        }
    }

    /// The value as an owned text.
    pub fn text(&self, spellings: &[&str]) -> ApiResult<Option<String>> {
        Ok(self.take(spellings)?.map(str::to_owned))
    }

    pub fn required_text(&self, spellings: &[&str]) -> ApiResult<String> {
        self.text(spellings)?.ok_or_else(|| ApiError::invalid(spellings[0], "is required"))
    }

    /// An empty text when the parameter is absent.
    pub fn text_or_empty(&self, spellings: &[&str]) -> ApiResult<String> {
        Ok(self.text(spellings)?.unwrap_or_default())
    }

    /// A value that parses as `T`; `expected` describes the valid ones in the error.
    pub fn one_of<T: FromStr>(&self, spellings: &[&str], expected: impl Display) -> ApiResult<Option<T>> {
        let Some(text) = self.take(spellings)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| ApiError::invalid(spellings[0], expected))
    }

    /// A whole number within the bounds. Errors name the first spelling.
    pub fn number<T: Copy + FromStr + PartialOrd + Display>(
        &self,
        spellings: &[&str],
        low: T,
        high: T,
    ) -> ApiResult<Option<T>> {
        let Some(text) = self.take(spellings)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (low..=high).contains(number));
        let wrong = || ApiError::invalid(spellings[0], format!("expected a whole number from {low} to {high}"));
        number.map(Some).ok_or_else(wrong)
    }

    /// The format of a file or an export, such as `csv`.
    pub fn format(&self, spellings: &[&str]) -> ApiResult<Option<Format>> {
        let format = self.take(spellings)?.map(str::parse).transpose();
        format.map_err(|error| ApiError::invalid(spellings[0], error))
    }

    /// A date or a time.
    pub fn moment(&self, spellings: &[&str]) -> ApiResult<Option<Moment>> {
        let Some(text) = self.take(spellings)? else { return Ok(None) };
        // An unencoded `+` of a time zone arrives as a space.
        let text = if text.contains('T') { text.replace(' ', "+") } else { text.to_owned() };
        Moment::parse(&text).map(Some).map_err(|error| ApiError::invalid(spellings[0], error))
    }

    pub fn required_moment(&self, spellings: &[&str]) -> ApiResult<Moment> {
        self.moment(spellings)?.ok_or_else(|| ApiError::invalid(spellings[0], "is required"))
    }

    /// A parameter that holds JSON.
    pub fn json<T: DeserializeOwned>(&self, spellings: &[&str]) -> ApiResult<Option<T>> {
        let Some(text) = self.take(spellings)? else { return Ok(None) };
        json::of_member(spellings[0], json::from_text(spellings[0], text)?).map(Some)
    }

    pub fn optional_flag(&self, spellings: &[&str]) -> ApiResult<Option<bool>> {
        match self.take(spellings)? {
            None => Ok(None),
            Some("false") => Ok(Some(false)),
            Some("true") => Ok(Some(true)),
            Some(_) => Err(ApiError::invalid(spellings[0], "expected true or false")),
        }
    }

    /// False when absent.
    pub fn flag(&self, spellings: &[&str]) -> ApiResult<bool> {
        Ok(self.optional_flag(spellings)?.unwrap_or_default())
    }

    /// All values of a parameter that may be repeated and may hold several values separated by commas.
    #[expect(clippy::unnecessary_wraps, reason = "a reader of `members!`, all of which may refuse")]
    pub fn list(&self, spellings: &[&str]) -> ApiResult<Vec<String>> {
        let given = self.0.iter().filter(|(name, _)| spellings.contains(&name.as_str()));
        let values = given.flat_map(|(_, value)| value.split(','));
        Ok(values.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect())
    }

    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }
}

/// The first and the last instant of a range between two dates or times, both included. `names` are the parameters, for
/// the error if the range ends before it begins.
pub(crate) fn span(names: [&str; 2], from: Option<Moment>, to: Option<Moment>) -> ApiResult<Span> {
    let (from, to) = (from.map(Moment::first), to.map(Moment::last));
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid(names[0], format!("is after {}", names[1])));
    }
    Ok((from, to))
}

fn decode(text: &str) -> ApiResult<String> {
    let spaced: Cow<'_, str> = if text.contains('+') { text.replace('+', " ").into() } else { text.into() };
    let decoded = percent_decode_str(&spaced).decode_utf8();
    let decoded = decoded.map_err(|_| ApiError::new(MALFORMED_REQUEST, "The query is not UTF-8"))?;
    if has_nul(&decoded) {
        return Err(ApiError::new(MALFORMED_REQUEST, "The query contains a NUL character"));
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
        assert!(format!("{error:?}").contains("skip: appears more than once"));
    }
}
