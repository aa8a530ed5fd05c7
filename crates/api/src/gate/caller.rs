//! The authenticated caller, as the gate hands it to the operations behind it.

use std::sync::Arc;

use app::base::idempotency::IdempotencyScope;
use app::identity::gate::Forbidden;
use app::{Actor, Principal};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::identity::roles::Role;

use super::ClientAddress;
use crate::edge::request_id::RequestId;
use crate::error::{ApiError, ApiResult, INTERNAL};
use crate::state::ApiState;

/// The caller of an operation behind the gate.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub principal: Arc<Principal>,
    /// Identifies the operation under the client's idempotency key; None if the request has no key.
    pub idempotency_scope: Option<IdempotencyScope>,
    /// For the audit log.
    pub origin: RequestOrigin,
}

/// Client address and request id of a request, for the audit log.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestOrigin {
    address: Option<String>,
    request_id: Option<String>,
}

impl RequestOrigin {
    pub(crate) fn from_parts(parts: &Parts) -> Self {
        let address = parts.extensions.get::<ClientAddress>().map(|client| client.0.to_string());
        let request_id = parts.extensions.get::<RequestId>().and_then(|id| id.0.to_str().ok()).map(str::to_owned);
        Self { address, request_id }
    }

    pub(crate) fn actor(&self, principal: &Principal) -> Actor {
        principal.actor(self.address.clone(), self.request_id.clone())
    }
}

/// The administrator behind a request on the control socket. Only the socket's router puts one into a request's
/// extensions, and extensions do not travel over a network.
#[derive(Debug, Clone)]
pub(crate) struct LocalAdmin(pub Arc<Principal>);

/// The session behind a request to the console's API. Only the console's guard puts one into a request's extensions.
#[derive(Clone)]
pub(crate) struct ConsoleSession {
    pub principal: Arc<Principal>,
    /// The value of the session's cookie, so that a long answer can check later that the session still holds.
    pub cookie: String,
}

impl std::fmt::Debug for ConsoleSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConsoleSession").field("principal", &self.principal).finish_non_exhaustive()
    }
}

impl Caller {
    /// Checks the role for what an operation does with some bodies only. The gate has checked those of the operation,
    /// and counted the request: whoever has used up its rate sends no large body just to learn that the role is wrong.
    pub fn require_role(&self, allowed: &'static [Role]) -> ApiResult<()> {
        let role = self.principal.role();
        if allowed.contains(&role) { Ok(()) } else { Err(Forbidden::Role { role, allowed }.into()) }
    }
}

impl app::ActsFor for Caller {
    fn tenant(&self) -> domain::TenantId {
        self.principal.tenant()
    }

    fn principal(&self) -> Option<&Principal> {
        Some(&self.principal)
    }

    fn audit_actor(&self) -> Actor {
        self.origin.actor(&self.principal)
    }

    fn idempotency_scope(&self) -> Option<&IdempotencyScope> {
        self.idempotency_scope.as_ref()
    }
}

impl std::ops::Deref for Caller {
    type Target = Principal;

    fn deref(&self) -> &Principal {
        &self.principal
    }
}

/// What the gate hands to an operation: the state of the API, and the caller.
#[derive(Debug)]
pub(crate) struct Gated(pub ApiState, pub Caller);

impl FromRequestParts<ApiState> for Gated {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        Ok(Self(state.clone(), Caller::from_request_parts(parts, state).await?))
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let caller = parts.extensions.get::<Self>().cloned();
        let caller = caller.ok_or_else(|| ApiError::new(INTERNAL, "The operation is not behind the gate"))?;
        Ok(Self { origin: RequestOrigin::from_parts(parts), ..caller })
    }
}
