//! `Idempotency-Key`: the same request again gets the first answer and has no second effect.
//!
//! This layer runs after permissions and limits and before the operation. It holds the key
//! (`app/src/base/idempotency/mod.rs`) while the operation runs in a task of its own, so a client that disconnects does
//! not abort the operation. It stores the answer before the client gets it. Server errors, 408, 429, and refusals of a
//! request whose body did not arrive whole are not stored: the key is released, and the client may try again.
//!
//! Two requests are the same when their fingerprints are equal (`fingerprint.rs`). After a crash the key stays held for
//! the request time-out plus 30 seconds. Then the request may run again; operations that saved their outcome under the
//! key, in the transaction of their effect, answer from it.

mod fingerprint;

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use app::base::idempotency::{HEADER, IdempotencyScope, KeyLock, KeyStatus};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use domain::base::idempotency::Answer;
use futures_util::FutureExt as _;
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;

use fingerprint::{BodyRead, HashedBody, hash_body};

use super::caller::{Caller, RequestOrigin};
use super::operation::{GuardedOperation, KeyPolicy};
use crate::edge::timeout::with_timeout;
use crate::error::{ApiError, ApiResult, INTERNAL, INVALID_BODY, MALFORMED_REQUEST, REQUEST_TIMEOUT};
use crate::input::MAX_BODY;
use crate::state::ApiState;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The largest body of any operation, in bytes: a file and the form around it.
const LARGEST: usize = (100 << 20) + MAX_BODY;

/// Whether the request has a key that the operation does not ignore.
pub(super) fn has_key(operation: &GuardedOperation, headers: &HeaderMap) -> bool {
    operation.key_policy != KeyPolicy::Ignored && headers.contains_key(KEY)
}

/// Runs the operation under its key, or returns the stored answer of the first request.
pub(super) async fn run_once(operation: &GuardedOperation, request: Request, next: Next) -> Response {
    begin(operation, request, next).await.unwrap_or_else(ApiError::into_response)
}

async fn begin(operation: &GuardedOperation, mut request: Request, next: Next) -> ApiResult<Response> {
    let unguarded = || ApiError::new(INTERNAL, "The operation is not behind the gate");
    let state = request.extensions().get::<ApiState>().cloned().ok_or_else(unguarded)?;
    let principal = request.extensions().get::<Caller>().ok_or_else(unguarded)?.principal.clone();
    let scope = principal.idempotency_scope(operation.id, key(operation, request.headers())?)?;
    let (timeout, tenant) = (state.settings.request_timeout, principal.tenant());
    match state.app.idempotency().begin(&scope, timeout).await? {
        KeyStatus::InUse => Err(ApiError::in_progress()),
        KeyStatus::Answered(answer) => replay(answer, request, &scope).await,
        KeyStatus::Locked(lock) => {
            request.extensions_mut().insert(Caller {
                principal,
                idempotency_scope: Some(scope.clone()),
                origin: RequestOrigin::default(),
            });
            let (request, hashed) = hash_body(request, scope);
            // In a task of its own: if the client disconnects, the operation still finishes, and a repeated request
            // gets its answer.
            let work = app::for_tenant(tenant, run(lock, request, hashed, next, timeout)).in_current_span();
            let lost = |_| ApiError::new(INTERNAL, "Something went wrong; search the server's log for the request id");
            tokio::spawn(work).await.map_err(lost)
        }
    }
}

fn key<'a>(operation: &GuardedOperation, headers: &'a HeaderMap) -> ApiResult<&'a str> {
    if operation.key_policy == KeyPolicy::Refused {
        return Err(ApiError::invalid(
            HEADER,
            "the response is a secret and is not stored; send the request without this header",
        ));
    }
    let mut values = headers.get_all(KEY).iter();
    let (first, more) = (values.next(), values.next());
    if more.is_some() {
        return Err(ApiError::new(MALFORMED_REQUEST, "The Idempotency-Key header appears more than once"));
    }
    // A header value that is not text is treated as an empty key, which is refused.
    Ok(first.and_then(|value| value.to_str().ok()).unwrap_or_default())
}

async fn replay(answer: Answer, request: Request, scope: &IdempotencyScope) -> ApiResult<Response> {
    if let Some(first) = answer.fingerprint {
        let (_, hashed) = hash_body(request, scope.clone());
        match hashed.read_rest(LARGEST).await {
            BodyRead::Complete(this) if this == first => {}
            BodyRead::Complete(_) | BodyRead::Partial => return Err(app::Error::KeyReused.into()),
            BodyRead::Broken => return Err(ApiError::new(INVALID_BODY, "The body was not received completely")),
        }
    }
    let status = u16::try_from(answer.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let mut response = (status.unwrap_or_default(), Body::from(answer.body)).into_response();
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response.headers_mut().remove(header::CONTENT_TYPE);
    if let Some(kind) = answer.content_type.and_then(|kind| HeaderValue::try_from(kind).ok()) {
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    Ok(response)
}

/// Runs the operation. Before it returns the answer, it stores the answer under the key, or releases the key if the
/// answer is not to be stored.
async fn run(lock: KeyLock, request: Request, hashed: HashedBody, next: Next, timeout: Duration) -> Response {
    let deadline = Instant::now() + timeout;
    let work = AssertUnwindSafe(next.run(request).map(Ok::<_, Infallible>)).catch_unwind();
    let response = with_timeout(work, timeout).await;
    let status = response.status();
    if !is_final(status) {
        return release_key(lock, response).await;
    }
    // The rest of the body is read for the fingerprint. After a refusal, which has no effect, at most `MAX_BODY` bytes
    // are read, and the key is released if these are not all. After a success the answer is stored even if the rest of
    // the body never arrives.
    let most = if status.is_success() { LARGEST } else { MAX_BODY };
    let whole = matches!(timeout_at(deadline, hashed.read_rest(most)).await, Ok(BodyRead::Complete(_)));
    if whole || status.is_success() { store_answer(lock, response).await } else { release_key(lock, response).await }
}

/// Whether the same request would get the same answer again. False for a time-out, a limit or a server error.
fn is_final(status: StatusCode) -> bool {
    !status.is_server_error() && status != StatusCode::TOO_MANY_REQUESTS && status != REQUEST_TIMEOUT.status()
}

async fn store_answer(lock: KeyLock, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else {
        return release_key(lock, ApiError::new(INTERNAL, "The response could not be written").into_response()).await;
    };
    let body = body.to_bytes();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).map(str::to_owned);
    if let Err(error) = lock.save_answer(parts.status.as_u16(), kind, body.to_vec()).await {
        // The effect is committed and the client waits for the answer. The key is free again when the hold expires.
        tracing::error!(%error, "the answer under an idempotency key could not be stored");
    }
    Response::from_parts(parts, Body::from(body))
}

async fn release_key(lock: KeyLock, response: Response) -> Response {
    if let Err(error) = lock.release().await {
        tracing::error!(%error, "an idempotency key could not be released; it is free again when the hold expires");
    }
    response
}
