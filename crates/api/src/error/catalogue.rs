//! The catalogue of error codes, which generates the tables in the OpenAPI document and in the docs.

use axum::http::StatusCode;

/// One kind of error: its reason for programs, its code (the HTTP status followed by two digits) and its meaning.
#[derive(Debug, Clone, Copy)]
pub struct ErrorKind {
    pub reason: &'static str,
    pub code: u32,
    pub meaning: &'static str,
}

macro_rules! catalogue {
    ($($name:ident = $code:literal $reason:literal $meaning:literal;)+) => {
        $(pub(crate) const $name: ErrorKind = ErrorKind { reason: $reason, code: $code, meaning: $meaning };)+

        /// All kinds of errors, in the order of their codes.
        pub const fn catalogue() -> &'static [ErrorKind] {
            &[$($name),+]
        }
    };
}

catalogue! {
    INVALID_PARAMETER = 40001 "invalid_parameter" "A parameter or member has an invalid value; `parameter` names it.";
    INVALID_BODY = 40002 "invalid_body" "The body is not the JSON or form data the operation expects; `parameter`, if present, names the member.";
    MALFORMED_REQUEST = 40003 "malformed_request" "A header or the query cannot be parsed.";
    WINDOW_CLOSED = 40010 "window_closed" "The person has not messaged you in the last 24 hours. Send a template instead, with `POST /api/ext/v3/messageTemplates/send`.";
    TEMPLATE_UNAVAILABLE = 40011 "template_unavailable" "The network has not approved the template, or has withdrawn its approval.";
    CONTACT_BLOCKED = 40012 "contact_blocked" "The contact is blocked.";
    CONTACT_OPTED_OUT = 40013 "contact_opted_out" "The contact has opted out of this kind of message.";
    MEDIA_REFUSED = 40014 "media_refused" "The network does not accept files of this type or size.";
    URL_REFUSED = 40015 "url_refused" "The URL is not allowed, or no file could be downloaded from it.";
    NETWORK_REFUSED = 40016 "network_refused" "The network refused the request; the message quotes its reason.";
    EVENTS_DROPPED = 40017 "events_dropped" "Some events after this number have been deleted; the message says which `after` to continue with.";
    CONTACT_DELETED = 40018 "contact_deleted" "The contact was deleted.";
    TOKEN_EXPIRED = 40101 "token_expired" "The access token has expired.";
    TOKEN_MISSING = 40102 "token_missing" "The `Authorization` header is missing.";
    BEARER_PREFIX_MISSING = 40103 "bearer_prefix_missing" "The `Authorization` header does not begin with `Bearer `.";
    TOKEN_MALFORMED = 40104 "token_malformed" "The value is not an access token, or it is incomplete or mistyped.";
    TOKEN_UNKNOWN = 40105 "token_unknown" "The access token is not known to this server.";
    TOKEN_REVOKED = 40106 "token_revoked" "The access token was revoked or replaced, or its account is no longer allowed to have tokens.";
    PASSWORD_CHANGED = 40107 "password_changed" "The account's password was changed after the access token was created, or a log-out everywhere ended its legacy JWTs.";
    LOG_IN_FAILED = 40108 "log_in_failed" "In the console: the e-mail address or password is wrong.";
    SESSION_REQUIRED = 40109 "session_required" "In the console: you are not logged in, or your session has ended.";
    OIDC_UNKNOWN_ISSUER = 40110 "oidc_unknown_issuer" "The token's issuer is not configured.";
    OIDC_ALGORITHM = 40111 "oidc_algorithm" "The token is signed with an algorithm that is not allowed.";
    OIDC_KEY_UNKNOWN = 40112 "oidc_key_unknown" "The issuer does not publish a key that matches the token.";
    OIDC_SIGNATURE = 40113 "oidc_signature" "The token's signature is invalid.";
    OIDC_AUDIENCE = 40114 "oidc_audience" "The token was issued for a different audience.";
    OIDC_EXPIRED = 40115 "oidc_expired" "The token has expired.";
    OIDC_NOT_YET_VALID = 40116 "oidc_not_yet_valid" "The token is not valid yet.";
    OIDC_CLAIMS = 40117 "oidc_claims" "A claim in the token is missing or invalid.";
    OIDC_UNAVAILABLE = 40118 "oidc_unavailable" "The issuer's keys cannot be fetched at the moment.";
    SECOND_FACTOR_FAILED = 40119 "second_factor_failed" "In the console: the code, passkey or recovery code is wrong or was already used.";
    LOG_IN_ENDED = 40120 "log_in_ended" "In the console: the log-in waiting for a second factor was started more than five minutes ago or in another browser, or was already completed.";
    TENANT_MISMATCH = 40301 "tenant_mismatch" "The credential does not belong to the requested tenant. In the console: `X-Tenant` names another tenant than the session's.";
    ROLE_DENIED = 40302 "role_denied" "The caller's role does not allow this operation.";
    CREDENTIAL_DENIED = 40303 "credential_denied" "The operation does not accept this kind of credential.";
    FEATURE_DISABLED = 40304 "feature_disabled" "The tenant's plan does not include this feature.";
    PLAN_REQUIRED = 40305 "plan_required" "The operation requires a higher plan.";
    SCOPE_MISSING = 40306 "scope_missing" "The credential has none of the scopes in `required_any_of`.";
    IP_DENIED = 40307 "ip_denied" "The token may not be used from this IP address. In the console: the tenant does not allow it.";
    CSRF = 40308 "csrf" "In the console: the `Origin` or `X-CSRF-Token` header of a request that changes something does not match the session.";
    SIGNATURE_MISSING = 40309 "signature_missing" "On a channel's hook: the `X-Hub-Signature-256` header is missing.";
    SIGNATURE_INVALID = 40310 "signature_invalid" "On a channel's hook: the signature does not match the body and the channel's app secret.";
    HANDSHAKE_REFUSED = 40311 "handshake_refused" "On a channel's hook: the mode, verify token or challenge is wrong.";
    TENANT_SUSPENDED = 40312 "tenant_suspended" "The tenant is suspended; the installation's administrator can resume it.";
    SECOND_FACTOR_REQUIRED = 40313 "second_factor_required" "In the console: the tenant requires a second factor and the account has none. Add one first.";
    SINGLE_SIGN_ON_REQUIRED = 40314 "single_sign_on_required" "In the console: the tenant requires single sign-on. Log in through its identity provider.";
    NOT_FOUND = 40401 "not_found" "The tenant has no object with this id.";
    ROUTE_NOT_FOUND = 40402 "route_not_found" "There is no such operation.";
    TENANT_SEGMENT_MISSING = 40403 "tenant_segment_missing" "Legacy paths begin with the tenant id: `/{tenantId}/api/v1/...`.";
    TENANT_SEGMENT_UNEXPECTED = 40404 "tenant_segment_unexpected" "V3 paths do not contain a tenant id: `/api/ext/v3/...`.";
    SANDBOX_OFF = 40405 "sandbox_off" "The sandbox is turned off: `sandbox.enabled` is false.";
    METHOD_NOT_ALLOWED = 40501 "method_not_allowed" "The path does not support this method.";
    REQUEST_TIMEOUT = 40801 "request_timeout" "The request did not arrive in time.";
    CONFLICT = 40901 "conflict" "The request conflicts with the current state; `parameter` names the member.";
    IDEMPOTENCY_KEY_REUSED = 40902 "idempotency_key_reused" "The `Idempotency-Key` was already used for a different request; use a new key.";
    IDEMPOTENCY_IN_PROGRESS = 40903 "idempotency_in_progress" "A request with this `Idempotency-Key` is still in progress; retry after the number of seconds in `Retry-After`.";
    AMBIGUOUS_TARGET = 40904 "ambiguous_target" "The target has open conversations on several channels; `conversations` lists them. Choose one by writing `channel:target`.";
    LINK_ENDED = 41001 "link_ended" "In the console: the one-time link was already used, was replaced, has expired or never existed.";
    BODY_TOO_LARGE = 41301 "body_too_large" "The body is larger than the operation accepts.";
    URI_TOO_LONG = 41401 "uri_too_long" "The path and query are too long.";
    UNSUPPORTED_MEDIA_TYPE = 41501 "unsupported_media_type" "The operation does not accept this `Content-Type`.";
    WRONG_HOST = 42101 "wrong_host" "The server is not configured for this host name.";
    RATE_LIMITED = 42901 "rate_limited" "Too many requests in this window; retry after the number of seconds in `Retry-After`.";
    USAGE_EXHAUSTED = 42902 "usage_exhausted" "The tenant has used up its API calls for this month.";
    LIMIT_REACHED = 42903 "limit_reached" "The tenant has reached a limit: `limit` names it, `used` and `max` give the numbers. Waiting does not help; delete something, or ask the installation's administrator to raise the limit.";
    LOG_IN_PAUSED = 42904 "log_in_paused" "In the console: too many failed log-ins; try again after the number of seconds in `Retry-After`.";
    HEADERS_TOO_LARGE = 43101 "headers_too_large" "There are too many headers, or their total size is too large.";
    INTERNAL = 50001 "internal" "An internal error. Search the server's log for the request id.";
    UNAVAILABLE = 50301 "unavailable" "The database cannot be reached at the moment.";
    NETWORK_UNAVAILABLE = 50302 "network_unavailable" "The network is not responding, or is limiting requests.";
    STILL_COUNTING = 50303 "still_counting" "The list's total is still being counted; retry after the number of seconds in `Retry-After`.";
    OVERLOADED = 50304 "overloaded" "The tenant, the connection or the server is handling too many requests at once; retry after the number of seconds in `Retry-After`.";
}

impl ErrorKind {
    pub fn status(&self) -> StatusCode {
        u16::try_from(self.code / 100).ok().and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or_default()
    }
}
