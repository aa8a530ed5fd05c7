//! Error bodies, and the one mapping of errors to them. The codes are in `catalogue.rs`.

mod catalogue;
mod fields;

use app::identity::gate::{Denial, Forbidden, Unauthenticated};
use app::messaging::messages::Refusal;
use app::{Cause, StorageFailure};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::base::schema::ToSchema;
use domain::{ChannelId, ConversationId, Field, Place, Timestamp};
use serde::Serialize;

pub use catalogue::*;
pub(crate) use fields::Spelling;
pub use fields::{spelled, spelled_text};

/// The body of every error response.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// The HTTP status followed by two digits.
    #[schema(example = 40102)]
    pub code: u32,
    #[schema(example = "No Access Token provided")]
    pub message: String,
    #[schema(example = "2026-04-24T10:00:00.000Z")]
    pub timestamp: String,
    /// A stable identifier for programs.
    #[schema(example = "token_missing")]
    pub reason: &'static str,
    /// The parameter or body member that the error is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub parameter: Option<String>,
    /// The credential needs at least one of these scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub required_any_of: Option<Vec<&'static str>>,
    /// The credential's scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub granted: Option<Vec<&'static str>>,
    /// The kind of resource whose limit the tenant has reached, such as `segments`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "segments")]
    pub limit: Option<&'static str>,
    /// How much of the resource in `limit` the tenant has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 200)]
    pub used: Option<u64>,
    /// How much of the resource in `limit` the tenant may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 200)]
    pub max: Option<u64>,
    /// The open conversations that the target could mean, the one with the latest message first. Name one of them in
    /// the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub conversations: Option<Vec<OpenConversation>>,
}

/// One of several conversations that a target could mean.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OpenConversation {
    conversation_id: ConversationId,
    channel_id: ChannelId,
    #[schema(example = "Support")]
    channel_name: String,
    #[schema(example = "14155552671")]
    channel_phone_number: String,
    #[schema(format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    last_message_at: String,
}

impl From<&app::inbox::conversations::ConversationChoice> for OpenConversation {
    fn from(one: &app::inbox::conversations::ConversationChoice) -> Self {
        Self {
            conversation_id: one.conversation_id,
            channel_id: one.channel_id,
            channel_name: one.channel_name.clone(),
            channel_phone_number: one.channel_phone_number.clone(),
            last_message_at: one.last_message_at.to_rfc3339(),
        }
    }
}

/// An error that becomes an answer. Boxed, so that `ApiResult` stays small.
#[derive(Debug)]
pub(crate) struct ApiError(Box<ErrorDetails>);

#[derive(Debug)]
struct ErrorDetails {
    kind: ErrorKind,
    message: String,
    parameter: Option<String>,
    required_any_of: Option<Vec<&'static str>>,
    granted: Option<Vec<&'static str>>,
    limit: Option<LimitDetails>,
    conversations: Option<Vec<OpenConversation>>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// How much of a kind of thing the tenant has, and how much it may have.
#[derive(Debug)]
struct LimitDetails {
    name: &'static str,
    used: u64,
    max: u64,
}

/// The most characters of the message and of the parameter in an error body.
const MAX_TEXT: usize = 500;

pub(crate) type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(ErrorDetails {
            kind,
            message,
            parameter: None,
            required_any_of: None,
            granted: None,
            limit: None,
            conversations: None,
            headers: Vec::new(),
        }))
    }

    /// An error about a parameter or member with a wrong value; `message` says what is expected instead.
    pub fn invalid(parameter: impl Into<String>, message: impl std::fmt::Display) -> Self {
        Self::about(INVALID_PARAMETER, parameter, message)
    }

    pub fn about(kind: ErrorKind, parameter: impl Into<String>, message: impl std::fmt::Display) -> Self {
        let parameter = parameter.into();
        Self::new(kind, format!("{parameter}: {message}")).with_parameter(parameter)
    }

    fn with_parameter(mut self, parameter: String) -> Self {
        self.0.parameter = Some(parameter);
        self
    }

    pub fn overloaded(message: &str) -> Self {
        Self::new(OVERLOADED, message).with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// An error that says that the tenant has as much of a kind of thing as it may have.
    pub fn limit_reached(name: &'static str, used: u64, max: u64, message: impl std::fmt::Display) -> Self {
        let mut error = Self::new(LIMIT_REACHED, format!("{name}: {message} (at most {max})"));
        error.0.limit = Some(LimitDetails { name, used, max });
        error
    }

    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message, and the member that it is about.
    pub fn message_and_parameter(&self) -> (&str, Option<&str>) {
        (&self.0.message, self.0.parameter.as_deref())
    }

    pub fn into_message(self) -> String {
        self.0.message
    }

    /// Maps a storage failure to an error. Its details go to the log and never to the client.
    fn from_storage(failure: StorageFailure, error: &dyn std::error::Error) -> Self {
        match failure {
            StorageFailure::NulInText => Self::new(INVALID_BODY, "A text contains a NUL character"),
            StorageFailure::Unavailable => {
                tracing::error!(%error, "the database is not available");
                Self::new(UNAVAILABLE, "The database cannot be reached at the moment; try again")
                    .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
            }
            StorageFailure::Overloaded => Self::overloaded("Too many requests are being handled at once; try again"),
            StorageFailure::Duplicate => {
                tracing::warn!(%error, "a request conflicts with an existing row");
                Self::new(
                    CONFLICT,
                    "Another request made the same change at the same time; check its result before you try again",
                )
            }
            StorageFailure::Other => {
                tracing::error!(%error, "a request failed in the database");
                Self::internal()
            }
        }
    }

    pub(crate) fn internal() -> Self {
        Self::new(INTERNAL, "Something went wrong; search the server's log for the request id")
    }

    /// An error that says that another request holds the idempotency key.
    pub(crate) fn in_progress() -> Self {
        Self::about(IDEMPOTENCY_IN_PROGRESS, "Idempotency-Key", "a request with this key is still in progress")
            .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
    }
}

/// The kind of error when the thing that a member or path segment names does not exist: `not_found`, except for members
/// that name something other than the target, which have an invalid value.
fn missing_kind(place: &Place) -> ErrorKind {
    match place.last_field() {
        Some(Field::Channel | Field::TemplateName | Field::AssigneeEmail | Field::Team) => INVALID_PARAMETER,
        _ => NOT_FOUND,
    }
}

impl From<app::Error> for ApiError {
    fn from(error: app::Error) -> Self {
        match error {
            app::Error::Invalid { place, message } => Self::invalid(spelled(&place), message),
            app::Error::Conflict { place, message } => Self::about(CONFLICT, spelled(&place), message),
            app::Error::NotFound(what) => Self::new(NOT_FOUND, format!("There is no such {what}")),
            app::Error::Missing { place, what } => {
                Self::about(missing_kind(&place), spelled(&place), format!("there is no such {what}"))
            }
            app::Error::NoChannel { ref place, .. } => {
                // For a channel in front of a target (`channel:target`), the place is the target: `not_found`.
                Self::new(missing_kind(place), spelled_text(&error)).with_parameter(spelled(place))
            }
            app::Error::Ambiguous { ref place, ref conversations } => {
                let mut answer = Self::new(AMBIGUOUS_TARGET, spelled_text(&error)).with_parameter(spelled(place));
                answer.0.conversations = Some(conversations.iter().map(OpenConversation::from).collect());
                answer
            }
            app::Error::Refused { cause, place, message } => {
                let answer = Self::about(kind_of(cause), spelled(&place), message);
                match cause {
                    Cause::StillCounting => {
                        answer.with_header(header::RETRY_AFTER, HeaderValue::from_static(COUNTING_SECONDS))
                    }
                    _ => answer,
                }
            }
            app::Error::LimitReached { limit, used, max } => {
                Self::limit_reached(limit, used, max, "the tenant has reached its limit")
            }
            app::Error::KeyReused => Self::about(
                IDEMPOTENCY_KEY_REUSED,
                "Idempotency-Key",
                "the key was already used for a different request",
            ),
            app::Error::KeyInUse => Self::in_progress(),
            app::Error::TooManyTries { seconds } => {
                Self::new(LOG_IN_PAUSED, format!("Too many failed attempts. Try again in {seconds} seconds"))
                    .with_header(header::RETRY_AFTER, HeaderValue::from(seconds))
            }
            app::Error::TenantSuspended => Self::new(TENANT_SUSPENDED, error.to_string()),
            app::Error::Fault(fault) => {
                tracing::error!(error = %fault, "a request failed");
                Self::internal()
            }
            app::Error::Store(error) => Self::from_storage(StorageFailure::from_store(&error), &error),
        }
    }
}

/// Seconds after which a client should ask again for a total that is still being counted.
const COUNTING_SECONDS: &str = "5";

/// The kind of error for a cause. Refusals of a recipient that have no kind of their own are `invalid_parameter`; the
/// parameter and the message tell them apart.
const fn kind_of(cause: Cause) -> ErrorKind {
    match cause {
        Cause::Send(refusal) => match refusal {
            Refusal::WindowClosed => WINDOW_CLOSED,
            Refusal::TemplateGone => TEMPLATE_UNAVAILABLE,
            Refusal::Blocked => CONTACT_BLOCKED,
            Refusal::OptedOut => CONTACT_OPTED_OUT,
            Refusal::ContactGone => CONTACT_DELETED,
            Refusal::InvalidTarget
            | Refusal::InvalidNumber
            | Refusal::UnknownContact
            | Refusal::Duplicate
            | Refusal::InvalidLocalId
            | Refusal::BadParameters
            | Refusal::Expired
            | Refusal::Unsendable => INVALID_PARAMETER,
        },
        Cause::NetworkRefused => NETWORK_REFUSED,
        Cause::NetworkUnavailable => NETWORK_UNAVAILABLE,
        Cause::UrlRefused => URL_REFUSED,
        Cause::MediaRefused => MEDIA_REFUSED,
        Cause::FileTooLarge => BODY_TOO_LARGE,
        Cause::StillCounting => STILL_COUNTING,
        Cause::EventsDropped => EVENTS_DROPPED,
        Cause::LinkEnded => LINK_ENDED,
        Cause::SecondFactorFailed => SECOND_FACTOR_FAILED,
        Cause::LogInEnded => LOG_IN_ENDED,
        Cause::LogInFailed => LOG_IN_FAILED,
        Cause::SingleSignOnRequired => SINGLE_SIGN_ON_REQUIRED,
        Cause::ConsoleNetworkDenied => IP_DENIED,
    }
}

const fn kind_of_credential(reason: Unauthenticated) -> ErrorKind {
    match reason {
        Unauthenticated::TokenMalformed => TOKEN_MALFORMED,
        Unauthenticated::TokenUnknown => TOKEN_UNKNOWN,
        Unauthenticated::TokenExpired => TOKEN_EXPIRED,
        Unauthenticated::TokenRevoked => TOKEN_REVOKED,
        Unauthenticated::PasswordChanged => PASSWORD_CHANGED,
        Unauthenticated::SessionRequired => SESSION_REQUIRED,
        Unauthenticated::OidcUnknownIssuer => OIDC_UNKNOWN_ISSUER,
        Unauthenticated::OidcAlgorithm => OIDC_ALGORITHM,
        Unauthenticated::OidcKeyUnknown => OIDC_KEY_UNKNOWN,
        Unauthenticated::OidcSignature => OIDC_SIGNATURE,
        Unauthenticated::OidcAudience => OIDC_AUDIENCE,
        Unauthenticated::OidcExpired => OIDC_EXPIRED,
        Unauthenticated::OidcNotYetValid => OIDC_NOT_YET_VALID,
        Unauthenticated::OidcClaims => OIDC_CLAIMS,
        Unauthenticated::OidcUnavailable => OIDC_UNAVAILABLE,
    }
}

fn kind_of_denial(forbidden: &Forbidden) -> ErrorKind {
    match forbidden {
        Forbidden::Ip | Forbidden::ConsoleNetwork => IP_DENIED,
        Forbidden::Tenant => TENANT_MISMATCH,
        Forbidden::TenantSuspended => TENANT_SUSPENDED,
        Forbidden::Credential => CREDENTIAL_DENIED,
        Forbidden::SecondFactor => SECOND_FACTOR_REQUIRED,
        Forbidden::Role { .. } => ROLE_DENIED,
        Forbidden::Feature { feature, .. } if feature.is_privilege() => PLAN_REQUIRED,
        Forbidden::Feature { .. } => FEATURE_DISABLED,
        Forbidden::Scope { .. } => SCOPE_MISSING,
    }
}

impl From<Denial> for ApiError {
    fn from(denial: Denial) -> Self {
        match denial {
            Denial::Unauthenticated { reason, message } => Self::new(kind_of_credential(reason), message),
            Denial::Forbidden(forbidden) => forbidden.into(),
            Denial::Store(error) => Self::from_storage(StorageFailure::from_store(&error), &error),
        }
    }
}

impl From<Forbidden> for ApiError {
    fn from(forbidden: Forbidden) -> Self {
        let mut error = Self::new(kind_of_denial(&forbidden), forbidden.message());
        if let Forbidden::Scope { required, granted } = forbidden {
            error.0.required_any_of = Some(required.iter().map(|scope| scope.name()).collect());
            error.0.granted = Some(granted.names());
        }
        error
    }
}

/// Cuts a text to `MAX_TEXT` characters: a message may quote a wrong value that is as long as a request.
fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let details = *self.0;
        let status = details.kind.status();
        let body = ErrorBody {
            code: details.kind.code,
            message: shortened(details.message),
            timestamp: Timestamp::system_now().to_rfc3339(),
            reason: details.kind.reason,
            parameter: details.parameter.map(shortened),
            required_any_of: details.required_any_of,
            granted: details.granted,
            limit: details.limit.as_ref().map(|limit| limit.name),
            used: details.limit.as_ref().map(|limit| limit.used),
            max: details.limit.as_ref().map(|limit| limit.max),
            conversations: details.conversations,
        };
        let mut response = (status, axum::Json(body)).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.headers_mut().extend(details.headers);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(error: impl Into<ApiError>) -> (u16, &'static str, bool) {
        let error = error.into();
        let retry = error.0.headers.iter().any(|(name, _)| name == header::RETRY_AFTER);
        (error.kind().status().as_u16(), error.kind().reason, retry)
    }

    #[test]
    fn only_failures_of_the_database_are_answered_as_such() {
        let store = |error: store::Error| answered(app::Error::Store(error));
        assert_eq!(store(store::Error::Unavailable("gone".to_owned())), (503, "unavailable", true));
        let (statement, message) = ("calls.insert".to_owned(), "UNIQUE constraint failed".to_owned());
        assert_eq!(store(store::Error::Duplicate { statement, message }), (409, "conflict", false));
        assert_eq!(answered(app::Error::KeyInUse), (409, "idempotency_in_progress", true));
        let counting = app::Error::refused(Cause::StillCounting, Field::Total, "the contacts are still being counted");
        assert_eq!(answered(counting), (503, "still_counting", true));
        for fault in [app::Fault::Hashing, app::Fault::GroupWriter, app::Fault::NoKey, app::Fault::StoredOutcome] {
            assert_eq!(answered(app::Error::Fault(fault)), (500, "internal", false), "{fault}");
        }
    }

    #[test]
    fn every_reason_of_a_send_that_has_a_kind_of_its_own_is_spelled_alike_in_both_lists() {
        for refusal in
            [Refusal::WindowClosed, Refusal::TemplateGone, Refusal::Blocked, Refusal::OptedOut, Refusal::ContactGone]
        {
            assert_eq!(kind_of(Cause::Send(refusal)).reason, refusal.reason());
        }
        assert_eq!(kind_of(Cause::Send(Refusal::Duplicate)).reason, INVALID_PARAMETER.reason);
    }
}
