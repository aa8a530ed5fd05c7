//! The gate's middleware: credential, permission, limits, then the operation.

use std::sync::Arc;
use std::time::Instant;

use app::identity::gate::judge;
use app::platform::limits::{Granted, LimitError, LimitExceeded, LimitKind, LimitRequest, Policies};
use app::{App, Principal};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::identity::permission::Access;

use super::caller::{Caller, ConsoleSession, LocalAdmin, RequestOrigin};
use super::operation::GuardedOperation;
use super::{ClientAddress, idempotency};
use crate::edge::memory::AnswerOf;
use crate::error::{
    ApiError, ApiResult, BEARER_PREFIX_MISSING, INTERNAL, MALFORMED_REQUEST, RATE_LIMITED, TOKEN_MISSING,
    USAGE_EXHAUSTED,
};
use crate::state::ApiState;

pub(super) async fn pass(State(operation): State<Arc<GuardedOperation>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (mut parts, body) = request.into_parts();
    let response = match admit(&operation, &mut parts).await {
        Ok(granted) => {
            let keyed = idempotency::has_key(&operation, &parts.headers);
            let tenant = parts.extensions.get::<Caller>().map(|caller| caller.principal.tenant());
            let request = Request::from_parts(parts, body);
            let work = async {
                if keyed { idempotency::run_once(&operation, request, next).await } else { next.run(request).await }
            };
            let mut response = match tenant {
                Some(tenant) => app::for_tenant(tenant, work).await,
                None => work.await,
            };
            granted.apply(response.headers_mut());
            if let Some(tenant) = tenant {
                response.extensions_mut().insert(AnswerOf(tenant));
            }
            response
        }
        Err(error) => error.into_response(),
    };
    measure(&operation, response.status().as_u16(), began);
    response
}

async fn admit(operation: &GuardedOperation, request: &mut Parts) -> ApiResult<LimitHeaders> {
    if operation.permission.access == Access::Public {
        return Ok(LimitHeaders(None));
    }
    if let Some(LocalAdmin(principal)) = request.extensions.remove() {
        judge(&operation.permission, &principal, None)?;
        request.extensions.insert(Caller { principal, idempotency_scope: None, origin: RequestOrigin::default() });
        return Ok(LimitHeaders(None));
    }
    let state = request.extensions.get::<ApiState>().cloned();
    let state = state.ok_or_else(|| ApiError::new(INTERNAL, "The request did not come through the edge"))?;
    let session = request.extensions.get::<ConsoleSession>().map(|session| Arc::clone(&session.principal));
    let (principal, granted) = if let Some(principal) = session {
        judge(&operation.permission, &principal, None)?;
        let granted = limit_session(&state.app, operation, &principal, &request.method).await?;
        (principal, granted)
    } else {
        let principal = authenticate(&state.app, request).await?;
        let path_tenant = operation.legacy.then(|| first_segment(request.uri.path()).parse().ok());
        judge(&operation.permission, &principal, path_tenant)?;
        let granted = limit(&state.app, limit_request(operation, &principal)).await?;
        (principal, granted)
    };
    request.extensions.insert(Caller { principal, idempotency_scope: None, origin: RequestOrigin::default() });
    Ok(LimitHeaders(Some(granted)))
}

fn first_segment(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// Authenticates the credential. The answer 401 is delayed if the client's address has presented too many wrong
/// credentials in the last minute. A valid credential is never delayed.
async fn authenticate(app: &App, request: &Parts) -> ApiResult<Arc<Principal>> {
    let address = request.extensions.get::<ClientAddress>().copied();
    let ClientAddress(address) = address.ok_or_else(|| ApiError::new(INTERNAL, "The caller has no address"))?;
    let outcome = match bearer(&request.headers) {
        Ok(Some(value)) => app.identity().authenticate(value, address).await.map_err(ApiError::from),
        Ok(None) => return Err(ApiError::new(TOKEN_MISSING, "No Access Token provided")),
        Err(error) => Err(error),
    };
    if outcome.as_ref().is_err_and(|error| error.kind().status() == axum::http::StatusCode::UNAUTHORIZED)
        && let Some(delay) = app.identity().attempts().failed(address)
    {
        tokio::time::sleep(delay).await;
    }
    outcome
}

/// The value after `Bearer `; None if there is no `Authorization` header. A repeated or malformed header is an error.
pub(super) fn bearer(headers: &HeaderMap) -> ApiResult<Option<&str>> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(ApiError::new(MALFORMED_REQUEST, "The Authorization header appears more than once"));
    }
    let text = value.to_str().map_err(|_| ApiError::new(MALFORMED_REQUEST, "The Authorization header is not text"))?;
    let (scheme, value) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") || value.trim().is_empty() {
        return Err(ApiError::new(BEARER_PREFIX_MISSING, "The Authorization header must read: Bearer <access token>"));
    }
    Ok(Some(value.trim()))
}

fn limit_request<'a>(operation: &GuardedOperation, principal: &'a Principal) -> LimitRequest<'a> {
    LimitRequest {
        tenant: principal.tenant(),
        plan: principal.plan(),
        family: operation.permission.family,
        session: None,
        token: principal.own_limit(),
        counted: operation.permission.counted,
    }
}

async fn limit(app: &App, ask: LimitRequest<'_>) -> ApiResult<Granted> {
    app.platform().limiter().take(ask).await.map_err(refusal_of)
}

/// Counts a request of a session. When the calls of the month are used up, people can still read, but change nothing.
async fn limit_session(
    app: &App,
    operation: &GuardedOperation,
    principal: &Principal,
    method: &Method,
) -> ApiResult<Granted> {
    let ask = limit_request(operation, principal);
    let counted = ask.counted && !operation.permission.automatic;
    let ask = LimitRequest { session: principal.account().map(|account| account.id), counted, ..ask };
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    match app.platform().limiter().take(ask).await {
        Err(LimitError::Exceeded(refused)) if refused.kind == LimitKind::Usage && is_read => {
            limit(app, LimitRequest { counted: false, ..ask }).await
        }
        outcome => outcome.map_err(refusal_of),
    }
}

fn refusal_of(error: LimitError) -> ApiError {
    match error {
        LimitError::Exceeded(refused) => refusal(&refused),
        LimitError::Store(error) => app::Error::from(error).into(),
    }
}

fn refusal(refused: &LimitExceeded) -> ApiError {
    let error = match refused.kind {
        LimitKind::Rate => ApiError::new(RATE_LIMITED, "Too many requests in this window; try again later"),
        LimitKind::Usage => ApiError::new(USAGE_EXHAUSTED, "The tenant has used up its API calls for this month"),
    };
    let retry_after = HeaderValue::from_str(&refused.retry_after_header());
    let error = retry_after.into_iter().fold(error, |error, value| error.with_header(header::RETRY_AFTER, value));
    limit_headers(&refused.policies).fold(error, |error, (name, value)| error.with_header(name, value))
}

/// The rate limit headers of an admitted request; None for requests that no limit counts.
struct LimitHeaders(Option<Granted>);

impl LimitHeaders {
    fn apply(&self, headers: &mut HeaderMap) {
        if let Some(granted) = &self.0 {
            headers.extend(limit_headers(&granted.policies));
        }
    }
}

fn limit_headers(policies: &Policies) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let texts = [("ratelimit-policy", policies.policy_header()), ("ratelimit", policies.limit_header())];
    let value = |(name, text): (&'static str, Option<String>)| {
        let value = HeaderValue::from_str(&text?).ok()?;
        Some((HeaderName::from_static(name), value))
    };
    texts.into_iter().filter_map(value)
}

fn measure(operation: &GuardedOperation, status: u16, began: Instant) {
    let status = match status {
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    };
    metrics::counter!("switchboard_requests_total", "operation" => operation.id, "status" => status).increment(1);
    metrics::histogram!("switchboard_request_seconds", "operation" => operation.id)
        .record(began.elapsed().as_secs_f64());
}
