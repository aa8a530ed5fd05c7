//! Access control of the console's API: first the session (401); then, unless the method is GET or HEAD, the `Origin`
//! header and the CSRF token (403); then the tenant that the page is about (403) and the role (403). An `Authorization`
//! header has no effect here.

use std::net::IpAddr;
use std::sync::Arc;

use app::identity::gate::judge;
use app::identity::second_factors::RelyingParty;
use app::identity::sessions::{LogInSource, SessionPurpose, SessionReach};
use app::{Actor, ActsFor, Principal};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use domain::identity::permission::Permission;
use domain::identity::plans::Feature;
use domain::identity::roles::Role;
use domain::{AccountId, TenantId};

use super::roles::{ALL_ROLES, SESSION};
use super::{cookie, origin};
use crate::edge::request_id::RequestId;
use crate::error::{CONFLICT, CSRF, INTERNAL, SESSION_REQUIRED, TENANT_MISMATCH};
use crate::gate::{ClientAddress, ConsoleSession, RequestOrigin};
use crate::prelude::*;
use crate::routing::PathOperations;

const CSRF_HEADER: &str = "x-csrf-token";
/// The tenant of the page that sends the request. A page of one tenant must not act in another because the person has
/// switched in another tab.
const TENANT_HEADER: &str = "x-tenant";

/// The account whose session the request carries.
#[derive(Debug, Clone)]
pub(super) struct SignedIn {
    pub principal: Arc<Principal>,
    pub account: AccountId,
    origin: RequestOrigin,
}

impl ActsFor for SignedIn {
    fn tenant(&self) -> TenantId {
        self.principal.tenant()
    }

    fn principal(&self) -> Option<&Principal> {
        Some(&self.principal)
    }

    fn audit_actor(&self) -> Actor {
        self.origin.actor(&self.principal)
    }
}

impl<S: Sync> FromRequestParts<S> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let signed_in = parts.extensions.get::<Self>().cloned();
        signed_in.ok_or_else(|| ApiError::new(INTERNAL, "The operation is not behind the console's guard"))
    }
}

/// Client address and request id, for operations that need no session.
#[derive(Debug)]
pub(super) struct RequestSource {
    pub address: IpAddr,
    pub request_id: Option<String>,
}

impl RequestSource {
    fn from_parts(parts: &Parts) -> ApiResult<Self> {
        let address = parts.extensions.get::<ClientAddress>().copied();
        let ClientAddress(address) = address.ok_or_else(|| ApiError::new(INTERNAL, "The caller has no address"))?;
        let request_id = parts.extensions.get::<RequestId>().and_then(|id| id.0.to_str().ok()).map(str::to_owned);
        Ok(Self { address, request_id })
    }
}

impl<S: Sync> FromRequestParts<S> for RequestSource {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        Self::from_parts(parts)
    }
}

/// Restricts operations to sessions of accounts with one of these roles.
pub(super) fn for_roles(roles: &'static [Role], operations: PathOperations) -> PathOperations {
    behind_session(Permission::of(roles, &[]), SessionReach::Everything, operations)
}

/// The same, if the tenant's plan has the feature.
pub(super) fn for_feature(feature: Feature, roles: &'static [Role], operations: PathOperations) -> PathOperations {
    behind_session(Permission::of(roles, &[]).feature(feature), SessionReach::Everything, operations)
}

/// For every account by its session, also while it must add a second factor first.
pub(super) fn for_enrolment(operations: PathOperations) -> PathOperations {
    behind_session(Permission::of(ALL_ROLES, &[]), SessionReach::Enrolment, operations)
}

fn behind_session(permission: Permission, reach: SessionReach, mut operations: PathOperations) -> PathOperations {
    #[cfg(feature = "document")]
    crate::document::declare_for_sessions(&permission, &mut operations);
    let layer = from_fn_with_state((permission, reach), pass_with_session);
    operations.router = operations.router.route_layer(layer);
    operations
}

impl RequestSource {
    /// Adds the `User-Agent` header of the request.
    fn log_in(self, parts: &Parts) -> LogInSource {
        let user_agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        LogInSource { address: self.address, user_agent: user_agent.map(str::to_owned), request_id: self.request_id }
    }
}

/// Client address, `User-Agent` header and request id, for operations that begin a session or change a password.
#[derive(Debug)]
pub(super) struct FromLogIn(pub LogInSource);

impl<S: Sync> FromRequestParts<S> for FromLogIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        Ok(Self(RequestSource::from_parts(parts)?.log_in(parts)))
    }
}

/// The console at the origin of the request's page, for passkeys; none at an IP address. Changes have been checked for
/// their origin before.
#[derive(Debug)]
pub(super) struct PageOrigin(pub Option<RelyingParty>);

impl PageOrigin {
    pub fn host(&self) -> Option<&str> {
        self.0.as_ref().map(RelyingParty::host)
    }

    pub fn party(&self) -> ApiResult<&RelyingParty> {
        let message =
            "passkeys only work with a host name: open the console with one, or with localhost on this machine";
        self.0.as_ref().ok_or_else(|| ApiError::about(CONFLICT, "passkey", message))
    }
}

impl<S: Sync> FromRequestParts<S> for PageOrigin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let origin = parts.headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
        Ok(Self(origin.and_then(RelyingParty::at)))
    }
}

/// Opens operations to requests without a session. Unless the method is GET or HEAD, the `Origin` header must be the
/// console's.
pub(super) fn for_anyone(mut operations: PathOperations) -> PathOperations {
    #[cfg(feature = "document")]
    crate::document::declare_for_sessions(&Permission::public(), &mut operations);
    operations.router = operations.router.route_layer(from_fn(pass_with_own_origin));
    operations
}

async fn pass_with_session(
    State((permission, reach)): State<(Permission, SessionReach)>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let response = match admit(&permission, reach, &mut parts).await {
        Ok(session) => {
            parts.extensions.insert::<ConsoleSession>(session);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(error) => error.into_response(),
    };
    without_caching(response)
}

async fn pass_with_own_origin(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    let checked = if is_read { Ok(()) } else { state_of(&parts).and_then(|state| check_origin(&state, &parts)) };
    let response = match checked {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(error) => error.into_response(),
    };
    without_caching(response)
}

/// Forbids caches to store an answer, which may hold personal data or secrets.
pub(super) fn without_caching(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn state_of(parts: &Parts) -> ApiResult<ApiState> {
    let state = parts.extensions.get::<ApiState>().cloned();
    state.ok_or_else(|| ApiError::new(INTERNAL, "The request did not come through the edge"))
}

/// Checks the session; unless the method is GET or HEAD, `Origin` and CSRF token; and the role. Puts the `SignedIn`
/// into the request's extensions.
pub(super) async fn admit(
    permission: &Permission,
    reach: SessionReach,
    request: &mut Parts,
) -> ApiResult<ConsoleSession> {
    let (state, from) = (state_of(request)?, RequestSource::from_parts(request)?.address);
    let principal = authenticate(&state, request, reach, from).await?;
    if !matches!(request.method, Method::GET | Method::HEAD) {
        check_origin(&state, request)?;
        check_csrf(&state, &principal, request)?;
    }
    check_tenant(&principal, request)?;
    judge(permission, &principal, None)?;
    let account = principal.account().ok_or_else(|| ApiError::new(INTERNAL, "A session without an account"))?.id;
    let cookie = cookie::session_in(&state, &request.headers).unwrap_or_default().to_owned();
    let origin = RequestOrigin::from_parts(request);
    request.extensions.insert(SignedIn { principal: Arc::clone(&principal), account, origin });
    Ok(ConsoleSession { principal, cookie })
}

/// Authenticates the session cookie. The answer to an invalid one is delayed if the client's address has presented too
/// many invalid credentials lately. A valid session is never delayed.
async fn authenticate(
    state: &ApiState,
    request: &Parts,
    reach: SessionReach,
    from: IpAddr,
) -> ApiResult<Arc<Principal>> {
    let Some(value) = cookie::session_in(state, &request.headers) else {
        return Err(ApiError::new(SESSION_REQUIRED, "You are not logged in"));
    };
    // Open pages of the console poll this path every few seconds. A poll does not count as use, so an unused session
    // still ends after its idle time.
    let is_check = request.method == Method::GET && request.uri.path().eq_ignore_ascii_case(SESSION);
    let purpose = if is_check { SessionPurpose::Check } else { SessionPurpose::Use };
    let outcome = state.app.identity().authenticate_session(value, purpose, reach, from).await.map_err(ApiError::from);
    if outcome.as_ref().is_err_and(|error| error.kind().status() == StatusCode::UNAUTHORIZED)
        && let Some(delay) = state.app.identity().attempts().failed(from)
    {
        tokio::time::sleep(delay).await;
    }
    outcome
}

fn check_origin(state: &ApiState, request: &Parts) -> ApiResult<()> {
    if origin::is_own(request, &state.settings.public_url) {
        return Ok(());
    }
    Err(ApiError::new(CSRF, "The Origin header must name the console's own origin"))
}

fn check_tenant(principal: &Principal, request: &Parts) -> ApiResult<()> {
    let Some(named) = request.headers.get(TENANT_HEADER) else { return Ok(()) };
    let named: Option<TenantId> = named.to_str().ok().and_then(|text| text.parse().ok());
    if named == Some(principal.tenant()) {
        return Ok(());
    }
    Err(ApiError::new(TENANT_MISMATCH, "Your session is now in another tenant. Switch back to continue here"))
}

fn check_csrf(state: &ApiState, principal: &Principal, request: &Parts) -> ApiResult<()> {
    let presented = request.headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if state.app.identity().sessions().csrf_fits(principal, presented) {
        return Ok(());
    }
    Err(ApiError::new(CSRF, "The X-CSRF-Token header must contain the session's csrf_token"))
}
