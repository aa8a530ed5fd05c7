//! The sandbox of the caller's tenant. Operations are refused with `sandbox_off` when the server has none.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::TenantId;
use sandbox::Sandbox;

use crate::error::SANDBOX_OFF;
use crate::gate::ConsoleSession;
use crate::prelude::*;

#[derive(Debug)]
pub(crate) struct Driver {
    pub sandbox: Sandbox,
    pub tenant: TenantId,
    /// The request came through the console's API.
    pub by_session: bool,
}

impl FromRequestParts<ApiState> for Driver {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let off = || ApiError::new(SANDBOX_OFF, "The sandbox is switched off: sandbox.enabled is false");
        let by_session = parts.extensions.get::<ConsoleSession>().is_some();
        Ok(Self { sandbox: state.sandbox.clone().ok_or_else(off)?, tenant: caller.tenant(), by_session })
    }
}
