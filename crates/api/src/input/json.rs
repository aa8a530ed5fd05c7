//! JSON bodies: accepted content types, a size limit, and errors that name the member by its path.

use app::ActsFor as _;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{MAX_BODY, MAX_RECIPIENTS_BODY, has_nul};
use crate::edge::memory::{Holder, Reservation, SMALL, reserved_bytes};
use crate::error::{ApiError, ApiResult, BODY_TOO_LARGE, INTERNAL, INVALID_BODY, UNSUPPORTED_MEDIA_TYPE};
use crate::gate::{Caller, ClientAddress};
use crate::state::ApiState;

/// A JSON body: of a request with at most `MAX_BODY` bytes, or of an answer.
#[derive(Debug)]
pub(crate) struct Json<T>(pub T);

/// The JSON body of a request with recipients: at most `MAX_RECIPIENTS_BODY` bytes.
#[derive(Debug)]
pub(crate) struct RecipientsJson<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        parse_json(&read_json(request, MAX_BODY).await?).map(Self)
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for RecipientsJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        parse_json(&read_json(request, MAX_RECIPIENTS_BODY).await?).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => json_response(body),
            Err(error) => ApiError::new(INTERNAL, format!("The response cannot be written: {error}")).into_response(),
        }
    }
}

/// An answer whose body is JSON text already.
pub(crate) fn json_response(body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}

async fn read_json(request: Request, most: usize) -> ApiResult<Bytes> {
    if !is_json(request.headers()) {
        return Err(ApiError::new(UNSUPPORTED_MEDIA_TYPE, "The Content-Type must be application/json"));
    }
    read_up_to(request, most).await
}

/// Reads the whole body. More than `MAX_BODY` bytes are an error.
pub(crate) async fn read_body(request: Request) -> ApiResult<Bytes> {
    read_up_to(request, MAX_BODY).await
}

/// Reads the whole body. More than `most` bytes are an error. If the body is larger than `SMALL`, it is reserved in the
/// memory budget for the caller's tenant, or for the client's address if there is no caller.
pub(crate) async fn read_up_to(request: Request, most: usize) -> ApiResult<Bytes> {
    let extensions = request.extensions();
    let tenant = extensions.get::<Caller>().map(|caller| Holder::Tenant(caller.tenant()));
    let holder = tenant.or_else(|| extensions.get().map(|ClientAddress(address)| Holder::Address(*address)));
    let state = extensions.get::<ApiState>();
    let reservation = state.zip(holder).map(|(state, holder)| state.memory.open(holder, extensions.get()));
    collect_body(request, most, reservation).await
}

/// Reads the whole body. More than `most` bytes are an error. `reservation` grows as the bytes arrive, once there are
/// more than `SMALL`.
pub(crate) async fn collect_body(request: Request, most: usize, reservation: Option<Reservation>) -> ApiResult<Bytes> {
    let too_large = || ApiError::new(BODY_TOO_LARGE, format!("A body may have at most {most} bytes"));
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if announced.and_then(|length| length.parse::<usize>().ok()).is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let (mut body, mut bytes, mut reservation) = (request.into_body(), Vec::new(), reservation);
    let mut reserved = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::new(INVALID_BODY, "The body was not received completely"))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length > most {
            return Err(too_large());
        }
        if let Some(reservation) = reservation.as_mut().filter(|_| length > SMALL) {
            reservation.grow(length - reserved)?;
            reserved = length;
        }
        bytes.extend_from_slice(&data);
    }
    Ok(match reservation {
        Some(reservation) => reserved_bytes(bytes, reservation),
        None => Bytes::from(bytes),
    })
}

pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mime = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    mime == "text/json" || mime == "application/json" || (mime.starts_with("application/") && mime.ends_with("+json"))
}

/// Parses the JSON text of a body.
pub(crate) fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| describe(&error))?;
    deserializer.end().map_err(|_| ApiError::new(INVALID_BODY, "The body continues after the end of its JSON"))?;
    Ok(value)
}

/// Parses JSON inside a text, such as a query parameter. Keys without quotes are accepted.
pub(super) fn from_text(member: &str, text: &str) -> ApiResult<Value> {
    let parsed = serde_json::from_str(text).or_else(|_| serde_json::from_str(&with_quoted_keys(text)));
    parsed.map_err(|_| ApiError::about(INVALID_BODY, member, "expected JSON"))
}

/// Puts quotes around bare words in front of a colon: `{name: "city"}` becomes `{"name": "city"}`.
fn with_quoted_keys(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            string_length(rest)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        let is_key = is_word(first) && after.trim_start().starts_with(':');
        if is_key {
            quoted.extend(["\"", token, "\""]);
        } else {
            quoted.push_str(token);
        }
        rest = after;
    }
    quoted
}

/// The length in bytes of the JSON string that the text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Parses the value of a member; errors name the path inside it.
pub(super) fn of_member<T: DeserializeOwned>(member: &str, value: Value) -> ApiResult<T> {
    if nul_within(&value) {
        return Err(ApiError::about(INVALID_BODY, member, "must not contain a NUL character"));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let (place, message) = placed(&error.path().to_string(), error.inner().to_string());
        ApiError::about(INVALID_BODY, joined(member, &place), message)
    })
}

fn nul_within(value: &Value) -> bool {
    match value {
        Value::String(text) => has_nul(text),
        Value::Array(list) => list.iter().any(nul_within),
        Value::Object(members) => members.iter().any(|(name, value)| has_nul(name) || nul_within(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn describe(error: &serde_path_to_error::Error<serde_json::Error>) -> ApiError {
    let text = error.inner().to_string();
    // serde appends line and column, which mean little to a client.
    let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
    let (place, message) = placed(&error.path().to_string(), message);
    if error.inner().is_data() && !place.is_empty() {
        return ApiError::about(INVALID_BODY, place, message);
    }
    ApiError::new(INVALID_BODY, format!("The body is not the expected JSON: {message}"))
}

/// The member that an error is about, and its message. For a missing member serde names only the object that lacks it,
/// so the member is taken from the message.
fn placed(path: &str, message: String) -> (String, String) {
    let path = if path == "." { "" } else { path };
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
    match missing {
        Some(member) => (joined(path, member), "is required".to_owned()),
        None => (path.to_owned(), in_json_words(&message).unwrap_or(message)),
    }
}

/// Rewords serde's message about a wrong type in the words of JSON, without names of Rust types. None for other
/// messages.
fn in_json_words(message: &str) -> Option<String> {
    if message.starts_with("data did not match any variant") {
        return Some("has an unexpected form".to_owned());
    }
    let wrong = message.starts_with("invalid type: ") || message.starts_with("invalid value: ");
    let (_, expected) = message.rsplit_once(", expected ").filter(|_| wrong)?;
    let is_number =
        |name: &str| matches!(name.as_bytes(), [b'u' | b'i', b'0'..=b'9', ..]) || matches!(name, "usize" | "isize");
    Some(match expected {
        "a boolean" => "expected true or false".to_owned(),
        "a sequence" => "expected a list".to_owned(),
        "a map" => "expected an object".to_owned(),
        "f32" | "f64" => "expected a number".to_owned(),
        name if is_number(name) => "expected a whole number".to_owned(),
        name if name.starts_with("struct ")
            || name.starts_with("enum ")
            || name.starts_with("internally tagged enum ") =>
        {
            "expected an object".to_owned()
        }
        name if name.starts_with("tuple ") || name.starts_with("an array") => "expected a list".to_owned(),
        other => format!("expected {other}"),
    })
}

fn joined(path: &str, member: &str) -> String {
    let joint = if path.is_empty() || member.is_empty() || member.starts_with('[') { "" } else { "." };
    format!("{path}{joint}{member}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_may_stand_without_quotes() {
        let conditions = json!([{"name": "a: \"b", "operator": "==", "value": 5}, {"name": "é", "operator": true}]);
        for text in [
            r#"[{name: "a: \"b", operator: "==", value: 5}, {"name": "é", operator : true}]"#,
            r#"[{name:"a: \"b","operator":"==",value:5},{name:"é",operator:true}]"#,
        ] {
            assert_eq!(from_text("attribute", text).unwrap(), conditions, "{text}");
        }
        for bad in ["[{name: city}]", "[{name: \"city]", "{a b: 1}", "", "\\", "{\"a: 1}"] {
            assert!(from_text("attribute", bad).is_err(), "{bad}");
        }
    }
}
