//! The input of V1 and V2 operations: the same members in the query, in a form (urlencoded or multipart) or in a JSON
//! body, with any method. A member of the body replaces the same member of the query.

use std::fmt::Display;
use std::str::FromStr;

use axum::extract::multipart::Multipart;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::header;
use domain::base::time::Moment;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{MAX_BODY, Query, has_nul, json};
use crate::error::{ApiError, ApiResult, INVALID_BODY, UNSUPPORTED_MEDIA_TYPE};

/// All members of the request. Values from the query and from forms are strings.
#[derive(Debug, Default)]
pub(crate) struct LegacyInput(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for LegacyInput {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        Self::read_up_to(request, state, MAX_BODY).await
    }
}

impl LegacyInput {
    /// Parses the query alone, for operations that read the body themselves.
    pub fn of_query(request: &Request) -> ApiResult<Self> {
        let mut input = Self::default();
        input.add_pairs(Query::parse(request.uri().query().unwrap_or_default())?);
        Ok(input)
    }

    /// Reads query and body. A body of more than `most` bytes is an error.
    pub async fn read_up_to<S: Send + Sync>(request: Request, state: &S, most: usize) -> ApiResult<Self> {
        let mut input = Self::of_query(&request)?;
        let mime = mime_of(&request);
        match mime.as_str() {
            "application/x-www-form-urlencoded" => {
                let bytes = json::read_up_to(request, most).await?;
                let text =
                    std::str::from_utf8(&bytes).map_err(|_| ApiError::new(INVALID_BODY, "The form is not UTF-8"))?;
                input.add_pairs(Query::parse(text)?);
            }
            "multipart/form-data" => input.add_multipart(request, state, most).await?,
            _ if json::is_json(request.headers()) || mime.is_empty() => input.add_json(request, most).await?,
            _ => {
                let message = "Send JSON, a urlencoded form or multipart/form-data";
                return Err(ApiError::new(UNSUPPORTED_MEDIA_TYPE, message));
            }
        }
        Ok(input)
    }

    /// Adds a form part that was read elsewhere.
    pub fn insert(&mut self, name: String, text: String) {
        self.0.insert(name, Value::String(text));
    }

    /// Removes a member that must have no effect because another member takes precedence.
    pub fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// A required string, with the spaces around it.
    pub fn verbatim(&self, spellings: &[&str]) -> ApiResult<String> {
        let mut given = spellings.iter().filter_map(|name| self.0.get(*name)).filter_map(Value::as_str);
        required(spellings[0], given.next().map(str::to_owned))
    }
}

pub(crate) fn mime_of(request: &Request) -> String {
    let value = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl LegacyInput {
    fn add_pairs(&mut self, pairs: Query) {
        self.0.extend(pairs.into_pairs().into_iter().map(|(name, value)| (name, Value::String(value))));
    }

    async fn add_multipart<S: Send + Sync>(&mut self, request: Request, state: &S, most: usize) -> ApiResult<()> {
        let broken = || ApiError::new(INVALID_BODY, "The multipart form cannot be read");
        // The whole form is read first, so that a form beyond the size limit gets another error than a broken one.
        let headers = request.headers().clone();
        let mut whole = Request::new(json::read_up_to(request, most).await?.into());
        *whole.headers_mut() = headers;
        DefaultBodyLimit::disable().apply(&mut whole);
        let mut form = Multipart::from_request(whole, state).await.map_err(|_| broken())?;
        while let Some(field) = form.next_field().await.map_err(|_| broken())? {
            let name = field.name().unwrap_or_default().to_owned();
            let text = field.text().await.map_err(|_| broken())?;
            self.0.insert(name, Value::String(text));
        }
        Ok(())
    }

    /// Adds the members of a JSON object. An empty body and `null` add none.
    async fn add_json(&mut self, request: Request, most: usize) -> ApiResult<()> {
        let bytes = json::read_up_to(request, most).await?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match json::parse_json::<Value>(&bytes)? {
            Value::Object(members) => self.0.extend(members),
            Value::Null => {}
            _ => return Err(ApiError::new(INVALID_BODY, "The body must be a JSON object")),
        }
        Ok(())
    }

    /// The first non-empty value among the spellings, trimmed. Numbers and booleans become text.
    pub fn text(&self, spellings: &[&str]) -> ApiResult<Option<String>> {
        for name in spellings {
            if let Some(text) = self.text_of(name)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn text_of(&self, name: &str) -> ApiResult<Option<String>> {
        let text = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(flag)) => flag.to_string(),
            Some(_) => return Err(ApiError::about(INVALID_BODY, name, "expected a string")),
        };
        if has_nul(&text) {
            return Err(ApiError::about(INVALID_BODY, name, "must not contain a NUL character"));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    pub fn required_text(&self, spellings: &[&str]) -> ApiResult<String> {
        required(spellings[0], self.text(spellings)?)
    }

    /// A whole number from `low` to `high`.
    pub fn number<T: Copy + FromStr + PartialOrd + Display>(
        &self,
        spellings: &[&str],
        low: T,
        high: T,
    ) -> ApiResult<Option<T>> {
        let Some(text) = self.text(spellings)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (low..=high).contains(number));
        let wrong = || ApiError::invalid(spellings[0], format!("expected a whole number from {low} to {high}"));
        number.map(Some).ok_or_else(wrong)
    }

    /// The number of a page: 0 and 1 are the first one.
    pub fn page_number(&self, spellings: &[&str], high: i64) -> ApiResult<Option<i64>> {
        Ok(self.number(spellings, 0, high)?.map(|number| number.max(1)))
    }

    /// The number of rows of a page. A number above `most` becomes `most`.
    pub fn page_size(&self, spellings: &[&str], most: i64) -> ApiResult<Option<i64>> {
        Ok(self.number(spellings, 1, i64::MAX)?.map(|size| size.min(most)))
    }

    pub fn required_number<T: Copy + FromStr + PartialOrd + Display>(
        &self,
        spellings: &[&str],
        low: T,
        high: T,
    ) -> ApiResult<T> {
        required(spellings[0], self.number(spellings, low, high)?)
    }

    /// A date or a time; also `YYYY-MM-DD HH:MM:SS`.
    pub fn moment(&self, spellings: &[&str]) -> ApiResult<Option<Moment>> {
        let Some(text) = self.text(spellings)? else { return Ok(None) };
        // An unencoded `+` of a time zone arrives as a space.
        let text = if text.contains('T') { text.replace(' ', "+") } else { text };
        Moment::parse(&text).map(Some).map_err(|error| ApiError::invalid(spellings[0], error))
    }

    pub fn flag(&self, spellings: &[&str]) -> ApiResult<Option<bool>> {
        match self.text(spellings)?.as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(ApiError::invalid(spellings[0], "expected true or false")),
        }
    }

    /// Parses all members as one struct.
    pub fn whole<T: DeserializeOwned>(&self) -> ApiResult<T> {
        json::of_member("", Value::Object(self.0.clone()))
    }

    /// The first member among the spellings, parsed as it was sent: a string is not parsed as JSON text.
    pub fn value<T: DeserializeOwned>(&self, spellings: &[&str]) -> ApiResult<Option<T>> {
        let given = spellings.iter().find_map(|name| Some((name, self.0.get(*name)?)));
        match given {
            None | Some((_, Value::Null)) => Ok(None),
            Some((name, value)) => json::of_member(name, value.clone()).map(Some),
        }
    }

    /// A list or object, as JSON or as a string that holds JSON.
    pub fn json<T: DeserializeOwned>(&self, spellings: &[&str]) -> ApiResult<Option<T>> {
        for name in spellings {
            let value = match self.0.get(*name) {
                None | Some(Value::Null) => continue,
                Some(Value::String(text)) if text.trim().is_empty() => continue,
                Some(Value::String(text)) => json::from_text(name, text)?,
                Some(value) => value.clone(),
            };
            return json::of_member(name, value).map(Some);
        }
        Ok(None)
    }

    pub fn required_json<T: DeserializeOwned>(&self, spellings: &[&str]) -> ApiResult<T> {
        required(spellings[0], self.json(spellings)?)
    }

    /// The first non-empty list among the spellings.
    pub fn list<T: DeserializeOwned>(&self, spellings: &[&str]) -> ApiResult<Vec<T>> {
        for name in spellings {
            let list: Vec<T> = self.json(&[name])?.unwrap_or_default();
            if !list.is_empty() {
                return Ok(list);
            }
        }
        Ok(Vec::new())
    }
}

/// Refuses a request without this value.
pub(crate) fn required<T>(name: &str, value: Option<T>) -> ApiResult<T> {
    value.ok_or_else(|| ApiError::about(INVALID_BODY, name, "is required"))
}
