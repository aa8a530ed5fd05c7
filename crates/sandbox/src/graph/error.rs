//! The network's error codes with titles and HTTP statuses, and the JSON of an error.

use http::StatusCode;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphError {
    pub status: StatusCode,
    pub kind: &'static str,
    pub code: i64,
    pub subcode: Option<i64>,
    pub message: String,
    pub details: Option<String>,
    /// `error_user_title` and `error_user_msg`.
    pub user: Option<Box<(&'static str, String)>>,
}

/// Why a request failed: a Graph error for the client, or an error of the database.
#[derive(Debug)]
pub enum Refusal {
    Graph(Box<GraphError>),
    Store(store::Error),
}

pub type GraphResult<T> = Result<T, Refusal>;

impl From<GraphError> for Refusal {
    fn from(error: GraphError) -> Self {
        Self::Graph(Box::new(error))
    }
}

impl From<store::Error> for Refusal {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl store::Failure for Refusal {
    fn store_error(&self) -> Option<&store::Error> {
        match self {
            Self::Store(error) => Some(error),
            Self::Graph(_) => None,
        }
    }
}

/// Code, HTTP status, title.
const CATALOGUE: &[(i64, u16, &str)] = &[
    (1, 500, "An unknown error occurred"),
    (2, 503, "Service temporarily unavailable"),
    (4, 429, "Application request limit reached"),
    (10, 403, "Application does not have permission for this action"),
    (100, 400, "Invalid parameter"),
    (104, 401, "An access token is required to request this resource."),
    (190, 401, "Invalid OAuth access token - Cannot parse access token"),
    (200, 403, "Permissions error"),
    (368, 403, "Temporarily blocked for policies violations"),
    (80_007, 429, "Rate limit issues"),
    (130_429, 429, "Rate limit hit"),
    (130_472, 400, "User's number is part of an experiment"),
    (131_000, 500, "Something went wrong"),
    (131_005, 403, "Access denied"),
    (131_008, 400, "Required parameter is missing"),
    (131_009, 400, "Parameter value is not valid"),
    (131_016, 503, "Service unavailable"),
    (131_021, 400, "Recipient cannot be sender"),
    (131_026, 400, "Message undeliverable"),
    (131_031, 403, "Account has been locked"),
    (131_042, 400, "Business eligibility payment issue"),
    (131_047, 400, "Re-engagement message"),
    (131_048, 429, "Spam rate limit hit"),
    (131_049, 400, "This message was not delivered to maintain healthy ecosystem engagement."),
    (131_050, 400, "User has stopped marketing messages from your business"),
    (131_051, 400, "Unsupported message type"),
    (131_052, 400, "Media download error"),
    (131_053, 400, "Media upload error"),
    (131_056, 429, "(Business Account, Consumer Account) pair rate limit hit"),
    (131_057, 500, "Account in maintenance mode"),
    (132_000, 400, "Number of parameters does not match the expected number of params"),
    (132_001, 404, "Template name does not exist in the translation"),
    (132_005, 400, "Translated text too long"),
    (132_007, 400, "Template format character policy violated"),
    (132_012, 400, "Parameter format does not match format in the created template"),
    (132_015, 400, "Template is paused"),
    (132_016, 400, "Template is disabled"),
    (132_068, 400, "Flow is blocked"),
    (132_069, 429, "Flow is throttled"),
    (133_010, 400, "Phone number not registered"),
    (133_016, 429, "Too many attempts to register the account"),
    (135_000, 400, "Generic user error"),
    (138_000, 400, "Calling not enabled"),
    (138_006, 400, "No approved call permission from the recipient"),
];

/// The title of a code; unknown codes have a generic one.
pub fn title(code: i64) -> &'static str {
    entry(code).map_or("Unknown error", |(_, _, title)| *title)
}

fn entry(code: i64) -> Option<&'static (i64, u16, &'static str)> {
    CATALOGUE.iter().find(|(known, ..)| *known == code)
}

impl GraphError {
    /// The error with this code, with status and title from the catalogue. An unknown code gets status 400.
    pub fn with_code(code: i64) -> Self {
        let status = entry(code).and_then(|(_, status, _)| StatusCode::from_u16(*status).ok());
        let plain = [104, 190].contains(&code);
        let message = if plain { title(code).to_owned() } else { format!("(#{code}) {}", title(code)) };
        let status = status.unwrap_or(StatusCode::BAD_REQUEST);
        Self { status, kind: "OAuthException", code, subcode: None, message, details: None, user: None }
    }

    #[must_use]
    pub fn details(self, details: impl Into<String>) -> Self {
        Self { details: Some(details.into()), ..self }
    }

    #[must_use]
    pub fn subcode(self, subcode: i64) -> Self {
        Self { subcode: Some(subcode), ..self }
    }

    #[must_use]
    pub fn message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    #[must_use]
    pub fn user(self, title: &'static str, text: impl Into<String>) -> Self {
        Self { user: Some(Box::new((title, text.into()))), ..self }
    }

    /// The error that a required member is missing.
    pub fn missing(member: &str) -> Self {
        Self::with_code(131_008).details(format!("Parameter '{member}' is mandatory"))
    }

    /// The error that a member has an invalid value.
    pub fn invalid(member: &str, why: impl std::fmt::Display) -> Self {
        Self::with_code(131_009).details(format!("Parameter '{member}': {why}"))
    }

    /// The error that a member has the wrong type, or that the request as a whole is invalid.
    pub fn parameter(message: impl std::fmt::Display) -> Self {
        Self::with_code(100).message(format!("(#100) {message}"))
    }

    /// The error that an object does not exist or is not visible to the token; like the network, it does not say which.
    pub fn no_object(method: &http::Method, id: &str) -> Self {
        let method = method.as_str().to_ascii_lowercase();
        let error = Self::with_code(100).subcode(33).message(format!(
            "Unsupported {method} request. Object with ID '{id}' does not exist, cannot be loaded due to missing \
             permissions, or does not support this operation. Please read the Graph API documentation at \
             https://developers.facebook.com/docs/graph-api"
        ));
        Self { kind: "GraphMethodException", ..error }
    }

    pub fn too_large(limit: usize) -> Self {
        let error = Self::parameter(format!("The request has more than {limit} bytes"));
        Self { status: StatusCode::PAYLOAD_TOO_LARGE, ..error }
    }

    pub fn unreadable(why: impl std::fmt::Display) -> Self {
        Self::parameter(format!("The request could not be read: {why}"))
    }

    pub fn to_json(&self, trace: &str) -> Value {
        let mut error = json!({
            "message": self.message,
            "type": self.kind,
            "code": self.code,
            "fbtrace_id": trace,
        });
        if let Some(subcode) = self.subcode {
            error["error_subcode"] = json!(subcode);
        }
        if let Some(details) = &self.details {
            error["error_data"] = json!({ "messaging_product": "whatsapp", "details": details });
        }
        if let Some((title, text)) = self.user.as_deref() {
            error["error_user_title"] = json!(title);
            error["error_user_msg"] = json!(text);
        }
        json!({ "error": error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_rise_and_none_is_there_twice() {
        assert!(CATALOGUE.is_sorted_by(|(one, ..), (next, ..)| one < next));
        assert!(CATALOGUE.iter().all(|(_, status, _)| StatusCode::from_u16(*status).is_ok()));
    }

    #[test]
    fn a_refusal_has_the_shape_of_the_network() {
        let error = GraphError::invalid("to", "expected digits").to_json("Atrace");
        assert_eq!(error["error"]["code"], 131_009);
        assert_eq!(error["error"]["message"], "(#131009) Parameter value is not valid");
        assert_eq!(error["error"]["type"], "OAuthException");
        assert_eq!(error["error"]["error_data"]["messaging_product"], "whatsapp");
        assert_eq!(error["error"]["fbtrace_id"], "Atrace");
        assert_eq!(GraphError::with_code(987_654).message, "(#987654) Unknown error");
    }
}
