//! What V1 and V2 clients send: the same scalars in the query, in a form (urlencoded or multipart) or in a JSON body,
//! on any method. JSON wins over the form, the form over the query.

use axum::extract::multipart::Multipart;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::header;
use serde_json::{Map, Value};

use super::{MAX_BODY, Query, has_nul, json};
use crate::error::{ApiError, ApiResult, INVALID_BODY, UNSUPPORTED_MEDIA_TYPE};

/// All that was sent, by member. Scalars of the query and of forms are texts.
#[derive(Debug, Default)]
pub(crate) struct LegacyInput(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for LegacyInput {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        Self::read_up_to(request, state, MAX_BODY).await
    }
}

/// Spellings of the one that asks what a send would do.
const DRY_RUN: [&str; 2] = ["dry_run", "dryRun"];

impl LegacyInput {
    /// What the query alone has; a body is read by somebody else.
    pub fn of_query(request: &Request) -> ApiResult<Self> {
        let mut input = Self::default();
        input.add_pairs(Query::parse(request.uri().query().unwrap_or_default())?);
        Ok(input)
    }

    /// The same as the extractor with another limit of the body.
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
                let message = "Send JSON, an urlencoded form or multipart/form-data";
                return Err(ApiError::new(UNSUPPORTED_MEDIA_TYPE, message));
            }
        }
        Ok(input)
    }

    /// A part of a form that was read elsewhere.
    pub fn insert(&mut self, name: String, text: String) {
        self.0.insert(name, Value::String(text));
    }

    /// The first of several spellings that is there.
    pub fn any(&self, spellings: &[&str]) -> ApiResult<Option<String>> {
        for name in spellings {
            if let Some(text) = self.text(name)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// A text with the spaces around it.
    pub fn verbatim(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// False when absent.
    pub fn dry_run(&self) -> ApiResult<bool> {
        match self.any(&DRY_RUN)?.as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(ApiError::invalid(DRY_RUN[0], "expected true or false")),
        }
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
        // The whole form first: the limit of bodies holds for it too, and is told apart from a broken form.
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

    /// A body need not be there at all.
    async fn add_json(&mut self, request: Request, most: usize) -> ApiResult<()> {
        let bytes = json::read_up_to(request, most).await?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match json::parse::<Value>(&bytes)? {
            Value::Object(members) => self.0.extend(members),
            Value::Null => {}
            _ => return Err(ApiError::new(INVALID_BODY, "The body must be a JSON object")),
        }
        Ok(())
    }

    /// A text; numbers and booleans are taken as they are written. Empty counts as absent.
    pub fn text(&self, name: &str) -> ApiResult<Option<String>> {
        let text = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(flag)) => flag.to_string(),
            Some(_) => return Err(ApiError::about(INVALID_BODY, name, "expected a string")),
        };
        if has_nul(&text) {
            return Err(ApiError::about(INVALID_BODY, name, "holds a NUL character"));
        }
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// A whole number between two bounds.
    pub fn number(&self, name: &str, low: i64, high: i64) -> ApiResult<Option<i64>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (low..=high).contains(number));
        number.map(Some).ok_or_else(|| ApiError::invalid(name, format!("expected a whole number from {low} to {high}")))
    }

    /// All that was sent, as one shape.
    pub fn whole<T: serde::de::DeserializeOwned>(&self) -> ApiResult<T> {
        json::of_member("", Value::Object(self.0.clone()))
    }

    /// A list or object, given as JSON or as a string that holds JSON.
    pub fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> ApiResult<Option<T>> {
        let value = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => json::from_text(name, text)?,
            Some(value) => value.clone(),
        };
        json::of_member(name, value).map(Some)
    }
}

/// What a request cannot do without.
pub(crate) fn required<T>(name: &str, value: Option<T>) -> ApiResult<T> {
    value.ok_or_else(|| ApiError::about(INVALID_BODY, name, "is required"))
}
